#include "poet/cost/real_costs.h"

#include <algorithm>

#include "poet/cost/released_costs.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

constexpr std::int64_t kBytesPerFlop = 4;  // a device file states no rate of memory

std::int64_t moved_bytes(const OperatorEntry& entry, const OperationTypes& types) {
  if (entry.moved_bytes != nullptr) return entry.moved_bytes(types);
  std::int64_t bytes = 0;
  for (const TensorType& input : types.inputs) bytes += size_bytes(input);
  for (const TensorType& output : types.outputs) bytes += size_bytes(output);
  return bytes;
}

OperationCost cost_of(const Graph& graph, const GraphOperation& operation,
                      const ComputeRates& rates) {
  const OperatorEntry& entry = entry_of(operation.kind);
  if (entry.view) return {};
  const OperationTypes types = types_of(graph, operation);
  const auto flop =
      static_cast<double>(std::max(entry.flop(types), moved_bytes(entry, types) / kBytesPerFlop));
  return {.compute_j = flop / rates.flop_per_j, .compute_s = flop / rates.flop_per_s};
}

}  // namespace

Result<CostTable> real_costs(const Graph& graph, const Device& device, double memory_power_scale) {
  if (Failure failure = check_memory_power_scale(memory_power_scale)) return *failure;
  CostTable costs;
  for (const GraphOperation& operation : graph.operations)
    costs.operations.push_back(cost_of(graph, operation, device.compute));
  for (const GraphTensor& tensor : graph.tensors)
    costs.tensors.push_back(
        transfer_cost(size_bytes(tensor.type), device.storage, memory_power_scale));
  return costs;
}

}  // namespace poet
