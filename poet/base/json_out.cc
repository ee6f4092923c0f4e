#include "poet/base/json_out.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "poet/base/check.h"

namespace poet {

JsonOut::JsonOut(std::nullptr_t) noexcept : data_(nullptr) {}
JsonOut::JsonOut(bool value) noexcept : data_(value) {}
JsonOut::JsonOut(std::int64_t value) noexcept : data_(value) {}
JsonOut::JsonOut(std::uint64_t value) noexcept : data_(value) {}
JsonOut::JsonOut(double value) noexcept : data_(value) {}
JsonOut::JsonOut(const char* text) : data_(std::string(text)) {}
JsonOut::JsonOut(std::string_view text) : data_(std::string(text)) {}
JsonOut::JsonOut(std::string text) noexcept : data_(std::move(text)) {}

JsonOut::JsonOut(std::initializer_list<JsonItem> items) {
  const bool pairs = std::all_of(items.begin(), items.end(), [](const JsonItem& item) {
    const JsonOut& pair = item.value_;
    return pair.is_array() && pair.size() == 2 && pair[0].is_string();
  });
  if (!pairs) {
    *this = array(items);
    return;
  }
  *this = object();
  for (const JsonItem& item : items) {
    List& pair = item.value_.list();
    add(std::get<std::string>(std::move(pair[0].data_)), std::move(pair[1]));
  }
}

JsonOut::JsonOut(const JsonOut& other) = default;
JsonOut::JsonOut(JsonOut&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
JsonOut& JsonOut::operator=(JsonOut other) noexcept {
  data_.swap(other.data_);
  return *this;
}
JsonOut::~JsonOut() = default;

JsonOut JsonOut::array() {
  JsonOut made;
  made.data_ = List();
  return made;
}
JsonOut JsonOut::array(std::initializer_list<JsonItem> items) {
  JsonOut made = array();
  made.list().reserve(items.size());
  for (const JsonItem& item : items) made.list().push_back(std::move(item.value_));
  return made;
}
JsonOut JsonOut::object() {
  JsonOut made;
  made.data_ = Members();
  return made;
}

bool JsonOut::is_null() const {
  return std::holds_alternative<std::nullptr_t>(data_);
}
bool JsonOut::is_boolean() const {
  return std::holds_alternative<bool>(data_);
}
bool JsonOut::is_number() const {
  return is_number_integer() || std::holds_alternative<double>(data_);
}
bool JsonOut::is_number_integer() const {
  return std::holds_alternative<std::int64_t>(data_) || is_number_unsigned();
}
bool JsonOut::is_number_unsigned() const {
  return std::holds_alternative<std::uint64_t>(data_);
}
bool JsonOut::is_string() const {
  return std::holds_alternative<std::string>(data_);
}
bool JsonOut::is_array() const {
  return std::holds_alternative<List>(data_);
}
bool JsonOut::is_object() const {
  return std::holds_alternative<Members>(data_);
}

std::size_t JsonOut::size() const {
  if (is_array()) return list().size();
  if (is_object()) return items().size();
  return is_null() ? 0 : 1;
}

void JsonOut::push_back(JsonOut value) {
  if (is_null()) data_ = List();
  list().push_back(std::move(value));
}
JsonOut& JsonOut::operator[](std::size_t index) {
  POET_CHECK(index < list().size());
  return list()[index];
}
const JsonOut& JsonOut::operator[](std::size_t index) const {
  POET_CHECK(index < list().size());
  return list()[index];
}
JsonOut& JsonOut::back() {
  return list().back();
}
const JsonOut& JsonOut::back() const {
  return list().back();
}

JsonOut* JsonOut::begin() {
  return is_null() ? nullptr : list().data();
}
JsonOut* JsonOut::end() {
  return is_null() ? nullptr : list().data() + list().size();
}
const JsonOut* JsonOut::begin() const {
  return is_null() ? nullptr : list().data();
}
const JsonOut* JsonOut::end() const {
  return is_null() ? nullptr : list().data() + list().size();
}

JsonOut& JsonOut::operator[](std::string_view key) {
  if (is_null()) data_ = Members();
  Members& all = members();
  for (Member& member : all)
    if (member.key == key) return member.value;
  return all.emplace_back(Member{std::string(key), {}}).value;
}
const JsonOut& JsonOut::operator[](std::string_view key) const {
  static const JsonOut kNull;
  const JsonOut* const found = find(key);
  return found != nullptr ? *found : kNull;
}
bool JsonOut::contains(std::string_view key) const {
  return find(key) != nullptr;
}
void JsonOut::update(const JsonOut& object) {
  for (const Member& member : object.items()) (*this)[member.key] = member.value;
}
void JsonOut::erase(std::string_view key) {
  std::erase_if(members(), [key](const Member& member) { return member.key == key; });
}
const JsonOut::Members& JsonOut::items() const {
  POET_CHECK(is_object());
  return *std::get_if<Members>(&data_);
}

std::string JsonOut::text_or(std::string_view key, std::string_view fallback) const {
  const JsonOut& value = (*this)[key];
  return value.is_string() ? value.text() : std::string(fallback);
}
double JsonOut::number_or(std::string_view key, double fallback) const {
  const JsonOut& value = (*this)[key];
  return value.is_number() ? value.number() : fallback;
}

bool JsonOut::truth() const {
  POET_CHECK(is_boolean());
  return *std::get_if<bool>(&data_);
}
std::int64_t JsonOut::whole() const {
  if (const auto* const number = std::get_if<std::int64_t>(&data_)) return *number;
  if (const auto* const number = std::get_if<std::uint64_t>(&data_))
    return static_cast<std::int64_t>(*number);
  return static_cast<std::int64_t>(number());
}
double JsonOut::number() const {
  POET_CHECK(is_number());
  if (const auto* const number = std::get_if<std::int64_t>(&data_))
    return static_cast<double>(*number);
  if (const auto* const number = std::get_if<std::uint64_t>(&data_))
    return static_cast<double>(*number);
  return *std::get_if<double>(&data_);
}
const std::string& JsonOut::text() const {
  POET_CHECK(is_string());
  return *std::get_if<std::string>(&data_);
}
JsonOut::List& JsonOut::list() {
  POET_CHECK(is_array());
  return *std::get_if<List>(&data_);
}
const JsonOut::List& JsonOut::list() const {
  POET_CHECK(is_array());
  return *std::get_if<List>(&data_);
}
JsonOut::Members& JsonOut::members() {
  POET_CHECK(is_object());
  return *std::get_if<Members>(&data_);
}

const JsonOut* JsonOut::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : items())
    if (member.key == key) return &member.value;
  return nullptr;
}
void JsonOut::add(std::string key, JsonOut value) {
  if (!contains(key)) members().push_back({std::move(key), std::move(value)});
}

