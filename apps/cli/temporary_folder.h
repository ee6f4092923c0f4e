#pragma once

#include <string>
#include <utility>

#include "poet/base/result.h"

namespace poet::cli {

// A folder where the system keeps temporary files; gone with it, and all that is in it.
class WorkFolder {
 public:
  static Result<WorkFolder> create();
  ~WorkFolder();
  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace poet::cli
