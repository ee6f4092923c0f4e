#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/question.h"
#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// Whether the RAM budget may choose the order of a step's operations: of whole operations of a
// network, in less RAM than keeping everything takes; and in any for a deadline that transfers
// beside the processor have to keep, since the order says what they can run beside.
bool leaves_order_open(const Question& question, const Problem& lowest_peak);

// What the other order is made for: where everything can stay, for a little less than that.
std::int64_t bytes_for_order(const Problem& lowest_peak, std::int64_t ram_budget_bytes);

// What a short search found for one order: a schedule of each problem, and what they cost together.
struct OrderTrial {
  std::vector<std::shared_ptr<const Schedule>> schedules = {};
  double objective = 0;
};

// Nothing where a problem has no schedule that was found. The search counts its effort, so that the
// same question chooses the same order on every machine.
std::optional<OrderTrial> try_order(const Question& question,
                                    std::span<const Problem* const> problems, const Stop& stop);

// Whether the order that moves least is better than the one with the lowest peak: not where both
// come to the same.
bool is_better(const std::optional<OrderTrial>& least_moved,
               const std::optional<OrderTrial>& lowest_peak);

}  // namespace poet
