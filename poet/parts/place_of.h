#pragma once

#include <cstddef>

#include "poet/base/ids.h"

namespace poet {

// Where the facts of a tensor stand in a list of those of all.
inline std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

}  // namespace poet
