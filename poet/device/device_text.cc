#include "poet/device/device_text.h"

#include <fmt/core.h>

#include <utility>

namespace poet {
namespace {

// Control characters have no place in a comment or a text on one line.
std::string without_controls(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) letter = ' ';
  return text;
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char letter : without_controls(text)) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + '"';
}

}  // namespace

std::string device_text(const Device& device, const std::vector<std::string>& comments) {
  std::string text;
  for (const std::string& line : comments)
    text += line.empty() ? "#\n" : fmt::format("# {}\n", without_controls(line));
  text += fmt::format(
      "format = \"poet-device\"\nversion = 1\nname = {}\ntitle = {}\ntime_mode = \"{}\"\n",
      in_quotes(device.name), in_quotes(device.title), name_of(kTimeModes, device.time_mode));
  std::string section;
  for (const DeviceFigure& figure : device.figures) {
    const std::size_t point = figure.key.rfind('.');
    if (figure.key.substr(0, point) != section) {
      section = figure.key.substr(0, point);
      text += fmt::format("\n[{}]\n", section);
    }
    text += fmt::format("{} = {{ value = {}, source = {} }}\n", figure.key.substr(point + 1),
                        in_quotes(figure.text), in_quotes(figure.source));
  }
  return text;
}

void set_figure(Device& device, const std::string& key, std::string text, std::string source) {
  for (DeviceFigure& figure : device.figures) {
    if (figure.key != key) continue;
    figure = {key, std::move(text), std::move(source)};
    return;
  }
  device.figures.push_back({key, std::move(text), std::move(source)});
}

}  // namespace poet
