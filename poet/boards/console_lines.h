#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace poet {

// A line of a board's console (poet/boards/firmware/console.h): a word, and numbers by their names.
struct ConsoleLine {
  std::string what = {};
  std::map<std::string, std::uint64_t> numbers = {};

  // 0 where it is not there.
  std::uint64_t number(const std::string& name) const;
};

// "step number 0000002a ...": numbers in base 16. None where the line is not of this form.
std::optional<ConsoleLine> read_console_line(std::string_view line);

}  // namespace poet
