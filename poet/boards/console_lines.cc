#include "poet/boards/console_lines.h"

#include <algorithm>
#include <charconv>

namespace poet {
namespace {

std::string_view next_word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(" \r"), rest.size());
  const std::size_t end = std::min(rest.find_first_of(" \r", begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::optional<std::uint64_t> number_in(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const std::from_chars_result read = std::from_chars(digits.data(), end, number, 16);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

std::uint64_t ConsoleLine::number(const std::string& name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

std::optional<ConsoleLine> read_console_line(std::string_view line) {
  ConsoleLine read;
  read.what = next_word(line);
  if (read.what.empty()) return std::nullopt;
  for (std::string_view name = next_word(line); !name.empty(); name = next_word(line)) {
    const std::optional<std::uint64_t> number = number_in(next_word(line));
    if (!number) return std::nullopt;
    read.numbers[std::string(name)] = *number;
  }
  return read;
}

}  // namespace poet
