#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "poet/base/check.h"
#include "poet/graph/operator_table.h"
#include "poet/runtime/step.h"
#include "support/operator_cases.h"

namespace poet::testing {
namespace {

// Draws values for all inputs of one case, one after the other.
class Drawing {
 public:
  explicit Drawing(const OperatorCase& one) {
    std::int64_t distinct = 0;
    for (const CaseInput& input : one.inputs)
      if (input.draw == Draw::Distinct) distinct += value_count(input.type.shape);
    ranks_.resize(static_cast<std::size_t>(distinct));
    std::iota(ranks_.begin(), ranks_.end(), -distinct / 2);
    for (std::size_t i = ranks_.size(); i > 1; --i) std::swap(ranks_[i - 1], ranks_[below(i)]);
  }

  TensorValue value(const CaseInput& input) {
    if (input.draw == Draw::Step) return step();
    if (input.draw == Draw::Whole) return whole(input);
    std::vector<float> values(static_cast<std::size_t>(value_count(input.type.shape)));
    for (float& one : values) one = real(input.draw);
    return float_tensor(input.type.shape, values);
  }

 private:
  std::uint64_t below(std::uint64_t end) { return bits_() % end; }

  float real(Draw draw) {
    if (draw == Draw::Smooth) return static_cast<float>(below(257)) / 128.0F - 1.0F;
    if (draw == Draw::Positive) return static_cast<float>(below(193) + 64) / 128.0F;
    const float rank = static_cast<float>(ranks_.back());
    ranks_.pop_back();
    return rank * 0.25F + 0.125F;
  }

  TensorValue whole(const CaseInput& input) {
    const auto size = static_cast<std::size_t>(byte_size(input.type.element));
    TensorValue value{.type = input.type};
    for (std::int64_t i = 0; i < value_count(input.type.shape); ++i) {
      const std::uint64_t number = below(static_cast<std::uint64_t>(input.below));
      // The first bytes are the least significant ones.
      for (std::size_t byte = 0; byte < size; ++byte)
        value.bytes.push_back(static_cast<std::byte>(number >> (8 * byte) & 0xFF));
    }
    return value;
  }

  static TensorValue step() {
    const poet_step_words words{.seed_low = 1,
                                .seed_high = 2,
                                .step = 3,
                                .micro_batch = 0,
                                .learning_rate = 0.125F,
                                .first_correction = 0.25F,
                                .second_correction = 0.125F,
                                .loss_scale = 1};
    TensorValue value{.type = step_type(), .bytes = std::vector<std::byte>(sizeof words)};
    std::memcpy(value.bytes.data(), &words, sizeof words);
    return value;
  }

  std::mt19937_64 bits_{20260318};
  std::vector<std::int64_t> ranks_;
};

TensorId operand_of(const CaseGraph& one, const GraphOperation& forward,
                    const GradientOperand& operand) {
  if (const auto* const input = std::get_if<ForwardInput>(&operand))
    return forward.inputs[static_cast<std::size_t>(input->input)];
  if (const auto* const output = std::get_if<ForwardOutput>(&operand))
    return forward.outputs[static_cast<std::size_t>(output->output)];
  POET_CHECK(std::get<OutputGradient>(operand).output == 0);
  return one.output_gradient;
}

void add_part(CaseGraph& one, const GraphOperation& forward, const GradientPart& part) {
  GraphOperation operation{.name = "part " + std::to_string(part.of_inputs[0]),
                           .kind = part.kind,
                           .attributes = part.attributes,
                           .backward = true};
  for (const GradientOperand& operand : part.operands)
    operation.inputs.push_back(operand_of(one, forward, operand));
  for (const int input : part.of_inputs) {
    const TensorId of = one.inputs[static_cast<std::size_t>(input)];
    const TensorId gradient =
        add_tensor(one.graph, {.name = "gradient of " + at(one.graph.tensors, of).name,
                               .type = at(one.graph.tensors, of).type,
                               .role = TensorRole::Gradient});
    operation.outputs.push_back(gradient);
    POET_CHECK(one.gradients.emplace(input, gradient).second);
  }
  one.graph.operations.push_back(operation);
}

}  // namespace

CaseGraph graph_of(const OperatorCase& one) {
  CaseGraph result{.graph = {.name = one.name}};
  Graph& graph = result.graph;
  for (const CaseInput& input : one.inputs)
    result.inputs.push_back(
        add_tensor(graph, {.name = "input " + std::to_string(result.inputs.size()),
                           .type = input.type,
                           .home = Home::Storage}));
  const Result<std::vector<TensorId>> outputs = add_operation(
      graph,
      {.name = "y", .kind = one.kind, .attributes = one.attributes, .inputs = result.inputs});
  POET_CHECK(outputs.ok());
  result.output = outputs->front();
  const bool differentiates =
      std::any_of(one.inputs.begin(), one.inputs.end(), [](const CaseInput& input) {
        return input.has_gradient && input.type.element == ElementType::Float32;
      });
  const OperatorEntry& entry = entry_of(one.kind);
  if (entry.gradient == nullptr || !differentiates) return result;
  result.output_gradient = add_tensor(graph, {.name = "gradient of y",
                                              .type = at(graph.tensors, result.output).type,
                                              .home = Home::Storage});
  const GraphOperation forward = graph.operations[0];
  for (const GradientPart& part : entry.gradient(types_of(graph, forward)))
    add_part(result, forward, part);
  return result;
}

std::vector<TensorValue> values_of(const OperatorCase& one) {
  Drawing drawing(one);
  std::vector<TensorValue> values;
  for (const CaseInput& input : one.inputs) values.push_back(drawing.value(input));
  return values;
}

}  // namespace poet::testing
