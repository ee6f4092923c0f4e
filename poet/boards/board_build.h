#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board.h"

namespace poet {

// What a program takes, as the linker says.
struct LinkedMemory {
  std::int64_t flash_bytes = 0;  // .text, constants and the beginning of .data
  std::int64_t stack_bytes = 0;  // kept for the stack
  std::int64_t arena_bytes = 0;  // poet_arena
  std::int64_t data_bytes = 0;   // .data and .bss without the arena

  std::int64_t ram_bytes() const { return stack_bytes + arena_bytes + data_bytes; }
};

// From the map that `-Wl,-Map` writes. Refuses one without the sections of board.ld.
Result<LinkedMemory> read_linker_map(std::string_view map);

// How much more than the board's flash a program would take, where that is what GNU ld complained
// of.
std::optional<std::int64_t> flash_overflow_bytes(std::string_view complaints);

// Whether everything is installed that build_for_board() and run_on_board() call: asked before a
// plan is made, which takes longer. Refuses with all that is missing, and what installs it.
Failure check_board_tools(const EmulatedBoard& board, const Stop& stop);

struct BoardProgram {
  LinkedMemory memory = {};               // where it fits into the flash
  std::int64_t flash_overflow_bytes = 0;  // that it is larger than the flash
};

// Builds the program for a board in the folder of an emitted project that has board_files(), and
// says what it takes, once check_board_tools() has found its tools. Refuses what does not compile,
// does not fit into RAM, or whose calls need more stack than is kept: with what the tools say.
Result<BoardProgram> build_for_board(const EmulatedBoard& board, const std::string& folder,
                                     const Stop& stop);

// What is said of a program that is so much larger than the flash.
Error too_large_for_flash(const EmulatedBoard& board, std::int64_t overflow_bytes);

}  // namespace poet
