#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "poet/runtime/storage.h"

namespace poet::testing {

// A card in memory behind the callbacks, whose power fails after so many bytes were written, or
// that refuses a read or a write by its number. With `erase_bytes`, a power cut takes the whole
// piece of the card that was being written with it, as flash does.
struct TestCard {
  std::vector<unsigned char> bytes = {};
  std::optional<std::size_t> power_bytes = {};  // still to be written; then nothing is any more
  std::size_t erase_bytes = 0;
  std::optional<int> failing_read = {};
  std::optional<int> failing_write = {};
  int reads = 0;
  int writes = 0;
  std::vector<poet_status> errors = {};

  poet_storage callbacks() { return {this, read, write, capacity, error}; }

  static TestCard& card(void* user) { return *static_cast<TestCard*>(user); }

  bool has(std::uint32_t offset, std::uint32_t size) const {
    return std::size_t{offset} + size <= bytes.size();
  }

  static std::int32_t read(void* user, std::uint32_t offset, void* into, std::uint32_t size) {
    TestCard& self = card(user);
    if (self.reads++ == self.failing_read || !self.has(offset, size)) return -1;
    std::memcpy(into, &self.bytes[offset], size);
    return 0;
  }

  static std::int32_t write(void* user, std::uint32_t offset, const void* from,
                            std::uint32_t size) {
    TestCard& self = card(user);
    if (self.writes++ == self.failing_write || !self.has(offset, size)) return -1;
    std::size_t taken = size;
    if (self.power_bytes && *self.power_bytes < taken) taken = *self.power_bytes;
    std::memcpy(&self.bytes[offset], from, taken);
    if (self.power_bytes) *self.power_bytes -= taken;
    if (taken < size) self.damage_around(offset + taken);
    return taken == size ? 0 : -1;
  }

  void damage_around(std::size_t byte) {
    if (erase_bytes == 0) return;
    const std::size_t begin = byte / erase_bytes * erase_bytes;
    const std::size_t end = std::min(begin + erase_bytes, bytes.size());
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
              bytes.begin() + static_cast<std::ptrdiff_t>(end), static_cast<unsigned char>(0xFF));
  }

  static std::uint32_t capacity(void* user) {
    return static_cast<std::uint32_t>(card(user).bytes.size());
  }

  static void error(void* user, poet_status status, std::uint32_t) {
    card(user).errors.push_back(status);
  }
};

}  // namespace poet::testing
