#pragma once

#include <cstdint>

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

}  // namespace poet
