#include "poet/measure/profile_storage.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "poet/base/check.h"
#include "poet/measure/aligned_bytes.h"
#include "poet/measure/quartiles.h"

namespace poet {
namespace {

constexpr std::int64_t kSmallest = 4096;
constexpr std::int64_t kLargest = std::int64_t{4} << 20;
constexpr std::int64_t kSamples = 9;
// More than the caches of most processors hold, and what is touched before a transfer for each of
// its bytes: what is written was just computed, and what is read was written long ago.
constexpr std::size_t kOtherBytes = std::size_t{64} << 20;
constexpr std::size_t kOtherPerWrittenByte = 4;
constexpr std::size_t kOtherPerReadByte = 128;
constexpr std::size_t kCacheLine = 64;
constexpr const char* kStopped = "stopped before the storage was measured";
constexpr std::size_t kPage = 4096;  // what direct transfers want memory to begin at

// A place in the store for a sample: far from that of the sample before, a multiple of the size.
std::int64_t place_of(std::int64_t sample, std::int64_t size_bytes) {
  constexpr std::int64_t kStride = 7;  // coprime to the number of places
  const std::int64_t places = kProfiledStorageBytes / size_bytes;
  return sample * (places / kSamples * kStride | 1) % places * size_bytes;
}

// Memory at the begin of a page.
class PageBytes {
 public:
  explicit PageBytes(std::size_t size) : bytes_(size + kPage), size_(size) {
    std::memset(bytes_.data(), 0x5A, size + kPage);
  }
  std::span<std::byte> span() const {
    void* begin = bytes_.data();
    std::size_t space = size_ + kPage;
    std::align(kPage, size_, begin, space);
    return {static_cast<std::byte*>(begin), size_};
  }

 private:
  AlignedBytes bytes_;
  std::size_t size_ = 0;
};

// Between a write and its read a step computes, so caches hold neither a large page nor the memory
// that it comes to. Without this the same 4 MiB, warm, took half the time of a step's reads through
// the page cache. A step of small tensors leaves more in caches, the system's own work on a
// transfer among it: with all of this before each, rows of a table took five times what they take
// in a step (bench/predictions).
class OtherMemory {
 public:
  OtherMemory() : bytes_(kOtherBytes, 1) {}
  void read(std::size_t size) {
    size = std::min(bytes_.size(), size);
    for (std::size_t i = 0; i < size; i += kCacheLine) sum_ += bytes_[i];
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint64_t sum_ = 0;
};

template <typename Transfer>
Result<std::vector<TransferTime>> times_of(std::size_t others_per_byte, const Stop& stop,
                                           const Transfer& transfer) {
  const PageBytes memory(kLargest);
  OtherMemory others;
  std::vector<TransferTime> times;
  for (std::int64_t size = kSmallest; size <= kLargest; size *= 4) {
    std::vector<double> samples;
    for (std::int64_t sample = 0; sample < kSamples; ++sample) {
      if (stop.requested()) return bad_input(kStopped);
      const std::span<std::byte> bytes = memory.span().first(static_cast<std::size_t>(size));
      others.read(others_per_byte * static_cast<std::size_t>(size));
      const double begin_s = stop.now_s();
      if (Failure failure = transfer(place_of(sample, size), bytes)) return *failure;
      samples.push_back(stop.now_s() - begin_s);
    }
    times.push_back({size, std::max(1e-9, quartiles_of(samples).median)});
  }
  POET_CHECK(others.sum() > 0);  // it was read
  return times;
}

// A step writes where it wrote before; the first time the file system finds room.
Failure write_once(PageStore& store, const Stop& stop) {
  const PageBytes memory(kLargest);
  for (std::int64_t place = 0; place < kProfiledStorageBytes; place += kLargest) {
    if (stop.requested()) return bad_input(kStopped);
    if (Failure failure = store.write(place, memory.span())) return failure;
  }
  return std::nullopt;
}

}  // namespace

Result<StorageProfile> profile_storage(PageStore& store, const Stop& stop) {
  POET_CHECK(stop.elapsed_s != nullptr && store.size_bytes() >= kProfiledStorageBytes);
  if (Failure failure = write_once(store, stop)) return *failure;
  StorageProfile profile{.samples = kSamples};
  Result<std::vector<TransferTime>> writes = times_of(
      kOtherPerWrittenByte, stop, [&store](std::int64_t offset_bytes, std::span<std::byte> bytes) {
        return store.write(offset_bytes, bytes);
      });
  if (!writes.ok()) return writes.error();
  Result<std::vector<TransferTime>> reads = times_of(
      kOtherPerReadByte, stop, [&store](std::int64_t offset_bytes, std::span<std::byte> bytes) {
        return store.read(offset_bytes, bytes);
      });
  if (!reads.ok()) return reads.error();
  const Result<TransferFit> write = fit_transfers(*writes);
  if (!write.ok()) return write.error();
  const Result<TransferFit> read = fit_transfers(*reads);
  if (!read.ok()) return read.error();
  profile.write = *write;
  profile.read = *read;
  profile.writes = *std::move(writes);
  profile.reads = *std::move(reads);
  return profile;
}

}  // namespace poet
