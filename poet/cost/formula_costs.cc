#include "poet/cost/formula_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "poet/graph/operator_table.h"

namespace poet {
namespace {

OperationCost cost_of(const OutlineOperation& operation, const ComputeRates& rates) {
  const double flop = static_cast<double>(operation.flop);
  return {.compute_j = flop / rates.flop_per_j, .compute_s = flop / rates.flop_per_s};
}

std::int64_t moved_bytes(const OperatorEntry& entry, const OperationTypes& types) {
  if (entry.moved_bytes != nullptr) return entry.moved_bytes(types);
  std::int64_t bytes = 0;
  for (const TensorType& type : types.inputs) bytes += size_bytes(type);
  for (const TensorType& type : types.outputs) bytes += size_bytes(type);
  return bytes;
}

// Time is worth the arithmetic that the processor could have done meanwhile, so that one figure
// gives time and energy.
OperationCost cost_of(const Graph& graph, const GraphOperation& operation, const Device& device) {
  const OperatorEntry& entry = entry_of(operation.kind);
  if (entry.view) return {};
  const OperationTypes types = types_of(graph, operation);
  double flop = static_cast<double>(entry.flop(types));
  if (device.ram_bytes_per_s) {
    const double moving_s =
        static_cast<double>(moved_bytes(entry, types)) / *device.ram_bytes_per_s;
    flop = std::max(flop, moving_s * device.compute.flop_per_s);
  }
  return {.compute_j = flop / device.compute.flop_per_j,
          .compute_s = flop / device.compute.flop_per_s};
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

TensorCost row_transfer_cost(std::int64_t rows, std::int64_t row_bytes,
                             const DeviceStorage& storage, double memory_power_scale) {
  const TensorCost one = transfer_cost(row_bytes, storage, memory_power_scale);
  const auto count = static_cast<double>(rows);
  return {.page_in_j = count * one.page_in_j,
          .page_in_s = count * one.page_in_s,
          .page_out_j = count * one.page_out_j,
          .page_out_s = count * one.page_out_s};
}

Result<CostTable> formula_costs(const Graph& graph, const Device& device,
                                double memory_power_scale) {
  if (Failure failure = check_memory_power_scale(memory_power_scale)) return *failure;
  CostTable costs;
  for (const GraphOperation& operation : graph.operations) {
    costs.operations.push_back(cost_of(graph, operation, device));
    if (!entry_of(operation.kind).view) ++costs.source.from_formulas;
  }
  for (const GraphTensor& tensor : graph.tensors)
    costs.tensors.push_back(
        transfer_cost(size_bytes(tensor.type), device.storage, memory_power_scale));
  return costs;
}

}  // namespace poet
