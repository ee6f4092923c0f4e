#include "poet/device/device_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/named.h"
#include "poet/device/device_figures.h"
#include "poet/device/toml_text.h"

namespace poet {
namespace {

constexpr std::string_view kFormat = "poet-device";
constexpr std::int64_t kVersion = 1;

// A table of the file, and how its keys are called in messages: "", "storage", "storage.read_rate".
struct Section {
  const toml::table& table;
  std::string name;
  const std::string& file;

  std::string path(std::string_view key) const {
    return name.empty() ? std::string(key) : name + "." + std::string(key);
  }
};

struct Text {
  std::string text;
  SourcePos where;  // of text[0]
};

SourcePos place(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

SourcePos place(const toml::node& node, const std::string& file) {
  return place(node.source(), file);
}

// The whole file has no line to point at, and a table that is only implied has none either.
SourcePos place(const Section& section) {
  return section.name.empty() ? SourcePos{section.file} : place(section.table, section.file);
}

std::string_view type_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

Error missing_key(const Section& section, std::string_view key, const std::string& example) {
  return bad_input("missing key '" + section.path(key) + "'; for example " + example,
                   place(section));
}

// The first key of the text, if any, that is not one of `known`.
Failure unknown_key(const Section& section, const std::vector<std::string_view>& known) {
  const toml::key* first = nullptr;
  for (const auto& [key, node] : section.table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const auto order = [](const toml::key& k) {
      return std::tuple(k.source().begin.line, k.source().begin.column);
    };
    if (first == nullptr || order(key) < order(*first)) first = &key;
  }
  if (first == nullptr) return std::nullopt;
  const std::string near = suggestion(first->str(), known);
  const std::string where = section.name.empty() ? "" : " in '" + section.name + "'";
  return bad_input("unknown key " + in_quotes(first->str()) + where +
                       (near.empty() ? "; the keys there are " + alternatives(known) : near),
                   place(first->source(), section.file));
}

// A key that must be there and be text that is not empty. `example` is how to write its value.
Result<Text> read_text(const Section& section, std::string_view key, std::string_view example) {
  const std::string line = std::string(key) + " = \"" + std::string(example) + "\"";
  const toml::node* const node = section.table.get(key);
  if (node == nullptr) return missing_key(section, key, line);
  SourcePos where = place(*node, section.file);
  const toml::value<std::string>* const text = node->as_string();
  if (text == nullptr)
    return bad_input("'" + section.path(key) + "' must be text, found " +
                         std::string(type_text(*node)) + "; for example " + line,
                     where);
  if (text->get().empty())
    return bad_input("'" + section.path(key) + "' is empty; for example " + line, where);
  ++where.column;  // past the quotation mark
  return Text{text->get(), where};
}

// That this is a device file at all, and of a version that we know.
Failure check_format(const Section& root) {
  const Result<Text> format = read_text(root, "format", kFormat);
  if (!format) return format.error();
  if (format->text != kFormat)
    return bad_input("the format is " + in_quotes(format->text) + "; a device file has '" +
                         std::string(kFormat) + "'",
                     format->where);
  const toml::node* const version = root.table.get("version");
  if (version == nullptr) return missing_key(root, "version", "version = 1");
  const SourcePos where = place(*version, root.file);
  if (!version->is_integer())
    return bad_input("'version' must be a whole number, found " + std::string(type_text(*version)) +
                         "; for example version = 1",
                     where);
  const std::int64_t number = version->as_integer()->get();
  if (number == kVersion) return std::nullopt;
  return bad_input("version " + std::to_string(number) +
                       " is not known; this program reads version " + std::to_string(kVersion),
                   where);
}

Result<TimeMode> read_time_mode(const Section& root) {
  const Result<Text> text = read_text(root, "time_mode", "blocking");
  if (!text) return text.error();
  if (const std::optional<TimeMode> mode = value_of(kTimeModes, text->text)) return *mode;
  std::vector<std::string_view> names;
  for (const Named<TimeMode>& row : kTimeModes) names.push_back(row.name);
  const std::string near = suggestion(text->text, names);
  return bad_input("unknown time mode " + in_quotes(text->text) +
                       (near.empty() ? " (use " + alternatives(names) + ")" : near),
                   text->where);
}

// A table of the file, by its key in the root. Nothing when it is not there.
Result<const toml::table*> find_table(const Section& section, std::string_view key,
                                      const std::string& example) {
  const toml::node* const node = section.table.get(key);
  if (node == nullptr || node->is_table()) return node == nullptr ? nullptr : node->as_table();
  return bad_input(
      "'" + section.path(key) + "' must be " + example + ", found " + std::string(type_text(*node)),
      place(*node, section.file));
}

std::string figure_example(const FigureRow& row) {
  return "{ value = \"" + std::string(row.kind->example) + "\", source = \"data sheet\" }";
}

Failure read_figure(const FigureRow& row, const Section& figure, Device& device) {
  if (Failure failure = unknown_key(figure, {"value", "source"})) return failure;
  const Result<Text> value = read_text(figure, "value", row.kind->example);
  if (!value) return value.error();
  const Result<Text> source = read_text(figure, "source", "data sheet, page 3");
  if (!source) return source.error();
  const Result<FigureValue> quantity = row.kind->read(value->text, value->where);
  if (!quantity)
    return bad_input("'" + figure.name + "': " + quantity.error().message, quantity.error().where);
  if (row.least == FigureLeast::AboveZero && quantity->value <= 0)
    return bad_input("'" + figure.name + "' is 0; it must be greater than 0", value->where);
  row.set(device, *quantity);
  device.figures.push_back({figure.name, value->text, source->text});
  return std::nullopt;
}

// The figure of one row, if the file has it.
Failure read_row(const FigureRow& row, const Section& root, Device& device) {
  const std::string name(row.section);
  const Result<const toml::table*> table = find_table(root, row.section, "a table [" + name + "]");
  if (!table) return table.error();
  const std::string example = figure_example(row);
  const std::string line = std::string(row.key) + " = " + example;
  const bool required = row.need == FigureNeed::Required;
  if (*table == nullptr) {
    if (!required) return std::nullopt;
    return missing_key(root, name + "." + std::string(row.key), name + "." + line);
  }
  const Section section{**table, name, root.file};
  const Result<const toml::table*> figure =
      find_table(section, row.key, "a table such as " + example);
  if (!figure) return figure.error();
  if (*figure == nullptr) {
    if (!required) return std::nullopt;
    return missing_key(section, row.key, line);
  }
  return read_figure(row, {**figure, section.path(row.key), root.file}, device);
}

// Keys that are not in the tables of this format, in the root and in its sections.
Failure check_keys(const Section& root) {
  std::vector<std::string_view> known = {"format", "version", "name", "title", "time_mode"};
  std::vector<std::string_view> sections;
  for (const FigureRow& row : figure_table())
    if (std::find(sections.begin(), sections.end(), row.section) == sections.end())
      sections.push_back(row.section);
  known.insert(known.end(), sections.begin(), sections.end());
  if (Failure failure = unknown_key(root, known)) return failure;
  for (const std::string_view name : sections) {
    const toml::node* const node = root.table.get(name);
    if (node == nullptr || !node->is_table()) continue;
    std::vector<std::string_view> keys;
    for (const FigureRow& row : figure_table())
      if (row.section == name) keys.push_back(row.key);
    if (Failure failure = unknown_key({*node->as_table(), std::string(name), root.file}, keys))
      return failure;
  }
  return std::nullopt;
}

Result<Device> read_device(const Section& root) {
  if (Failure failure = check_format(root)) return *failure;
  if (Failure failure = check_keys(root)) return *failure;
  const Result<Text> name = read_text(root, "name", "myboard");
  if (!name) return name.error();
  const Result<Text> title = read_text(root, "title", "My board (Cortex-M7) with an SD card");
  if (!title) return title.error();
  const Result<TimeMode> time_mode = read_time_mode(root);
  if (!time_mode) return time_mode.error();

  Device device;
  device.name = name->text;
  device.title = title->text;
  device.time_mode = *time_mode;
  for (const FigureRow& row : figure_table())
    if (Failure failure = read_row(row, root, device)) return *failure;
  return device;
}

std::string without_prefix(std::string_view text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) == prefix) text.remove_prefix(prefix.size());
  return std::string(text);
}

}  // namespace

Result<Device> parse_device(std::string_view text, const std::string& file) {
  if (Failure failure = check_toml_text(text, file)) return *failure;
  try {
    const toml::table root = toml::parse(text, file);
    return read_device({root, "", file});
  } catch (const toml::parse_error& error) {
    return bad_input("this is not TOML: " +
                         one_line(without_prefix(error.description(), "Error while parsing ")),
                     place(error.source(), file));
  }
}

}  // namespace poet
