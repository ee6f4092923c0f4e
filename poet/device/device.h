#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/time_mode.h"

namespace poet {

// The path between RAM and a board's flash or SD card, in one direction.
// A transfer costs a fixed latency, then streams at the sustained rate.
struct StorageLink {
  double latency_s = 0;
  double rate_bytes_per_s = 0;  // > 0; checked by parse_device()
  double active_power_w = 0;    // above idle, while the link is busy

  bool operator==(const StorageLink&) const = default;
};

constexpr double transfer_s(const StorageLink& link, std::int64_t size_bytes) {
  return link.latency_s + static_cast<double>(size_bytes) / link.rate_bytes_per_s;
}

constexpr double transfer_j(const StorageLink& link, std::int64_t size_bytes) {
  return transfer_s(link, size_bytes) * link.active_power_w;
}

// How fast the processor computes, and what that costs above idle. Two figures, because they are
// measured separately and on some boards do not come from the same run (a72).
struct ComputeRates {
  double flop_per_s = 0;  // > 0
  double flop_per_j = 0;  // > 0

  bool operator==(const ComputeRates&) const = default;
};

// The storage that tensors are paged to. Reading is from storage to RAM.
struct DeviceStorage {
  StorageLink read;
  StorageLink write;
  std::int64_t block_bytes = 1;                // transfers move whole ones
  std::optional<std::int64_t> capacity_bytes;  // unlimited unless the file states it
  // How it wears out, where the file states it: what is erased at a time, how often that may be,
  // and over how much of it writes are spread.
  std::optional<std::int64_t> erase_bytes = {};
  std::optional<double> rated_cycles = {};
  std::optional<std::int64_t> levelled_bytes = {};

  bool operator==(const DeviceStorage&) const = default;
};

// A memory that the processor reaches by address beside the RAM, and slower: PSRAM, SDRAM. Rates
// say what a byte that an operation reads or writes there takes on top of what it takes in the RAM.
struct DeviceMemory {
  std::string name;  // "psram"
  std::int64_t size_bytes = 0;
  double read_rate_bytes_per_s = 0;   // > 0
  double write_rate_bytes_per_s = 0;  // > 0
  double read_power_w = 0;            // above idle, in that time
  double write_power_w = 0;

  bool operator==(const DeviceMemory&) const = default;
};

// One number of a device file as its author wrote it, for people: "storage.read_rate", "4616.51
// kB/s", why.
struct DeviceFigure {
  std::string key;
  std::string text;
  std::string source;

  bool operator==(const DeviceFigure&) const = default;
};

// A board as measured (docs/formats/device.md).
struct Device {
  std::string name;   // "m4"
  std::string title;  // one line for people: which board, which processor, which storage
  std::int64_t ram_bytes = 0;
  // What the processor reads and writes there while it computes; unlimited unless the file states
  // it.
  std::optional<double> ram_bytes_per_s = {};
  std::vector<DeviceMemory> memories = {};  // in the order of the file
  ComputeRates compute;
  DeviceStorage storage;
  double idle_w = 0;                        // drawn whatever happens; 0 unless the file states it
  TimeMode time_mode = TimeMode::Blocking;  // what the hardware can do
  std::vector<DeviceFigure> figures;        // every number above, in the order of the format's page

  bool operator==(const Device&) const = default;
};

}  // namespace poet
