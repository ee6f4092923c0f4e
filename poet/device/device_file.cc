#include "poet/device/device_file.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/named.h"
#include "poet/base/text_file.h"
#include "poet/device/boards.h"
#include "poet/device/device_figures.h"
#include "poet/device/device_file_tables.h"

namespace poet {
namespace {

constexpr FileFormat kDeviceFormat = {"poet-device", "a device file", 1};

Result<TimeMode> read_time_mode(const TomlSection& root) {
  const Result<TomlText> text = read_text(root, "time_mode", "blocking");
  if (!text) return text.error();
  if (const std::optional<TimeMode> mode = value_of(kTimeModes, text->text)) return *mode;
  std::vector<std::string_view> names;
  for (const Named<TimeMode>& row : kTimeModes) names.push_back(row.name);
  const std::string near = suggestion(text->text, names);
  return bad_input("unknown time mode " + in_quotes(text->text) +
                       (near.empty() ? " (use " + alternatives(names) + ")" : near),
                   text->where);
}

// The keys of a table in the order in which they stand in the file.
std::vector<std::string> names_in_order(const toml::table& table) {
  std::vector<const toml::key*> keys;
  for (const auto& [key, node] : table) keys.push_back(&key);
  std::sort(keys.begin(), keys.end(), [](const toml::key* a, const toml::key* b) {
    const toml::source_position& x = a->source().begin;
    const toml::source_position& y = b->source().begin;
    return std::tie(x.line, x.column) < std::tie(y.line, y.column);
  });
  std::vector<std::string> names;
  for (const toml::key* key : keys) names.emplace_back(key->str());
  return names;
}

// A table [memory.NAME] for each memory beside the RAM.
Failure read_memories(const TomlSection& root, Device& device) {
  const toml::node* const node = root.table.get("memory");
  if (node == nullptr) return std::nullopt;
  if (!node->is_table())
    return bad_input(
        "'memory' must be tables such as [memory.psram], found " + std::string(type_text(*node)),
        toml_place(*node, root.file));
  const TomlSection section{*node->as_table(), "memory", root.file};
  for (const std::string& name : names_in_order(section.table)) {
    std::vector<FigureRowOf<DeviceMemory>> rows = memory_figure_table();
    for (FigureRowOf<DeviceMemory>& row : rows) row.section = name;
    DeviceMemory& memory = device.memories.emplace_back();
    memory.name = name;
    for (const FigureRowOf<DeviceMemory>& row : rows) {
      const auto take = [&](const FigureValue& quantity, DeviceFigure figure) {
        row.set(memory, quantity);
        device.figures.push_back(std::move(figure));
      };
      if (Failure failure = read_figure_row(row, section, take)) return failure;
    }
    std::vector<std::string_view> keys;
    for (const FigureRowOf<DeviceMemory>& row : rows) keys.push_back(row.key);
    const toml::table& of_one = *section.table.get(name)->as_table();
    if (Failure failure = unknown_key({of_one, section.path(name), root.file}, keys))
      return failure;
  }
  return std::nullopt;
}

Result<Device> read_device(const TomlSection& root) {
  if (Failure failure = check_format(root, kDeviceFormat)) return *failure;
  if (Failure failure = check_keys(
          root, {"format", "version", "name", "title", "time_mode", "memory"}, figure_table()))
    return *failure;
  const Result<TomlText> name = read_text(root, "name", "myboard");
  if (!name) return name.error();
  const Result<TomlText> title = read_text(root, "title", "My board (Cortex-M7) with an SD card");
  if (!title) return title.error();
  const Result<TimeMode> time_mode = read_time_mode(root);
  if (!time_mode) return time_mode.error();

  Device device;
  device.name = name->text;
  device.title = title->text;
  device.time_mode = *time_mode;
  if (Failure failure = read_figures(root, figure_table(), device)) return *failure;
  if (Failure failure = read_memories(root, device)) return *failure;
  return device;
}

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

Result<Device> parse_device(std::string_view text, const std::string& file) {
  std::optional<Device> device;
  const Failure failure = read_toml(text, file, [&device](const TomlSection& root) -> Failure {
    Result<Device> read = read_device(root);
    if (!read) return read.error();
    device = *std::move(read);
    return std::nullopt;
  });
  if (failure) return *failure;
  return *std::move(device);
}

Result<Device> load_device(const std::string& name_or_path) {
  for (const BuiltinDevice& row : builtin_device_table())
    if (row.name == name_or_path) return parse_device(row.text, name_or_path + ".toml");
  if (!is_path(name_or_path)) return unknown_device(name_or_path);
  const Result<std::string> text = read_text_file(name_or_path, kLargestDeviceFileBytes);
  if (!text) return text.error();
  return parse_device(*text, name_or_path);
}

}  // namespace poet
