#pragma once

#include <cstdint>
#include <string>

#include "poet/graph/shape.h"

namespace poet {

// What an NPY array (number_array.h) of `rows` rows begins with; its Float32 values follow. `shape`
// has the extents behind the first, whatever its first is.
std::string npy_header(const Shape& shape, std::int64_t rows);

}  // namespace poet
