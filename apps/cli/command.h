#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/ask/option_row.h"

namespace poet::cli {

struct Example {
  std::string_view line;
  std::string_view what;
};

// One row per command: dispatch, help and shell completion are made from it.
struct Command {
  std::string_view name;
  std::string_view arguments;  // after the name, in the usage line
  std::string_view what;       // one line
  std::vector<Example> examples;
  std::vector<OptionRow> (*options)();  // for help and completion; nothing reads their values
  // The options that people need first, by their first names, ten at most; help has the others by
  // topic. Empty: all are shown.
  std::vector<std::string_view> first = {};
  std::vector<std::string> words;  // what may follow the name besides options
  // The options after one of `words`, where not all of them have the same.
  std::vector<OptionRow> (*options_after)(std::string_view word) = nullptr;
  Completes completes = Completes::Nothing;
  int (*run)(const std::vector<std::string>& arguments);  // returns an ExitCode
};

const std::vector<Command>& command_table();
const Command* find_command(std::string_view name);

// Runs the program with its arguments, without its name, and returns its exit code.
int run_program(const std::vector<std::string>& arguments);

}  // namespace poet::cli
