#pragma once

#include <string>

#include "poet/base/result.h"

namespace poet::cli {

// Asked before a long search, so that its answer is not lost to a slip: can a file be written at
// `path`; can files be written into a folder `path`, which need not exist yet when the one above it
// does. `option` is named in the message.
Failure check_file_target(const std::string& option, const std::string& path);
Failure check_folder_target(const std::string& option, const std::string& path);

// Makes the folder when it is not there.
Failure make_folder(const std::string& path);

}  // namespace poet::cli
