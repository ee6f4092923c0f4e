#include "poet/boards/board_build.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/boards/board_files.h"
#include "poet/boards/tool_process.h"

namespace poet {
namespace {

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
