#pragma once

#include <functional>
#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// What a shell offers where the value of an option goes; words of a closed set stand in the row.
enum class Completes { Nothing, Files, Directories };

// One option of a command. Parsing, checks, help and shell completion are all made from these rows.
struct OptionRow {
  std::string names;                    // "--runtime-budget,--deadline"; a switch with both forms:
                                        // "--paging,--no-paging"
  std::string value = {};               // what help calls the value; empty: a switch
  std::string group = {};               // the heading in help
  std::string help = {};                // one sentence, without a full stop
  std::vector<std::string> words = {};  // offered by the shell
  bool only_words = false;              // and nothing else is right
  bool may_be_empty = false;            // the value
  Completes completes = Completes::Nothing;
  // Takes the value ("true" or "false" for a switch). An error's message follows "--name: ".
  std::function<Failure(const std::string&)> read = {};
};

// "--runtime-budget,--deadline" as a list.
std::vector<std::string> names_of(const OptionRow& row);

}  // namespace poet
