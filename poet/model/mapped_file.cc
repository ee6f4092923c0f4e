#include "poet/model/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace poet {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

Error cannot_read(const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return {missing ? ErrorCode::NotFound : ErrorCode::Io,
          "cannot read '" + path +
              "': " + std::error_code(error_number, std::generic_category()).message(),
          {}};
}

}  // namespace

Result<StoredBytes> map_file(const std::string& path) {
  const Descriptor file(path);
  if (file.number() < 0) return cannot_read(path, errno);
  struct stat there {};
  if (::fstat(file.number(), &there) != 0) return cannot_read(path, errno);
  if (!S_ISREG(there.st_mode))
    return Error{ErrorCode::Io, "cannot read '" + path + "': it is not a regular file", {}};
  const auto size = static_cast<std::size_t>(there.st_size);
  if (size == 0) return StoredBytes{};

  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (start == MAP_FAILED) return cannot_read(path, errno);
  std::shared_ptr<const void> owner(
      start, [size](const void* mapped) { ::munmap(const_cast<void*>(mapped), size); });
  return StoredBytes{std::move(owner), {static_cast<const std::byte*>(start), size}};
}

}  // namespace poet
