#pragma once

#include <string_view>

#include "poet/base/result.h"

namespace poet {

// Reads a time such as "200ms" or "1.5 min", in seconds: a decimal number and, after an optional
// space, one of ns, us, ms, s, min, h. `where` is the position of text[0].
Result<double> parse_duration(std::string_view text, const SourcePos& where = {});

}  // namespace poet
