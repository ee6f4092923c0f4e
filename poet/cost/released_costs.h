#pragma once

#include <cstdint>

#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
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

}  // namespace poet
