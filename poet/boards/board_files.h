#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/boards/board.h"
#include "poet/emit/emit_project.h"

namespace poet {

// What makes an emitted project a program for an emulated board: start-up code, a card that is a
// file of the host, a linker script, and board.mk, which builds and runs it.
std::vector<EmittedFile> board_files(const EmulatedBoard& board, std::int64_t storage_bytes);

// Where board.mk puts the program and its map, in the project's folder.
std::string program_path(const EmulatedBoard& board);
std::string map_path(const EmulatedBoard& board);

}  // namespace poet
