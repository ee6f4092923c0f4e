#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/json.h"
#include "poet/base/named.h"
#include "poet/base/result.h"

namespace poet {

// Both ends included.
struct WholeRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

// Sizes in bytes, so that a few of them can be added without overflow.
constexpr WholeRange kSizeRange{0, std::int64_t{1} << 62};
// Positions in lists.
constexpr WholeRange kIndexRange{0, std::numeric_limits<std::int32_t>::max()};

enum class NumberRange { Any, NotNegative };

// Remembers the first thing that is wrong in a document. Reading goes on after it, with defaults,
// so that the code that reads a format is a list of its fields.
class JsonReader {
 public:
  explicit JsonReader(std::string file) : file_(std::move(file)) {}

  void refuse(int line, int column, std::string message);
  void refuse(const JsonValue& value, std::string message) {
    refuse(value.line, value.column, std::move(message));
  }
  const Failure& failure() const { return failure_; }

  // A value on its own; `name` is what a message calls it.
  std::string text(const JsonValue& value, std::string_view name);
  std::int64_t whole(const JsonValue& value, std::string_view name, WholeRange range);
  double number(const JsonValue& value, std::string_view name, NumberRange range);
  bool flag(const JsonValue& value, std::string_view name);
  const JsonList& list(const JsonValue& value, std::string_view name);
  template <typename T, std::size_t N>
  T choice(const JsonValue& value, std::string_view name, const Named<T> (&table)[N]) {
    std::vector<std::string_view> known;
    for (const Named<T>& row : table) known.push_back(row.name);
    return table[choice_among(value, name, known)].value;
  }

 private:
  // The position of the name that stands there; 0, with a complaint, when it is none of them.
  std::size_t choice_among(const JsonValue& value, std::string_view name,
                           const std::vector<std::string_view>& known);

  std::string file_;
  Failure failure_;
};

// One object of a document. Each field that is asked for becomes a known one; at the end, finish()
// refuses the others. A field that may be left out is asked for with has() first.
class JsonObject {
 public:
  // `what` is what a message calls it: "a tensor".
  JsonObject(const JsonValue& value, std::string_view what, JsonReader& reader);

  bool has(std::string_view key);
  // null, with a complaint, when the field is missing
  const JsonValue& member(std::string_view key);

  std::string text(std::string_view key);
  std::int64_t whole(std::string_view key, WholeRange range);
  double number(std::string_view key, NumberRange range);
  bool flag(std::string_view key);
  const JsonList& list(std::string_view key);
  std::vector<std::int64_t> wholes(std::string_view key, WholeRange range);

  template <typename T, std::size_t N>
  T choice(std::string_view key, const Named<T> (&table)[N]) {
    const JsonValue* const value = find(key);
    return value == nullptr ? table[0].value : reader_.choice(*value, key, table);
  }

  // The fields "format" and "version" that begin every document of ours.
  void format(std::string_view name, std::int64_t version);

  void finish();

 private:
  // nothing, with a complaint, when the field is missing
  const JsonValue* find(std::string_view key);

  JsonReader& reader_;
  const JsonValue& value_;
  std::string what_;
  std::vector<std::string_view> asked_;
};

}  // namespace poet
