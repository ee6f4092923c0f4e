#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board.h"
#include "poet/boards/linker_map.h"

namespace poet {

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
