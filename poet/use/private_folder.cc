#include "poet/use/private_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "poet/base/message_text.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "poet-moves-";

// Negative where another process has it, or the file system has no locks.
int locked(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0 || ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  ::close(file);
  return -1;
}

// Only folders that are empty, as a kill leaves them (values lie in files without a name), and that
// have been so for a minute: between making a folder and locking it lies a moment.
void remove_left_behind(const fs::path& parent) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const int lock = locked(entry.path());
    if (lock < 0) continue;
    if (entry.last_write_time(ignored) < old) ::rmdir(entry.path().c_str());
    ::close(lock);
  }
}

}  // namespace

Result<PrivateFolder> PrivateFolder::make(const std::string& storage) {
  std::error_code ignored;
  fs::path parent =
      fs::is_directory(storage, ignored) ? fs::path(storage) : fs::path(storage).parent_path();
  if (parent.empty()) parent = ".";
  remove_left_behind(parent);
  std::string path = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr)
    return Error{ErrorCode::Io,
                 fmt::format("cannot make a folder in {}: {}", in_quotes(parent.string()),
                             std::generic_category().message(errno)),
                 {}};
  return PrivateFolder(path, locked(path));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

std::string PrivateFolder::file(const char* name) const {
  return (fs::path(path_) / name).string();
}

}  // namespace poet
