#pragma once

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board.h"

namespace poet {

// Whether everything is installed that build_for_board() and run_on_board() call: asked before a
// plan is made, which takes longer. Refuses with all that is missing, and what installs it.
Failure check_board_tools(const EmulatedBoard& board, const Stop& stop);

}  // namespace poet
