#include "poet/boards/board_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/boards/board_files.h"
#include "poet/boards/tool_process.h"

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

// What is tried out, and which of Debian's packages has it.
struct BoardTool {
  std::string_view name;
  std::string_view package;
  std::vector<std::string> trial;  // ends with 0 where it is there
};

// Debian's compiler comes without a C library: it starts, and finds no string.h.
std::vector<BoardTool> tools_of(const EmulatedBoard& board) {
  std::vector<std::string> header = {"arm-none-eabi-gcc"};
  std::istringstream flags{std::string(board.core_flags)};
  for (std::string flag; flags >> flag;) header.push_back(flag);
  header.insert(header.end(), {"-include", "string.h", "-E", "-x", "c", "/dev/null"});
  return {{"make", "make", {"make", "--version"}},
          {"arm-none-eabi-gcc", "gcc-arm-none-eabi", {"arm-none-eabi-gcc", "--version"}},
          {"the compiler's C library", "libnewlib-arm-none-eabi", header},
          {"qemu-system-arm", "qemu-system-arm", {"qemu-system-arm", "--version"}}};
}

// What a tool complained of: its first error, or its last line.
std::string complaint(const std::string& text) {
  std::string last;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find("error:") != std::string::npos || line.find("overflowed") != std::string::npos ||
        line.find("do not fit") != std::string::npos)
      return line;
    if (!line.empty()) last = line;
  }
  return last;
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

Failure check_board_tools(const EmulatedBoard& board, const Stop& stop) {
  std::string missing;
  std::string packages;
  for (const BoardTool& tool : tools_of(board)) {
    const Result<ToolEnd> end = run_tool({tool.trial}, tool.package, stop, {});
    if (!end.ok() && end.error().code != ErrorCode::NotFound) return end.error();
    if (end.ok() && (end->exit_code == 0 || end->stopped)) continue;
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", tool.name);
    packages += fmt::format("{}{}", packages.empty() ? "" : ", ", tool.package);
  }
  if (missing.empty()) return std::nullopt;
  return Error{ErrorCode::NotFound,
               fmt::format("{} needs what is not installed here: {}; 'scripts/install-packages "
                           "boards' installs it (in Debian: {})",
                           board.name, missing, packages),
               {}};
}

Result<BoardProgram> build_for_board(const EmulatedBoard& board, const std::string& folder,
                                     const Stop& stop) {
  std::string last_line;
  const Result<ToolEnd> end =
      run_tool({{"make", "--no-print-directory", "-f", "board.mk"}, folder}, "make", stop,
               [&last_line](std::string_view line) { last_line = line; });
  if (!end.ok()) return end.error();
  if (end->stopped) return Error{ErrorCode::Io, "stopped while building for the board", {}};
  if (const std::optional<std::int64_t> more = flash_overflow_bytes(end->errors);
      end->exit_code != 0 && more)
    return BoardProgram{.flash_overflow_bytes = *more};
  if (end->exit_code != 0)
    return Error{ErrorCode::Unsupported,
                 fmt::format("the training does not become a program for {}: {}", board.name,
                             last_line.starts_with("stack: ") ? last_line : complaint(end->errors)),
                 {}};
  const std::string path = (std::filesystem::path(folder) / map_path(board)).string();
  const Result<std::string> map = read_text_file(path);
  if (!map.ok()) return map.error();
  const Result<LinkedMemory> memory = read_linker_map(*map);
  if (!memory.ok()) return memory.error();
  return BoardProgram{.memory = *memory};
}

// What lies in flash is code, the table of the step and the parameters that are not trained. The
// sentence says which of the user's choices make it less.
Error too_large_for_flash(const EmulatedBoard& board, std::int64_t overflow_bytes) {
  return {ErrorCode::Unsupported,
          fmt::format("the training is a program of {} bytes, and {} has {} bytes of flash: "
                      "operations in larger parts (--parts) make a step of fewer, and parameters "
                      "that are not trained can lie on the card (--frozen storage)",
                      grouped_digits(board.flash_bytes + overflow_bytes), board.name,
                      grouped_digits(board.flash_bytes)),
          {}};
}

}  // namespace poet
