#include "poet/base/atomic_file.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

Error cannot_write(const std::string& path, const std::string& why,
                   ErrorCode code = ErrorCode::Io) {
  return {code, "cannot write '" + path + "': " + why, {}};
}

Error cannot_write(const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return cannot_write(path, reason_of(error_number), missing ? ErrorCode::NotFound : ErrorCode::Io);
}

// What a link that leads to no file would lead to, which weakly_canonical() takes for the missing
// file itself. Any other path is as it was. Looks at the names alone: the links may change until
// the file is made, and then it is made where they led now.
std::filesystem::path past_dangling_links(std::filesystem::path path, std::error_code& error) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as many as the system follows
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code ignored;
    if (fs::status(path, ignored).type() != fs::file_type::not_found) return path;
    if (!fs::is_symlink(fs::symlink_status(path, ignored))) return path;
    const fs::path next = fs::read_symlink(path, error);
    if (error) return path;
    path = path.parent_path() / next;
  }
  error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  return path;
}

// Whether a link was put there by somebody who is neither we nor whoever has the folder, where
// everybody may put things: it may lead to a file of ours that is to be kept. (Linux refuses some
// of these itself, where fs.protected_symlinks says so.) A group that shares a folder is trusted.
bool is_planted(const std::filesystem::path& link) {
  struct stat own {};
  struct stat folder {};
  const std::filesystem::path parent = link.has_parent_path() ? link.parent_path() : ".";
  if (::lstat(link.c_str(), &own) != 0 || !S_ISLNK(own.st_mode)) return false;
  if (::stat(parent.c_str(), &folder) != 0) return false;
  return (folder.st_mode & S_IWOTH) != 0 && own.st_uid != ::geteuid() &&
         own.st_uid != folder.st_uid;
}

// The first such link on the way to a path, through all links; nothing: there is none.
std::optional<std::string> planted_link_to(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;
  std::deque<fs::path> ahead(path.begin(), path.end());
  fs::path reached;
  for (int links = 0; links < kMostLinks && !ahead.empty();) {
    const fs::path next = reached / ahead.front();
    ahead.pop_front();
    std::error_code no_link;
    const fs::path target = fs::read_symlink(next, no_link);
    if (no_link) {
      reached = next;
      continue;
    }
    if (is_planted(next)) return next.string();
    ahead.insert(ahead.begin(), target.begin(), target.end());
    if (target.is_absolute()) reached.clear();
    ++links;
  }
  return std::nullopt;
}

// The file in this place, whose permissions and owner the new one keeps; nothing: there is none.
Result<std::optional<struct stat>> file_to_replace(const std::string& path,
                                                   const std::string& target) {
  struct stat there {};
  if (::stat(target.c_str(), &there) != 0) {
    if (errno == ENOENT) return std::optional<struct stat>{};
    return cannot_write(path, errno);
  }
  if (S_ISDIR(there.st_mode)) return cannot_write(path, "it is a directory");
  if (!S_ISREG(there.st_mode)) return cannot_write(path, "it is not a regular file");
  if (::access(target.c_str(), W_OK) != 0) return cannot_write(path, errno);
  return std::optional<struct stat>(there);
}

// A new file that is closed, and removed unless it has taken its place.
class UnfinishedFile {
 public:
  UnfinishedFile(FileCalls& calls, int number, std::string path)
      : calls_(calls), number_(number), path_(std::move(path)) {}
  UnfinishedFile(UnfinishedFile&& other) noexcept
      : calls_(other.calls_),
        number_(std::exchange(other.number_, -1)),
        path_(std::exchange(other.path_, {})) {}
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  // Removed before it is closed: closing gives up the lock that keeps it ours.
  ~UnfinishedFile() {
    if (!path_.empty()) calls_.unlink(path_.c_str());
    if (number_ >= 0) calls_.close(number_);
  }

  int number() const { return number_; }
  int rename_to(const std::string& target) {
    const int result = calls_.rename(path_.c_str(), target.c_str());
    if (result == 0) path_.clear();
    return result;
  }
  int close() { return calls_.close(std::exchange(number_, -1)); }

 private:
  FileCalls& calls_;
  int number_;
  std::string path_;
};

// 0 when the open file is locked by us and still the one of that name (another process may have
// renamed or removed it between our opening and locking it); `status` is then the file's.
int lock_as_named(FileCalls& calls, int number, const std::string& name, struct stat& status) {
  const int locked = uninterrupted([&] { return calls.lock(number); });
  // Some network file systems have no locks; there, two that write one file at once are not told.
  if (locked < 0 && locked != -ENOLCK && locked != -EOPNOTSUPP) return locked;
  struct stat named {};
  if (const int result = calls.status(number, &status); result < 0) return result;
  if (::lstat(name.c_str(), &named) != 0) return errno == ENOENT ? -EWOULDBLOCK : -errno;
  const bool same = named.st_ino == status.st_ino && named.st_dev == status.st_dev;
  return same ? 0 : -EWOULDBLOCK;
}

