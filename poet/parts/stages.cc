#include "poet/parts/stages.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "poet/graph/operator_table.h"
#include "poet/runtime/row_parts.h"

namespace poet {
namespace {

// A batch norm of which so many channels fit is done by channels alone: with fewer, convolutions
// before and after it would meet each value of their input too often.
constexpr std::int64_t kFewChannels = 8;

std::int64_t bytes_at_once(const Graph& graph, const GraphOperation& operation) {
  std::set<TensorId> tensors(operation.inputs.begin(), operation.inputs.end());
  tensors.insert(operation.outputs.begin(), operation.outputs.end());
  std::int64_t bytes = 0;
  for (const TensorId tensor : tensors) bytes += size_bytes(at(graph.tensors, tensor).type);
  return bytes;
}

// The stages of one operation, in the place of it.
class Stages {
 public:
  Stages(Graph& graph, const GraphOperation& whole, RowPartAttributes part,
         std::vector<GraphOperation>& operations)
      : graph_(graph), whole_(whole), part_(part), operations_(operations) {}

  // What is not one of the whole operation's outputs is made under a name of its own.
  TensorId add(const std::string& what, Operator kind, std::vector<TensorId> inputs, Shape shape) {
    graph_.tensors.push_back(
        {.name = whole_.name + "." + what,
         .type = {ElementType::Float32, std::move(shape)},
         .role = whole_.backward ? TensorRole::Gradient : TensorRole::Activation});
    const auto made = static_cast<TensorId>(graph_.tensors.size() - 1);
    make(what, kind, std::move(inputs), {made});
    return made;
  }

  void make(const std::string& what, Operator kind, std::vector<TensorId> inputs,
            std::vector<TensorId> outputs) {
    operations_.push_back({.name = whole_.name + "." + what,
                           .kind = kind,
                           .attributes = part_,
                           .inputs = std::move(inputs),
                           .outputs = std::move(outputs),
                           .backward = whole_.backward});
  }

