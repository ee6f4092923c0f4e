#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "poet/base/result.h"

namespace poet {

// Numbers as users write them, on a command line or in a request. Each refuses in one sentence what
// it cannot read.

// A whole number from `least` to `most`.
Result<std::int64_t> read_whole(const std::string& text, std::int64_t least,
                                std::int64_t most = std::numeric_limits<std::int64_t>::max());

enum class Zero { Allowed, Refused };

// A finite decimal number that is not negative.
Result<double> read_number(const std::string& text, Zero zero);

// The size of a block of storage: "512", "4KiB"; a power of two up to 1 MiB.
Result<std::int64_t> read_block(const std::string& text);

// A part of a whole: "1e-4" or "0.01%", at least 0 and less than 1.
Result<double> read_part(const std::string& text);

}  // namespace poet
