#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "poet/base/named.h"

namespace poet {

// The names in a table, in its order: of rows with a `name`, or of the values of an enum.
template <typename Row>
std::vector<std::string> names_in(const std::vector<Row>& table) {
  std::vector<std::string> names;
  for (const Row& row : table) names.emplace_back(row.name);
  return names;
}

template <typename T, std::size_t N>
std::vector<std::string> names_in(const Named<T> (&table)[N]) {
  std::vector<std::string> names;
  for (const Named<T>& row : table) names.emplace_back(row.name);
  return names;
}

}  // namespace poet
