#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/ask/option_row.h"
#include "poet/base/named.h"
#include "poet/base/result.h"

namespace poet {

// What most rows of options do with their value: keep it, or say what is wrong with it.

using ReadOption = std::function<Failure(const std::string&)>;

template <typename T, typename Target>
Failure keep_value(Result<T> value, Target& target) {
  if (!value.ok()) return value.error();
  target = static_cast<Target>(*std::move(value));
  return std::nullopt;
}

template <typename T, typename Target>
Failure keep_value(Result<T> value, std::optional<Target>& target) {
  if (!value.ok()) return value.error();
  target = static_cast<Target>(*std::move(value));
  return std::nullopt;
}

template <typename Target>
ReadOption keep_as_text(Target& target) {
  return [&target](const std::string& text) {
    target = text;
    return Failure();
  };
}

inline ReadOption keep_as_switch(bool& target) {
  return [&target](const std::string& text) {
    target = text == "true";
    return Failure();
  };
}

template <typename T, typename Target, std::size_t N>
ReadOption keep_as_choice(const Named<T> (&table)[N], Target& target) {
  return [&table, &target](const std::string& text) {
    target = *value_of(table, text);
    return Failure();
  };
}

}  // namespace poet
