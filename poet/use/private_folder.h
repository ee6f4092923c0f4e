#pragma once

#include <string>
#include <utility>

#include "poet/base/result.h"

namespace poet {

// A folder of our own beside the store, gone with its owner. A process that is killed leaves it
// behind: locked folders have an owner, and what has none is removed by the next process.
class PrivateFolder {
 public:
  // `storage` is StorageOptions::path: a folder, or a file in one.
  static Result<PrivateFolder> make(const std::string& storage);
  PrivateFolder(PrivateFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();

  std::string file(const char* name) const;

 private:
  PrivateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_ = -1;  // its descriptor; none where the file system has no locks
};

}  // namespace poet
