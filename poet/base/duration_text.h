#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/unit_text.h"

namespace poet {

// The units of time that users may write, with their length in seconds: ns, us, ms, s, min, h.
const std::vector<Unit>& duration_units();

// Reads a time such as "200ms" or "1.5 min", in seconds: a decimal number and, after an optional
// space, one of the units above. `where` is the position of text[0].
Result<double> parse_duration(std::string_view text, const SourcePos& where = {});

// "12945.18266 s": so many digits that two deadlines which the rules tell apart look different, and
// that the text, given as a deadline, means the same.
std::string exact_seconds(double seconds);

}  // namespace poet
