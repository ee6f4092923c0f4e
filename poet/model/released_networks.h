#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/outline.h"

namespace poet {

// Whether the released code passes the batch size on to the network.
enum class BatchSize { Scales, Ignored };

// One row per network that the released POET code (ICML 2022) has, in its order.
struct ReleasedNetwork {
  std::string_view name;
  std::string_view what;  // one line for help texts
  BatchSize batch_size = BatchSize::Scales;
  Outline (*build)(std::int64_t batch_size) =
      nullptr;  // for released_graph(), which checks the batch size
};
const std::vector<ReleasedNetwork>& released_network_table();

// Keeps every size and FLOP count of these networks, and their sums, far within 62 bits.
constexpr std::int64_t kMaxReleasedBatchSize = 1'000'000;

// The training step of a network exactly as the released code builds it, with the faults listed in
// docs/decisions/0004-released-graphs.md: for comparison with the paper, not for training. Every
// operation has one output, and tensor i is the output of operation i. Refuses unknown names, with
// a suggestion, and batch sizes outside [1, kMaxReleasedBatchSize]; networks with
// BatchSize::Ignored are the same at every batch size.
Result<Outline> released_graph(std::string_view name, std::int64_t batch_size);

}  // namespace poet
