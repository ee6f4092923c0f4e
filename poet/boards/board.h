#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// Beside its RAM, by address.
struct BoardMemory {
  std::string_view name;  // as the device file of its platform has it
  std::int64_t address = 0;
  std::int64_t size_bytes = 0;
};

// A microcontroller that QEMU emulates, cut down to the memory of one that is sold.
struct EmulatedBoard {
  std::string_view name;        // "qemu-m4"
  std::string_view title;       // one line for people
  std::string_view platform;    // the device whose figures its plans go by
  std::string_view machine;     // QEMU's name
  std::string_view core_flags;  // of arm-none-eabi-gcc
  std::string_view clock;       // a file of poet/boards/firmware
  // What drives the card that the emulator has at its pins (find_port()); none: its card is a file
  // of the host.
  std::string_view port = {};
  std::int64_t ram_bytes = 0;
  std::int64_t flash_bytes = 0;
  std::int64_t stack_bytes = 0;  // of the RAM, kept for the stack
  std::vector<BoardMemory> further = {};
  double timer_hz = 0;  // of its clock
  double core_hz = 0;   // of the microcontroller that it stands for
};

// One row per board, in the order in which help shows them.
const std::vector<EmulatedBoard>& board_table();

// Refuses unknown names with a suggestion.
Result<EmulatedBoard> find_board(std::string_view name);

// Of the RAM, for what the program keeps besides arena and stack: the firmware's data.
inline constexpr std::int64_t kFirmwareDataBytes = 512;

// What an arena may have.
std::int64_t arena_budget_bytes(const EmulatedBoard& board);

// QEMU gives each instruction 2^kInstructionShift nanoseconds (-icount), so that the board's timer
// counts instructions, in units finer than one of them.
inline constexpr int kInstructionShift = 6;
double instructions_of(const EmulatedBoard& board, std::int64_t ticks);

}  // namespace poet
