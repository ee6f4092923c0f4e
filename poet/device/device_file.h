#pragma once

#include <string>
#include <string_view>

#include "poet/base/result.h"
#include "poet/device/device.h"

namespace poet {

// Reads the TOML text of a device file (docs/formats/device.md); `file` is the name that errors
// show. Refuses, with line and column: text that is not TOML, unknown and missing keys, values of
// the wrong type or unit, numbers that are negative, not finite or (sizes and rates) zero, figures
// without a source.
Result<Device> parse_device(std::string_view text, const std::string& file);

}  // namespace poet
