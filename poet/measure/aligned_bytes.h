#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace poet {

// Bytes at an address that is a multiple of 64, the line of most caches; all zero, and in memory:
// the first to touch them does not pay for that.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size)
      : size_(size), bytes_(static_cast<std::byte*>(::operator new(size, kAlignment))) {
    std::memset(bytes_.get(), 0, size);
  }

  std::byte* data() const { return bytes_.get(); }
  std::span<std::byte> span() const { return {bytes_.get(), size_}; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }
  };

  std::size_t size_ = 0;
  std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace poet
