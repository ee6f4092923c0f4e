#include "apps/cli/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace poet::cli {

Result<WorkFolder> WorkFolder::create() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string path = (parent / "poet-XXXXXX").string();
  if (error || ::mkdtemp(path.data()) == nullptr)
    return Error{ErrorCode::Io,
                 "cannot make a temporary folder: " +
                     (error ? error : std::error_code(errno, std::generic_category())).message(),
                 {}};
  return WorkFolder(std::move(path));
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

WorkFolder::WorkFolder(WorkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

}  // namespace poet::cli
