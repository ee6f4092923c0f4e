#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace poet {

class JsonItem;

// What JSON writes as a list or, with keys, as an object.
template <typename T>
concept JsonRange = requires(const T& range) {
  range.begin();
  range.end();
  typename T::value_type;
}
&&!std::convertible_to<const T&, std::string_view>;
template <typename T>
concept JsonMap = JsonRange<T> && requires {
  typename T::mapped_type;
};

// JSON to be written: null, a truth, a number, a text, a list or an object, whose keys stay in the
// order in which they are set, each once. `{{"a", 1}, {"b", {2, 3}}}` is an object, since it has
// nothing but pairs that begin with a text; any other list in braces is a list, and
// JsonOut::array() makes one of pairs as well. What was read of a file is a JsonValue (json.h),
// which knows its place.
//
// Its functions stand in one source: most sources that make JSON would compile them again.
class JsonOut {
 public:
  struct Member;
  using Members = std::vector<Member>;

  JsonOut(std::nullptr_t = nullptr) noexcept;
  JsonOut(bool value) noexcept;
  JsonOut(std::int64_t value) noexcept;
  JsonOut(std::uint64_t value) noexcept;
  JsonOut(double value) noexcept;
  JsonOut(const char* text);
  JsonOut(std::string_view text);
  JsonOut(std::string text) noexcept;
  JsonOut(std::initializer_list<JsonItem> items);
  template <std::integral T>
  JsonOut(T value) noexcept
      : JsonOut(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(
            value)) {}
  JsonOut(float value) noexcept : JsonOut(static_cast<double>(value)) {}
  template <JsonRange T>
  JsonOut(const T& range);
  template <typename T>
  JsonOut(T*) = delete;  // would be a truth

  JsonOut(const JsonOut& other);
  JsonOut(JsonOut&& other) noexcept;  // leaves null
  JsonOut& operator=(JsonOut other) noexcept;
  ~JsonOut();

  static JsonOut array();
  static JsonOut array(std::initializer_list<JsonItem> items);
  static JsonOut object();

  bool is_null() const;
  bool is_boolean() const;
  bool is_number() const;
  bool is_number_integer() const;   // written without point and exponent
  bool is_number_unsigned() const;  // made of an unsigned number, or read without a sign
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;
  bool is_structured() const { return is_array() || is_object(); }

  // Of lists and objects; null has nothing in it, any other value is one.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // A list's. Null becomes a list.
  void push_back(JsonOut value);
  JsonOut& operator[](std::size_t index);
  const JsonOut& operator[](std::size_t index) const;
  JsonOut& back();
  const JsonOut& back() const;
  JsonOut* begin();
  JsonOut* end();
  const JsonOut* begin() const;
  const JsonOut* end() const;

  // An object's. Null becomes an object, and what is set first is made, as null; to look at what is
  // not there finds null.
  JsonOut& operator[](std::string_view key);
  const JsonOut& operator[](std::string_view key) const;
  bool contains(std::string_view key) const;
  void update(const JsonOut& object);  // sets all that is in this one
  void erase(std::string_view key);
  const Members& items() const;
  // The fallback for what is not there or of another kind.
  std::string text_or(std::string_view key, std::string_view fallback) const;
  double number_or(std::string_view key, double fallback) const;

  // The value as a bool, a number, a std::string, or a std::vector of these; who asks for another
  // kind than it is has a bug.
  template <typename T>
  T get() const;
  const std::string& text() const;

  // Numbers are equal whatever they were made of, objects when their keys are in the same order.
  friend bool operator==(const JsonOut& a, const JsonOut& b);
  friend std::ostream& operator<<(std::ostream& out, const JsonOut& value);  // on one line

 private:
  using List = std::vector<JsonOut>;

  bool truth() const;
  std::int64_t whole() const;  // of an unsigned number its bits
  double number() const;
  List& list();
  const List& list() const;
  Members& members();
  const JsonOut* find(std::string_view key) const;
  void add(std::string key, JsonOut value);  // keeps what is there of this key

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List,
               Members>
      data_;
};

struct JsonOut::Member {
  std::string key;
  JsonOut value;

  bool operator==(const Member&) const = default;
};

// What stands in braces, `{}` for null; from there it is moved and not copied.
class JsonItem {
 public:
  JsonItem() = default;
  JsonItem(std::initializer_list<JsonItem> items) : value_(items) {}
  template <typename T>
  requires(!std::same_as<std::remove_cvref_t<T>, JsonItem> && std::constructible_from<JsonOut, T>)
      JsonItem(T&& value)
      : value_(std::forward<T>(value)) {}

 private:
  friend JsonOut;
  mutable JsonOut value_;  // the items of an initializer list are const
};

template <JsonRange T>
JsonOut::JsonOut(const T& range) : JsonOut(JsonMap<T> ? object() : array()) {
  if constexpr (JsonMap<T>) {
    for (const auto& [key, value] : range) add(std::string(key), JsonOut(value));
  } else {
    for (const auto& value : range) push_back(JsonOut(typename T::value_type(value)));
  }
}

template <typename T>
T JsonOut::get() const {
  if constexpr (std::same_as<T, bool>) {
    return truth();
  } else if constexpr (std::integral<T>) {
    return static_cast<T>(whole());
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(number());
  } else if constexpr (std::same_as<T, std::string>) {
    return text();
  } else {
    T values;
    for (const JsonOut& value : list()) values.push_back(value.get<typename T::value_type>());
    return values;
  }
}

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

// The value of a text that was written so, to be written again; null where it is none. Of two equal
// keys the last one counts. parse_json() (json.h) says what is wrong, and where.
JsonOut json_of_text(std::string_view text);

}  // namespace poet
