#pragma once

#include <cstddef>

#include "poet/base/ids.h"

namespace poet {

// Where a part of the examples goes.
struct PartPlace {
  TensorId tensor{};
  std::size_t part = 0;  // of the dataset
};

}  // namespace poet
