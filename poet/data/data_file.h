#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "poet/base/result.h"

namespace poet {

// A path as messages show it: whole, so that it can be looked for.
std::string quoted_path(const std::string& path);

// A file of data, open for reading at any place. Nothing of it is kept in memory: what is read goes
// straight to where it is wanted, and a file that shrinks or vanishes is an error and no crash.
class DataFile {
 public:
  // Refuses what does not exist, cannot be read, or is no regular file.
  static Result<DataFile> open(const std::string& path);

  // An open file, which is closed in the end; `path` is for messages.
  static DataFile adopt(std::string path, int descriptor, std::int64_t size_bytes);

  DataFile(DataFile&& other) noexcept;
  DataFile& operator=(DataFile&& other) noexcept;
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;
  ~DataFile();

  const std::string& path() const { return path_; }
  std::int64_t size_bytes() const { return size_bytes_; }

  // Fills `into` with the bytes from `offset_bytes` on. Refuses places beyond the end.
  Failure read(std::int64_t offset_bytes, std::span<std::byte> into) const;

 private:
  DataFile(std::string path, int descriptor, std::int64_t size_bytes);

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
};

}  // namespace poet
