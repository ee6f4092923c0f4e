#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "poet/base/json_out_fwd.h"

namespace poet {

// A value, or null where there is none.
template <typename T>
JsonOut or_null(const std::optional<T>& value) {
  return value ? JsonOut(*value) : JsonOut(nullptr);
}

// The text of a value, ending in a newline: short values on one line, longer ones broken. Doubles
// are the shortest digits that read back to the same double. What is not UTF-8 in a string is
// replaced; a double that is not finite has no JSON and becomes null.
std::string json_text(const JsonOut& value);

// The same on one line, without the newline.
std::string json_line(const JsonOut& value);

}  // namespace poet
