#include "poet/boards/linker_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace poet {
namespace {

std::string_view word_at(std::string_view& rest) {
  constexpr std::string_view kSpace = " \t\n";
  const std::size_t begin = std::min(rest.find_first_not_of(kSpace), rest.size());
  const std::size_t end = std::min(rest.find_first_of(kSpace, begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::optional<std::int64_t> hexadecimal(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const std::from_chars_result read = std::from_chars(word.data() + 2, end, value, 16);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

// The size of a section, which stands behind its name and address; a long name has a line of its
// own. `name` begins with the newline and the spaces before it.
std::optional<std::int64_t> section_bytes(std::string_view map, std::string_view name) {
  for (std::size_t at = map.find(name); at != std::string_view::npos; at = map.find(name, at + 1)) {
    std::string_view rest = map.substr(at + name.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '\n')) continue;
    const std::optional<std::int64_t> address = hexadecimal(word_at(rest));
    const std::optional<std::int64_t> size = hexadecimal(word_at(rest));
    if (address && size && *size > 0) return size;
  }
  return std::nullopt;
}

}  // namespace

Result<LinkedMemory> read_linker_map(std::string_view map) {
  const std::size_t begin = map.find("Linker script and memory map");
  if (begin == std::string_view::npos) return bad_input("the linker's map has no memory map");
  map = map.substr(begin);
  const std::optional<std::int64_t> text = section_bytes(map, "\n.text");
  const std::optional<std::int64_t> stack = section_bytes(map, "\n.board_stack");
  const std::optional<std::int64_t> zeros = section_bytes(map, "\n.bss");
  const std::optional<std::int64_t> arena = section_bytes(map, "\n .bss.poet_arena");
  for (const auto& [found, name] : {std::pair(text, ".text"), std::pair(stack, ".board_stack"),
                                    std::pair(zeros, ".bss"), std::pair(arena, ".bss.poet_arena")})
    if (!found) return bad_input(fmt::format("the linker's map has no section {}", name));
  const std::int64_t data = section_bytes(map, "\n.data").value_or(0);
  return LinkedMemory{.flash_bytes = *text + data,
                      .stack_bytes = *stack,
                      .arena_bytes = *arena,
                      .data_bytes = data + *zeros - *arena};
}

std::optional<std::int64_t> flash_overflow_bytes(std::string_view complaints) {
  constexpr std::string_view kBefore = "region `FLASH' overflowed by ";
  const std::size_t at = complaints.find(kBefore);
  if (at == std::string_view::npos) return std::nullopt;
  complaints.remove_prefix(at + kBefore.size());
  std::int64_t bytes = 0;
  const std::from_chars_result read =
      std::from_chars(complaints.data(), complaints.data() + complaints.size(), bytes);
  return read.ec == std::errc{} ? std::optional(bytes) : std::nullopt;
}

}  // namespace poet
