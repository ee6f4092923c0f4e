#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace poet {

// What the operating system does with files, as one seam, so that a test can make every call fail
// once. Each returns what the system's own call returns (0, a count of bytes or a descriptor), or
// the negative error number; none is repeated.
class FileCalls {
 public:
  virtual ~FileCalls() = default;

  virtual int open(const char* path, int flags, mode_t mode) = 0;
  virtual int close(int file) = 0;
  virtual int status(int file, struct stat* into) = 0;
  virtual int permit(int file, mode_t mode) = 0;
  // For this process alone, without waiting: -EWOULDBLOCK where another has it.
  virtual int lock(int file) = 0;
  virtual int resize(int file, std::int64_t size_bytes) = 0;
  // Makes the file at least so large, with space on the disk for all of it.
  virtual int reserve(int file, std::int64_t size_bytes) = 0;
  virtual std::int64_t read_at(int file, std::int64_t offset_bytes, std::span<std::byte> into) = 0;
  virtual std::int64_t write_at(int file, std::int64_t offset_bytes,
                                std::span<const std::byte> from) = 0;
  virtual int sync(int file) = 0;
  virtual int rename(const char* from, const char* to) = 0;
  virtual int unlink(const char* path) = 0;
  // The alignment that direct I/O wants of memory, offsets and sizes; 0: the kernel does not say.
  // -EOPNOTSUPP: it says that there is no direct I/O.
  virtual std::int64_t direct_alignment(int file) = 0;
};

FileCalls& system_file_calls();

// "No space left on device".
std::string reason_of(int error_number);

// The result of a call, repeated while a signal interrupts it. Not for ever: 100 in a row are an
// error like another.
template <typename Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  for (int i = 0; i < 100 && result == -EINTR; ++i) result = call();
  return result;
}

// A new file in a folder that has no name, so that it is nobody else's and gone with the program,
// whatever ends it: a descriptor to read and write, or the negative error number. Where a file
// cannot be without a name from the start, it has one for a moment.
int open_nameless_file(const std::string& folder, FileCalls& calls = system_file_calls());

}  // namespace poet
