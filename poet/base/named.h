#pragma once

#include <optional>
#include <string_view>

#include "poet/base/check.h"

namespace poet {

// One row of a table that gives the values of an enum their names in files and flags: parsing,
// printing and the list in an error message all come from that table.
template <typename T>
struct Named {
  std::string_view name;
  T value;
};

template <typename T, std::size_t N>
std::string_view name_of(const Named<T> (&table)[N], T value) {
  for (const Named<T>& row : table)
    if (row.value == value) return row.name;
  check_failed("every value has a name", __FILE__, __LINE__);
}

template <typename T, std::size_t N>
std::optional<T> value_of(const Named<T> (&table)[N], std::string_view name) {
  for (const Named<T>& row : table)
    if (row.name == name) return row.value;
  return std::nullopt;
}

}  // namespace poet
