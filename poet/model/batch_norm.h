#pragma once

#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/model/model.h"

namespace poet {

// What a batch norm reads besides its input, all (C): parameters and statistics of the model.
struct BatchNormTensors {
  TensorId scale{};
  TensorId bias{};
  TensorId mean{};
  TensorId variance{};
};

// How its statistics follow those of the batches while it trains: TrainedBatchNorm's fields.
struct BatchNormRule {
  float rate = 0.1F;
  bool unbiased = true;
};

// Adds a batch norm of x (N, C, ...) in the form that inference computes. Without a rule its
// statistics are kept in training too.
Result<TensorId> add_batch_norm(Model& model, const std::string& name, TensorId x,
                                const BatchNormTensors& tensors, float epsilon,
                                const std::optional<BatchNormRule>& rule);

}  // namespace poet
