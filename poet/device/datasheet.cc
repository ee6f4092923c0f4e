#include "poet/device/datasheet.h"

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"

namespace poet {
namespace {

constexpr std::int64_t kLargestDatasheetBytes = 1 << 20;

Error unknown_datasheet(const std::string& name) {
  std::vector<std::string_view> names;
  for (const BuiltinDatasheet& row : builtin_datasheet_table()) names.push_back(row.name);
  const std::string near = suggestion(name, names);
  return {
      ErrorCode::NotFound,
      "there is no data sheet of " + in_quotes(name) +
          (near.empty() ? "; use " + alternatives(names) + ", or the path of a .toml file" : near),
      {}};
}

}  // namespace

double active_a(const Datasheet& sheet) {
  return sheet.active_a ? *sheet.active_a : sheet.active_a_per_hz.value_or(0) * sheet.clock_hz;
}

const DeviceFigure* find_figure(const Datasheet& sheet, std::string_view key) {
  for (const DeviceFigure& figure : sheet.figures)
    if (figure.key == key) return &figure;
  return nullptr;
}

Result<Datasheet> load_datasheet(const std::string& name_or_path) {
  for (const BuiltinDatasheet& row : builtin_datasheet_table())
    if (row.name == name_or_path) return parse_datasheet(row.text, name_or_path + ".toml");
  if (name_or_path.find('/') == std::string::npos && !name_or_path.ends_with(".toml"))
    return unknown_datasheet(name_or_path);
  const Result<std::string> text = read_text_file(name_or_path, kLargestDatasheetBytes);
  if (!text) return text.error();
  return parse_datasheet(*text, name_or_path);
}

}  // namespace poet
