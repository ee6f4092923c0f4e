#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "poet/base/stop.h"
#include "poet/layout/packing.h"

namespace poet {

struct PackProgress {
  std::int64_t height = 0;
  std::int64_t lower_bound = 0;
  std::int64_t nodes = 0;
};

struct PackOptions {
  std::int64_t alignment = 1;                 // of every offset; a power of two
  std::optional<std::int64_t> capacity = {};  // stop at a packing that fits into it
  std::int64_t max_nodes = 20'000'000;        // of the exact search
  std::uint64_t seed = 1;
  Stop stop = {};
  std::function<void(const PackProgress&)> progress = {};  // may be empty
};

// Offsets are multiples of the alignment, and heights are rounded up to it.
struct PackReport {
  Packing packing = {};
  std::int64_t lower_bound = 0;  // no packing is lower
  std::int64_t nodes = 0;        // of the exact search
  bool proved() const { return packing.height == lower_bound; }
};

// Dynamic storage allocation: an offset for each block so that no two that live at the same time
// share a byte, and the highest end is as low as it is found. Sizes and times are not negative and
// their sums, rounded up to the alignment, fit into 62 bits. Same blocks, options and seed: same
// answer, unless `stop` says so.
PackReport pack(const std::vector<PackBlock>& blocks, const PackOptions& options);

}  // namespace poet
