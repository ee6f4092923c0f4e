#include "poet/device/device_text.h"

#include <fmt/core.h>

namespace poet {
namespace {

// A TOML text on one line; control characters have no place in one.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F ? ' ' : letter;
  }
  return out + '"';
}

}  // namespace

std::string device_text(const Device& device) {
  std::string text = fmt::format(
      "format = \"poet-device\"\nversion = 1\nname = {}\ntitle = {}\ntime_mode = \"{}\"\n",
      in_quotes(device.name), in_quotes(device.title), name_of(kTimeModes, device.time_mode));
  std::string section;
  for (const DeviceFigure& figure : device.figures) {
    const std::size_t point = figure.key.find('.');
    if (figure.key.substr(0, point) != section) {
      section = figure.key.substr(0, point);
      text += fmt::format("\n[{}]\n", section);
    }
    text += fmt::format("{} = {{ value = {}, source = {} }}\n", figure.key.substr(point + 1),
                        in_quotes(figure.text), in_quotes(figure.source));
  }
  return text;
}

}  // namespace poet
