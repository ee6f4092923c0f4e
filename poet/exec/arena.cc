#include "poet/exec/arena.h"

#include <fmt/format.h>

#include <new>

#include "poet/base/check.h"

namespace poet {

void FreeArena::operator()(std::byte* memory) const {
  ::operator delete (memory, std::align_val_t{alignment_bytes});
}

Result<Arena> Arena::create(std::int64_t size_bytes, std::int64_t alignment_bytes) {
  POET_CHECK(alignment_bytes > 0 && (alignment_bytes & (alignment_bytes - 1)) == 0);
  POET_CHECK(size_bytes >= 0);
  const auto alignment = static_cast<std::size_t>(alignment_bytes);
  Arena arena;
  arena.size_bytes_ = static_cast<std::size_t>(size_bytes);
  void* const memory =
      ::operator new (arena.size_bytes_, std::align_val_t{alignment}, std::nothrow);
  if (memory == nullptr)
    return Error{ErrorCode::Io,
                 fmt::format("the system gives no {} bytes of memory for the arena", size_bytes),
                 {}};
  arena.memory_ = std::unique_ptr<std::byte[], FreeArena>(static_cast<std::byte*>(memory),
                                                          FreeArena{alignment});
  return arena;
}

}  // namespace poet
