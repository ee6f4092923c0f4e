#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "poet/base/result.h"

namespace poet {

struct FreeArena {
  std::size_t alignment_bytes = 0;
  std::size_t mapped_bytes = 0;  // of a file; 0: it is memory of the program
  void operator()(std::byte* memory) const;
};

// The one piece of memory that a step works in.
class Arena {
 public:
  // `alignment_bytes` is a power of two. Refuses what the system does not give.
  static Result<Arena> create(std::int64_t size_bytes, std::int64_t alignment_bytes);

  // A file without a name in a folder, mapped: what the system keeps of it in RAM is its cache,
  // which it writes back and takes away when RAM is short. The disk has room for all of it from the
  // start, since a write to memory cannot be refused later. Aligned to the pages of the system at
  // most.
  static Result<Arena> create_in_folder(const std::string& folder, std::int64_t size_bytes,
                                        std::int64_t alignment_bytes);

  std::span<std::byte> bytes() const { return {memory_.get(), size_bytes_}; }

 private:
  std::unique_ptr<std::byte[], FreeArena> memory_ = {};
  std::size_t size_bytes_ = 0;
};

}  // namespace poet
