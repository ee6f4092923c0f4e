#include "poet/measure/profile_graph.h"

#include <map>

#include "poet/cost/operation_key.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

struct DifferentOperation {
  std::string key;
  OperationTypes types;
  std::int64_t uses = 0;
};

std::vector<DifferentOperation> different_operations(const Graph& graph) {
  std::vector<DifferentOperation> list;
  std::map<std::string, std::size_t> places;
  for (const GraphOperation& operation : graph.operations) {
    if (entry_of(operation.kind).view) continue;
    OperationTypes types = types_of(graph, operation);
    std::string key = operation_key(types);
    const auto [place, is_new] = places.emplace(key, list.size());
    if (is_new) list.push_back({.key = std::move(key), .types = std::move(types)});
    ++list[place->second].uses;
  }
  return list;
}

MeasuredOperation measured(const DifferentOperation& operation, const OperationTiming& timing,
                           const std::string& kernels) {
  return {.key = operation.key,
          .kernels = kernels,
          .seconds = timing.seconds.median,
          .spread_s = timing.seconds.spread(),
          .joules = timing.joules,
          .samples = timing.samples,
          .executions = timing.executions,
          .uses = operation.uses};
}

}  // namespace

MeasuredCosts profile_graph(const Graph& graph, const TimingOptions& options,
                            const Instruments& instruments, const Stop& stop,
                            const ProfileSink& progress, const KernelSet& kernels) {
  const std::vector<DifferentOperation> operations = different_operations(graph);
  MeasuredCosts costs;
  for (const DifferentOperation& operation : operations) {
    if (progress) progress({std::ssize(costs.operations), std::ssize(operations), operation.key});
    std::optional<OperationTiming> timing;
    if (!stop.requested())
      timing = time_operation(operation.types, options, instruments, stop, kernels);
    costs.complete = timing.has_value();
    if (!timing) break;
    costs.operations.push_back(measured(operation, *timing, kernels.name()));
  }
  return costs;
}

}  // namespace poet
