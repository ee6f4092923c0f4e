#include "poet/base/file_calls.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace poet {
namespace {

int or_error(int result) {
  return result < 0 ? -errno : result;
}

std::int64_t or_error(ssize_t result) {
  return result < 0 ? -errno : std::int64_t{result};
}

class SystemFileCalls final : public FileCalls {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    return or_error(::open(path, flags | O_CLOEXEC, mode));
  }
  // Linux closes the file even when it says EINTR: to repeat would close another's.
  int close(int file) override {
    const int result = or_error(::close(file));
    return result == -EINTR ? 0 : result;
  }
  int status(int file, struct stat* into) override { return or_error(::fstat(file, into)); }
  int permit(int file, mode_t mode) override { return or_error(::fchmod(file, mode)); }
  int lock(int file) override { return or_error(::flock(file, LOCK_EX | LOCK_NB)); }
  int resize(int file, std::int64_t size_bytes) override {
    return or_error(::ftruncate(file, size_bytes));
  }
  // Not posix_fallocate(), which writes where a file system cannot reserve, without saying so.
  int reserve(int file, std::int64_t size_bytes) override {
    return or_error(::fallocate(file, 0, 0, size_bytes));
  }
  std::int64_t read_at(int file, std::int64_t offset_bytes, std::span<std::byte> into) override {
    return or_error(::pread(file, into.data(), into.size(), offset_bytes));
  }
  std::int64_t write_at(int file, std::int64_t offset_bytes,
                        std::span<const std::byte> from) override {
    return or_error(::pwrite(file, from.data(), from.size(), offset_bytes));
  }
  int sync(int file) override { return or_error(::fsync(file)); }
  int rename(const char* from, const char* to) override { return or_error(std::rename(from, to)); }
  int unlink(const char* path) override { return or_error(::unlink(path)); }

  std::int64_t direct_alignment(int file) override {
#ifdef STATX_DIOALIGN
    struct statx known {};
    const int result = or_error(::statx(file, "", AT_EMPTY_PATH, STATX_DIOALIGN, &known));
    if (result < 0 || (known.stx_mask & STATX_DIOALIGN) == 0) return 0;
    if (known.stx_dio_offset_align == 0) return -EOPNOTSUPP;
    return std::max(known.stx_dio_offset_align, known.stx_dio_mem_align);
#else
    static_cast<void>(file);
    return 0;
#endif
  }
};

}  // namespace

FileCalls& system_file_calls() {
  static SystemFileCalls calls;
  return calls;
}

std::string reason_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

int open_nameless_file(const std::string& folder, FileCalls& calls) {
  const int flags = O_RDWR | O_CLOEXEC;
  const int nameless =
      uninterrupted([&] { return calls.open(folder.c_str(), flags | O_TMPFILE, 0600); });
  // Some file systems have no nameless files, and some kernels do not know of them.
  if (nameless != -EOPNOTSUPP && nameless != -EISDIR) return nameless;
  constexpr int kTries = 1000;
  const std::string prefix = ".poet-nameless-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < kTries; ++i) {
    const std::string name =
        (std::filesystem::path(folder) / (prefix + std::to_string(i))).string();
    const int file =
        uninterrupted([&] { return calls.open(name.c_str(), flags | O_CREAT | O_EXCL, 0600); });
    if (file == -EEXIST) continue;
    if (file < 0) return file;
    const int removed = calls.unlink(name.c_str());
    if (removed == 0) return file;
    calls.close(file);
    return removed;
  }
  return -EEXIST;
}

}  // namespace poet
