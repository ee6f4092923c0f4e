#include "poet/disk/checksum.h"

#include <xxhash.h>

namespace poet {

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace poet
