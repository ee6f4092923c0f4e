#pragma once

#include <cstdint>

#include "poet/base/named.h"

namespace poet {

// What the values of a tensor are. Trained values are Float32; the others carry labels, indices and
// masks.
enum class ElementType { Float32, Int64, Int32, Uint8, Bool };

inline constexpr Named<ElementType> kElementTypes[] = {{"float32", ElementType::Float32},
                                                       {"int64", ElementType::Int64},
                                                       {"int32", ElementType::Int32},
                                                       {"uint8", ElementType::Uint8},
                                                       {"bool", ElementType::Bool}};

// Of one value; a Bool is a byte that is 0 or 1.
constexpr std::int64_t byte_size(ElementType type) {
  switch (type) {
    case ElementType::Float32:
    case ElementType::Int32:
      return 4;
    case ElementType::Int64:
      return 8;
    case ElementType::Uint8:
    case ElementType::Bool:
      return 1;
  }
  return 0;
}

}  // namespace poet
