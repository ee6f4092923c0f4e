#include "poet/base/staging_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

Error cannot_make(const std::string& path, const std::string& why) {
  return {ErrorCode::Io, "cannot make the folder " + in_quotes(path) + ": " + why, {}};
}

// Only of a folder that is ours and locked.
std::error_code empty(const std::string& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    fs::remove_all(entry.path(), error);
    if (error) break;
  }
  return error;
}

}  // namespace

Result<StagingFolder> StagingFolder::make(const std::string& folder, const std::string& name) {
  const std::string path = (fs::path(folder) / name).string();
  if (::mkdir(path.c_str(), 0777 | S_ISVTX) != 0 && errno != EEXIST)
    return cannot_make(path, reason_of(errno));
  const int lock = uninterrupted([&] {
    const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return number < 0 ? -errno : number;
  });
  const Error in_the_way = cannot_make(path, "it is in the way, and POET did not leave it there");
  if (lock == -ELOOP || lock == -ENOTDIR) return in_the_way;
  if (lock < 0) return cannot_make(path, reason_of(-lock));
  struct stat status {};
  const bool is_ours = ::fstat(lock, &status) == 0 && status.st_uid == ::geteuid() &&
                       (status.st_mode & S_ISVTX) != 0;
  // Some network file systems have no locks; there, two that write into one folder are not told.
  const bool is_taken = is_ours && ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_ours || is_taken) {
    ::close(lock);
    if (!is_ours) return in_the_way;
    return cannot_make(path, "another process writes into " + in_quotes(folder));
  }
  StagingFolder made(path, lock);
  if (const std::error_code error = empty(path)) return cannot_make(path, error.message());
  return made;
}

StagingFolder::~StagingFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace poet