bool operator==(const JsonOut& a, const JsonOut& b) {
  if (a.is_number() && b.is_number() && a.data_.index() != b.data_.index())
    return a.is_number_integer() && b.is_number_integer() ? a.whole() == b.whole()
                                                          : a.number() == b.number();
  return a.data_ == b.data_;
}

std::ostream& operator<<(std::ostream& out, const JsonOut& value) {
  return out << json_line(value);
}

namespace {

using Library = nlohmann::ordered_json;

constexpr std::size_t kRowWidth =
    180;  // a row of a table stays on one line, with a dozen fields or so
constexpr std::size_t kNumbersWidth = 100;
// What we write nests a dozen levels; a text that was meant to exhaust the stack is none of ours.
constexpr int kDeepestText = 1000;

std::string library_text(const Library& value) {
  return value.dump(-1, ' ', false, Library::error_handler_t::replace);
}

std::string scalar_text(const JsonOut& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_string()) return library_text(Library(value.text()));
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  return library_text(Library(value.get<double>()));
}

std::string key_text(const std::string& key) {
  return library_text(Library(key)) + ": ";
}

// Gives up, with more than `most` bytes and without its end, on what is longer.
void append_line(const JsonOut& value, std::size_t most, std::string& out) {
  if (!value.is_structured()) {
    out += scalar_text(value);
    return;
  }
  const char* comma = "";
  // Whether there is room for more.
  const auto append = [&](const std::string& key, const JsonOut& item) {
    out += comma + key;
    comma = ", ";
    append_line(item, most, out);
    return out.size() <= most;
  };
  if (value.is_object()) {
    out += '{';
    for (const auto& [key, item] : value.items())
      if (!append(key_text(key), item)) return;
    out += '}';
  } else {
    out += '[';
    for (const JsonOut& item : value)
      if (!append("", item)) return;
    out += ']';
  }
}

