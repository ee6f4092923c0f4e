#pragma once

#include <string>
#include <utility>
#include <vector>

#include "poet/base/file_calls.h"
#include "poet/base/result.h"

namespace poet {

// An empty folder in another, in which files are made before they take their places there
// (replace_together()). It is gone with this.
class StagingFolder {
 public:
  // `folder` is there. What a killed process of ours left under that name is removed, which its
  // mode (01700) tells from what is the user's own: that is left as it is, and the new folder is
  // NAME1. Refuses a folder in which another process works at this moment.
  static Result<StagingFolder> make(const std::string& folder, const std::string& name);

  StagingFolder(StagingFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;
  StagingFolder& operator=(StagingFolder&&) = delete;
  ~StagingFolder();

  const std::string& path() const { return path_; }

 private:
  StagingFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // of the folder, held as long as it is there
};

// A file without which nobody uses the others of a folder, and what it says while they are being
// replaced.
struct GateFile {
  std::string name = {};
  std::string unfinished = {};
};

// Files of a folder that are one thing.
struct FilesTogether {
  std::string folder = {};
  std::string staging = {};               // a folder in it: the new ones, under their names
  std::vector<std::string> names = {};    // that lie there and take their places, gates among them
  std::vector<std::string> removed = {};  // that go, where they are there
  // The first is shut first and opened last. Whoever finds one shut knows that files are missing.
  std::vector<GateFile> gates = {};
};

// Replaces them so that old and new ones never lie side by side, whenever it ends: every gate is
// shut, the old files go, only then the new ones come, and the gates last. Ended in between, it
// leaves some of the old files or some of the new ones, behind a gate that is shut. All other files
// stay where they are at every moment, and so does the folder itself: exchanging it for another
// would take it away under whoever works in it, with what they added.
//
// An error leaves the folder as an end at that moment does, and its sentence says so.
Failure replace_together(const FilesTogether& files, FileCalls& calls = system_file_calls());

}  // namespace poet
