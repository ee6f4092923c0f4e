#pragma once

#include <string>
#include <vector>

#include "poet/api/plan_request.h"
#include "poet/base/json_out_fwd.h"
#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/graph.h"

namespace poet {

// What the operations and tensors of a real network's step cost on a device: operations by the cost
// table that the request names, or by formulas. Refuses a table that cannot be read, and what
// measured_costs() or formula_costs() refuse.
Result<CostTable> step_costs(const PlanRequest& request, const Graph& graph, const Device& device);

// How reports name where costs come from, in an Instance's words: in JSON, null for a graph file;
// as a line of text, nothing for formulas, which are the usual case.
JsonOut costs_json(const std::string& costs);
std::string costs_line(const std::string& costs);

// What the user should know of a request's cost table: how many operations it does not have.
std::vector<std::string> cost_warnings(const PlanRequest& request, const CostSource& source);

}  // namespace poet