 private:
  Graph& graph_;
  const GraphOperation& whole_;
  RowPartAttributes part_;
  std::vector<GraphOperation>& operations_;
};

Shape state_shape(const Shape& rows, bool of_gradient) {
  Shape shape = rows;
  if (of_gradient) shape.push_back(2);
  shape.push_back(POET_ROW_STATE);
  return shape;
}

RowPartAttributes part_of(const GraphOperation& operation, const Shape& x) {
  const auto& norm = std::get<NormAttributes>(operation.attributes);
  RowPartAttributes part{.epsilon = norm.epsilon};
  part.by_channel =
      operation.kind == Operator::BatchNorm || operation.kind == Operator::BatchNormGradient;
  part.axis = part.by_channel ? 0 : norm.axis;
  part.images = part.by_channel ? x[0] : 1;
  part.extent = value_count({x.begin() + (part.by_channel ? 2 : norm.axis), x.end()});
  return part;
}

// x, scale and bias or neither, to y, mean, inverse_std.
void add_forward(Stages& stages, const Graph& graph, const GraphOperation& norm) {
  const TensorId x = norm.inputs[0];
  const Shape rows = at(graph.tensors, norm.outputs[1]).type.shape;
  const TensorId sum = stages.add("sum", Operator::RowSumPart, {x}, state_shape(rows, false));
  stages.make("mean", Operator::RowMean, {sum}, {norm.outputs[1]});
  const TensorId spread =
      stages.add("spread", Operator::RowSpreadPart, {x, norm.outputs[1]}, state_shape(rows, false));
  stages.make("inverse_std", Operator::RowInverseStd, {spread}, {norm.outputs[2]});
  std::vector<TensorId> inputs{x, norm.outputs[1], norm.outputs[2]};
  inputs.insert(inputs.end(), norm.inputs.begin() + 1, norm.inputs.end());
  const bool by_channel = norm.kind == Operator::BatchNorm;
  stages.make("apply", by_channel ? Operator::BatchNormApply : Operator::LayerNormApply,
              std::move(inputs), {norm.outputs[0]});
}

// x, mean, inverse_std, dy, scale to dx, dscale, dbias.
void add_batch_gradient(Stages& stages, const Graph& graph, const GraphOperation& norm) {
  const std::vector<TensorId>& in = norm.inputs;
  const Shape rows = at(graph.tensors, in[1]).type.shape;
  const TensorId sums = stages.add("sums", Operator::RowGradientSumsPart, {in[0], in[1], in[3]},
                                   state_shape(rows, true));
  stages.make("factors", Operator::BatchNormGradientFactors, {sums, in[2]},
              {norm.outputs[1], norm.outputs[2]});
  stages.make("apply", Operator::BatchNormGradientApply,
              {in[0], in[1], in[2], in[3], in[4], norm.outputs[1], norm.outputs[2]},
              {norm.outputs[0]});
}

// x, mean, inverse_std, dy, with a scale that, to dx, with a scale dscale and dbias.
void add_layer_gradient(Stages& stages, Graph& graph, const GraphOperation& norm) {
  const std::vector<TensorId>& in = norm.inputs;
  const bool scaled = in.size() > 4;
  const Shape rows = at(graph.tensors, in[1]).type.shape;
  std::vector<TensorId> summed{in[0], in[1], in[3]};
  if (scaled) summed.push_back(in[4]);
  const TensorId sums = stages.add(
      "sums", scaled ? Operator::LayerNormGradientSumsPart : Operator::RowGradientSumsPart,
      std::move(summed), state_shape(rows, true));
  TensorId factors[2];
  for (const int k : {0, 1}) {
    graph.tensors.push_back({.name = norm.name + (k == 0 ? ".shift" : ".slope"),
                             .type = {ElementType::Float32, rows},
                             .role = TensorRole::Gradient});
    factors[k] = static_cast<TensorId>(graph.tensors.size() - 1);
  }
  stages.make("factors", Operator::LayerNormGradientFactors, {sums, in[2]},
              {factors[0], factors[1]});
  std::vector<TensorId> applied{in[0], in[1], in[2], in[3], factors[0], factors[1]};
  if (scaled) applied.push_back(in[4]);
  stages.make("apply", Operator::LayerNormGradientApply, std::move(applied), {norm.outputs[0]});
  if (norm.outputs.size() > 1)
    stages.make("scale", Operator::LayerNormScaleGradient, {in[0], in[1], in[2], in[3]},
                {norm.outputs[1], norm.outputs[2]});
}

bool is_too_large(const Graph& graph, const GraphOperation& operation, std::int64_t most_bytes) {
  const std::int64_t bytes = bytes_at_once(graph, operation);
  switch (operation.kind) {
    case Operator::LayerNorm:
    case Operator::LayerNormGradient:
      return bytes > most_bytes;
    case Operator::BatchNorm:
    case Operator::BatchNormGradient: {
      const std::int64_t channels = at(graph.tensors, operation.inputs[0]).type.shape[1];
      return bytes / channels * std::min(channels, kFewChannels) > most_bytes;
    }
    default:
      return false;
  }
}

}  // namespace

TrainingGraph with_stages(TrainingGraph step, std::int64_t most_bytes) {
  Graph& graph = step.graph;
  std::vector<GraphOperation> operations;
  for (GraphOperation& operation : graph.operations) {
    if (!is_too_large(graph, operation, most_bytes)) {
      operations.push_back(std::move(operation));
      continue;
    }
    const Shape x = at(graph.tensors, operation.inputs[0]).type.shape;
    Stages stages(graph, operation, part_of(operation, x), operations);
    if (operation.kind == Operator::BatchNormGradient)
      add_batch_gradient(stages, graph, operation);
    else if (operation.kind == Operator::LayerNormGradient)
      add_layer_gradient(stages, graph, operation);
    else
      add_forward(stages, graph, operation);
  }
  graph.operations = std::move(operations);
  return step;
}

}  // namespace poet
