#pragma once

#include <string>

#include "poet/base/file_calls.h"

namespace poet {

// A new file in a folder that has no name, so that it is nobody else's and gone with the program,
// whatever ends it: a descriptor to read and write, or the negative error number. Where a file
// cannot be without a name from the start, it has one for a moment.
int open_nameless_file(const std::string& folder, FileCalls& calls = system_file_calls());

}  // namespace poet
