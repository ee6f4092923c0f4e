#include "poet/graph/operators/demands.h"

#include <fmt/format.h>

namespace poet {

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
