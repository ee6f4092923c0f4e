#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace poet {

// Pieces of C source.

// A literal of exactly that value: "0x1.8p-1f", "INFINITY". Not for a NaN.
std::string c_float(float value);
// The same of a double.
std::string c_double(double value);

// The text without what would end a comment or mean something to a preprocessor, on one line.
std::string c_comment(std::string_view text);

// A name for a macro: upper-case letters, digits and underscores for all else.
std::string c_macro_name(std::string_view text);

// The text with @NAME@ replaced, for every name of `values`; other @s stay.
struct TextValue {
  std::string_view name;
  std::string value;
};
std::string filled_in(std::string_view text, std::initializer_list<TextValue> values);

}  // namespace poet
