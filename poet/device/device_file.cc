#include "poet/device/device_file.h"

#include <optional>
#include <vector>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/named.h"
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

Result<Device> read_device(const TomlSection& root) {
  if (Failure failure = check_format(root, kDeviceFormat)) return *failure;
  if (Failure failure =
          check_keys(root, {"format", "version", "name", "title", "time_mode"}, figure_table()))
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
  return device;
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

}  // namespace poet
