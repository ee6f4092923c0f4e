#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/model/initial.h"

namespace poet {

// The bytes of a regular file, mapped and not read: pages come in as they are looked at. The file
// must not be shortened while they are in use: looking at what is gone raises SIGBUS.
Result<StoredBytes> map_file(const std::string& path);

// The same of an open file, which may be closed then; `shown` says to people which it is.
Result<StoredBytes> map_open_file(int file, const std::string& shown);

// The path (its last bytes, where it is long) of the file that is mapped at an address, or nullptr:
// for a handler of SIGBUS, so it takes no lock and no memory. The first 64 files at a time are
// known.
const char* mapped_path_at(const void* address);

}  // namespace poet
