#pragma once

#include <cstdint>
#include <string>

#include "poet/base/result.h"
#include "poet/problem/costed_graph.h"

namespace poet {

// A network to be made up, and the device whose costs it gets.
struct GenerateRequest {
  std::string kind = {};  // a name of generated_network_table()
  std::int64_t operations = 1'000;
  std::uint64_t seed = 1;
  std::string platform = "m4";  // a built-in name, or the path of a TOML file
};

// The training step of such a network, with its costs (docs/formats/costed_graph.md). The same
// request gives the same graph. Refuses names and numbers that are not right.
Result<CostedGraph> generate_graph(const GenerateRequest& request);

}  // namespace poet