void write_value(const JsonOut& value, std::size_t indent, std::size_t used, std::string& out);

// Numbers fill the lines.
void write_numbers(const JsonOut& list, std::size_t indent, std::string& out) {
  const std::string line_start = "\n" + std::string(indent, ' ');
  std::size_t used = kNumbersWidth;
  for (const JsonOut& item : list) {
    const std::string text = scalar_text(item) + (&item == &list.back() ? "" : ",");
    if (used + text.size() + 1 > kNumbersWidth) {
      out += line_start;
      used = indent;
    } else {
      out += ' ';
    }
    out += text;
    used += text.size() + 1;
  }
}

void write_items(const JsonOut& value, std::size_t indent, std::string& out) {
  std::size_t left = value.size();
  const auto write = [&](const std::string& key, const JsonOut& item) {
    out += "\n" + std::string(indent, ' ') + key;
    write_value(item, indent, indent + key.size() + 1, out);
    if (--left > 0) out += ',';
  };
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) write(key_text(key), item);
  } else {
    for (const JsonOut& item : value) write("", item);
  }
}

void write_value(const JsonOut& value, std::size_t indent, std::size_t used, std::string& out) {
  if (!value.is_structured() || value.empty()) {
    append_line(value, std::string::npos, out);
    return;
  }
  if (used > 0 && used < kRowWidth) {
    std::string line;
    append_line(value, kRowWidth - used, line);
    if (line.size() <= kRowWidth - used) {
      out += line;
      return;
    }
  }
  out += value.is_object() ? '{' : '[';
  const bool numbers =
      value.is_array() &&
      std::all_of(value.begin(), value.end(), [](const JsonOut& v) { return v.is_number(); });
  if (numbers) {
    write_numbers(value, indent + 2, out);
  } else {
    write_items(value, indent + 2, out);
  }
  out += "\n" + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

// Whether it is not nested too deep.
bool read_value(const Library& from, int levels, JsonOut& out) {
  if (levels == 0) return false;
  if (from.is_object()) {
    out = JsonOut::object();
    for (const auto& [key, value] : from.items())
      if (!read_value(value, levels - 1, out[key])) return false;
  } else if (from.is_array()) {
    out = JsonOut::array();
    for (const Library& value : from) {
      out.push_back(nullptr);
      if (!read_value(value, levels - 1, out.back())) return false;
    }
  } else if (from.is_string()) {
    out = from.get_ref<const std::string&>();
  } else if (from.is_boolean()) {
    out = from.get<bool>();
  } else if (from.is_number_unsigned()) {
    out = from.get<std::uint64_t>();
  } else if (from.is_number_integer()) {
    out = from.get<std::int64_t>();
  } else if (from.is_number()) {
    out = from.get<double>();
  }
  return true;
}

}  // namespace

JsonOut json_of_text(std::string_view text) {
  JsonOut value;
  const Library from = Library::parse(text, nullptr, false);
  return read_value(from, kDeepestText, value) ? value : JsonOut();
}

std::string json_line(const JsonOut& value) {
  std::string text;
  append_line(value, std::string::npos, text);
  return text;
}

std::string json_text(const JsonOut& value) {
  std::string out;
  write_value(value, 0, 0, out);
  return out + "\n";
}

}  // namespace poet
