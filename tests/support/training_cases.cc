#include <string>
#include <utility>

#include "support/operator_case_parts.h"

namespace poet::testing {
namespace {

void add_dropouts(Cases& cases) {
  cases.push_back({"dropout",
                   Operator::Dropout,
                   DropoutAttributes{.probability = 0.25F, .number = 3},
                   {smooth({4, 5}), step()}});
}

void add_class_losses(Cases& cases) {
  const CaseInput scores = smooth({3, 4, 2});
  const CaseInput labels = whole(ElementType::Int64, {3, 2}, 4);
  const CaseInput few_labels = whole(ElementType::Int32, {3}, 4);
  const CaseInput weights = constant(positive({4}));
  for (const Reduction reduction : {Reduction::None, Reduction::Sum, Reduction::Mean}) {
    const std::string name = ", " + std::string(name_of(kReductions, reduction));
    const LossAttributes plain{.reduction = reduction};
    const LossAttributes ignoring{.reduction = reduction, .ignored_label = 1};
    const LossAttributes smoothed{
        .reduction = reduction, .ignored_label = 1, .label_smoothing = 0.125F};
    cases.insert(cases.end(), {{"cross-entropy" + name,
                                Operator::SoftmaxCrossEntropy,
                                plain,
                                {smooth({3, 4}), few_labels}},
                               {"cross-entropy, weighted" + name,
                                Operator::SoftmaxCrossEntropy,
                                ignoring,
                                {scores, labels, weights}},
                               {"cross-entropy, smoothed" + name,
                                Operator::SoftmaxCrossEntropy,
                                smoothed,
                                {scores, labels, weights}},
                               {"likelihood" + name,
                                Operator::NegativeLogLikelihood,
                                plain,
                                {smooth({3, 4}), few_labels}},
                               {"likelihood, weighted" + name,
                                Operator::NegativeLogLikelihood,
                                ignoring,
                                {scores, labels, weights}}});
  }
}

void add_value_losses(Cases& cases) {
  for (const Reduction reduction : {Reduction::None, Reduction::Sum, Reduction::Mean}) {
    const std::string name = ", " + std::string(name_of(kReductions, reduction));
    const LossAttributes loss{.reduction = reduction};
    cases.insert(cases.end(), {{"squared error" + name,
                                Operator::MeanSquaredError,
                                loss,
                                {smooth({3, 4}), smooth({3, 4})}},
                               {"binary cross-entropy" + name,
                                Operator::BinaryCrossEntropy,
                                loss,
                                {smooth({3, 4}), constant(smooth({3, 4}))}}});
  }
}

void add_updates(Cases& cases) {
  const CaseInput values = constant(smooth({2, 3}));
  const CaseInput squares = constant(positive({2, 3}));
  const CaseInput number = constant(positive({}));
  const UpdateAttributes decaying{.weight_decay = 0.125F, .momentum = 0.5F};
  cases.insert(
      cases.end(),
      {{"sgd", Operator::Sgd, UpdateAttributes{}, {values, values, step()}},
       {"sgd, clipped", Operator::Sgd, decaying, {values, values, step(), number}},
       {"velocity", Operator::Velocity, UpdateAttributes{}, {values, values, step()}},
       {"velocity, clipped",
        Operator::Velocity,
        decaying,
        {values, values, values, step(), number}},
       {"nesterov", Operator::Nesterov, decaying, {values, values, values, step()}},
       {"nesterov, clipped",
        Operator::Nesterov,
        decaying,
        {values, values, values, step(), number}},
       {"first moment", Operator::FirstMoment, UpdateAttributes{}, {values, values}},
       {"first moment, clipped", Operator::FirstMoment, decaying, {values, values, values, number}},
       {"second moment", Operator::SecondMoment, decaying, {squares, values, values}},
       {"second moment, clipped",
        Operator::SecondMoment,
        UpdateAttributes{},
        {squares, values, number}},
       {"adam", Operator::Adam, UpdateAttributes{}, {values, values, squares, step()}},
       {"adamw", Operator::Adam, decaying, {values, values, squares, step()}},
       {"sum of squares", Operator::SumOfSquares, {}, {values}},
       {"sum of partials", Operator::SumOfPartials, {}, {number, number, number}},
       {"clip scale",
        Operator::ClipScale,
        UpdateAttributes{.largest_norm = 0.5F},
        {number, number}},
       {"accumulate", Operator::Accumulate, {}, {values, values}}});
}

WeightUpdateAttributes of_product(Operator update, const UpdateAttributes& constants) {
  return {.gradient = Operator::MatMul,
          .gradient_attributes = MatMulAttributes{.transpose_a = true},
          .update = update,
          .update_attributes = constants};
}

WeightUpdateAttributes of_convolution(Operator gradient) {
  return {.gradient = gradient,
          .gradient_attributes = WindowAttributes{.kernel = {3},
                                                  .stride = {2},
                                                  .padding_begin = {1},
                                                  .padding_end = {1},
                                                  .dilation = {1}},
          .update = Operator::Sgd};
}

// Of ten rows, in slices of four.
void add_weight_updates(Cases& cases) {
  const CaseInput weight = constant(smooth({10, 5}));
  const CaseInput x = constant(smooth({4, 10}));
  const CaseInput dy = constant(smooth({4, 5}));
  const UpdateAttributes decaying{.weight_decay = 0.125F, .momentum = 0.5F};
  const auto add = [&](const char* name, const WeightUpdateAttributes& attributes,
                       std::vector<CaseInput> inputs) {
    cases.push_back({name, Operator::WeightUpdate, attributes, std::move(inputs)});
  };
  cases.push_back({"row update",
                   Operator::RowUpdate,
                   {},
                   {constant(smooth({9, 4})), whole(ElementType::Int64, {2, 3}, 9),
                    constant(smooth({2, 3, 4})), step()}});
  cases.push_back({"row update, int32",
                   Operator::RowUpdate,
                   {},
                   {constant(smooth({9, 2, 3})), whole(ElementType::Int32, {5}, 9),
                    constant(smooth({5, 2, 3})), step()}});
  add("weight update", of_product(Operator::Sgd, {}), {weight, x, dy, step()});
  add("weight update of a velocity", of_product(Operator::Velocity, decaying),
      {weight, x, dy, weight, step()});
  add("weight update by nesterov", of_product(Operator::Nesterov, decaying),
      {weight, weight, x, dy, step()});
  add("weight update of a first moment", of_product(Operator::FirstMoment, {}), {weight, x, dy});
  add("weight update of a second moment", of_product(Operator::SecondMoment, decaying),
      {weight, x, dy, weight});
  add("weight update of a convolution", of_convolution(Operator::ConvWeightGradient),
      {constant(smooth({10, 2, 3})), constant(smooth({2, 2, 9})), constant(smooth({2, 10, 5})),
       step()});
  add("weight update of a transposed convolution",
      of_convolution(Operator::ConvTransposeWeightGradient),
      {constant(smooth({10, 2, 3})), constant(smooth({2, 10, 5})), constant(smooth({2, 2, 9})),
       step()});
}

}  // namespace

void add_training_cases(Cases& cases) {
  add_dropouts(cases);
  add_class_losses(cases);
  add_value_losses(cases);
  add_updates(cases);
  add_weight_updates(cases);
}

}  // namespace poet::testing
