#include "poet/device/device_file_tables.h"

#include <optional>
#include <tuple>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/device/toml_text.h"

namespace poet {
namespace {

SourcePos region_place(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

// The whole file has no line to point at, and a table that is only implied has none either.
SourcePos section_place(const TomlSection& section) {
  return section.name.empty() ? SourcePos{section.file}
                              : region_place(section.table.source(), section.file);
}

// A table of the file, by its key in the root. Nothing when it is not there.
Result<const toml::table*> find_table(const TomlSection& section, std::string_view key,
                                      const std::string& example) {
  const toml::node* const node = section.table.get(key);
  if (node == nullptr || node->is_table()) return node == nullptr ? nullptr : node->as_table();
  return bad_input(
      "'" + section.path(key) + "' must be " + example + ", found " + std::string(type_text(*node)),
      toml_place(*node, section.file));
}

std::string figure_example(const FigureCheck& row) {
  return "{ value = \"" + std::string(row.kind->example) + "\", source = \"data sheet\" }";
}

Failure read_figure(const FigureCheck& row, const TomlSection& figure, const FigureSink& take) {
  if (Failure failure = unknown_key(figure, {"value", "source"})) return failure;
  const Result<TomlText> value = read_text(figure, "value", row.kind->example);
  if (!value) return value.error();
  const Result<TomlText> source = read_text(figure, "source", "data sheet, page 3");
  if (!source) return source.error();
  const Result<FigureValue> quantity = row.kind->read(value->text, value->where);
  if (!quantity)
    return bad_input("'" + figure.name + "': " + quantity.error().message, quantity.error().where);
  if (row.least == FigureLeast::AboveZero && quantity->value <= 0)
    return bad_input("'" + figure.name + "' is 0; it must be greater than 0", value->where);
  take(*quantity, {figure.name, value->text, source->text});
  return std::nullopt;
}

std::string without_prefix(std::string_view text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) == prefix) text.remove_prefix(prefix.size());
  return std::string(text);
}

}  // namespace

SourcePos toml_place(const toml::node& node, const std::string& file) {
  return region_place(node.source(), file);
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

Error missing_key(const TomlSection& section, std::string_view key, const std::string& example) {
  return bad_input("missing key '" + section.path(key) + "'; for example " + example,
                   section_place(section));
}

Failure unknown_key(const TomlSection& section, const std::vector<std::string_view>& known) {
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
                   region_place(first->source(), section.file));
}

Result<TomlText> read_text(const TomlSection& section, std::string_view key,
                           std::string_view example) {
  const std::string line = std::string(key) + " = \"" + std::string(example) + "\"";
  const toml::node* const node = section.table.get(key);
  if (node == nullptr) return missing_key(section, key, line);
  SourcePos where = toml_place(*node, section.file);
  const toml::value<std::string>* const text = node->as_string();
  if (text == nullptr)
    return bad_input("'" + section.path(key) + "' must be text, found " +
                         std::string(type_text(*node)) + "; for example " + line,
                     where);
  if (text->get().empty())
    return bad_input("'" + section.path(key) + "' is empty; for example " + line, where);
  ++where.column;  // past the quotation mark
  return TomlText{text->get(), where};
}

Failure check_format(const TomlSection& root, const FileFormat& wanted) {
  const Result<TomlText> format = read_text(root, "format", wanted.name);
  if (!format) return format.error();
  if (format->text != wanted.name)
    return bad_input("the format is " + in_quotes(format->text) + "; " + std::string(wanted.what) +
                         " has '" + std::string(wanted.name) + "'",
                     format->where);
  const toml::node* const version = root.table.get("version");
  if (version == nullptr) return missing_key(root, "version", "version = 1");
  const SourcePos where = toml_place(*version, root.file);
  if (!version->is_integer())
    return bad_input("'version' must be a whole number, found " + std::string(type_text(*version)) +
                         "; for example version = 1",
                     where);
  const std::int64_t number = version->as_integer()->get();
  if (number == wanted.version) return std::nullopt;
  return bad_input("version " + std::to_string(number) +
                       " is not known; this program reads version " +
                       std::to_string(wanted.version),
                   where);
}

Failure read_figure_row(const FigureCheck& row, const TomlSection& root, const FigureSink& take) {
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
  const TomlSection section{**table, root.path(name), root.file};
  const Result<const toml::table*> figure =
      find_table(section, row.key, "a table such as " + example);
  if (!figure) return figure.error();
  if (*figure == nullptr) {
    if (!required) return std::nullopt;
    return missing_key(section, row.key, line);
  }
  return read_figure(row, {**figure, section.path(row.key), root.file}, take);
}

Failure check_figure_keys(const TomlSection& root, std::vector<std::string_view> known,
                          const std::vector<FigureCheck>& rows) {
  std::vector<std::string_view> sections;
  for (const FigureCheck& row : rows)
    if (std::find(sections.begin(), sections.end(), row.section) == sections.end())
      sections.push_back(row.section);
  known.insert(known.end(), sections.begin(), sections.end());
  if (Failure failure = unknown_key(root, known)) return failure;
  for (const std::string_view name : sections) {
    const toml::node* const node = root.table.get(name);
    if (node == nullptr || !node->is_table()) continue;
    std::vector<std::string_view> keys;
    for (const FigureCheck& row : rows)
      if (row.section == name) keys.push_back(row.key);
    if (Failure failure = unknown_key({*node->as_table(), root.path(name), root.file}, keys))
      return failure;
  }
  return std::nullopt;
}

Failure read_toml(std::string_view text, const std::string& file,
                  const std::function<Failure(const TomlSection& root)>& read) {
  if (Failure failure = check_toml_text(text, file)) return failure;
  try {
    const toml::table root = toml::parse(text, file);
    return read({root, "", file});
  } catch (const toml::parse_error& error) {
    return bad_input("this is not TOML: " +
                         one_line(without_prefix(error.description(), "Error while parsing ")),
                     region_place(error.source(), file));
  }
}

}  // namespace poet
