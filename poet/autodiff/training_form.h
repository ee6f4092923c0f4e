#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "poet/autodiff/step_builder.h"
#include "poet/base/result.h"
#include "poet/model/model.h"

namespace poet {

// Where the model's tensors are in the step.
struct ForwardPass {
  std::map<TensorId, TensorId> place = {};  // of those that the output needs
  TensorId output{};                        // which the loss is of
};

// Adds what the model's output needs, in the model's order. Batch norms that train
// (training_graph.h) take the statistics of the batch, and are followed by the update of their
// running ones.
// `trained` has a flag for each tensor of the model.
Result<ForwardPass> add_forward_pass(StepBuilder& builder, const Model& model,
                                     const std::vector<bool>& trained,
                                     const TrainingOptions& options);

// Where what never changes is at home.
Home home_of_frozen(const TrainingOptions& options);

}  // namespace poet
