#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/api/plan_request.h"
#include "poet/api/step_updates.h"
#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/outline.h"
#include "poet/problem/problem.h"

namespace poet {

// A request with everything it names looked up: what the solver is asked, and where its numbers
// come from.
struct Instance {
  std::optional<Device> device;  // a costed graph may do without
  Problem problem;
  std::vector<std::string> warnings;
  // Where the costs of operations come from: "formulas", "measured with reference kernels". Empty:
  // from a graph file.
  std::string costs = {};
  StepUpdates updates = {};
};

// Refuses names, files and numbers that are not right. Where updates are chosen by the budget and
// none of the choices fits into it, the step is that which needs least (update_levels.h): what is
// said of it is said of all.
Result<Instance> make_instance(const PlanRequest& request);

// The same but for the RAM budget of the request, of which neither the problem nor the warnings
// know: the problem has the device's RAM, or none.
Result<Instance> instance_at_any_budget(const PlanRequest& request);

// A budget that is stated as a part of what the problem needs, in bytes.
Result<std::int64_t> budget_bytes(const RamBudget& budget, const Problem& problem);

// The operations and tensors of a graph at their costs, without budgets.
Problem costed_problem(const Outline& graph, const CostTable& costs);

}  // namespace poet
