#include <algorithm>
#include <utility>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"
#include "poet/parts/stage_list.h"
#include "poet/runtime/row_parts.h"

// Norms as sums of rows, of which a state goes from part to part, what is made of these, and what
// that makes of every value by itself. The gradient of a bias is such a sum too.

namespace poet {
namespace {

// A batch norm of which so many channels fit is done by channels alone: with fewer, convolutions
// before and after it would meet each value of their input too often.
constexpr std::int64_t kFewChannels = 8;

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
void add_forward(StageList& stages, const RowPartAttributes& part) {
  const GraphOperation& norm = stages.whole();
  const TensorId x = norm.inputs[0];
  const Shape state = state_shape(stages.shape(norm.outputs[1]), false);
  const TensorId sum = stages.add("sum", Operator::RowSumPart, part, {x}, state);
  stages.make("mean", Operator::RowMean, part, {sum}, {norm.outputs[1]});
  const TensorId spread =
      stages.add("spread", Operator::RowSpreadPart, part, {x, norm.outputs[1]}, state);
  stages.make("inverse_std", Operator::RowInverseStd, part, {spread}, {norm.outputs[2]});
  std::vector<TensorId> inputs{x, norm.outputs[1], norm.outputs[2]};
  inputs.insert(inputs.end(), norm.inputs.begin() + 1, norm.inputs.end());
  const bool by_channel = norm.kind == Operator::BatchNorm;
  stages.make("apply", by_channel ? Operator::BatchNormApply : Operator::LayerNormApply, part,
              std::move(inputs), {norm.outputs[0]});
}

// x, mean, inverse_std, dy, scale to dx, dscale, dbias.
void add_batch_gradient(StageList& stages, const RowPartAttributes& part) {
  const GraphOperation& norm = stages.whole();
  const std::vector<TensorId>& in = norm.inputs;
  const TensorId sums = stages.add("sums", Operator::RowGradientSumsPart, part,
                                   {in[0], in[1], in[3]}, state_shape(stages.shape(in[1]), true));
  stages.make("factors", Operator::BatchNormGradientFactors, part, {sums, in[2]},
              {norm.outputs[1], norm.outputs[2]});
  stages.make("apply", Operator::BatchNormGradientApply, part,
              {in[0], in[1], in[2], in[3], in[4], norm.outputs[1], norm.outputs[2]},
              {norm.outputs[0]});
}

// x, mean, inverse_std, dy, with a scale that, to dx, with a scale dscale and dbias.
void add_layer_gradient(StageList& stages, const RowPartAttributes& part) {
  const GraphOperation& norm = stages.whole();
  const std::vector<TensorId>& in = norm.inputs;
  const bool scaled = in.size() > 4;
  const Shape rows = stages.shape(in[1]);
  std::vector<TensorId> summed{in[0], in[1], in[3]};
  if (scaled) summed.push_back(in[4]);
  const TensorId sums = stages.add(
      "sums", scaled ? Operator::LayerNormGradientSumsPart : Operator::RowGradientSumsPart, part,
      std::move(summed), state_shape(rows, true));
  const TensorId shift = stages.tensor("shift", rows);
  const TensorId slope = stages.tensor("slope", rows);
  stages.make("factors", Operator::LayerNormGradientFactors, part, {sums, in[2]}, {shift, slope});
  std::vector<TensorId> applied{in[0], in[1], in[2], in[3], shift, slope};
  if (scaled) applied.push_back(in[4]);
  stages.make("apply", Operator::LayerNormGradientApply, part, std::move(applied),
              {norm.outputs[0]});
  if (norm.outputs.size() > 1)
    stages.make("scale", Operator::LayerNormScaleGradient, part, {in[0], in[1], in[2], in[3]},
                {norm.outputs[1], norm.outputs[2]});
}

// A bias of channels has the sum over images of the sums of their rows.
void add_bias_gradient(StageList& stages) {
  const GraphOperation& whole = stages.whole();
  const Shape dy = stages.shape(whole.inputs[0]);
  const RowPartAttributes part{
      .by_channel = true, .extent = value_count({dy.begin() + 2, dy.end()}), .images = dy[0]};
  const TensorId sum =
      stages.add("sum", Operator::RowSumPart, part, whole.inputs, {dy[1], POET_ROW_STATE});
  stages.make("total", Operator::RowTotal, part, {sum}, whole.outputs);
}

}  // namespace

bool is_too_large_norm(const Graph& graph, const GraphOperation& norm, std::int64_t most_bytes) {
  const std::int64_t bytes = bytes_at_once(graph, norm);
  switch (norm.kind) {
    case Operator::LayerNorm:
    case Operator::LayerNormGradient:
      return bytes > most_bytes;
    case Operator::BatchNorm:
    case Operator::BatchNormGradient:
    case Operator::ConvBiasGradient: {
      const std::int64_t channels = at(graph.tensors, norm.inputs[0]).type.shape[1];
      return bytes / channels * std::min(channels, kFewChannels) > most_bytes;
    }
    default:
      return false;
  }
}

void add_norm_stages(StageList& stages) {
  const GraphOperation& norm = stages.whole();
  if (norm.kind == Operator::ConvBiasGradient) {
    add_bias_gradient(stages);
    return;
  }
  const RowPartAttributes part = part_of(norm, stages.shape(norm.inputs[0]));
  if (norm.kind == Operator::BatchNormGradient)
    add_batch_gradient(stages, part);
  else if (norm.kind == Operator::LayerNormGradient)
    add_layer_gradient(stages, part);
  else
    add_forward(stages, part);
}

}  // namespace poet
