#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "poet/api/plan_request.h"
#include "poet/problem/problem.h"

namespace poet {

// The request with updates by slices where operations of its problems, which have separate ones,
// need more than the budget by themselves: then no schedule of them is possible. Nothing where all
// fit, where the request says how updates are done, or where it is not for reference kernels.
std::optional<PlanRequest> with_updates_that_fit(const PlanRequest& request,
                                                 std::span<const Problem* const> problems,
                                                 std::int64_t ram_budget_bytes);

}  // namespace poet
