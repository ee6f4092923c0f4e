#include "poet/base/json_reader.h"

#include <algorithm>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

std::string bound_text(std::int64_t bound) {
  return bound == kSizeRange.max ? "2^62" : std::to_string(bound);
}

std::string range_text(WholeRange range) {
  return "a whole number from " + bound_text(range.min) + " to " + bound_text(range.max);
}

const JsonMembers& members_of(const JsonValue& value) {
  static const JsonMembers kNone;
  const auto* const members = std::get_if<JsonMembers>(&value.data);
  return members == nullptr ? kNone : *members;
}

}  // namespace

void JsonReader::refuse(int line, int column, std::string message) {
  if (!failure_) failure_ = bad_input(std::move(message), {file_, line, column});
}

std::string JsonReader::text(const JsonValue& value, std::string_view name) {
  if (const auto* const text = std::get_if<std::string>(&value.data)) return *text;
  refuse(value, in_quotes(name) + " must be a text, found " + found_text(value));
  return "";
}

std::int64_t JsonReader::whole(const JsonValue& value, std::string_view name, WholeRange range) {
  const auto* const whole = std::get_if<std::int64_t>(&value.data);
  if (whole != nullptr && range.min <= *whole && *whole <= range.max) return *whole;
  refuse(value, in_quotes(name) + " must be " + range_text(range) + ", found " + found_text(value));
  return range.min;
}

double JsonReader::number(const JsonValue& value, std::string_view name, NumberRange range) {
  const auto* const whole = std::get_if<std::int64_t>(&value.data);
  const auto* const real = std::get_if<double>(&value.data);
  if (whole != nullptr || real != nullptr) {
    const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
    if (range == NumberRange::Any || number >= 0) return number;
  }
  refuse(value, in_quotes(name) + " must be a number" +
                    (range == NumberRange::Any ? "" : " of at least 0") + ", found " +
                    found_text(value));
  return 0;
}

bool JsonReader::flag(const JsonValue& value, std::string_view name) {
  if (const bool* const flag = std::get_if<bool>(&value.data)) return *flag;
  refuse(value, in_quotes(name) + " must be true or false, found " + found_text(value));
  return false;
}

const JsonList& JsonReader::list(const JsonValue& value, std::string_view name) {
  static const JsonList kNone;
  if (const auto* const list = std::get_if<JsonList>(&value.data)) return *list;
  refuse(value, in_quotes(name) + " must be a list, found " + found_text(value));
  return kNone;
}

std::size_t JsonReader::choice_among(const JsonValue& value, std::string_view name,
                                     const std::vector<std::string_view>& known) {
  const auto* const text = std::get_if<std::string>(&value.data);
  const std::string_view word = text == nullptr ? std::string_view() : *text;
  const auto found = std::find(known.begin(), known.end(), word);
  if (text != nullptr && found != known.end())
    return static_cast<std::size_t>(found - known.begin());
  refuse(value, in_quotes(name) + " must be " + alternatives(known) + ", found " +
                    found_text(value) + (text == nullptr ? "" : suggestion(word, known)));
  return 0;
}

JsonObject::JsonObject(const JsonValue& value, std::string_view what, JsonReader& reader)
    : reader_(reader), value_(value), what_(what) {
  if (!std::holds_alternative<JsonMembers>(value.data))
    reader.refuse(value, what_ + " must be an object, found " + found_text(value));
}

bool JsonObject::has(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.push_back(key);
  const JsonMembers& members = members_of(value_);
  return std::any_of(members.begin(), members.end(),
                     [key](const JsonMember& member) { return member.key == key; });
}

const JsonValue* JsonObject::find(std::string_view key) {
  if (!has(key)) {
    reader_.refuse(value_, what_ + " must have " + in_quotes(key));
    return nullptr;
  }
  for (const JsonMember& member : members_of(value_))
    if (member.key == key) return &member.value;
  return nullptr;
}

const JsonValue& JsonObject::member(std::string_view key) {
  static const JsonValue kNull;
  const JsonValue* const value = find(key);
  return value == nullptr ? kNull : *value;
}

std::string JsonObject::text(std::string_view key) {
  const JsonValue* const value = find(key);
  return value == nullptr ? "" : reader_.text(*value, key);
}

std::int64_t JsonObject::whole(std::string_view key, WholeRange range) {
  const JsonValue* const value = find(key);
  return value == nullptr ? range.min : reader_.whole(*value, key, range);
}

double JsonObject::number(std::string_view key, NumberRange range) {
  const JsonValue* const value = find(key);
  return value == nullptr ? 0 : reader_.number(*value, key, range);
}

bool JsonObject::flag(std::string_view key) {
  const JsonValue* const value = find(key);
  return value != nullptr && reader_.flag(*value, key);
}

const JsonList& JsonObject::list(std::string_view key) {
  static const JsonList kNone;
  const JsonValue* const value = find(key);
  return value == nullptr ? kNone : reader_.list(*value, key);
}

std::vector<std::int64_t> JsonObject::wholes(std::string_view key, WholeRange range) {
  std::vector<std::int64_t> numbers;
  const JsonList& items = list(key);
  numbers.reserve(items.size());
  for (const JsonValue& item : items) numbers.push_back(reader_.whole(item, key, range));
  return numbers;
}

void JsonObject::format(std::string_view name, std::int64_t version) {
  const JsonValue* const format = find("format");
  if (format != nullptr && reader_.text(*format, "format") != name)
    reader_.refuse(*format,
                   "'format' must be \"" + std::string(name) + "\", found " + found_text(*format));
  const JsonValue* const stated = find("version");
  if (stated != nullptr && reader_.whole(*stated, "version", kIndexRange) != version)
    reader_.refuse(*stated, "version " + found_text(*stated) + " of " + std::string(name) +
                                " is not known here; version " + std::to_string(version) + " is");
}

void JsonObject::finish() {
  for (const JsonMember& member : members_of(value_)) {
    if (std::find(asked_.begin(), asked_.end(), member.key) != asked_.end()) continue;
    reader_.refuse(
        member.line, member.column,
        what_ + " has no field " + in_quotes(member.key) + suggestion(member.key, asked_));
    return;
  }
}

}  // namespace poet
