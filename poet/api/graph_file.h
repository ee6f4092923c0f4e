#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/api/plan_request.h"
#include "poet/base/result.h"
#include "poet/device/device.h"
#include "poet/problem/problem.h"

namespace poet {

// The request, about the costed graph in a file (docs/formats/costed_graph.md) in place of a
// network: `model` becomes the graph's name. Refuses what is not such a file,
// and a request that names a network or a batch size.
Result<PlanRequest> with_graph_file(PlanRequest request, const std::string& path);

// The problem of the request's costed graph, without budgets. Transfers cost what they cost on the
// device, if there is one; else what the graph says; when that says nothing, there is no paging.
// Refuses an objective of energy for a graph that states none.
Result<Problem> costed_graph_problem(const PlanRequest& request,
                                     const std::optional<Device>& device);

// What the user should know about the figures of the request's costed graph, one sentence each.
std::vector<std::string> costed_graph_warnings(const PlanRequest& request,
                                               const std::optional<Device>& device,
                                               const Problem& problem);

}  // namespace poet
