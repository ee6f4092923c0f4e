#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board.h"
#include "poet/boards/linker_map.h"

namespace poet {

// Builds the program for a board in the folder of an emitted project that has board_files(), and
// says what it takes, once check_board_tools() has found its tools. Refuses what does not compile,
// does not fit into flash or RAM, or whose calls need more stack than is kept: with what the tools
// say.
Result<LinkedMemory> build_for_board(const EmulatedBoard& board, const std::string& folder,
                                     const Stop& stop);

}  // namespace poet
