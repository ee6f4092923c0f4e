#pragma once

#include <string>

#include "poet/base/result.h"

namespace poet {

// A ZIP archive of all files below a folder, in the order of their paths, each under `top`/. Equal
// folders give equal bytes: times are those of 1980.
Result<std::string> zip_of_folder(const std::string& folder, const std::string& top);

}  // namespace poet
