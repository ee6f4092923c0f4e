#include "poet/train/checkpoint_place.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "poet/base/atomic_file.h"
#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

// That a lock's file was made for it, and goes with it: the sticky bit, which means nothing for
// files. A user's own file of that name is locked as well, and stays.
constexpr mode_t kMadeForIt = S_ISVTX;

Error cannot_write(const std::string& path, int error_number) {
  return {
      ErrorCode::Io,
      fmt::format("cannot write the checkpoint {}: {}", in_quotes(path), reason_of(error_number)),
      {}};
}

// The open file is still the one of that name: whoever had it before may have removed it since.
bool is_named(int file, const std::string& name) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::lstat(name.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

int open_lock(const std::string& name, int more_flags) {
  return uninterrupted([&] {
    const int number =
        ::open(name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | more_flags,
               S_IRUSR | S_IWUSR | kMadeForIt);
    return number < 0 ? -errno : number;
  });
}

bool has_mark(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
         (status.st_mode & kMadeForIt) != 0;
}

// Under a name that nothing has, without a moment in which it has none.
int rename_to_free(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return 0;
  if (errno == EEXIST) return -EEXIST;
  // A folder, or a file system that gives a file one name only.
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0
                                                                                          : -errno;
}

}  // namespace

std::string lock_path(const std::string& target) {
  return target + ".poet-lock";
}

// -EWOULDBLOCK where another process has the lock.
CheckpointPlace::Lock CheckpointPlace::locked(std::string name) {
  constexpr int kTries = 100;
  Lock lock{.name = std::move(name), .file = -EWOULDBLOCK};
  for (int i = 0; i < kTries; ++i) {
    lock.file = open_lock(lock.name, O_CREAT | O_EXCL);
    lock.is_made = lock.file >= 0;
    if (lock.file == -EEXIST) {
      lock.file = open_lock(lock.name, 0);
      if (lock.file == -ENOENT) continue;  // it went in between
      lock.is_made = lock.file >= 0 && has_mark(lock.file);
    }
    if (lock.file < 0) return lock;
    const int result =
        uninterrupted([&] { return ::flock(lock.file, LOCK_EX | LOCK_NB) < 0 ? -errno : 0; });
    // Some network file systems have no locks; there, two trainings that write one file are not
    // told.
    const bool is_ours = result == 0 || result == -ENOLCK || result == -EOPNOTSUPP;
    if (is_ours && is_named(lock.file, lock.name)) return lock;
    ::close(lock.file);
    lock.file = is_ours ? -EWOULDBLOCK : result;
    if (!is_ours) return lock;
  }
  return lock;
}

bool CheckpointPlace::FileMark::operator==(const FileMark& other) const {
  return device == other.device && number == other.number && size_bytes == other.size_bytes &&
         changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
}

std::optional<CheckpointPlace::FileMark> CheckpointPlace::mark() const {
  struct stat there {};
  if (::lstat(target_.c_str(), &there) != 0) return std::nullopt;
  return FileMark{there.st_dev, there.st_ino, there.st_size, there.st_mtim};
}

Result<std::unique_ptr<CheckpointPlace>> CheckpointPlace::take(const std::string& path) {
  const Result<std::string> target = written_path(path);
  if (!target.ok()) return target.error();
  Lock lock = locked(lock_path(*target));
  if (lock.file == -EWOULDBLOCK)
    return bad_input(fmt::format(
        "another training writes the checkpoint {} at this moment: wait for it, or name another",
        in_quotes(path)));
  if (lock.file < 0) return cannot_write(path, -lock.file);
  std::unique_ptr<CheckpointPlace> place(new CheckpointPlace(path, *target, std::move(lock)));
  place->known_ = place->mark();
  return place;
}

CheckpointPlace::~CheckpointPlace() {
  // Before it is closed: closing gives up the lock that keeps it ours.
  if (lock_.is_made && is_named(lock_.file, lock_.name)) ::unlink(lock_.name.c_str());
  ::close(lock_.file);
}

Result<std::optional<std::string>> CheckpointPlace::make_way() const {
  const std::optional<FileMark> now = mark();
  if (!now || now == known_) return std::optional<std::string>();
  constexpr int kTries = 1'000'000;
  int result = -EEXIST;
  for (int i = 1; i <= kTries && result == -EEXIST; ++i) {
    const std::string aside = fmt::format("{}.found{}", target_, i);
    result = rename_to_free(target_, aside);
    if (result == 0) return std::optional(aside);
  }
  return cannot_write(path_, -result);
}

Result<std::optional<std::string>> CheckpointPlace::write(
    const std::function<Failure(FileWriter&)>& fill) {
  std::optional<std::string> aside;
  FilePlace place{.path = path_, .target = target_, .readers = NewFileReaders::OnlyTheOwner};
  place.make_way = [&]() -> Failure {
    Result<std::optional<std::string>> made = make_way();
    if (!made.ok()) return made.error();
    aside = *std::move(made);
    return std::nullopt;
  };
  struct stat there {};
  if (known_ && mark() == known_ && ::lstat(target_.c_str(), &there) == 0) {
    if (::access(target_.c_str(), W_OK) != 0) return cannot_write(path_, errno);
    place.replaces = there;
  }
  if (Failure failure = write_file_at(place, fill)) return *failure;
  known_ = mark();
  return aside;
}

}  // namespace poet
