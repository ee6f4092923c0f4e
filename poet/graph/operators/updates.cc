#include <fmt/format.h>

#include <cmath>

#include "poet/base/check.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"

// What optimisers do. An update has the inputs parameter, gradient, states, step and, where
// gradients are clipped, the clip scale; its outputs are the new parameter and the new states, in
// the place of the old ones.

namespace poet {
namespace {

constexpr int kMostPartials = 8;

struct Update {
  Operator id{};
  std::string_view name;
  std::string_view function;
  int states = 0;
  std::int64_t flop_per_value = 0;  // weight decay, Nesterov's step and clipping not counted
};

// FLOP: for each value additions, multiplications, divisions and roots count 1 each.
constexpr Update kUpdates[] = {
    {Operator::Sgd, "sgd", "poet_sgd_update_f32", 0, 2},
    {Operator::Momentum, "momentum", "poet_momentum_update_f32", 1, 5},
    {Operator::Adam, "adam", "poet_adam_update_f32", 2, 13},
    {Operator::AdamW, "adamw", "poet_adamw_update_f32", 2, 13},
};

const Update& row_of(Operator id) {
  for (const Update& row : kUpdates)
    if (row.id == id) return row;
  check_failed("every update has a row", __FILE__, __LINE__);
}

// --- Attributes

Failure require_range(double value, double least, double end, std::string_view what) {
  if (value >= least && value < end) return std::nullopt;
  if (std::isinf(end))
    return bad_input(fmt::format("{} is {:g}: it must be at least {}", what, value, least));
  return bad_input(
      fmt::format("{} is {:g}: it must be at least {} and less than {}", what, value, least, end));
}

// torch.optim's conditions.
Failure check_update_attributes(const OperationTypes& types) {
  const auto* const update = std::get_if<UpdateAttributes>(&types.attributes);
  if (update == nullptr) return wrong_attributes("parameter update");
  if (Failure failure = require_range(update->weight_decay, 0, INFINITY, "the weight decay"))
    return failure;
  if (Failure failure = require_range(update->momentum, 0, INFINITY, "the momentum"))
    return failure;
  if (Failure failure = require_range(update->beta1, 0, 1, "beta1")) return failure;
  if (Failure failure = require_range(update->beta2, 0, 1, "beta2")) return failure;
  if (Failure failure = require_range(update->epsilon, 0, INFINITY, "epsilon")) return failure;
  if (!std::isfinite(update->dampening))
    return bad_input(fmt::format("the dampening is {}: it must be finite", update->dampening));
  if (update->nesterov && (update->momentum == 0 || update->dampening != 0))
    return bad_input("Nesterov's momentum needs a momentum, and no dampening");
  return std::nullopt;
}

// --- Updates

OutputTypes update_types(const OperationTypes& types) {
  const TensorType& parameter = types.inputs[0];
  const auto states = static_cast<std::size_t>(row_of(types.kind).states);
  if (Failure failure = check_update_attributes(types)) return *failure;
  if (Failure failure = require_element(parameter, ElementType::Float32, "the parameter"))
    return *failure;
  if (Failure failure = require_type(types.inputs[1], parameter, "the gradient")) return *failure;
  for (std::size_t state = 0; state < states; ++state)
    if (Failure failure = require_type(types.inputs[2 + state], parameter, "the state"))
      return *failure;
  if (Failure failure = require_type(types.inputs[2 + states], step_type(), "the step"))
    return *failure;
  const TensorType scale{ElementType::Float32, {}};
  if (types.inputs.size() == 4 + states)
    if (Failure failure = require_type(types.inputs[3 + states], scale, "the clip scale"))
      return *failure;
  return std::vector<TensorType>(1 + states, parameter);
}

bool has_clip_scale(const OperationTypes& types) {
  return types.inputs.size() == static_cast<std::size_t>(4 + row_of(types.kind).states);
}

// Of each value: a product and a sum for weight decay (AdamW: a product), two for Nesterov's step,
// a product for clipping, on top of the update itself.
std::int64_t update_flop(const OperationTypes& types) {
  const auto& update = std::get<UpdateAttributes>(types.attributes);
  std::int64_t flop_per_value = row_of(types.kind).flop_per_value;
  if (update.weight_decay != 0) flop_per_value += types.kind == Operator::AdamW ? 1 : 2;
  if (update.nesterov && types.kind == Operator::Momentum) flop_per_value += 2;
  if (has_clip_scale(types)) flop_per_value += 1;
  return flop_per_value * value_count(types.inputs[0].shape);
}

// The shapes of poet/runtime/update.h.
std::vector<KernelWord> update_words(const OperationTypes& types) {
  const auto& update = std::get<UpdateAttributes>(types.attributes);
  KernelWords words;
  words.integer("count", value_count(types.inputs[0].shape));
  if (types.kind == Operator::Momentum)
    words.real("momentum", update.momentum).real("dampening", update.dampening);
  if (types.kind == Operator::Adam || types.kind == Operator::AdamW)
    words.real("beta1", static_cast<float>(update.beta1))
        .real("one_minus_beta1", static_cast<float>(1 - update.beta1))
        .real("beta2", static_cast<float>(update.beta2))
        .real("one_minus_beta2", static_cast<float>(1 - update.beta2))
        .real("epsilon", update.epsilon);
  words.real("weight_decay", update.weight_decay);
  if (types.kind == Operator::Momentum) words.integer("nesterov", update.nesterov ? 1 : 0);
  return words.take();
}

KernelCall update_call(const OperationTypes& types) {
  const Update& row = row_of(types.kind);
  KernelCall call{.function = row.function, .shape = update_words(types)};
  for (int input = 0; input < 3 + row.states; ++input) call.inputs.emplace_back(input);
  call.inputs.push_back(has_clip_scale(types) ? std::optional<int>(3 + row.states) : std::nullopt);
  for (int output = 0; output < 1 + row.states; ++output) call.outputs.emplace_back(output);
  return call;
}

OperatorEntry update_row(const Update& row) {
  OperatorEntry entry{.id = row.id,
                      .name = row.name,
                      .least_inputs = 3 + row.states,
                      .most_inputs = 4 + row.states,
                      .output_types = update_types,
                      .flop = update_flop,
                      .kernel = update_call,
                      .once = true,
                      .updates = {{0, 0}}};
  for (int state = 0; state < row.states; ++state) entry.updates.push_back({2 + state, 1 + state});
  return entry;
}

// --- Norms of gradients

OutputTypes one_number(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = require_element(types.inputs[0], ElementType::Float32, "the input"))
    return *failure;
  return std::vector<TensorType>{{ElementType::Float32, {}}};
}

Failure check_partials(const OperationTypes& types) {
  const TensorType scalar{ElementType::Float32, {}};
  for (const TensorType& input : types.inputs)
    if (Failure failure = require_type(input, scalar, "every input")) return failure;
  return std::nullopt;
}

OutputTypes sum_of_partials_type(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = check_partials(types)) return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

OutputTypes clip_scale_type(const OperationTypes& types) {
  const auto* const update = std::get_if<UpdateAttributes>(&types.attributes);
  if (update == nullptr) return wrong_attributes("parameter update");
  if (!(update->largest_norm > 0 && std::isfinite(update->largest_norm)))
    return bad_input(
        fmt::format("the largest norm is {}: it must be more than 0", update->largest_norm));
  if (Failure failure = check_partials(types)) return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// A square and an addition for each value.
std::int64_t square_flop(const OperationTypes& types) {
  return 2 * value_count(types.inputs[0].shape);
}

// An addition for each partial sum.
std::int64_t partials_flop(const OperationTypes& types) {
  return static_cast<std::int64_t>(types.inputs.size());
}

// And a root, an addition, a division and a comparison.
std::int64_t clip_flop(const OperationTypes& types) {
  return partials_flop(types) + 4;
}

std::vector<KernelWord> count_words(const OperationTypes& types) {
  return KernelWords().integer("count", value_count(types.inputs[0].shape)).take();
}

KernelCall square_call(const OperationTypes& types) {
  return {.function = "poet_square_norm_forward_f32",
          .shape = count_words(types),
          .inputs = {0},
          .outputs = {0}};
}

// Up to 8 partial sums; null pointers for the rest.
std::vector<std::optional<int>> partial_pointers(const OperationTypes& types) {
  std::vector<std::optional<int>> pointers(kMostPartials);
  for (std::size_t i = 0; i < types.inputs.size(); ++i) pointers[i] = static_cast<int>(i);
  return pointers;
}

KernelCall partials_call(const OperationTypes& types) {
  return {.function = "poet_partials_forward_f32",
          .shape =
              KernelWords().integer("count", static_cast<std::int64_t>(types.inputs.size())).take(),
          .inputs = partial_pointers(types),
          .outputs = {0}};
}

KernelCall clip_call(const OperationTypes& types) {
  return {.function = "poet_clip_scale_forward_f32",
          .shape = KernelWords()
                       .integer("count", static_cast<std::int64_t>(types.inputs.size()))
                       .real("limit", std::get<UpdateAttributes>(types.attributes).largest_norm)
                       .take(),
          .inputs = partial_pointers(types),
          .outputs = {0}};
}

// --- Sums over micro-batches

OutputTypes accumulated_type(const OperationTypes& types) {
  if (Failure failure = require_no_attributes(types)) return *failure;
  if (Failure failure = require_element(types.inputs[0], ElementType::Float32, "the first input"))
    return *failure;
  if (Failure failure = require_type(types.inputs[1], types.inputs[0], "the second input"))
    return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// One addition for each value.
std::int64_t accumulate_flop(const OperationTypes& types) {
  return value_count(types.inputs[0].shape);
}

KernelCall accumulate_call(const OperationTypes& types) {
  return {.function = "poet_accumulate_forward_f32",
          .shape = count_words(types),
          .inputs = {0, 1},
          .outputs = {0}};
}

}  // namespace

std::vector<OperatorEntry> update_operators() {
  std::vector<OperatorEntry> rows;
  for (const Update& row : kUpdates) rows.push_back(update_row(row));
  rows.push_back({.id = Operator::SumOfSquares,
                  .name = "sum_of_squares",
                  .output_types = one_number,
                  .flop = square_flop,
                  .kernel = square_call});
  rows.push_back({.id = Operator::SumOfPartials,
                  .name = "sum_of_partials",
                  .most_inputs = kMostPartials,
                  .output_types = sum_of_partials_type,
                  .flop = partials_flop,
                  .kernel = partials_call});
  rows.push_back({.id = Operator::ClipScale,
                  .name = "clip_scale",
                  .most_inputs = kMostPartials,
                  .output_types = clip_scale_type,
                  .flop = clip_flop,
                  .kernel = clip_call});
  rows.push_back({.id = Operator::Accumulate,
                  .name = "accumulate",
                  .least_inputs = 2,
                  .most_inputs = 2,
                  .output_types = accumulated_type,
                  .flop = accumulate_flop,
                  .kernel = accumulate_call,
                  .once = true,
                  .updates = {{0, 0}}});
  return rows;
}

}  // namespace poet
