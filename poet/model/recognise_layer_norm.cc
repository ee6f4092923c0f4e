#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "poet/model/pattern_view.h"
#include "poet/model/recognise.h"

// J. Ba, J. Kiros and G. Hinton, "Layer normalization" (2016), as exporters spell it out:
//   centred = x - mean(x), y = centred / sqrt(mean(centred^2) + epsilon) scale + bias

namespace poet {
namespace {

struct Match {
  TensorId x{};
  std::int64_t axis = 0;
  float epsilon = 0;
  std::vector<TensorId> scale_and_bias = {};  // or neither
  TensorId y{};
};

// The axis from which on the mean is taken; nothing for other means.
std::optional<std::int64_t> mean_axis(const PatternView& view, const GraphOperation& mean) {
  const auto& attributes = std::get<ReduceAttributes>(mean.attributes);
  const auto rank = static_cast<std::int64_t>(view.shape(mean.inputs[0]).size());
  const auto count = static_cast<std::int64_t>(attributes.axes.size());
  std::vector<std::int64_t> last(attributes.axes.size());
  std::iota(last.begin(), last.end(), rank - count);
  if (!attributes.keeps_dimensions || count == 0 || attributes.axes != last) return std::nullopt;
  return rank - count;
}

// Whether `square` is the square of `base`, and nobody but it and one other operation reads the
// base.
bool is_only_square(const PatternView& view, TensorId square, TensorId base) {
  if (const GraphOperation* const pow = view.private_maker(square, Operator::Pow))
    return pow->inputs[0] == base && view.is_number(pow->inputs[1], 2) &&
           view.shape(square) == view.shape(base) && view.read_count(base) == 2;
  const GraphOperation* const mul = view.private_maker(square, Operator::Mul);
  return mul != nullptr && mul->inputs == std::vector<TensorId>{base, base} &&
         view.read_count(base) == 3;
}

// x and axis of centred = x - mean(x).
std::optional<Match> centred_on_mean(const PatternView& view, TensorId centred) {
  const GraphOperation* const sub = view.maker(centred, Operator::Sub);
  if (sub == nullptr) return std::nullopt;
  const GraphOperation* const mean = view.private_maker(sub->inputs[1], Operator::ReduceMean);
  if (mean == nullptr || mean->inputs[0] != sub->inputs[0]) return std::nullopt;
  const std::optional<std::int64_t> axis = mean_axis(view, *mean);
  if (!axis) return std::nullopt;
  return Match{.x = sub->inputs[0], .axis = *axis};
}

// epsilon of sqrt(mean(centred^2) + epsilon), over the same dimensions.
std::optional<float> deviation_epsilon(const PatternView& view, TensorId deviation,
                                       TensorId centred, std::int64_t axis) {
  const GraphOperation* const sqrt = view.private_maker(deviation, Operator::Sqrt);
  if (sqrt == nullptr) return std::nullopt;
  const GraphOperation* const add = view.private_maker(sqrt->inputs[0], Operator::Add);
  if (add == nullptr) return std::nullopt;
  for (const TensorId variance : add->inputs) {
    const GraphOperation* const mean = view.private_maker(variance, Operator::ReduceMean);
    const std::optional<TensorId> other = other_input(*add, variance);
    if (mean == nullptr || !other || !view.number(*other)) continue;
    if (mean_axis(view, *mean) == axis && is_only_square(view, mean->inputs[0], centred) &&
        *view.number(*other) >= 0 && view.shape(*other).size() <= view.shape(variance).size())
      return view.number(*other);
  }
  return std::nullopt;
}

// The scale and bias that follow, where they have the shape of what is normalised.
void add_scale_and_bias(const PatternView& view, Match& match) {
  const Shape& shape = view.shape(match.x);
  const Shape features(shape.begin() + match.axis, shape.end());
  const GraphOperation* const mul = view.only_reader(match.y, Operator::Mul);
  const std::optional<TensorId> scale = mul == nullptr ? std::nullopt : other_input(*mul, match.y);
  if (!scale || *scale == match.y || view.shape(*scale) != features) return;
  const GraphOperation* const add = view.only_reader(mul->outputs[0], Operator::Add);
  const std::optional<TensorId> bias =
      add == nullptr ? std::nullopt : other_input(*add, mul->outputs[0]);
  if (!bias || view.shape(*bias) != features) return;
  match.scale_and_bias = {*scale, *bias};
  match.y = add->outputs[0];
}

std::optional<Match> layer_norm_of(const PatternView& view, const GraphOperation& div) {
  const TensorId centred = div.inputs[0];
  std::optional<Match> match = centred_on_mean(view, centred);
  if (!match) return std::nullopt;
  const std::optional<float> epsilon = deviation_epsilon(view, div.inputs[1], centred, match->axis);
  if (!epsilon) return std::nullopt;
  match->epsilon = *epsilon;
  match->y = div.outputs[0];
  add_scale_and_bias(view, *match);
  return match;
}

std::string free_name(const Graph& graph, const std::string& wanted) {
  std::string name = wanted;
  const auto has_name = [&name](const GraphTensor& tensor) { return tensor.name == name; };
  for (int i = 2; std::any_of(graph.tensors.begin(), graph.tensors.end(), has_name); ++i)
    name = fmt::format("{}_{}", wanted, i);
  return name;
}

TensorId add_statistic(Graph& graph, const std::string& wanted, const TensorType& type) {
  return add_tensor(graph, {.name = free_name(graph, wanted), .type = type});
}

void replace(Model& model, GraphOperation& last, const Match& match) {
  const Shape& shape = at(model.graph.tensors, match.x).type.shape;
  const TensorType rows{ElementType::Float32, Shape(shape.begin(), shape.begin() + match.axis)};
  last.kind = Operator::LayerNorm;
  last.attributes = NormAttributes{.epsilon = match.epsilon, .axis = match.axis};
  last.inputs = {match.x};
  last.inputs.insert(last.inputs.end(), match.scale_and_bias.begin(), match.scale_and_bias.end());
  const std::string name = at(model.graph.tensors, match.y).name;
  last.outputs = {match.y, add_statistic(model.graph, name + ":mean", rows),
                  add_statistic(model.graph, name + ":inverse_std", rows)};
}

}  // namespace

bool recognise_layer_norm(Model& model) {
  std::vector<Match> found;
  {
    const PatternView view(model);
    for (const GraphOperation& operation : model.graph.operations)
      if (operation.kind == Operator::Div)
        if (const std::optional<Match> match = layer_norm_of(view, operation))
          found.push_back(*match);
  }
  for (const Match& match : found)
    for (GraphOperation& operation : model.graph.operations)
      if (operation.outputs[0] == match.y) {
        replace(model, operation, match);
        break;
      }
  return !found.empty();
}

}  // namespace poet
