#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/device/device_figures.h"

// What files of figures have in common, devices and data sheets: tables of TOML, and figures with a
// value and a source. For the two files that read them.
namespace poet {

// A table of the file, and how its keys are called in messages: "", "storage", "storage.read_rate".
struct TomlSection {
  const toml::table& table;
  std::string name;
  const std::string& file;

  std::string path(std::string_view key) const {
    return name.empty() ? std::string(key) : name + "." + std::string(key);
  }
};

struct TomlText {
  std::string text;
  SourcePos where;  // of text[0]
};

// How a file of figures begins.
struct FileFormat {
  std::string_view name;  // "poet-device"
  std::string_view what;  // "a device file"
  std::int64_t version = 1;
};

SourcePos toml_place(const toml::node& node, const std::string& file);
std::string_view type_text(const toml::node& node);
Error missing_key(const TomlSection& section, std::string_view key, const std::string& example);

// The first key of the text, if any, that is not one of `known`.
Failure unknown_key(const TomlSection& section, const std::vector<std::string_view>& known);

// A key that must be there and be text that is not empty. `example` is how to write its value.
Result<TomlText> read_text(const TomlSection& section, std::string_view key,
                           std::string_view example);

// That this is such a file at all, and of a version that we know.
Failure check_format(const TomlSection& root, const FileFormat& format);

// A figure that a row found, with the number that it stands for.
using FigureSink = std::function<void(const FigureValue& quantity, DeviceFigure figure)>;

// The figure of one row, if the file has it.
Failure read_figure_row(const FigureCheck& row, const TomlSection& root, const FigureSink& take);

// Keys that are in no row, in the root and in the rows' sections; `known` are others of the root.
Failure check_figure_keys(const TomlSection& root, std::vector<std::string_view> known,
                          const std::vector<FigureCheck>& rows);

// Every figure of a table of rows into `target`, whose `figures` keep their texts.
template <typename T>
Failure read_figures(const TomlSection& root, const std::vector<FigureRowOf<T>>& rows, T& target) {
  for (const FigureRowOf<T>& row : rows) {
    const auto take = [&](const FigureValue& quantity, DeviceFigure figure) {
      row.set(target, quantity);
      target.figures.push_back(std::move(figure));
    };
    if (Failure failure = read_figure_row(row, root, take)) return failure;
  }
  return std::nullopt;
}

template <typename T>
Failure check_keys(const TomlSection& root, std::vector<std::string_view> known,
                   const std::vector<FigureRowOf<T>>& rows) {
  return check_figure_keys(root, std::move(known), {rows.begin(), rows.end()});
}

// Has the whole text read; what toml++ refuses is an error with its place.
Failure read_toml(std::string_view text, const std::string& file,
                  const std::function<Failure(const TomlSection& root)>& read);

}  // namespace poet
