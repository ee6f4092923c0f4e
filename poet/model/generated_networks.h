#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/outline.h"

namespace poet {

// Networks of any depth, for trying planners on: one row per kind.
struct GeneratedNetwork {
  std::string_view name;
  std::string_view what;  // one line for help texts
  // The training step of a network of so many blocks, at least 1; the random numbers choose the
  // width, the picture and so on, and not the number of blocks.
  Outline (*build)(std::int64_t blocks, std::mt19937_64 random) = nullptr;
};
const std::vector<GeneratedNetwork>& generated_network_table();

constexpr std::int64_t kMostGeneratedOperations = 100'000;

// The training step of the network whose number of operations is closest to the one asked for: with
// forward pass, loss, and backward pass by true differentiation (docs/formats/costed_graph.md has
// its layers). The same arguments give the same graph. Every operation has one output, and tensor i
// is the output of operation i. Refuses unknown kinds, with a suggestion, more operations than
// kMostGeneratedOperations, and fewer than the smallest network of the kind has.
Result<Outline> generated_graph(std::string_view kind, std::int64_t operations, std::uint64_t seed);

}  // namespace poet
