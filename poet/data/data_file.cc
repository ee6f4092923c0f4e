#include "poet/data/data_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace poet {
namespace {

Error cannot_read(const std::string& path, const std::string& why, ErrorCode code = ErrorCode::Io) {
  return {code, fmt::format("cannot read {}: {}", quoted_path(path), why), {}};
}

Error cannot_read(const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return cannot_read(path, std::error_code(error_number, std::generic_category()).message(),
                     missing ? ErrorCode::NotFound : ErrorCode::Io);
}

}  // namespace

std::string quoted_path(const std::string& path) {
  return "'" + path + "'";
}

Result<DataFile> DataFile::open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot_read(path, errno);
  DataFile file(path, descriptor, 0);
  struct stat there {};
  if (::fstat(descriptor, &there) != 0) return cannot_read(path, errno);
  if (S_ISDIR(there.st_mode)) return cannot_read(path, "it is a directory");
  if (!S_ISREG(there.st_mode)) return cannot_read(path, "it is not a regular file");
  file.size_bytes_ = there.st_size;
  return file;
}

DataFile DataFile::adopt(std::string path, int descriptor, std::int64_t size_bytes) {
  return {std::move(path), descriptor, size_bytes};
}

DataFile::DataFile(std::string path, int descriptor, std::int64_t size_bytes)
    : path_(std::move(path)), descriptor_(descriptor), size_bytes_(size_bytes) {}

DataFile::DataFile(DataFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_bytes_(other.size_bytes_) {}

DataFile& DataFile::operator=(DataFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

DataFile::~DataFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Failure DataFile::read(std::int64_t offset_bytes, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t count = ::pread(descriptor_, into.data(), into.size(), offset_bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(path_, errno);
    if (count == 0)
      return cannot_read(path_, fmt::format("it ends at byte {}, where {} more should follow",
                                            offset_bytes, into.size()));
    into = into.subspan(static_cast<std::size_t>(count));
    offset_bytes += count;
  }
  return std::nullopt;
}

}  // namespace poet
