#include "poet/base/replace_together.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "poet/base/atomic_file.h"
#include "poet/base/file_calls.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"

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

namespace fs = std::filesystem;

class Replacement {
 public:
  Replacement(const FilesTogether& files, FileCalls& calls) : files_(files), calls_(calls) {}

  Failure run() {
    for (const GateFile& gate : files_.gates)
      if (Failure failure = shut(gate)) return failure;
    if (Failure failure = sync(folders_of_gates())) return failure;
    std::vector<std::string> old = files_.removed;
    for (const std::string& name : files_.names)
      if (!is_gate(name)) old.push_back(name);
    for (const std::string& name : old)
      if (Failure failure = remove(name)) return failure;
    if (Failure failure = sync(folders_of(old))) return failure;
    for (const std::string& name : files_.names)
      if (!is_gate(name))
        if (Failure failure = bring(name)) return failure;
    if (Failure failure = sync(folders_of(files_.names))) return failure;
    for (auto gate = files_.gates.rbegin(); gate != files_.gates.rend(); ++gate)
      if (Failure failure = bring(gate->name)) return failure;
    remove_empty_folders();
    return sync(folders_of_gates());
  }

 private:
  bool is_gate(const std::string& name) const {
    return std::any_of(files_.gates.begin(), files_.gates.end(),
                       [&name](const GateFile& gate) { return gate.name == name; });
  }
  std::string place_of(const std::string& name) const { return files_.folder + "/" + name; }
  std::string staged(const std::string& name) const { return files_.staging + "/" + name; }

  Error not_whole(const std::string& name, int error_number) const {
    return {ErrorCode::Io,
            "cannot replace " + in_quotes(name) + " in " + in_quotes(files_.folder) + ": " +
                reason_of(error_number) + "; the folder holds a part of the files only",
            {}};
  }

  // A gate that will say what it says now keeps its time, for programs that go by that.
  Failure shut(const GateFile& gate) {
    std::error_code error;
    fs::create_directories(fs::path(place_of(gate.name)).parent_path(), error);
    if (error) return not_whole(gate.name, error.value());
    const Result<std::string> now = read_text_file(place_of(gate.name));
    const Result<std::string> then = read_text_file(staged(gate.name));
    if (now.ok() && then.ok() && *now == *then) keep_file_of(gate);
    return write_file_atomically(
        place_of(gate.name),
        [&gate](FileWriter& writer) {
          return writer.append(std::as_bytes(std::span(gate.unfinished)));
        },
        calls_);
  }

  // By another name of it: at no moment is the gate not there. Where a file cannot have two, the
  // new one comes, which says the same.
  void keep_file_of(const GateFile& gate) const {
    const std::string beside = staged(gate.name) + ".kept";
    std::error_code error;
    fs::create_hard_link(place_of(gate.name), beside, error);
    if (!error) fs::rename(beside, staged(gate.name), error);
    if (error) fs::remove(beside, error);
  }

  Failure remove(const std::string& name) {
    const int result = calls_.unlink(place_of(name).c_str());
    if (result == 0 || result == -ENOENT || result == -ENOTDIR) return std::nullopt;
    return not_whole(name, -result);
  }

  Failure bring(const std::string& name) {
    std::error_code error;
    fs::create_directories(fs::path(place_of(name)).parent_path(), error);
    if (error) return not_whole(name, error.value());
    const int result = calls_.rename(staged(name).c_str(), place_of(name).c_str());
    if (result == 0) return std::nullopt;
    return not_whole(name, -result);
  }

  // Of what is gone; a folder that cannot go does no harm.
  void remove_empty_folders() {
    for (const std::string& name : files_.removed)
      for (fs::path folder = fs::path(name).parent_path(); !folder.empty();
           folder = folder.parent_path()) {
        std::error_code kept;
        fs::remove(fs::path(files_.folder) / folder, kept);
      }
  }

  std::set<std::string> folders_of_gates() const {
    std::vector<std::string> names = {""};
    for (const GateFile& gate : files_.gates) names.push_back(gate.name);
    return folders_of(names);
  }

  static std::set<std::string> folders_of(const std::vector<std::string>& names) {
    std::set<std::string> folders;
    for (const std::string& name : names) folders.insert(fs::path(name).parent_path().string());
    return folders;
  }

  // What was done so far is on the disk before what follows, also after a power cut.
  Failure sync(const std::set<std::string>& folders) {
    for (const std::string& name : folders) {
      const std::string folder = place_of(name);
      const int number =
          uninterrupted([&] { return calls_.open(folder.c_str(), O_RDONLY | O_DIRECTORY, 0); });
      if (number == -ENOENT) continue;
      const int result = number < 0 ? number : uninterrupted([&] { return calls_.sync(number); });
      if (number >= 0) calls_.close(number);
      // Some file systems have no such thing for folders, and say so by EINVAL.
      if (result < 0 && result != -EINVAL) return not_whole(name.empty() ? "." : name, -result);
    }
    return std::nullopt;
  }

  const FilesTogether& files_;
  FileCalls& calls_;
};

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

Failure replace_together(const FilesTogether& files, FileCalls& calls) {
  return Replacement(files, calls).run();
}

}  // namespace poet
