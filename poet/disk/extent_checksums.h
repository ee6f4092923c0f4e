#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/disk/transfer.h"

namespace poet {

// A piece of the file that one transfer wrote, and that nothing has overlapped since.
struct Extent {
  std::int64_t begin_bytes = 0;
  std::int64_t end_bytes = 0;
  std::uint64_t checksum = 0;
};

// The checksums of what was written. Nothing is allocated after it is made.
class ExtentChecksums {
 public:
  explicit ExtentChecksums(std::int64_t capacity);

  // Before a write: what it overlaps is no longer what it was. False, and nothing is changed, when
  // there would be no room for the new extent.
  bool forget(const Transfer& write);
  // After it. `forget` was called for it.
  void record(const Transfer& write, std::uint64_t checksum);

  struct Check {
    std::int64_t checked_bytes = 0;
    std::optional<Extent> damaged;  // the first
  };
  // Of what was read, each extent that lies wholly within.
  Check check(const Transfer& read) const;

  std::int64_t memory_bytes() const;

 private:
  std::vector<Extent> extents_;  // disjoint, in order
};

}  // namespace poet
