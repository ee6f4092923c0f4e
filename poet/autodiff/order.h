#pragma once

#include <cstdint>
#include <optional>

#include "poet/autodiff/step_memory.h"
#include "poet/autodiff/training_graph.h"

namespace poet {

struct OrderLimits {
  std::int64_t max_orders = 20'000;  // orders of which the RAM is counted
  // The order that moves least between RAM and storage in so many bytes of RAM, by an estimate
  // (order_traffic.h); none: the one with the lowest peak.
  std::optional<std::int64_t> ram_bytes = {};
};

struct OrderFigures {
  std::int64_t naive_peak_bytes = 0;  // in the order that differentiation gives
  // In the order that was found; never more, unless it is to move least.
  std::int64_t peak_bytes = 0;
  std::int64_t orders = 0;  // that were tried

  bool operator==(const OrderFigures&) const = default;
};

struct FoundOrder {
  Order order = {};
  OrderFigures figures = {};
};

// An order of the operations with a low plain peak, searched for: that of the graph, the greedy
// ones that run next what frees most, and from the best of these on, moves at the worst moment.
// There, each buffer that waits is used up earlier, or made later, together with what that takes
// with it. Where RAM is given, all orders on the way from each of these are looked at, however high
// they are: what lowers the peak of a step that is to run in a tenth of it often makes gradients
// wait, and be paged, that could be used up at once (docs/decisions/0061-orders-by-budget.md). The
// same for the same graph and limits.
FoundOrder find_order(const StepMemory& memory, const OrderLimits& limits);

// Puts the operations of a step into the order that find_order() finds. A step in parts has an
// order of its own, and keeps it.
OrderFigures reorder(TrainingGraph& step, const OrderLimits& limits = {});

}  // namespace poet
