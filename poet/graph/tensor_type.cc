#include "poet/graph/tensor_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace poet {

Failure check_shape(const Shape& shape, const std::string& what) {
  std::int64_t values = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 1)
      return bad_input(fmt::format("{} has the shape {}: every extent must be at least 1", what,
                                   to_text(shape)));
    if (extent > kMaxValues / values)
      return bad_input(fmt::format("{} has the shape {}: a tensor has at most {} values", what,
                                   to_text(shape), kMaxValues));
    values *= extent;
  }
  return std::nullopt;
}

std::string to_text(const Shape& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::string to_text(const TensorType& type) {
  return fmt::format("{} {}", name_of(kElementTypes, type.element), to_text(type.shape));
}

}  // namespace poet
