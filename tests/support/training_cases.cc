#include <string>

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

}  // namespace

void add_training_cases(Cases& cases) {
  add_dropouts(cases);
  add_class_losses(cases);
  add_value_losses(cases);
  add_updates(cases);
}

}  // namespace poet::testing
