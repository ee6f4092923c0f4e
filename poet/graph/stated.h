#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace poet {

// A fact that whoever writes a row of a table has to state: a row that leaves it out does not
// compile. Reads like a T.
template <typename T>
class Stated {
 public:
  template <std::convertible_to<T> Given>
  requires(!std::same_as<std::remove_cvref_t<Given>, Stated>) constexpr Stated(Given&& value)
      : value_(std::forward<Given>(value)) {}

  constexpr operator const T&() const { return value_; }
  constexpr const T& value() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

  template <typename Stream>
  requires requires(Stream& stream, const T& value) { stream << value; }
  friend Stream& operator<<(Stream& stream, const Stated& stated) {
    stream << stated.value_;
    return stream;
  }

 private:
  T value_;
};

}  // namespace poet
