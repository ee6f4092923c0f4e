#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace poet {

enum class Direction { Read, Write };

// Bytes between memory and a file. A write does not change the memory.
struct Transfer {
  Direction direction = Direction::Read;
  std::int64_t offset_bytes = 0;  // in the file
  std::byte* memory = nullptr;
  std::int64_t size_bytes = 0;

  // What is left of it when `moved_bytes` are done.
  Transfer rest_after(std::int64_t moved_bytes) const {
    return {direction, offset_bytes + moved_bytes, memory + moved_bytes, size_bytes - moved_bytes};
  }
  Transfer first(std::int64_t count_bytes) const {
    return {direction, offset_bytes, memory, count_bytes};
  }
};

// A transfer that was begun: they count from 0 in order of issue.
enum class Ticket : std::int64_t {};

// Why bytes could not be moved, and which.
struct TransferFault {
  int error_number = 0;  // 0: the system moved nothing and named no error, as at a file's end
  Direction direction = Direction::Read;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

inline TransferFault fault_of(const Transfer& transfer, int error_number) {
  return {error_number, transfer.direction, transfer.offset_bytes, transfer.size_bytes};
}

// Calls that ask to be repeated without having moved anything are repeated so often, then refused:
// a store must not hang.
constexpr int kRepeats = 100;

}  // namespace poet
