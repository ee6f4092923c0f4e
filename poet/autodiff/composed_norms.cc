#include "poet/autodiff/composed_norms.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "poet/graph/operator.h"

namespace poet {
namespace {

class Norms {
 public:
  explicit Norms(const Graph& graph) : graph_(graph), makers_(graph.tensors.size(), nullptr) {
    for (const GraphOperation& operation : graph.operations)
      for (const TensorId output : operation.outputs) at(makers_, output) = &operation;
  }

  NormParameters found() const {
    NormParameters parameters;
    std::set<TensorId> scaled;
    for (const GraphOperation& operation : graph_.operations) {
      if (operation.kind == Operator::Mul) {
        const std::optional<TensorId> scale =
            beside(operation, [&](TensorId y) { return is_normalised(y); });
        if (!scale) continue;
        parameters.scales.insert(*scale);
        scaled.insert(operation.outputs.front());
      } else if (operation.kind == Operator::Add) {
        const std::optional<TensorId> bias =
            beside(operation, [&](TensorId y) { return scaled.contains(y); });
        if (bias) parameters.biases.insert(*bias);
      }
    }
    return parameters;
  }

 private:
  const GraphOperation* maker_of(TensorId tensor, Operator kind) const {
    const GraphOperation* maker = at(makers_, tensor);
    return maker && maker->kind == kind ? maker : nullptr;
  }

  bool is(TensorId tensor, TensorRole role) const {
    return at(graph_.tensors, tensor).role == role;
  }

  // A parameter, or one with a constant added to it.
  std::optional<TensorId> parameter_behind(TensorId tensor) const {
    if (is(tensor, TensorRole::Parameter)) return tensor;
    const GraphOperation* sum = maker_of(tensor, Operator::Add);
    if (!sum) return std::nullopt;
    const TensorId a = sum->inputs[0];
    const TensorId b = sum->inputs[1];
    if (is(a, TensorRole::Parameter) && is(b, TensorRole::Constant)) return a;
    if (is(b, TensorRole::Parameter) && is(a, TensorRole::Constant)) return b;
    return std::nullopt;
  }

  // The parameter that an operation of two inputs joins to a value that is `wanted`.
  template <typename Wanted>
  std::optional<TensorId> beside(const GraphOperation& operation, const Wanted& wanted) const {
    for (const std::size_t i : {0, 1})
      if (wanted(operation.inputs[i]))
        if (const std::optional<TensorId> other = parameter_behind(operation.inputs[1 - i]))
          return other;
    return std::nullopt;
  }

  bool is_normalised(TensorId y) const {
    const GraphOperation* maker = at(makers_, y);
    if (!maker) return false;
    const std::vector<TensorId>& inputs = maker->inputs;
    if (maker->kind == Operator::Div) return is_root_of_squares(inputs[1], inputs[0]);
    return maker->kind == Operator::Mul &&
           (is_root_of_squares(inputs[1], inputs[0]) || is_root_of_squares(inputs[0], inputs[1]));
  }

  // Whether `root` comes from the mean of the squares of x by a root, a reciprocal and a constant
  // added: in whatever order, since exporters differ.
  bool is_root_of_squares(TensorId root, TensorId x) const {
    for (const GraphOperation* maker = at(makers_, root); maker; maker = at(makers_, root)) {
      if (maker->kind == Operator::ReduceMean) return is_square_of(maker->inputs[0], x);
      const std::optional<TensorId> before = before_root(*maker);
      if (!before) return false;
      root = *before;
    }
    return false;
  }

  std::optional<TensorId> before_root(const GraphOperation& operation) const {
    const std::vector<TensorId>& inputs = operation.inputs;
    switch (operation.kind) {
      case Operator::Sqrt:
      case Operator::Reciprocal:
      case Operator::Pow:
        return inputs[0];
      case Operator::Div:  // one divided by it
        return is(inputs[0], TensorRole::Constant) ? std::optional(inputs[1]) : std::nullopt;
      case Operator::Add:
        if (is(inputs[1], TensorRole::Constant)) return inputs[0];
        return is(inputs[0], TensorRole::Constant) ? std::optional(inputs[1]) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  bool is_square_of(TensorId square, TensorId x) const {
    if (const GraphOperation* product = maker_of(square, Operator::Mul))
      return product->inputs[0] == x && product->inputs[1] == x;
    const GraphOperation* power = maker_of(square, Operator::Pow);
    return power && power->inputs[0] == x;
  }

  const Graph& graph_;
  std::vector<const GraphOperation*> makers_;
};

}  // namespace

NormParameters composed_norms(const Graph& graph) {
  return Norms(graph).found();
}

}  // namespace poet
