#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"

// Scores have a dimension of classes, places are what remains without it: labels, losses, what goes
// from block to block of the classes. Places are independent of each other but where one number is
// made of all of them, which goes on from place to place.

namespace poet {
namespace {

enum class Role {
  Scores,
  Places,
  One,  // read or made by all parts
};

struct Roles {
  std::vector<Role> inputs = {};
  std::vector<Role> outputs = {};
  bool cuts_classes = false;
  std::size_t classes = 1;  // their dimension
};

Role made_by(Reduction reduction) {
  return reduction == Reduction::None ? Role::Places : Role::One;
}

std::size_t softmax_dimension(const OperationTypes& types) {
  return static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis);
}

// With the number of losses that the operation makes, or has a gradient of.
Roles loss_roles(const OperationTypes& types) {
  const Role loss = made_by(std::get<LossAttributes>(types.attributes).reduction);
  switch (types.kind) {
    case Operator::SoftmaxCrossEntropy:
    case Operator::NegativeLogLikelihood:
      return {.inputs = {Role::Scores, Role::Places}, .outputs = {loss}};
    case Operator::SoftmaxCrossEntropyGradient:
      return {.inputs = {Role::Scores, Role::Places, loss}, .outputs = {Role::Scores}};
    case Operator::NegativeLogLikelihoodGradient:
      return {.inputs = {Role::Places, loss}, .outputs = {Role::Scores}};
    default:
      check_failed("a loss of classes", __FILE__, __LINE__);
  }
}

Roles class_part_roles(const OperationTypes& types) {
  constexpr Role S = Role::Scores;
  constexpr Role P = Role::Places;
  const Role loss = made_by(std::get<ClassPartAttributes>(types.attributes).reduction);
  switch (types.kind) {
    case Operator::LabelCount:
      return {.inputs = {P}, .outputs = {Role::One}};
    case Operator::LabelScorePart:
      return {.inputs = {S, P}, .outputs = {P}, .cuts_classes = true};
    case Operator::ClassScoreSumPart:
      return {.inputs = {S, P, P}, .outputs = {P}, .cuts_classes = true};
    case Operator::SoftmaxCrossEntropyEnd:
      return {.inputs = {P, P, P, P, P}, .outputs = {loss}};
    case Operator::SoftmaxCrossEntropyGradientBlock:
      return {.inputs = {S, P, P, P, loss}, .outputs = {S}, .cuts_classes = true};
    default:
      check_failed("a part of a loss of classes", __FILE__, __LINE__);
  }
}

Roles softmax_part_roles(const OperationTypes& types) {
  constexpr Role S = Role::Scores;
  constexpr Role P = Role::Places;
  const auto along = [&](std::vector<Role> inputs, Role output) {
    return Roles{.inputs = std::move(inputs),
                 .outputs = {output},
                 .cuts_classes = true,
                 .classes = softmax_dimension(types)};
  };
  switch (types.kind) {
    case Operator::SoftmaxLargestPart:
    case Operator::LogSoftmaxGradientSumPart:
      return along({S}, P);
    case Operator::SoftmaxSumPart:
      return along({S, P}, P);
    case Operator::SoftmaxGradientSumPart:
      return along({S, S}, P);
    case Operator::SoftmaxApply:
    case Operator::LogSoftmaxApply:
      return along({S, P, P}, S);
    case Operator::SoftmaxGradientApply:
    case Operator::LogSoftmaxGradientApply:
      return along({S, S, P}, S);
    default:
      check_failed("a part of a softmax", __FILE__, __LINE__);
  }
}

Roles roles_of(const OperationTypes& types) {
  if (std::holds_alternative<LossAttributes>(types.attributes)) return loss_roles(types);
  if (std::holds_alternative<ClassPartAttributes>(types.attributes)) return class_part_roles(types);
  return softmax_part_roles(types);
}

// The inputs and outputs that follow an axis, given the dimensions of scores and of places.
void follow(const std::vector<TensorType>& types, const std::vector<Role>& roles,
            std::optional<std::size_t> of_scores, std::optional<std::size_t> of_places,
            std::vector<std::optional<Follows>>& follows, std::int64_t& extent) {
  follows.resize(types.size());
  for (std::size_t i = 0; i < types.size() && i < roles.size(); ++i) {
    const std::optional<std::size_t> d = roles[i] == Role::Scores   ? of_scores
                                         : roles[i] == Role::Places ? of_places
                                                                    : std::nullopt;
    if (!d) continue;
    follows[i] = dimension(*d);
    extent = types[i].shape[*d];
  }
}

PartAxis axis_along(const OperationTypes& types, const Roles& roles,
                    std::optional<std::size_t> of_scores, std::optional<std::size_t> of_places) {
  PartAxis axis;
  follow(types.inputs, roles.inputs, of_scores, of_places, axis.inputs, axis.extent);
  follow(types.outputs, roles.outputs, of_scores, of_places, axis.outputs, axis.extent);
  axis.kind = axis.outputs[0] ? AxisKind::Independent : AxisKind::Continued;
  return axis;
}

// How many dimensions places have.
std::size_t place_rank(const OperationTypes& types, const Roles& roles) {
  for (std::size_t i = 0; i < roles.inputs.size(); ++i) {
    if (roles.inputs[i] == Role::Places) return types.inputs[i].shape.size();
    if (roles.inputs[i] == Role::Scores) return types.inputs[i].shape.size() - 1;
  }
  check_failed("labels or scores are read", __FILE__, __LINE__);
}

}  // namespace

Axes class_axes(const OperationTypes& types) {
  if (const auto* const loss = std::get_if<LossAttributes>(&types.attributes);
      loss != nullptr && loss->reduction == Reduction::Mean)
    return {};
  const Roles roles = roles_of(types);
  const bool goes_on =
      roles.outputs[0] == Role::Places && types.inputs.size() > roles.inputs.size();
  if (goes_on && roles.cuts_classes) return {};  // a part already
  Axes axes;
  for (std::size_t place = 0; place < place_rank(types, roles); ++place)
    axes.push_back(axis_along(types, roles, place < roles.classes ? place : place + 1, place));
  if (roles.cuts_classes) axes.push_back(axis_along(types, roles, roles.classes, std::nullopt));
  return axes;
}

PartOperation class_part(const OperationTypes& types, const Axes& axes,
                         const std::vector<Range>& ranges) {
  ClassPartAttributes part = std::get<ClassPartAttributes>(types.attributes);
  part.begin += part_region(types.inputs[0].shape, axes, ranges, true, 0)[1].begin;
  return on_all_inputs(types, part);
}

}  // namespace poet
