#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "poet/base/result.h"

namespace poet {

struct FreeArena {
  std::size_t alignment_bytes = 0;
  void operator()(std::byte* memory) const;
};

// The one piece of memory that a step works in.
class Arena {
 public:
  // `alignment_bytes` is a power of two. Refuses what the system does not give.
  static Result<Arena> create(std::int64_t size_bytes, std::int64_t alignment_bytes);

  std::span<std::byte> bytes() const { return {memory_.get(), size_bytes_}; }

 private:
  std::unique_ptr<std::byte[], FreeArena> memory_ = {};
  std::size_t size_bytes_ = 0;
};

}  // namespace poet
