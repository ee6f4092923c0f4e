#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/device/device.h"

namespace poet {

// A device file that is part of the program.
struct BuiltinDevice {
  std::string_view name;
  std::string_view text;  // TOML
};

// One row per built-in device, in the order in which help shows them: poet/device/boards/*.toml.
const std::vector<BuiltinDevice>& builtin_device_table();

// A built-in device by its name, or the device in the file at a path: whatever contains a '/' or
// ends in ".toml". Refuses unknown names with a suggestion, files that cannot be read, and what
// parse_device() refuses.
Result<Device> load_device(const std::string& name_or_path);

}  // namespace poet
