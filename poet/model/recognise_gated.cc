#include "poet/model/pattern_view.h"
#include "poet/model/recognise.h"

namespace poet {
namespace {

struct Gate {
  Operator gate;
  Operator gated;
};
constexpr Gate kGates[] = {{Operator::Sigmoid, Operator::Silu},
                           {Operator::HardSigmoid, Operator::HardSwish}};

std::optional<GraphOperation> gated(const PatternView& view, const GraphOperation& mul) {
  for (const TensorId product : mul.inputs)
    for (const Gate& row : kGates) {
      const GraphOperation* const gate = view.private_maker(product, row.gate);
      if (gate == nullptr || other_input(mul, product) != gate->inputs[0]) continue;
      GraphOperation operation = *gate;
      operation.kind = row.gated;
      operation.name = mul.name;
      operation.outputs = mul.outputs;
      return operation;
    }
  return std::nullopt;
}

}  // namespace

bool recognise_gated(Model& model) {
  const PatternView view(model);
  std::vector<std::pair<std::size_t, GraphOperation>> found;
  for (std::size_t i = 0; i < model.graph.operations.size(); ++i) {
    if (model.graph.operations[i].kind != Operator::Mul) continue;
    if (std::optional<GraphOperation> operation = gated(view, model.graph.operations[i]))
      found.emplace_back(i, *std::move(operation));
  }
  for (auto& [place, operation] : found) model.graph.operations[place] = std::move(operation);
  return !found.empty();
}

}  // namespace poet
