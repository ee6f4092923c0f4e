#include "poet/model/pattern_view.h"
#include "poet/model/recognise.h"

namespace poet {
namespace {

// The matrix product with the bias, in place of the addition; nothing where it is no such pair.
std::optional<GraphOperation> biased(const PatternView& view, const GraphOperation& add) {
  for (const TensorId product : add.inputs) {
    const GraphOperation* const matmul = view.private_maker(product, Operator::MatMul);
    const std::optional<TensorId> bias = other_input(add, product);
    if (matmul == nullptr || matmul->inputs.size() != 2 || !bias) continue;
    const GraphTensor& list = at(view.model().graph.tensors, *bias);
    const Shape& shape = view.shape(product);
    // Anything larger is another branch of the network that happens to fit.
    if (list.role != TensorRole::Parameter || list.type.shape != Shape{shape.back()}) continue;
    GraphOperation linear = *matmul;
    linear.inputs.push_back(*bias);
    std::get<MatMulAttributes>(linear.attributes).beta = 1;
    linear.outputs = add.outputs;
    return linear;
  }
  return std::nullopt;
}

}  // namespace

bool recognise_linear(Model& model) {
  const PatternView view(model);
  std::vector<std::pair<std::size_t, GraphOperation>> found;
  for (std::size_t i = 0; i < model.graph.operations.size(); ++i) {
    if (model.graph.operations[i].kind != Operator::Add) continue;
    if (std::optional<GraphOperation> linear = biased(view, model.graph.operations[i]))
      found.emplace_back(i, *std::move(linear));
  }
  for (auto& [place, linear] : found) {
    linear.name = model.graph.operations[place].name;
    model.graph.operations[place] = std::move(linear);
  }
  return !found.empty();
}

}  // namespace poet
