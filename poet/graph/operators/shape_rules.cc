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

Failure demand_float32(const OperationTypes& types) {
  for (const TensorType& input : types.inputs)
    if (input.element != ElementType::Float32)
      return bad_input(fmt::format("takes float32 values, not {}", to_text(input)));
  return std::nullopt;
}

Failure demand_list(const std::vector<std::int64_t>& values, const ListDemand& demand) {
  if (values.size() != demand.count)
    return bad_input(
        fmt::format("{} has {} values, not {}", demand.what, values.size(), demand.count));
  for (const std::int64_t value : values)
    if (value < demand.least || value > kMaxValues)
      return bad_input(fmt::format("{} must be from {} to {}, not {}", demand.what, demand.least,
                                   kMaxValues, value));
  return std::nullopt;
}

Failure demand_countable_work(const std::vector<std::int64_t>& factors) {
  std::int64_t left = std::int64_t{1} << 58;
  for (const std::int64_t factor : factors) left /= factor;
  if (left > 0) return std::nullopt;
  return bad_input(fmt::format("is too much work to count: {} times", to_text(factors)));
}

}  // namespace poet
