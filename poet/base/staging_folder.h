#pragma once

#include <string>
#include <utility>

#include "poet/base/result.h"

namespace poet {

// An empty folder in another, in which files are made before they take their places there
// (replace_together.h). It is gone with this.
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

}  // namespace poet
