#include "support/model_run.h"

#include <fmt/format.h>

#include "poet/kernels/evaluate.h"

namespace poet::testing {

Result<std::vector<TensorValue>> run_forward(const Model& model,
                                             const std::map<std::string, TensorView>& inputs) {
  std::map<TensorId, TensorView> given;
  for (const NamedTensor& input : model.inputs) {
    const auto found = inputs.find(input.name);
    if (found == inputs.end()) return bad_input(fmt::format("no input {} is given", input.name));
    given[input.tensor] = found->second;
  }
  std::vector<TensorValue> kept;
  kept.reserve(model.initial.size());
  for (const auto& [tensor, initial] : model.initial) {
    const TensorType& type = at(model.graph.tensors, tensor).type;
    kept.push_back({type, initial_bytes(initial, type)});
    given[tensor] = view_of(kept.back());
  }
  return evaluate(model.graph, given, model.graph.outputs);
}

}  // namespace poet::testing
