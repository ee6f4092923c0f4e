#include "poet/boards/board_tools.h"

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "poet/boards/tool_process.h"

namespace poet {
namespace {

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

}  // namespace

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

}  // namespace poet
