#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/layout/layout_file.h"
#include "poet/layout/pack.h"
#include "poet/layout/packing_table.h"

namespace poet {

// The largest alignment of an offset that can be asked for.
inline constexpr std::int64_t kLargestAlignmentBytes = std::int64_t{1} << 30;

// A file with buffers to pack: a table (docs/formats/packing.md) or, when its name ends in .json, a
// plan.
struct PackRequest {
  std::string path = {};
  std::optional<std::string> text = {};             // what is in it; nothing: it is read
  std::optional<std::int64_t> capacity_bytes = {};  // default: as low as it can be
  std::int64_t alignment_bytes = 1;
  std::int64_t max_nodes = 20'000'000;
  std::uint64_t seed = 1;  // of tables
};

struct PackAnswer {
  PackRequest request = {};
  std::int64_t buffers = 0;
  std::int64_t height_bytes = 0;
  std::int64_t lower_bound_bytes = 0;  // no packing is lower
  std::int64_t nodes = 0;              // of the exact search
  double pack_s = 0;                   // by the clock of `stop`
  std::optional<Layout> layout = {};   // of a plan
  std::int64_t ram_budget_bytes = 0;   // of a plan
  std::int64_t peak_ram_bytes = 0;     // of a plan: what is in use at its worst moment
  std::string packed_text = {};        // the table with offsets, or the plan with its layout
  std::vector<std::string> warnings = {};

  bool fits() const { return !request.capacity_bytes || height_bytes <= *request.capacity_bytes; }
  // Of the answer that is printed: that nothing is lower, or that nothing fits.
  bool proved() const {
    return fits() && request.capacity_bytes ? true
           : request.capacity_bytes         ? lower_bound_bytes > *request.capacity_bytes
                                            : height_bytes == lower_bound_bytes;
  }
};

// Packs what is in the file. Refuses what cannot be read, and an alignment that is not a power of
// two.
Result<PackAnswer> pack_file(const PackRequest& request, const Stop& stop,
                             const std::function<void(const PackProgress&)>& progress);

}  // namespace poet
