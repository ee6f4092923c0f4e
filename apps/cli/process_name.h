#pragma once

#include <string>

#include "poet/base/result.h"

namespace poet::cli {

// In a file of its own, as the Python module takes it, and not what serves.

// Bytes of the system's chance, in hexadecimal digits.
Result<std::string> random_digits(int bytes);
// Unlike that of any other process of a team: host, process, and some of those digits.
Result<std::string> name_of_process();

}  // namespace poet::cli
