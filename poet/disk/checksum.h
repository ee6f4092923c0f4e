#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace poet {

// XXH3, 64 bits: finds damage by chance, not by intent.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

}  // namespace poet
