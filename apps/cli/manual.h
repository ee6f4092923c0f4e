#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/command.h"

namespace poet::cli {

// A page for `man`, in the language of roff (man(7)).
struct ManualPage {
  std::string file;  // "poet-solve.1"
  std::string text;
};

// That of the program, and one for each command of its table.
std::vector<ManualPage> manual_pages();

// A text as roff shows it: nothing in it is taken for a request or an escape, and quotes, dashes
// and backslashes stay what a shell reads.
std::string roff_text(std::string_view text);

// The same filled into lines of at most 78 letters, where one word is not longer.
std::string roff_lines(std::string_view text);

std::string manual_text(const Command& command);

}  // namespace poet::cli
