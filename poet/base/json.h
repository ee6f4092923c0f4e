#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "poet/base/result.h"

namespace poet {

struct JsonValue;
struct JsonMember;
using JsonList = std::vector<JsonValue>;
using JsonMembers = std::vector<JsonMember>;  // in the order of the text, no key twice

// A value of a JSON text that was read, and where it stands there. A number written without point
// and exponent is whole and fits in 63 bits; every other number is a finite double, the nearest one
// to the digits.
struct JsonValue {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, JsonList, JsonMembers> data;
  int line = 0;  // lines and columns count from 1; a column is a character, not a byte
  int column = 0;
};

struct JsonMember {
  std::string key;
  int line = 0;  // of the key
  int column = 0;
  JsonValue value;
};

// Lists and objects may lie this deep in each other.
constexpr int kJsonDepth = 64;

// A list whose values are read one by one, since the tree of a long one is many times as large as
// what is read of it.
struct JsonItems {
  std::string_view object = {};  // the member of the document that has the list; empty: itself
  std::string_view list = {};    // the member of that which is the list
  std::function<void(const JsonValue&)> read = {};
};

// Reads one JSON value (RFC 8259, UTF-8, nothing but white space around it). `file` is for
// messages. Of the lists in `items` each value is handed over when its end has come, and stays in
// the tree as null, at its place.
Result<JsonValue> parse_json(std::string_view text, const std::string& file,
                             const std::vector<JsonItems>& items = {});

// What an error message says it found: -3, "abc" (cut when long), true, null, a list, an object.
std::string found_text(const JsonValue& value);

}  // namespace poet
