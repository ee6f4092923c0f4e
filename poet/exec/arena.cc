#include "poet/exec/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "poet/base/check.h"
#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"

namespace poet {

void FreeArena::operator()(std::byte* memory) const {
  if (mapped_bytes > 0)
    ::munmap(memory, mapped_bytes);
  else
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
                                                          FreeArena{.alignment_bytes = alignment});
  return arena;
}

Result<Arena> Arena::create_in_folder(const std::string& folder, std::int64_t size_bytes,
                                      std::int64_t alignment_bytes) {
  if (size_bytes == 0) return create(0, alignment_bytes);
  POET_CHECK(alignment_bytes > 0 && (alignment_bytes & (alignment_bytes - 1)) == 0);
  POET_CHECK(size_bytes > 0 && alignment_bytes <= ::sysconf(_SC_PAGESIZE));
  const auto refused = [&](int error_number) {
    return Error{ErrorCode::Io,
                 fmt::format("no file of {} can be made in {} for an arena: {}",
                             bytes_text(size_bytes), in_quotes(folder), reason_of(error_number)),
                 {}};
  };
  FileCalls& calls = system_file_calls();
  const int file = open_nameless_file(folder, calls);
  if (file < 0) return refused(-file);
  if (const int reserved = uninterrupted([&] { return calls.reserve(file, size_bytes); });
      reserved < 0) {
    calls.close(file);
    return refused(-reserved);
  }
  const auto size = static_cast<std::size_t>(size_bytes);
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error_number = errno;
  calls.close(file);  // the mapping keeps it
  if (memory == MAP_FAILED) return refused(error_number);
  Arena arena;
  arena.size_bytes_ = size;
  arena.memory_ = std::unique_ptr<std::byte[], FreeArena>(static_cast<std::byte*>(memory),
                                                          FreeArena{.mapped_bytes = size});
  return arena;
}

}  // namespace poet
