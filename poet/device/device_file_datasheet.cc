#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "poet/device/datasheet.h"
#include "poet/device/device_file_tables.h"

namespace poet {
namespace {

constexpr FileFormat kDatasheetFormat = {"poet-datasheet", "a file of a data sheet's figures", 1};

// The place of a table, where the file has it.
SourcePos table_place(const TomlSection& root, std::string_view name) {
  const toml::node* const node = root.table.get(name);
  return node == nullptr ? SourcePos{root.file} : toml_place(*node, root.file);
}

Failure check_currents(const TomlSection& root, const Datasheet& sheet) {
  const SourcePos where = table_place(root, "current");
  if (sheet.active_a.has_value() == sheet.active_a_per_hz.has_value())
    return bad_input(
        "what the core draws while it computes is one of 'current.active' (\"3.3 mA\" at "
        "the clock) and 'current.active_by_clock' (\"52 uA/MHz\")",
        where);
  if (sheet.idle_a.value_or(0) < active_a(sheet)) return std::nullopt;
  return bad_input(
      fmt::format("the core draws {:g} mA when it is idle, and {:g} mA while it computes: these "
                  "must be more",
                  *sheet.idle_a * 1e3, active_a(sheet) * 1e3),
      where);
}

// What no chip is: figures beyond it come to joules that are not finite, or to none.
Failure check_extremes(const TomlSection& root, const Datasheet& sheet) {
  constexpr double kLeastClockHz = 1;
  constexpr double kMostClockHz = 1e12;
  constexpr double kMostVolts = 1e4;
  constexpr double kMostAmperes = 1e4;
  const auto refuse = [&root](std::string_view table, std::string what) -> Failure {
    return bad_input(std::move(what), table_place(root, table));
  };
  if (sheet.clock_hz < kLeastClockHz || sheet.clock_hz > kMostClockHz)
    return refuse("core",
                  fmt::format("the clock is {:g} Hz: use 1 Hz to 1,000 GHz", sheet.clock_hz));
  if (sheet.supply_v > kMostVolts)
    return refuse("supply",
                  fmt::format("the supply is {:g} V: use at most 10,000 V", sheet.supply_v));
  for (const auto& [table, current] :
       {std::pair("current", active_a(sheet)), std::pair("current", sheet.idle_a.value_or(0)),
        std::pair("storage", sheet.read.current_a.value_or(0)),
        std::pair("storage", sheet.write.current_a.value_or(0))})
    if (current > kMostAmperes)
      return refuse(table, fmt::format("{:g} A are drawn: use at most 10,000 A", current));
  return std::nullopt;
}

Result<Datasheet> read_datasheet(const TomlSection& root) {
  if (Failure failure = check_format(root, kDatasheetFormat)) return *failure;
  if (Failure failure =
          check_keys(root, {"format", "version", "name", "title"}, datasheet_figure_table()))
    return *failure;
  const Result<TomlText> name = read_text(root, "name", "mychip");
  if (!name) return name.error();
  const Result<TomlText> title = read_text(root, "title", "My chip, by its DC/DC converter");
  if (!title) return title.error();
  Datasheet sheet;
  sheet.name = name->text;
  sheet.title = title->text;
  if (Failure failure = read_figures(root, datasheet_figure_table(), sheet)) return *failure;
  if (Failure failure = check_extremes(root, sheet)) return *failure;
  if (Failure failure = check_currents(root, sheet)) return *failure;
  return sheet;
}

}  // namespace

Result<Datasheet> parse_datasheet(std::string_view text, const std::string& file) {
  std::optional<Datasheet> sheet;
  const Failure failure = read_toml(text, file, [&sheet](const TomlSection& root) -> Failure {
    Result<Datasheet> read = read_datasheet(root);
    if (!read) return read.error();
    sheet = *std::move(read);
    return std::nullopt;
  });
  if (failure) return *failure;
  return *std::move(sheet);
}

}  // namespace poet
