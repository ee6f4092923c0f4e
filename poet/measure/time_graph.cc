#include "poet/measure/time_graph.h"

#include <algorithm>
#include <span>

#include "poet/base/check.h"
#include "poet/graph/operator_table.h"
#include "poet/kernels/evaluate.h"
#include "poet/measure/operation_inputs.h"

namespace poet {
namespace {

// The first operation that is no view and reads the tensor or a view of it, and as which input.
struct Reading {
  const GraphOperation* operation = nullptr;
  std::size_t position = 0;
};

Reading first_reading(const Graph& graph, TensorId tensor) {
  std::vector<TensorId> names = {tensor};
  for (const GraphOperation& operation : graph.operations) {
    const auto input = std::find_first_of(operation.inputs.begin(), operation.inputs.end(),
                                          names.begin(), names.end());
    if (input == operation.inputs.end()) continue;
    if (!entry_of(operation.kind).view)
      return {&operation, static_cast<std::size_t>(input - operation.inputs.begin())};
    names.push_back(operation.outputs[0]);
  }
  check_failed("a tensor that is given a value is read", __FILE__, __LINE__);
}

}  // namespace

TensorValue value_for(const Graph& graph, TensorId tensor) {
  const Reading reading = first_reading(graph, tensor);
  const OperationTypes types = types_of(graph, *reading.operation);
  std::vector<std::vector<std::byte>> inputs;
  for (const TensorType& type : types.inputs)
    inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  const std::vector<std::span<std::byte>> spans(inputs.begin(), inputs.end());
  fill_inputs(types, spans);
  return {.type = at(graph.tensors, tensor).type, .bytes = std::move(inputs[reading.position])};
}

Result<std::optional<Quartiles>> time_graph(const Graph& graph,
                                            const std::map<TensorId, TensorView>& given,
                                            const std::vector<TensorId>& wanted,
                                            const PassOptions& options, const Stop& stop) {
  POET_CHECK(stop.elapsed_s != nullptr);
  std::vector<double> seconds;
  for (std::int64_t pass = 0; pass <= options.passes && !stop.requested(); ++pass) {
    const double begin_s = work_s(options.instruments, stop);
    const Result<std::vector<TensorValue>> values =
        evaluate(graph, given, wanted, *options.kernels);
    if (!values.ok()) return values.error();
    if (pass > 0) seconds.push_back(work_s(options.instruments, stop) - begin_s);
  }
  if (seconds.empty()) return std::optional<Quartiles>();
  return std::optional(quartiles_of(seconds));
}

}  // namespace poet
