#include "poet/cost/released_costs.h"

#include <fmt/format.h>

#include <cmath>

namespace poet {
namespace {

OperationCost cost_of(const OutlineOperation& operation, const ComputeRates& rates) {
  const double flop = static_cast<double>(operation.flop);
  return {.compute_j = flop / rates.flop_per_j, .compute_s = flop / rates.flop_per_s};
}

}  // namespace

TensorCost transfer_cost(std::int64_t size_bytes, const DeviceStorage& storage,
                         double memory_power_scale) {
  const std::int64_t blocks = (size_bytes + storage.block_bytes - 1) / storage.block_bytes;
  size_bytes = blocks * storage.block_bytes;
  return {.page_in_j = transfer_j(storage.read, size_bytes) * memory_power_scale,
          .page_in_s = transfer_s(storage.read, size_bytes),
          .page_out_j = transfer_j(storage.write, size_bytes) * memory_power_scale,
          .page_out_s = transfer_s(storage.write, size_bytes)};
}

Failure check_memory_power_scale(double memory_power_scale) {
  if (std::isfinite(memory_power_scale) && memory_power_scale >= 0) return std::nullopt;
  return bad_input(fmt::format("the memory power scale is {}; it is a factor of at least 0",
                               memory_power_scale));
}

Result<CostTable> released_costs(const Outline& graph, const Device& device,
                                 double memory_power_scale) {
  if (Failure failure = check_memory_power_scale(memory_power_scale)) return *failure;
  CostTable costs;
  for (const OutlineOperation& operation : graph.operations)
    costs.operations.push_back(cost_of(operation, device.compute));
  for (const OutlineTensor& tensor : graph.tensors)
    costs.tensors.push_back(transfer_cost(size_bytes(tensor), device.storage, memory_power_scale));
  return costs;
}

}  // namespace poet
