#pragma once

#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/graph.h"

namespace poet {

// The costs of a graph on a device, by formula: an operation takes the time and the energy of its
// FLOP (the operator table's), but at least those of one FLOP for every four bytes that it reads or
// writes, so that moving values is not free; views are. Transfers cost what the storage link takes,
// their energy times `memory_power_scale`. Refuses a factor that is negative or not finite.
Result<CostTable> real_costs(const Graph& graph, const Device& device, double memory_power_scale);

}  // namespace poet
