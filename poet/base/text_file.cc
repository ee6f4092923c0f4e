#include "poet/base/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace poet {
namespace {

// A file descriptor that is closed when a function returns early. Where closing can lose data,
// release() and check.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

std::string reason(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

Error cannot(std::string_view verb, const std::string& path, const std::string& why,
             ErrorCode code = ErrorCode::Io) {
  return {code, "cannot " + std::string(verb) + " '" + path + "': " + why, {}};
}

Error cannot(std::string_view verb, const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return cannot(verb, path, reason(error_number), missing ? ErrorCode::NotFound : ErrorCode::Io);
}

int open_file(const char* path, int flags, mode_t mode = 0) {
  int number = -1;
  do {
    number = ::open(path, flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return number;
}

ssize_t read_some(int number, std::array<char, 65536>& block) {
  ssize_t count = -1;
  do {
    count = ::read(number, block.data(), block.size());
  } while (count < 0 && errno == EINTR);
  return count;
}

// 0, or the error number.
int write_all(int number, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(number, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// What a symbolic link leads to, so that the link itself is not replaced.
Result<std::string> target_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  if (error) return cannot("write", path, error.value());
  return target.string();
}

// The permissions that a file in this place has or will have; nothing for a new file.
Result<std::optional<mode_t>> permissions_to_keep(const std::string& path,
                                                  const std::string& target) {
  struct stat there {};
  if (::stat(target.c_str(), &there) != 0) {
    if (errno == ENOENT) return std::optional<mode_t>{};
    return cannot("write", path, errno);
  }
  if (S_ISDIR(there.st_mode)) return cannot("write", path, "it is a directory");
  if (!S_ISREG(there.st_mode)) return cannot("write", path, "it is not a regular file");
  if (::access(target.c_str(), W_OK) != 0) return cannot("write", path, errno);
  return std::optional<mode_t>{there.st_mode & 07777U};
}

struct NewFile {
  int number = -1;
  std::string path;
};

// A new, empty file beside the target; its name is free in that folder.
Result<NewFile> create_beside(const std::string& path, const std::string& target) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const std::string name = target + ".new" + std::to_string(::getpid()) + "-" + std::to_string(i);
    const int number = open_file(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (number >= 0) return NewFile{number, name};
    if (errno != EEXIST) return cannot("write", path, errno);
  }
  return cannot("write", path, EEXIST);
}

// 0, or the error number. Closes the file in any case.
int fill(int number, std::string_view text, std::optional<mode_t> permissions) {
  Descriptor file(number);
  if (permissions && ::fchmod(number, *permissions) != 0) return errno;
  if (const int error = write_all(number, text); error != 0) return error;
  if (::fsync(number) != 0) return errno;
  return ::close(file.release()) == 0 ? 0 : errno;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::int64_t largest_bytes) {
  const Descriptor file(open_file(path.c_str(), O_RDONLY));
  if (file.number() < 0) return cannot("read", path, errno);
  struct stat there {};
  if (::fstat(file.number(), &there) != 0) return cannot("read", path, errno);
  if (S_ISDIR(there.st_mode)) return cannot("read", path, "it is a directory");

  std::string text;
  std::array<char, 65536> block{};
  for (;;) {
    const ssize_t count = read_some(file.number(), block);
    if (count < 0) return cannot("read", path, errno);
    if (count == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
    if (static_cast<std::int64_t>(text.size()) > largest_bytes)
      return cannot("read", path, "it is larger than " + std::to_string(largest_bytes) + " bytes",
                    ErrorCode::BadInput);
  }
}

Failure write_text_file(const std::string& path, std::string_view text) {
  const Result<std::string> target = target_of(path);
  if (!target) return target.error();
  const Result<std::optional<mode_t>> permissions = permissions_to_keep(path, *target);
  if (!permissions) return permissions.error();
  const Result<NewFile> file = create_beside(path, *target);
  if (!file) return file.error();

  int error = fill(file->number, text, *permissions);
  if (error == 0 && ::rename(file->path.c_str(), target->c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(file->path.c_str());
  return cannot("write", path, error);
}

}  // namespace poet
