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

// The mode that tells what a killed process of ours left from a folder of the user's own. Some file
// systems (FAT) do not keep it; there what is left stays, and the next name is used.
constexpr mode_t kStagingMode = S_ISVTX | S_IRWXU;

bool has_staging_mode(int folder) {
  struct stat status {};
  return ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & 07777U & ~S_ISGID) == kStagingMode;  // that is of the folder around it
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
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const std::string path =
        (fs::path(folder) / (name + (i == 0 ? "" : std::to_string(i)))).string();
    const bool is_made = ::mkdir(path.c_str(), kStagingMode) == 0;
    if (!is_made && errno != EEXIST) return cannot_make(path, reason_of(errno));
    const int lock = uninterrupted([&] {
      const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      return number < 0 ? -errno : number;
    });
    if (lock == -ELOOP || lock == -ENOTDIR || lock == -EACCES) continue;  // somebody's own
    if (lock < 0) return cannot_make(path, reason_of(-lock));
    if (!is_made && !has_staging_mode(lock)) {
      ::close(lock);
      continue;
    }
    // Some network file systems have no locks; there, two that write into one folder are not told.
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(lock);
      return cannot_make(path, "another process writes into " + in_quotes(folder));
    }
    StagingFolder made(path, lock);
    if (const std::error_code error = empty(path)) return cannot_make(path, error.message());
    return made;
  }
  return cannot_make((fs::path(folder) / name).string(),
                     "that name and those with numbers behind it are taken");
}

StagingFolder::~StagingFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace poet
