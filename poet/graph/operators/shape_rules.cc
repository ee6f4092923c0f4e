#include "poet/graph/operators/shape_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace poet {
namespace {

// The extent that stands `from_end` places before the end, 1 in front of the shape.
std::int64_t extent_from_end(const Shape& shape, std::size_t from_end) {
  return from_end < shape.size() ? shape[shape.size() - 1 - from_end] : 1;
}

}  // namespace

Failure require_element(const TensorType& type, ElementType wanted, std::string_view what) {
  if (type.element == wanted) return std::nullopt;
  return bad_input(
      fmt::format("{} must be {}, not {}", what, name_of(kElementTypes, wanted), to_text(type)));
}

Failure require_type(const TensorType& type, const TensorType& wanted, std::string_view what) {
  if (type == wanted) return std::nullopt;
  return bad_input(fmt::format("{} must be {}, not {}", what, to_text(wanted), to_text(type)));
}

Failure require_rank(const TensorType& type, std::string_view what) {
  if (rank_of(type) <= kMaxRank) return std::nullopt;
  return bad_input(fmt::format("{} has {} dimensions: at most {} can be dealt with", what,
                               rank_of(type), kMaxRank));
}

Failure require_no_attributes(const OperationTypes& types) {
  if (std::holds_alternative<std::monostate>(types.attributes)) return std::nullopt;
  return bad_input("takes no attributes, and has some");
}

Error wrong_attributes(std::string_view kind) {
  return bad_input(fmt::format("takes the attributes of a {}, and has none or others", kind));
}

Result<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t of_a = extent_from_end(a, i);
    const std::int64_t of_b = extent_from_end(b, i);
    if (of_a != of_b && of_a != 1 && of_b != 1)
      return bad_input(fmt::format("the shapes {} and {} do not broadcast: {} stands over {}",
                                   to_text(a), to_text(b), of_a, of_b));
    shape[shape.size() - 1 - i] = of_a == 1 ? of_b : of_a;
  }
  return shape;
}

}  // namespace poet
