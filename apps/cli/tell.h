#pragma once

#include <string_view>

namespace poet::cli {

// Writes to standard error. What cannot be told is not worth ending anything for: a closed or full
// standard error is no error of the request.
void tell(std::string_view text);

}  // namespace poet::cli
