#pragma once

#include <string>
#include <vector>

#include "poet/device/device.h"

namespace poet {

// The TOML text of docs/formats/device.md that parse_device() reads back as the same device. Of its
// numbers only `figures` are written, as their texts: they must say what the other fields say.
// `comments`, lines that say how the figures came about, stand above.
std::string device_text(const Device& device, const std::vector<std::string>& comments = {});

// Another text and source of a figure, which comes last where the device has none of that key.
void set_figure(Device& device, const std::string& key, std::string text, std::string source);

}  // namespace poet
