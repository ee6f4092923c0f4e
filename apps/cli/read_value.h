#pragma once

#include <cstdint>
#include <string>

#include "poet/base/result.h"

namespace poet::cli {

// A whole number of at least `least`.
Result<std::int64_t> read_whole(const std::string& text, std::int64_t least);

enum class Zero { Allowed, Refused };

// A finite decimal number that is not negative.
Result<double> read_number(const std::string& text, Zero zero);

// A part of a whole: "1e-4" or "0.01%", at least 0 and less than 1.
Result<double> read_part(const std::string& text);

}  // namespace poet::cli
