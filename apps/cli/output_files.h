#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet::cli {

// Asked before a long search, so that its answer is not lost to a slip: can a file be written at
// `path`; can files be written into a folder `path`, which need not exist yet when the one above it
// does. `option` is named in the message.
Failure check_file_target(const std::string& option, const std::string& path);
Failure check_folder_target(const std::string& option, const std::string& path);

// A path and the option that names it.
struct NamedPath {
  std::string option;
  std::string path;
};
// Refuses two options that name one file: the second to be written would replace the first, or what
// was read.
Failure check_distinct(const std::vector<NamedPath>& files);

// Files in a folder that need not be there.
Failure remove_files(const std::string& folder, const std::vector<std::string>& names);

// Makes the folder when it is not there.
Failure make_folder(const std::string& path);

}  // namespace poet::cli
