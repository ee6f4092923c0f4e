#pragma once

#include <string>

#include "poet/device/device.h"

namespace poet {

// The TOML text of docs/formats/device.md that parse_device() reads back as the same device. Of its
// numbers only `figures` are written, as their texts: they must say what the other fields say.
std::string device_text(const Device& device);

}  // namespace poet
