#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/operator_table.h"

// What the operators' shape rules ask of inputs and attributes. Messages leave out the operation's
// name: poet/graph/graph.cc puts it in front.
namespace poet {

// The most dimensions of what a kernel walks over one dimension after the other.
constexpr std::int64_t kMaxRank = 8;

using OutputTypes = Result<std::vector<TensorType>>;

inline std::int64_t rank_of(const TensorType& type) {
  return static_cast<std::int64_t>(type.shape.size());
}

// Nothing when the type's values are `wanted`; otherwise "x must be float32, not int64 (4)".
Failure require_element(const TensorType& type, ElementType wanted, std::string_view what);

// Nothing when the type is exactly `wanted`; otherwise "x must be float32 (4), not int64 (4)".
Failure require_type(const TensorType& type, const TensorType& wanted, std::string_view what);

// Nothing when there are at most kMaxRank dimensions; otherwise "x has 9 dimensions: at most 8 can
// be dealt with".
Failure require_rank(const TensorType& type, std::string_view what);

// Nothing when an operator without attributes has none.
Failure require_no_attributes(const OperationTypes& types);

// What to say when the attributes are not those of `kind` ("reduction").
Error wrong_attributes(std::string_view kind);

// The shape that both broadcast to, by NumPy's rule: the last dimensions stand under each other,
// extents of 1 are repeated, and so is what is missing in front.
Result<Shape> broadcast_shape(const Shape& a, const Shape& b);

// What the shape rules of several families demand. Each answers nothing when that holds, and
// otherwise one sentence without the operation's name.

// Of all inputs.
Failure demand_float32(const OperationTypes& types);

// The attribute called `what` has `count` values, and all are in [least, kMaxValues].
struct ListDemand {
  std::string_view what;
  std::size_t count = 0;
  std::int64_t least = 0;
};
Failure demand_list(const std::vector<std::int64_t>& values, const ListDemand& demand);

// The factors, all positive, have a product so small that 16 times as many FLOP are less than 2^62.
Failure demand_countable_work(const std::vector<std::int64_t>& factors);

}  // namespace poet
