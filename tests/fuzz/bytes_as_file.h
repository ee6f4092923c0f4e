#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "poet/base/check.h"

namespace poet::fuzz {

// Bytes as a file that has a path and lies in memory.
class BytesAsFile {
 public:
  BytesAsFile(const std::uint8_t* data, std::size_t size) : file_(::memfd_create("fuzz", 0)) {
    POET_CHECK(file_ >= 0);
    POET_CHECK(::write(file_, data, size) == static_cast<ssize_t>(size));
  }
  ~BytesAsFile() { ::close(file_); }
  BytesAsFile(const BytesAsFile&) = delete;
  BytesAsFile& operator=(const BytesAsFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace poet::fuzz
