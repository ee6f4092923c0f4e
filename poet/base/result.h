#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "poet/base/check.h"

namespace poet {

enum class ErrorCode {
  BadInput,     // the user's text, file or flags
  NotFound,     // a name or file that does not exist
  Unsupported,  // understood, but not something this build or method can do
  Io,           // the operating system refused a read or write
};

// A place in a text that a user wrote. Lines and columns count from 1; 0 means not known.
struct SourcePos {
  std::string file = {};
  int line = 0;
  int column = 0;

  bool operator==(const SourcePos&) const = default;
};

// Bad input, in one sentence in the user's terms: what is wrong, and what would be right.
struct Error {
  ErrorCode code = ErrorCode::BadInput;
  std::string message = {};
  SourcePos where = {};

  bool operator==(const Error&) const = default;
};

// "file:line:column: message", leaving out what is not known.
std::string to_string(const Error& error);

// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    POET_CHECK(ok());
    return std::get<0>(state_);
  }
  T& value() & {
    POET_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    POET_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const {
    POET_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value: an empty optional is success.
using Failure = std::optional<Error>;

// An Error of code BadInput.
Error bad_input(std::string message, SourcePos where = {});

}  // namespace poet
