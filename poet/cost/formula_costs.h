#pragma once

#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/graph.h"

namespace poet {

// What a graph costs on a device, by formula. An operation takes as long as its arithmetic at the
// device's compute rate, or as its bytes at the rate of the device's RAM, whichever is longer (the
// roofline model, Williams et al. 2009), and the processor draws its active power all that time.
// Views cost nothing. A transfer takes its latency and then streams, as in released_costs();
// `memory_power_scale` is a factor on its energy. Refuses a factor that is negative or not finite.
Result<CostTable> formula_costs(const Graph& graph, const Device& device,
                                double memory_power_scale);

// What reading and writing single rows of a table in storage cost, one transfer for each row: an
// embedding's lookup and update do not need the table in RAM.
TensorCost row_transfer_cost(std::int64_t rows, std::int64_t row_bytes,
                             const DeviceStorage& storage, double memory_power_scale);

}  // namespace poet
