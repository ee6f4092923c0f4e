#include "poet/base/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>

#include "poet/base/atomic_file.h"

namespace poet {
namespace {

// A file that is only read from, and so may be closed unchecked.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

Error cannot(std::string_view verb, const std::string& path, const std::string& why,
             ErrorCode code = ErrorCode::Io) {
  return {code, "cannot " + std::string(verb) + " '" + path + "': " + why, {}};
}

Error cannot(std::string_view verb, const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return cannot(verb, path, reason_of(error_number), missing ? ErrorCode::NotFound : ErrorCode::Io);
}

int open_file(const char* path, int flags) {
  int number = -1;
  do {
    number = ::open(path, flags | O_CLOEXEC);
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

}  // namespace

Failure read_file_in_pieces(const std::string& path,
                            const std::function<Failure(std::string_view)>& take) {
  const Descriptor file(open_file(path.c_str(), O_RDONLY));
  if (file.number() < 0) return cannot("read", path, errno);
  struct stat there {};
  if (::fstat(file.number(), &there) != 0) return cannot("read", path, errno);
  if (S_ISDIR(there.st_mode)) return cannot("read", path, "it is a directory");

  std::array<char, 65536> block{};
  for (;;) {
    const ssize_t count = read_some(file.number(), block);
    if (count < 0) return cannot("read", path, errno);
    if (count == 0) return std::nullopt;
    if (Failure failure = take({block.data(), static_cast<std::size_t>(count)})) return failure;
  }
}

Result<std::string> read_text_file(const std::string& path, std::int64_t largest_bytes) {
  std::string text;
  // A text that grows piece by piece takes up to twice its size. Who says no size has none.
  std::error_code ignored;
  const std::uintmax_t size_bytes = std::filesystem::file_size(path, ignored);
  if (!ignored && size_bytes <= static_cast<std::uintmax_t>(largest_bytes))
    text.reserve(static_cast<std::size_t>(size_bytes));
  const auto append = [&](std::string_view piece) -> Failure {
    text += piece;
    if (static_cast<std::int64_t>(text.size()) <= largest_bytes) return std::nullopt;
    return cannot("read", path, "it is larger than " + std::to_string(largest_bytes) + " bytes",
                  ErrorCode::BadInput);
  };
  if (Failure failure = read_file_in_pieces(path, append)) return *failure;
  return text;
}

Failure require_regular_file(const std::string& path) {
  const Descriptor file(open_file(path.c_str(), O_RDONLY | O_NONBLOCK));
  if (file.number() < 0) return cannot("read", path, errno);
  struct stat there {};
  if (::fstat(file.number(), &there) != 0) return cannot("read", path, errno);
  if (S_ISDIR(there.st_mode)) return cannot("read", path, "it is a directory");
  if (!S_ISREG(there.st_mode)) return cannot("read", path, "it is not a regular file");
  return std::nullopt;
}

Failure write_text_file(const std::string& path, std::string_view text) {
  return write_file_atomically(path, [text](FileWriter& file) {
    return file.append(std::as_bytes(std::span(text.data(), text.size())));
  });
}

}  // namespace poet
