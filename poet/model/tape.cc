#include "poet/model/tape.h"

#include <algorithm>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

constexpr std::int64_t kTapeValueBytes = 4;

std::vector<TensorId> read_by_gradient(const Layer& layer, TensorId output, std::size_t input) {
  switch (layer.reads) {
    case GradientReads::Nothing:
      break;
    case GradientReads::Input:
      return {layer.inputs[input]};
    case GradientReads::OtherInput:
      return {layer.inputs[1 - input]};
    case GradientReads::Output:
      return {output};
    case GradientReads::InputAndOutput:
      return {layer.inputs[input], output};
  }
  return {};
}

}  // namespace

TensorId Tape::append(OutlineOperation operation, Shape shape) {
  const TensorId output{static_cast<std::int32_t>(graph_.tensors.size())};
  operation.outputs = {output};
  graph_.tensors.push_back(
      {.name = operation.name, .shape = std::move(shape), .element_bytes = kTapeValueBytes});
  graph_.operations.push_back(std::move(operation));
  return output;
}

TensorId Tape::input(std::string name, Shape shape) {
  layers_.push_back({.name = name, .kind = LayerKind::Input, .inputs = {}, .shape = shape});
  has_gradient_.push_back(false);
  return append({.name = std::move(name), .kind = LayerKind::Input, .inputs = {}, .outputs = {}},
                std::move(shape));
}

bool Tape::is_trained(const Layer& layer) const {
  return layer.parameter_count > 0 ||
         std::any_of(layer.inputs.begin(), layer.inputs.end(), [this](TensorId input) {
           return has_gradient_[static_cast<std::size_t>(input)];
         });
}

TensorId Tape::add(Layer layer) {
  POET_CHECK(layer.reads != GradientReads::OtherInput || layer.inputs.size() == 2);
  has_gradient_.push_back(is_trained(layer));
  layers_.push_back(layer);
  return append({.name = std::move(layer.name),
                 .kind = layer.kind,
                 .inputs = std::move(layer.inputs),
                 .outputs = {},
                 .flop = layer.flop,
                 .parameter_bytes = layer.parameter_count * kTapeValueBytes},
                std::move(layer.shape));
}

void Tape::accumulate(TensorId of, TensorId gradient) {
  Reached& reached = at(gradients_, of);
  ++reached.terms;
  reached.sum = reached.terms == 1
                    ? gradient
                    : append({.name = layer(of).name + "_grad_sum_" + std::to_string(reached.terms),
                              .kind = LayerKind::GradientSum,
                              .inputs = {*reached.sum, gradient},
                              .outputs = {},
                              .flop = value_count(shape(of)),
                              .backward = true},
                             shape(of));
}

void Tape::gradient_by(TensorId output, std::size_t input) {
  const Layer& made_by = layer(output);
  const TensorId of = made_by.inputs[input];
  const bool stored = has_gradient_[static_cast<std::size_t>(of)];
  std::vector<TensorId> reads = read_by_gradient(made_by, output, input);
  if (const std::optional<TensorId> arriving = at(gradients_, output).sum)
    reads.insert(reads.begin(), *arriving);
  const std::string suffix =
      made_by.inputs.size() == 1 ? "_grad" : "_grad_" + std::to_string(input);
  const TensorId gradient =
      append({.name = made_by.name + suffix,
              .kind = LayerKind::Gradient,
              .inputs = std::move(reads),
              .outputs = {},
              .flop = (stored ? made_by.input_gradient_flop : 0) + made_by.weight_gradient_flop,
              .backward = true},
             stored ? shape(of) : Shape{});
  if (stored) accumulate(of, gradient);
}

void Tape::differentiate(TensorId output) {
  const Layer& made_by = layer(output);
  for (std::size_t i = 0; i < made_by.inputs.size(); ++i) {
    const bool stored = has_gradient_[static_cast<std::size_t>(made_by.inputs[i])];
    if (!stored && made_by.parameter_count == 0) continue;
    if (made_by.gradient == GradientWork::PassedThrough)
      accumulate(made_by.inputs[i], *at(gradients_, output).sum);
    else
      gradient_by(output, i);
  }
}

Outline Tape::differentiate() && {
  const std::size_t count = layers_.size();
  gradients_.resize(count);
  for (std::size_t v = count; v-- > 0;)
    if (has_gradient_[v]) differentiate(TensorId{static_cast<std::int32_t>(v)});
  return std::move(graph_);
}

}  // namespace poet
