#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/model/initial.h"

namespace poet {

// The bytes of a regular file, mapped and not read: pages come in as they are looked at. The file
// must not be shortened while they are in use.
Result<StoredBytes> map_file(const std::string& path);

}  // namespace poet
