#include "poet/base/json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

using Nlohmann = nlohmann::json;

// A place in a text that only moves forward.
struct Cursor {
  std::size_t offset = 0;
  int line = 1;
  int column = 1;
};

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

void advance(Cursor& cursor, std::string_view text, std::size_t end) {
  for (; cursor.offset < std::min(end, text.size()); ++cursor.offset) {
    const char byte = text[cursor.offset];
    if (byte == '\n') {
      ++cursor.line;
      cursor.column = 1;
    } else if (!continues_character(byte)) {
      ++cursor.column;
    }
  }
}

Cursor start_of(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Cursor cursor;
  if (text.starts_with(kByteOrderMark)) cursor.offset = kByteOrderMark.size();
  return cursor;
}

std::size_t end_of_string(std::string_view text, std::size_t open_quote) {
  std::size_t at = open_quote + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

// The parser has accepted the token that begins here, so its end is easily found.
std::size_t end_of_token(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return begin;
  if (text[begin] == '"') return end_of_string(text, begin);
  if (std::string_view("[]{}").find(text[begin]) != std::string_view::npos) return begin + 1;
  return std::min(text.find_first_of(" \t\r\n,:[]{}", begin), text.size());
}

// "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while parsing
// object - unexpected end of input; expected '}'" -> "unexpected end of input; expected '}'".
std::string complaint_of(std::string_view what) {
  const std::size_t dash = what.find(" - ");
  if (dash != std::string_view::npos) what.remove_prefix(dash + 3);
  constexpr std::string_view kEnd = "unexpected end of input";
  std::string text(what.substr(0, what.find("; last read: ")));
  if (text.starts_with(kEnd)) text.replace(0, kEnd.size(), "it is cut off");
  if (text == "invalid string: missing closing quote") text = "it is cut off inside a text";
  return "not valid JSON: " + text;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n", start_of(text).offset) == std::string_view::npos;
}

// Receives the parser's events in the order of the text and builds the tree. The parser says
// nothing about places, so each event is found again in the text: after the token before it, behind
// white space, commas and colons.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::string& file, const std::vector<JsonItems>& items)
      : text_(text), file_(file), items_(items), cursor_(start_of(text)) {}

  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(std::int64_t value) { return scalar(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return refuse_whole(to_token());
    return scalar(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) {
    const Cursor at = to_token();
    if (token_at(at).find_first_of(".eE") == std::string_view::npos) return refuse_whole(at);
    return scalar(value);
  }
  bool string(std::string& value) { return scalar(std::move(value)); }
  bool binary(const Nlohmann::binary_t&) { return false; }  // not a part of JSON texts

  bool start_object(std::size_t) { return open(JsonMembers{}); }
  bool start_array(std::size_t) { return open(JsonList{}); }
  bool key(std::string& name) {
    const Cursor at = take_token();
    std::get<JsonMembers>(open_.back().data).push_back({std::move(name), at.line, at.column, {}});
    return true;
  }
  bool end_object() {
    take_token();
    return !refuse_duplicates(std::get<JsonMembers>(open_.back().data)) && close();
  }
  bool end_array() {
    take_token();
    return close();
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) {
    if (dynamic_cast<const Nlohmann::out_of_range*>(&error) != nullptr)
      return refuse(to_token(), named_number(to_token()) +
                                    " is too large; the largest number is about 1.8e308");
    Cursor at = start_of(text_);
    advance(at, text_, std::max<std::size_t>(position, 1) - 1);
    return refuse(at, is_blank(text_) ? "not valid JSON: it is empty" : complaint_of(error.what()));
  }

  Result<JsonValue> result() && {
    if (failure_) return *std::move(failure_);
    return std::move(root_);
  }

 private:
  const Cursor& to_token() {
    advance(cursor_, text_,
            std::min(text_.find_first_not_of(" \t\r\n,:", cursor_.offset), text_.size()));
    return cursor_;
  }
  Cursor take_token() {
    const Cursor begin = to_token();
    advance(cursor_, text_, end_of_token(text_, begin.offset));
    return begin;
  }

  std::string_view token_at(const Cursor& at) const {
    return text_.substr(at.offset, end_of_token(text_, at.offset) - at.offset);
  }
  // "'size_bytes': '99999999999999999999'", with the nearest key around it.
  std::string named_number(const Cursor& at) const {
    const std::string number = in_quotes(token_at(at));
    for (auto value = open_.rbegin(); value != open_.rend(); ++value)
      if (const auto* const members = std::get_if<JsonMembers>(&value->data);
          members != nullptr && !members->empty())
        return in_quotes(members->back().key) + ": " + number;
    return number;
  }
  bool refuse_whole(const Cursor& at) {
    const bool negative = token_at(at).starts_with('-');
    return refuse(at, named_number(at) + " does not fit in 63 bits; the " +
                          (negative ? "least whole number is -9223372036854775808"
                                    : "largest whole number is 9223372036854775807"));
  }

  template <typename T>
  bool scalar(T value) {
    const Cursor at = take_token();
    place({std::move(value), at.line, at.column});
    return true;
  }

  template <typename T>
  bool open(T empty) {
    const Cursor at = take_token();
    if (open_.size() >= kJsonDepth)
      return refuse(at, "nested deeper than " + std::to_string(kJsonDepth) + " levels");
    if (std::is_same_v<T, JsonList> && taken_ == nullptr) find_items();
    open_.push_back({std::move(empty), at.line, at.column});
    return true;
  }

  // Whether the list that begins here is one whose values are handed over.
  void find_items() {
    if (items_.empty()) return;
    std::vector<std::string_view> path;
    for (const JsonValue& value : open_) {
      const auto* const members = std::get_if<JsonMembers>(&value.data);
      if (members == nullptr || members->empty()) return;
      path.push_back(members->back().key);
    }
    for (const JsonItems& items : items_)
      if (!path.empty() && path.back() == items.list &&
          (items.object.empty() ? path.size() == 1
                                : path.size() == 2 && path.front() == items.object)) {
        taken_ = &items;
        taken_depth_ = open_.size() + 1;
      }
  }

  bool close() {
    JsonValue value = std::move(open_.back());
    if (open_.size() == taken_depth_) {
      taken_ = nullptr;
      taken_depth_ = 0;
    }
    open_.pop_back();
    place(std::move(value));
    return true;
  }

  void place(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* const list = std::get_if<JsonList>(&open_.back().data)) {
      if (open_.size() == taken_depth_) {
        taken_->read(value);
        value.data = nullptr;
      }
      list->push_back(std::move(value));
    } else {
      std::get<JsonMembers>(open_.back().data).back().value = std::move(value);
    }
  }

  bool refuse_duplicates(const JsonMembers& members) {
    std::vector<const JsonMember*> sorted;
    sorted.reserve(members.size());
    for (const JsonMember& member : members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const JsonMember* a, const JsonMember* b) { return a->key < b->key; });
    const auto twin = std::adjacent_find(
        sorted.begin(), sorted.end(),
        [](const JsonMember* a, const JsonMember* b) { return a->key == b->key; });
    if (twin == sorted.end()) return false;
    const JsonMember& second = **(twin + 1);
    refuse({0, second.line, second.column}, (second.key.empty() ? "''" : in_quotes(second.key)) +
                                                " stands here twice (first in line " +
                                                std::to_string((*twin)->line) + ")");
    return true;
  }

  bool refuse(const Cursor& at, std::string message) {
    failure_ = bad_input(std::move(message), {file_, at.line, at.column});
    return false;
  }

  std::string_view text_;
  const std::string& file_;
  const std::vector<JsonItems>& items_;
  Cursor cursor_;
  std::vector<JsonValue> open_;       // lists and objects whose end has not come yet
  const JsonItems* taken_ = nullptr;  // of the list whose values are handed over now
  std::size_t taken_depth_ = 0;       // where that lies in open_; 0: none does
  JsonValue root_;
  Failure failure_;
};

}  // namespace

Result<JsonValue> parse_json(std::string_view text, const std::string& file,
                             const std::vector<JsonItems>& items) {
  // The parser takes a NUL byte for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    Cursor at = start_of(text);
    advance(at, text, nul);
    return bad_input("not valid JSON: a NUL byte", {file, at.line, at.column});
  }
  TreeBuilder builder(text, file, items);
  Nlohmann::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).result();
}

std::string found_text(const JsonValue& value) {
  if (std::holds_alternative<JsonList>(value.data)) return "a list";
  if (std::holds_alternative<JsonMembers>(value.data)) return "an object";
  if (std::holds_alternative<std::nullptr_t>(value.data)) return "null";
  if (const bool* const flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* const whole = std::get_if<std::int64_t>(&value.data))
    return std::to_string(*whole);
  if (const double* const number = std::get_if<double>(&value.data))
    return json_line(JsonOut(*number));
  constexpr std::size_t kLongest = 40;
  std::string text = std::get<std::string>(value.data);
  if (text.size() > kLongest) {
    std::size_t cut = kLongest;
    while (continues_character(text[cut])) --cut;
    text = text.substr(0, cut) + "...";
  }
  return json_line(JsonOut(text));
}

}  // namespace poet
