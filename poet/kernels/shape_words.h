#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "poet/base/check.h"

namespace poet {

// A kernel's shape struct and the words it is made of (docs/decisions/0011-reference-kernels.md).

template <typename Shape>
Shape shape_of(const std::vector<std::uint32_t>& words) {
  POET_CHECK(words.size() * sizeof(std::uint32_t) == sizeof(Shape));
  Shape shape;
  std::memcpy(&shape, words.data(), sizeof shape);
  return shape;
}

template <typename Shape>
std::vector<std::uint32_t> words_of(const Shape& shape) {
  std::vector<std::uint32_t> words(sizeof(Shape) / sizeof(std::uint32_t));
  std::memcpy(words.data(), &shape, sizeof shape);
  return words;
}

}  // namespace poet