// What a file of ours has until it is whole, and a file of the user's has not: the sticky bit,
// which means nothing for files. So a file that somebody made under our name is told from what a
// killed process left. Some file systems (FAT) do not keep it; there a leftover stays, and the next
// name is used.
constexpr mode_t kUnfinished = S_ISVTX;

// Removes what a killed process of ours left under the name. -EEXIST where something else lies
// there: in a folder that others may write to, it is theirs, or leads to a file that is to be kept.
// -EWOULDBLOCK where it is the user's own file, which is none of our business.
int remove_leftover(FileCalls& calls, const std::string& name) {
  // Without waiting: nobody may read from a pipe that somebody laid there.
  const int number = uninterrupted(
      [&] { return calls.open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0); });
  if (number == -ENOENT) return 0;
  if (number == -ELOOP || number == -ENXIO || number == -EACCES || number == -EISDIR)
    return -EEXIST;
  if (number < 0) return number;
  struct stat status {};
  int result = lock_as_named(calls, number, name, status);
  const bool ours = S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && status.st_nlink == 1;
  if (result == 0 && !ours) result = -EEXIST;
  if (result == 0 && (status.st_mode & kUnfinished) == 0) result = -EWOULDBLOCK;
  if (result == 0) result = calls.unlink(name.c_str());
  calls.close(number);
  return result;
}

// A file of that name that did not exist before, or the negative error number: -EWOULDBLOCK when
// the name is taken. `status` is then the file's.
int create_new(FileCalls& calls, const std::string& name, mode_t mode, struct stat& status) {
  const auto open = [&] {
    return uninterrupted([&] {
      return calls.open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode | kUnfinished);
    });
  };
  int number = open();
  if (number == -EEXIST) {
    if (const int result = remove_leftover(calls, name); result < 0) return result;
    number = open();
    if (number == -EEXIST) return -EWOULDBLOCK;  // another was quicker
  }
  if (number < 0) return number;
  const int result = lock_as_named(calls, number, name, status);
  if (result == 0) return number;
  calls.close(number);
  return result;
}

// With so much more at the end, as far as a name may be long.
std::string name_beside(const std::string& target, const std::string& end) {
  const std::size_t folder = target.rfind('/') + 1;  // 0 where there is none
  const std::size_t kept = std::min(target.size() - folder, NAME_MAX - end.size());
  return target.substr(0, folder + kept) + end;
}

// Beside the target, or the error. The name is always the same, so that what a killed process left
// is used again and does not fill the disk; further names are for others that write the same file
// at this moment, and where the user has a file of that name.
Result<UnfinishedFile> create_beside(FileCalls& calls, const std::string& path,
                                     const std::string& target, mode_t mode, struct stat& status) {
  constexpr int kTries = 100;
  int error = EWOULDBLOCK;
  for (int i = 0; i < kTries && error == EWOULDBLOCK; ++i) {
    const std::string name = name_beside(target, ".poet-new" + (i == 0 ? "" : std::to_string(i)));
    const int number = create_new(calls, name, mode, status);
    if (number >= 0) return UnfinishedFile(calls, number, name);
    error = -number;
    if (error == EEXIST)
      return cannot_write(path, "'" + name + "' is in the way: POET did not leave that file there");
  }
  if (error == EWOULDBLOCK)
    return cannot_write(path, "'" + name_beside(target, ".poet-new") + "' and " +
                                  std::to_string(kTries - 1) +
                                  " files of such names are in the way");
  return cannot_write(path, error);
}

// The folder's entry for a new file is on the disk only when the folder is flushed too.
int sync_folder(FileCalls& calls, const std::string& target) {
  const std::string parent = std::filesystem::path(target).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;  // a plain name lies where we are
  const int number =
      uninterrupted([&] { return calls.open(folder.c_str(), O_RDONLY | O_DIRECTORY, 0); });
  if (number < 0) return number;
  const int result = uninterrupted([&] { return calls.sync(number); });
  calls.close(number);
  // Some file systems have no such thing for folders, and say so by EINVAL.
  return result == -EINVAL ? 0 : result;
}

// A whole new file on the disk, beside the one whose place it is to take.
struct FileBeside {
  UnfinishedFile file;
  std::string path = {};  // for sentences
  std::string target = {};
  std::optional<mode_t> last = {};  // its permissions then, where those that it has are others
  std::optional<struct stat> owner = {};  // whose it will be, where that is somebody else
};

// What is replaced keeps its owner and group, as far as we may say so.
void keep_owner(int file, const struct stat& there) {
  if (::fchown(file, there.st_uid, there.st_gid) != 0)
    static_cast<void>(::fchown(file, static_cast<uid_t>(-1), there.st_gid) == 0);
}

