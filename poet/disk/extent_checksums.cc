#include "poet/disk/extent_checksums.h"

#include <algorithm>
#include <span>

#include "poet/disk/checksum.h"

namespace poet {
namespace {

// The first extent that ends behind a place.
template <typename Extents>
auto first_behind(Extents& extents, std::int64_t place) {
  return std::partition_point(extents.begin(), extents.end(),
                              [place](const Extent& extent) { return extent.end_bytes <= place; });
}

}  // namespace

ExtentChecksums::ExtentChecksums(std::int64_t capacity) {
  extents_.reserve(static_cast<std::size_t>(capacity));
}

bool ExtentChecksums::forget(const Transfer& write) {
  const std::int64_t end_bytes = write.offset_bytes + write.size_bytes;
  const auto first = first_behind(extents_, write.offset_bytes);
  const auto last = std::find_if(first, extents_.end(), [end_bytes](const Extent& extent) {
    return extent.begin_bytes >= end_bytes;
  });
  if (first == last && extents_.size() == extents_.capacity()) return false;
  extents_.erase(first, last);
  return true;
}

void ExtentChecksums::record(const Transfer& write, std::uint64_t checksum) {
  extents_.insert(first_behind(extents_, write.offset_bytes),
                  Extent{write.offset_bytes, write.offset_bytes + write.size_bytes, checksum});
}

ExtentChecksums::Check ExtentChecksums::check(const Transfer& read) const {
  Check result;
  const std::int64_t end_bytes = read.offset_bytes + read.size_bytes;
  for (auto extent = first_behind(extents_, read.offset_bytes);
       extent != extents_.end() && extent->end_bytes <= end_bytes; ++extent) {
    if (extent->begin_bytes < read.offset_bytes) continue;
    const std::int64_t size_bytes = extent->end_bytes - extent->begin_bytes;
    const std::byte* const memory = read.memory + (extent->begin_bytes - read.offset_bytes);
    if (checksum_of({memory, static_cast<std::size_t>(size_bytes)}) != extent->checksum) {
      result.damaged = *extent;
      return result;
    }
    result.checked_bytes += size_bytes;
  }
  return result;
}

std::int64_t ExtentChecksums::memory_bytes() const {
  return static_cast<std::int64_t>(extents_.capacity() * sizeof(Extent));
}

}  // namespace poet
