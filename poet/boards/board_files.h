#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "poet/boards/board.h"
#include "poet/emit/emit_project.h"

namespace poet {

// What makes an emitted project a program for an emulated board: start-up code, a card, a linker
// script, and board.mk, which builds and runs it.
std::vector<EmittedFile> board_files(const EmulatedBoard& board, std::int64_t storage_bytes);

// How large a file stands for the card of a board: a card that the emulator has at the board's pins
// is a power of two.
std::int64_t card_bytes(const EmulatedBoard& board, std::int64_t storage_bytes);

// What the emulator is told of such a card.
inline constexpr std::string_view kCardDrive = "-drive if=sd,format=raw,file=card.image";

// Where board.mk puts the program and its map, in the project's folder.
std::string program_path(const EmulatedBoard& board);
std::string map_path(const EmulatedBoard& board);

}  // namespace poet
