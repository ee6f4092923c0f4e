#pragma once

#include <cstdint>
#include <string>

#include "poet/base/result.h"
#include "poet/data/dataset.h"

namespace poet {

// What data_digest() reads at the most: a second or so. Of more data it reads examples that are
// spread evenly over all.
inline constexpr std::int64_t kDigestBytes = std::int64_t{256} << 20;

// SHA-256 of the examples of a dataset as a training reads them, in their order, with their number:
// of all, or, where they are more than `most_bytes`, of as many as these hold and at least one.
// Refuses what cannot be read.
Result<std::string> data_digest(const Dataset& data, std::int64_t most_bytes = kDigestBytes);

}  // namespace poet
