#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "poet/base/named.h"
#include "poet/graph/attributes.h"

namespace poet {

// What a training step lowers.
enum class Loss {
  CrossEntropy,        // of softmax, with labels that are numbers of classes
  MeanSquaredError,    // with targets like the output
  BinaryCrossEntropy,  // of logits, with targets like the output
  None,                // the model's output is the loss: one number
};

inline constexpr Named<Loss> kLosses[] = {{"cross-entropy", Loss::CrossEntropy},
                                          {"mean-squared-error", Loss::MeanSquaredError},
                                          {"binary-cross-entropy", Loss::BinaryCrossEntropy},
                                          {"none", Loss::None}};

enum class Optimiser { Sgd, Momentum, Nesterov, Adam, AdamW };

inline constexpr Named<Optimiser> kOptimisers[] = {{"sgd", Optimiser::Sgd},
                                                   {"momentum", Optimiser::Momentum},
                                                   {"nesterov", Optimiser::Nesterov},
                                                   {"adam", Optimiser::Adam},
                                                   {"adamw", Optimiser::AdamW}};

// Where trained parameters, optimiser states and running statistics are between steps.
enum class ParameterPlace {
  Planned,   // in storage, paged like anything else
  Chosen,    // there, or in RAM for good, each as the planner finds best
  Resident,  // in RAM for good
  Excluded,  // in RAM for good, and not counted
};

inline constexpr Named<ParameterPlace> kParameterPlaces[] = {
    {"planned", ParameterPlace::Planned},
    {"chosen", ParameterPlace::Chosen},
    {"resident", ParameterPlace::Resident},
    {"excluded", ParameterPlace::Excluded}};

// Where what never changes is: parameters that are not trained, and constants.
enum class FrozenPlace { Rom, Storage };

inline constexpr Named<FrozenPlace> kFrozenPlaces[] = {{"rom", FrozenPlace::Rom},
                                                       {"storage", FrozenPlace::Storage}};

// A step of several micro-batches has a graph for the first, one for those between and one for the
// last, which updates. Gradients are summed in accumulators, which live like parameters. Where
// several processes share a step, each runs all of its micro-batches as the first, and Update does
// with the sum of all what the last does with it (docs/decisions/0059-ranks.md).
enum class StepForm { Whole, First, Middle, Last, Update };

inline constexpr Named<StepForm> kStepForms[] = {{"whole", StepForm::Whole},
                                                 {"first", StepForm::First},
                                                 {"middle", StepForm::Middle},
                                                 {"last", StepForm::Last},
                                                 {"update", StepForm::Update}};

// Which part of the parameters a form of updates has: of so many parts of about equal size, one.
struct UpdatePart {
  int own = 0;
  int count = 1;

  bool operator==(const UpdatePart&) const = default;
};

// How a weight's gradient becomes an update. By slices, both are one operation, and of the gradient
// only some rows are there at a time (docs/decisions/0025-updates-by-slices.md). The numbers are
// the same.
enum class Updates {
  Separate,  // operations of their own
  Sliced,    // one operation, wherever that can be done
  Auto,      // one operation where a budget does not hold the separate ones
};

inline constexpr Named<Updates> kUpdates[] = {
    {"separate", Updates::Separate}, {"sliced", Updates::Sliced}, {"auto", Updates::Auto}};

struct TrainingOptions {
  Loss loss = Loss::CrossEntropy;
  std::string output = {};    // of the model, that the loss is of; empty: the first
  float label_smoothing = 0;  // CrossEntropy
  std::optional<std::int64_t> ignored_label = {};  // CrossEntropy: one that does not count

  Optimiser optimiser = Optimiser::Sgd;
  // weight_decay, momentum, dampening, beta1, beta2 and epsilon, as far as the optimiser has them.
  UpdateAttributes constants = {.momentum = 0.9F};
  std::optional<float> largest_gradient_norm = {};  // of all gradients together

  std::string train = "all";  // poet/autodiff/parameter_choice.h; beside adapters: none
  ParameterPlace parameters = ParameterPlace::Planned;
  FrozenPlace frozen = FrozenPlace::Rom;

  Updates updates = Updates::Auto;
  // Updates::Auto: operations of the step with separate updates that do not fit. Who knows a budget
  // says so; without, all updates are separate.
  std::set<std::string> too_large = {};

  // In parts that need at most so much RAM each (poet/parts); none: operations are whole.
  // training_graph() does not look at it.
  std::optional<std::int64_t> part_bytes = {};
  // Where part_bytes is none: whoever knows a RAM budget in which no whole step fits may set it.
  bool parts_by_budget = true;

  // Whole operations in the order that moves least in so many bytes of RAM; none: in one with a low
  // peak (order.h). training_graph() does not look at it, and a step in parts has an order of its
  // own.
  std::optional<std::int64_t> order_for_bytes = {};

  StepForm form = StepForm::Whole;
  std::int64_t micro_batches = 1;  // the loss is the mean over all examples
  // Of form Update: some of the trained parameters, and their states; none: all. Not with a largest
  // norm, which is one of all gradients.
  std::optional<UpdatePart> update_part = {};
};

}  // namespace poet
