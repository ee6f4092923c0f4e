// Whatever the bytes, they are read or refused in one line; what is read is JSON, and every value
// stands where it says.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/json.h"
#include "poet/base/json_out.h"

namespace {

using namespace poet;

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The byte in each column of each line.
std::vector<std::string> first_bytes(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> lines(1);
  for (const char byte : text) {
    if (byte == '\n') {
      lines.emplace_back();
    } else if (!continues_character(byte)) {
      lines.back() += byte;
    }
  }
  return lines;
}

std::string_view starts_of(const JsonValue& value) {
  if (std::holds_alternative<JsonList>(value.data)) return "[";
  if (std::holds_alternative<JsonMembers>(value.data)) return "{";
  if (std::holds_alternative<std::string>(value.data)) return "\"";
  if (std::holds_alternative<std::nullptr_t>(value.data)) return "n";
  if (std::holds_alternative<bool>(value.data)) return "tf";
  return "-0123456789";
}

void check_place(int line, int column, std::string_view expected,
                 const std::vector<std::string>& lines) {
  const char byte =
      lines.at(static_cast<std::size_t>(line) - 1).at(static_cast<std::size_t>(column) - 1);
  POET_CHECK(expected.find(byte) != std::string_view::npos);
}

void check_places(const JsonValue& value, const std::vector<std::string>& lines) {
  check_place(value.line, value.column, starts_of(value), lines);
  POET_CHECK(!found_text(value).empty());
  if (const auto* const list = std::get_if<JsonList>(&value.data))
    for (const JsonValue& item : *list) check_places(item, lines);
  if (const auto* const members = std::get_if<JsonMembers>(&value.data)) {
    for (const JsonMember& member : *members) {
      check_place(member.line, member.column, "\"", lines);
      check_places(member.value, lines);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<JsonValue> value = parse_json(text, "fuzz.json");
  if (!value.ok()) {
    const std::string message = to_string(value.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  POET_CHECK(std::holds_alternative<std::nullptr_t>(value->data) == json_of_text(text).is_null());
  check_places(*value, first_bytes(text));
  return 0;
}
