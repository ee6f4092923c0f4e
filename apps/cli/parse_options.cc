#include "apps/cli/parse_options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"

namespace poet::cli {
namespace {

bool is_option(const std::string& text) {
  return text.size() > 1 && text[0] == '-' && !(text[1] >= '0' && text[1] <= '9') && text[1] != '.';
}

bool is_switch(const OptionRow& row) {
  return row.value.empty();
}

// How CLI11 is told the names: the second form of a switch turns it off.
std::string declared_names(const OptionRow& row) {
  const std::vector<std::string> names = names_of(row);
  if (!is_switch(row) || names.size() < 2) return row.names;
  return names[0] + ",!" + names[1];
}

// "; did you mean '--model'?", or else what is right.
std::string hint(const std::string& word, const std::vector<std::string>& names,
                 const std::string& otherwise) {
  const std::string near = suggestion(word, {names.begin(), names.end()});
  return near.empty() ? "; " + otherwise : near;
}

Error unknown_option(const std::string& command, const std::vector<OptionRow>& rows,
                     const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  std::vector<std::string> known = {"--help"};
  for (const OptionRow& row : rows)
    for (const std::string& one : names_of(row)) known.push_back(one);
  return bad_input(fmt::format("poet {} has no option '{}'{}", command, name,
                               hint(name, known, fmt::format("see 'poet help {}'", command))));
}

// The one of its names that was written, for whoever reads what is wrong with its value.
std::string name_as_written(const OptionRow& row, const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = names_of(row);
  for (const std::string& argument : arguments)
    if (const std::string name = argument.substr(0, argument.find('='));
        std::find(names.begin(), names.end(), name) != names.end())
      return name;
  return names.front();
}

Failure read_row(const OptionRow& row, const std::string& name, const std::string& value) {
  if (!is_switch(row) && value.empty() && !row.may_be_empty)
    return bad_input(fmt::format("{} needs a value: {} {}", name, name, row.value));
  if (row.only_words && std::find(row.words.begin(), row.words.end(), value) == row.words.end())
    return bad_input(
        fmt::format("{}: unknown value '{}'{}", name, value,
                    hint(value, row.words, fmt::format("use {}", fmt::join(row.words, ", ")))));
  Failure failure = row.read(value);
  if (failure) failure->message = name + ": " + failure->message;
  return failure;
}

// Which of two values is meant, nobody can know.
Failure refuse_repeated(const OptionRow& row, const std::vector<std::string>& values) {
  if (is_switch(row) || values.size() < 2) return std::nullopt;
  return bad_input(fmt::format("{} is given twice, '{}' and '{}'; give it once",
                               fmt::join(names_of(row), " or "), values[0], values[1]));
}

// A switch is said or not: "--paging=yes" would be read as something else than was meant.
std::optional<Error> value_of_switch(const std::vector<OptionRow>& rows,
                                     const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = argument.substr(0, equals);
    for (const OptionRow& row : rows) {
      const std::vector<std::string> names = names_of(row);
      if (is_switch(row) && std::find(names.begin(), names.end(), name) != names.end())
        return bad_input(
            fmt::format("{} takes no value; write {}", name, fmt::join(names, " or ")));
    }
  }
  return std::nullopt;
}

// A value that is itself an option means that the value was forgotten.
std::optional<Error> missing_value(const std::vector<OptionRow>& rows,
                                   const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const OptionRow& row : rows) {
      const std::vector<std::string> names = names_of(row);
      const bool ends_in_equals = arguments[i].ends_with('=');
      const std::string name = arguments[i].substr(0, arguments[i].size() - ends_in_equals);
      if (is_switch(row) || std::find(names.begin(), names.end(), name) == names.end()) continue;
      if (ends_in_equals || i + 1 == arguments.size() || is_option(arguments[i + 1]))
        return bad_input(fmt::format("{} needs a value: {} {}", name, name, row.value));
      ++i;
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> parse_options(const std::string& command,
                                               const std::vector<OptionRow>& rows,
                                               const std::vector<std::string>& arguments) {
  if (const std::optional<Error> missing = missing_value(rows, arguments)) return *missing;
  if (const std::optional<Error> extra = value_of_switch(rows, arguments)) return *extra;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> options;
  for (const OptionRow& row : rows)
    options.push_back(is_switch(row) ? app.add_flag(declared_names(row))
                                     : app.add_option(row.names)->take_all());
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return bad_input(error.what());
  }

  const std::vector<std::string> rest = app.remaining();
  for (const std::string& argument : rest)
    if (is_option(argument)) return unknown_option(command, rows, argument);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (options[i]->count() == 0) continue;
    const std::vector<std::string> values = options[i]->results();
    if (const Failure failure = refuse_repeated(rows[i], values)) return *failure;
    if (const Failure failure =
            read_row(rows[i], name_as_written(rows[i], arguments), values.back()))
      return *failure;
  }
  return rest;
}

Result<std::vector<std::string>> read_list(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    if (name.empty())
      return bad_input(
          fmt::format("expected names with commas between them, found {}", in_quotes(text)));
    if (std::find(names.begin(), names.end(), name) != names.end())
      return bad_input(fmt::format("{} stands there twice", in_quotes(name)));
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

}  // namespace poet::cli
