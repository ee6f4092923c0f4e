#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/device/boards.h"
#include "poet/device/device_file.h"

namespace poet {
namespace {

// No device file of a person comes near this.
constexpr std::int64_t kLargestDeviceFileBytes = 1 << 20;

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".toml");
}

Error unknown_device(const std::string& name) {
  std::vector<std::string_view> names;
  for (const BuiltinDevice& row : builtin_device_table()) names.push_back(row.name);
  const std::string near = suggestion(name, names);
  return {
      ErrorCode::NotFound,
      "unknown platform " + in_quotes(name) +
          (near.empty() ? "; use " + alternatives(names) + ", or the path of a .toml file" : near),
      {}};
}

}  // namespace

Result<Device> load_device(const std::string& name_or_path) {
  for (const BuiltinDevice& row : builtin_device_table())
    if (row.name == name_or_path) return parse_device(row.text, name_or_path + ".toml");
  if (!is_path(name_or_path)) return unknown_device(name_or_path);
  const Result<std::string> text = read_text_file(name_or_path, kLargestDeviceFileBytes);
  if (!text) return text.error();
  return parse_device(*text, name_or_path);
}

}  // namespace poet
