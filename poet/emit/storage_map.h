#pragma once

#include <cstdint>

namespace poet {

// Where in the storage everything lies (poet/runtime/checkpoint.h).
struct StorageMap {
  std::int64_t block_bytes = 1;
  std::int64_t erase_bytes = 1;   // what a power cut may damage, whole
  std::int64_t header_bytes = 0;  // of one header: whole blocks
  std::int64_t values_bytes = 0;  // of the values behind it: whole blocks
  std::int64_t slot_bytes = 0;    // both, in whole erase_bytes
  std::int64_t pages_bytes = 0;

  std::int64_t values_begin() const { return header_bytes; }
  std::int64_t pages_begin() const { return 2 * slot_bytes; }
  std::int64_t bytes() const { return pages_begin() + pages_bytes; }
};

}  // namespace poet
