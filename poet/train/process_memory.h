#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace poet {

// What this process has in RAM, as Linux counts it; 0 where it does not say.
struct ProcessMemory {
  std::int64_t resident_bytes = 0;
  std::int64_t peak_bytes = 0;            // since the start, or forget_peak_memory()
  std::int64_t address_space_bytes = 0;   // the most that was mapped at a time, since the start
  std::int64_t unread_program_bytes = 0;  // of the program's own file: mapped, and not in RAM yet
  std::int64_t library_bytes = 0;         // of libraries' files: in RAM
};
ProcessMemory process_memory();

// Of some memory, how much is in RAM.
std::int64_t resident_bytes(std::span<const std::byte> memory);

// Gives back to the system what is free: of what large graphs take for a moment, the allocator
// keeps much that is needed again only in other sizes.
void give_back_free_memory();

// Gives back to the system what is free, and code, which it reads again from its files as it is
// used: what planning took is not what a step takes. Begins to look for the peak anew.
void forget_peak_memory();

}  // namespace poet
