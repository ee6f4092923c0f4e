#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/update.h"

// What optimisers do. An operation makes one new value, in the place of its first input: states of
// the optimiser first, then the parameter from the new states.

namespace poet {
namespace {

// What a pointer of a kernel is for, where it is not a tensor like the parameter.
enum class Use {
  Values,
  Decayed,  // the parameter; an input only where there is weight decay
  Step,
  ClipScale,  // an input where gradients are clipped
};

struct Operand {
  std::string_view name;
  Use use = Use::Values;
};

constexpr Operand kGradient = {"the gradient"};
constexpr Operand kDecayed = {"the parameter", Use::Decayed};
constexpr Operand kStep = {"the step", Use::Step};
constexpr Operand kClipScale = {"the clip scale", Use::ClipScale};

struct Update {
  Operator id{};
  std::string_view name;
  Kernel function;
  std::vector<Operand> operands;    // as the kernel's pointers
  std::int64_t flop_per_value = 0;  // weight decay and clipping not counted
  Division (*divides)(const KernelCall& call) = nullptr;
  InputDomain domain;
};

constexpr InputDomain kPositiveNumbersAndStep{.sign = InputDomain::Sign::Positive,
                                              .takes_step = true};

// FLOP: for each value additions, multiplications, divisions and roots count 1 each.
const std::vector<Update>& update_table() {
  static const std::vector<Update> rows = {
      {Operator::Sgd,
       "sgd",
       POET_KERNEL(poet_sgd_update_f32),
       {{"the parameter"}, kGradient, kStep, kClipScale},
       2,
       along_values<2>,
       kStepAndNumbers},
      {Operator::Velocity,
       "velocity",
       POET_KERNEL(poet_velocity_update_f32),
       {{"the velocity"}, kGradient, kDecayed, kStep, kClipScale},
       3,
       along_values<2>,
       kStepAndNumbers},
      {Operator::Nesterov,
       "nesterov",
       POET_KERNEL(poet_nesterov_update_f32),
       {{"the parameter"}, {"the velocity"}, kGradient, kStep, kClipScale},
       4,
       along_values<2>,
       kStepAndNumbers},
      {Operator::FirstMoment,
       "first_moment",
       POET_KERNEL(poet_first_moment_update_f32),
       {{"the first moment"}, kGradient, kDecayed, kClipScale},
       3,
       along_values<1>,
       kAnyNumbers},
      {Operator::SecondMoment,
       "second_moment",
       POET_KERNEL(poet_second_moment_update_f32),
       {{"the second moment"}, kGradient, kDecayed, kClipScale},
       4,
       along_values<1>,
       kAnyNumbers},
      {Operator::Adam,
       "adam",
       POET_KERNEL(poet_adam_update_f32),
       {{"the parameter"}, {"the first moment"}, {"the second moment"}, kStep},
       6,
       along_values<1>,
       kPositiveNumbersAndStep},
  };
  return rows;
}

const Update& row_of(Operator id) {
  for (const Update& row : update_table())
    if (row.id == id) return row;
  check_failed("every update has a row", __FILE__, __LINE__);
}

int count_of(const Update& row, Use use) {
  return static_cast<int>(
      std::count_if(row.operands.begin(), row.operands.end(),
                    [&](const Operand& operand) { return operand.use == use; }));
}

// Of inputs, where gradients are not clipped.
int least_inputs(const Update& row, const UpdateAttributes& update) {
  const int absent = update.weight_decay == 0 ? count_of(row, Use::Decayed) : 0;
  return static_cast<int>(row.operands.size()) - count_of(row, Use::ClipScale) - absent;
}

// Which input each operand is, if it is one. The number of inputs is known to fit.
std::vector<std::optional<int>> operand_inputs(const Update& row, const OperationTypes& types) {
  const auto& update = std::get<UpdateAttributes>(types.attributes);
  const bool clips = std::ssize(types.inputs) > least_inputs(row, update);
  std::vector<std::optional<int>> inputs;
  int next = 0;
  for (const Operand& operand : row.operands) {
    const bool is_absent = (operand.use == Use::Decayed && update.weight_decay == 0) ||
                           (operand.use == Use::ClipScale && !clips);
    inputs.push_back(is_absent ? std::nullopt : std::optional<int>(next++));
  }
  return inputs;
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
  if (types.kind == Operator::Nesterov && (update->momentum == 0 || update->dampening != 0))
    return bad_input("Nesterov's momentum needs a momentum, and no dampening");
  return std::nullopt;
}

// --- Updates

Failure check_input_count(const Update& row, const OperationTypes& types) {
  const std::ptrdiff_t least = least_inputs(row, std::get<UpdateAttributes>(types.attributes));
  const std::ptrdiff_t most = least + count_of(row, Use::ClipScale);
  if (std::ssize(types.inputs) >= least && std::ssize(types.inputs) <= most) return std::nullopt;
  return bad_input(fmt::format("takes {} inputs with these attributes{}, and has {}", least,
                               most > least ? ", or a clip scale more" : "", types.inputs.size()));
}

TensorType type_of(Use use, const TensorType& values) {
  switch (use) {
    case Use::Step:
      return step_type();
    case Use::ClipScale:
      return {ElementType::Float32, {}};
    default:
      return values;
  }
}

OutputTypes update_types(const OperationTypes& types) {
  const Update& row = row_of(types.kind);
  if (Failure failure = check_update_attributes(types)) return *failure;
  if (Failure failure = check_input_count(row, types)) return *failure;
  const TensorType& values = types.inputs[0];
  if (Failure failure = require_element(values, ElementType::Float32, row.operands[0].name))
    return *failure;
  const std::vector<std::optional<int>> inputs = operand_inputs(row, types);
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    if (!inputs[k]) continue;
    const Operand& operand = row.operands[k];
    if (Failure failure = require_type(types.inputs[static_cast<std::size_t>(*inputs[k])],
                                       type_of(operand.use, values), operand.name))
      return *failure;
  }
  return std::vector<TensorType>{values};
}

// Of each value: a product and a sum for weight decay (Adam's: a product) and a product for
// clipping, on top of the update itself.
std::int64_t update_flop(const OperationTypes& types) {
  const Update& row = row_of(types.kind);
  const auto& update = std::get<UpdateAttributes>(types.attributes);
  std::int64_t flop_per_value = row.flop_per_value;
  if (update.weight_decay != 0) flop_per_value += types.kind == Operator::Adam ? 1 : 2;
  if (std::ssize(types.inputs) > least_inputs(row, update)) flop_per_value += 1;
  return flop_per_value * value_count(types.inputs[0].shape);
}

void add_beta(KernelWords& words, double beta) {
  words.real("beta", static_cast<float>(beta)).real("one_minus_beta", static_cast<float>(1 - beta));
}

// The shapes of poet/runtime/update.h.
std::vector<KernelWord> update_words(const OperationTypes& types) {
  const auto& update = std::get<UpdateAttributes>(types.attributes);
  KernelWords words;
  words.integer("count", value_count(types.inputs[0].shape));
  if (types.kind == Operator::Velocity || types.kind == Operator::Nesterov)
    words.real("momentum", update.momentum);
  if (types.kind == Operator::Velocity) words.real("dampening", update.dampening);
  if (types.kind == Operator::FirstMoment) add_beta(words, update.beta1);
  if (types.kind == Operator::SecondMoment) add_beta(words, update.beta2);
  if (types.kind == Operator::Adam) words.real("epsilon", update.epsilon);
  return words.real("weight_decay", update.weight_decay).take();
}

KernelCall update_call(const OperationTypes& types) {
  const Update& row = row_of(types.kind);
  return {.function = row.function,
          .shape = update_words(types),
          .inputs = operand_inputs(row, types),
          .outputs = {0}};
}

OperatorEntry update_row(const Update& row) {
  return {.id = row.id,
          .name = row.name,
          .least_inputs = least_inputs(row, {}),
          .most_inputs = static_cast<int>(row.operands.size()),
          .roles = kPlainInputs,
          .output_types = update_types,
          .flop = update_flop,
          .gradient = nullptr,
          .kernel = update_call,
          .divides = row.divides,
          .parts = InParts{pointwise_axes},
          .domain = row.domain,
          .onnx = kNotInOnnx,
          .once = true,
          .updates = {{0, 0}}};
}

}  // namespace

std::vector<OperatorEntry> update_operators() {
  std::vector<OperatorEntry> rows;
  for (const Update& row : update_table()) rows.push_back(update_row(row));
  return rows;
}

}  // namespace poet
