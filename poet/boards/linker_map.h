#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "poet/base/result.h"

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

}  // namespace poet