Result<FileBeside> written_beside(const std::string& path, const std::string& target,
                                  const std::optional<struct stat>& there,
                                  const std::function<Failure(FileWriter&)>& fill, FileCalls& calls,
                                  NewFileReaders readers) {
  // Never readable to more people than it will be, not even while it is written.
  const mode_t first = there                                     ? there->st_mode & 0666U
                       : readers == NewFileReaders::OnlyTheOwner ? 0600U
                                                                 : 0666U;
  struct stat status {};
  Result<UnfinishedFile> created = create_beside(calls, path, target, first, status);
  if (!created) return created.error();
  UnfinishedFile file = *std::move(created);

  FileWriter writer(calls, file.number(), path);
  if (Failure failure = fill(writer)) return *failure;
  // A writer whose error `fill` did not pass on has not written everything.
  if (Failure failure = writer.append({})) return *failure;
  // That it is not whole yet is said to the last moment.
  const mode_t made = status.st_mode & 07777U;
  const mode_t wanted = (there ? there->st_mode & 07777U : made) & ~kUnfinished;
  const mode_t unfinished = made & kUnfinished;
  int result = 0;
  if ((wanted | unfinished) != made) result = calls.permit(file.number(), wanted | unfinished);
  if (result == 0) result = uninterrupted([&] { return calls.sync(file.number()); });
  if (result != 0) return cannot_write(path, -result);
  FileBeside whole{std::move(file), path, target};
  const bool is_owners =
      !there || (there->st_uid == status.st_uid && there->st_gid == status.st_gid);
  if (!is_owners) whole.owner = *there;
  if (!is_owners || unfinished != 0) whole.last = wanted;
  return whole;
}

Result<FileBeside> written_beside(const std::string& path,
                                  const std::function<Failure(FileWriter&)>& fill, FileCalls& calls,
                                  NewFileReaders readers) {
  const Result<std::string> target = written_path(path);
  if (!target) return target.error();
  const Result<std::optional<struct stat>> there = file_to_replace(path, *target);
  if (!there) return there.error();
  return written_beside(path, *target, *there, fill, calls, readers);
}

// The mark goes last: a kill before leaves a whole file that has it, which means nothing there, and
// never one beside it that nobody knows as ours.
Failure take_place(FileBeside& made, FileCalls& calls) {
  int result = made.file.rename_to(made.target);
  if (result != 0) return cannot_write(made.path, -result);
  if (made.owner) keep_owner(made.file.number(), *made.owner);
  if (made.last) result = calls.permit(made.file.number(), *made.last);
  if (result != 0)
    return cannot_write(made.path,
                        "it is replaced, but not with its permissions: " + reason_of(-result));
  if (result = made.file.close(); result == 0) result = sync_folder(calls, made.target);
  if (result == 0) return {};
  return cannot_write(
      made.path,
      "it is replaced, but may be the old one again after a power cut: " + reason_of(-result));
}

}  // namespace

FileWriter::FileWriter(FileCalls& calls, int file, std::string path)
    : calls_(calls), file_(file), path_(std::move(path)) {}

Failure FileWriter::append(std::span<const std::byte> bytes) {
  while (!failure_ && !bytes.empty()) {
    const std::int64_t count =
        uninterrupted([&] { return calls_.write_at(file_, written_bytes_, bytes); });
    if (count <= 0) {
      failure_ = cannot_write(path_, count < 0 ? static_cast<int>(-count) : ENOSPC);
      break;
    }
    written_bytes_ += count;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return failure_;
}

Result<std::string> written_path(const std::string& path) {
  if (const std::optional<std::string> link = planted_link_to(path))
    return cannot_write(path, "'" + *link +
                                  "' is a link that somebody else has put into a folder where "
                                  "everybody may write");
  std::error_code error;
  std::filesystem::path target = past_dangling_links(path, error);
  if (!error) target = std::filesystem::weakly_canonical(target, error);
  if (error) return cannot_write(path, error.value());
  return target.string();
}

Failure write_file_atomically(const std::string& path,
                              const std::function<Failure(FileWriter&)>& fill, FileCalls& calls,
                              NewFileReaders readers) {
  Result<FileBeside> file = written_beside(path, fill, calls, readers);
  if (!file) return file.error();
  return take_place(*file, calls);
}

Failure write_file_at(const FilePlace& place, const std::function<Failure(FileWriter&)>& fill,
                      FileCalls& calls) {
  Result<FileBeside> file =
      written_beside(place.path, place.target, place.replaces, fill, calls, place.readers);
  if (!file) return file.error();
  if (Failure failure = place.make_way()) return failure;
  return take_place(*file, calls);
}

ReplacedFile replaced_text(std::string path, std::string text) {
  return {std::move(path), [text = std::move(text)](FileWriter& file) {
            return file.append(std::as_bytes(std::span(text)));
          }};
}

Failure write_together_atomically(const std::vector<ReplacedFile>& files, FileCalls& calls) {
  std::vector<FileBeside> all;
  for (const ReplacedFile& one : files) {
    Result<FileBeside> file = written_beside(one.path, one.fill, calls, NewFileReaders::AsUsual);
    if (!file) return file.error();
    all.push_back(*std::move(file));
  }
  for (FileBeside& file : all)
    if (Failure failure = take_place(file, calls)) return failure;
  return std::nullopt;
}

}  // namespace poet
