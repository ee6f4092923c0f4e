#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/operator_table.h"

namespace poet {

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
