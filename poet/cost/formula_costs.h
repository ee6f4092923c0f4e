#pragma once

#include <cstdint>

#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/graph.h"
#include "poet/graph/outline.h"

namespace poet {

// What moving so many bytes costs: whole blocks of the storage. The energy is times
// `memory_power_scale`.
TensorCost transfer_cost(std::int64_t size_bytes, const DeviceStorage& storage,
                         double memory_power_scale);

// Nothing when a factor on the energy of transfers is one: finite and at least 0.
Failure check_memory_power_scale(double memory_power_scale);

// The costs that the released POET code computes for a graph on a device: operations by their FLOP,
// transfers by the storage link. `memory_power_scale` is a factor on the energy of transfers
// (--mem-power-scale). The released code has no transfer times; page_in_s and page_out_s are the
// times by which it computes those energies. Refuses a factor that is negative or not finite.
Result<CostTable> released_costs(const Outline& graph, const Device& device,
                                 double memory_power_scale);

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
