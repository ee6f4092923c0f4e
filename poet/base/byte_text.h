#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "poet/base/result.h"

namespace poet {

// Reads a size such as "737719", "256 KiB" or "1.5MB": a decimal number and, after an optional
// space, one of B, KB, KiB, MB, MiB, GB, GiB; without a unit, bytes. Fractions of bytes round down.
// `where` is the position of text[0].
Result<std::int64_t> parse_bytes(std::string_view text, const SourcePos& where = {});

// The size in the largest binary unit that keeps it whole: "256 KiB", "737719 B". parse_bytes()
// reads it back.
std::string format_bytes(std::int64_t size_bytes);

}  // namespace poet
