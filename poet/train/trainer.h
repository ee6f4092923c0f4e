#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "poet/autodiff/learning_rate.h"
#include "poet/base/result.h"
#include "poet/data/batch_reader.h"
#include "poet/graph/attributes.h"
#include "poet/train/ready_form.h"
#include "poet/train/step_words.h"

namespace poet {

struct TrainerOptions {
  std::uint64_t seed = 1;
  LearningRate learning_rate = {};
  UpdateAttributes constants = {};  // Adam's beta1 and beta2
  // Where labels need not all count: the part of the examples that they are, and which does not.
  // Forms with a share want it.
  struct CountedLabels {
    std::size_t part = 0;
    std::int64_t ignored = 0;
  };
  std::optional<CountedLabels> labels = {};
  // Told of each form that has run, before the next one does. May be empty.
  std::function<void(const ReadyForm&)> ran = {};
};

// Of one step, summed over its micro-batches.
struct TrainedStep {
  float loss = 0;  // mean over the micro-batches; of labels that need not all count, over those
  float learning_rate = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  double exchange_s = 0;  // of several ranks: adding up what all have, with waiting for them
};

// Takes the steps of a training: which examples, which learning rate, which form of the step. What
// a step does depends on its number alone, and on the values that the steps before left behind.
class Trainer {
 public:
  // The form of each micro-batch in its order: one form for a step of one; the first, those
  // between, and the last otherwise. The batch size of `data` is that of a micro-batch.
  Trainer(std::vector<ReadyForm> micro_batches, BatchReader data, const TrainerOptions& options);

  // Step `step`, from 1 on. After a failure the values are half old and half new.
  Result<TrainedStep> run(std::int64_t step);

  std::int64_t examples_per_step() const;

  // The parts that run() consists of, for who takes a step together with others.
  //
  // How much of the step's loss each micro-batch is.
  Result<std::vector<float>> shares(std::int64_t step);
  // Adds what one micro-batch gives to a sum.
  Failure run_micro_batch(const StepPlace& place, float share, TrainedStep& sum);
  // The loss of a step of which `sum` is what all micro-batches gave.
  float loss_of(float sum) const;
  const TrainerOptions& options() const { return options_; }
  std::int64_t micro_batches() const { return static_cast<std::int64_t>(micro_batches_.size()); }

 private:
  std::int64_t position_of(const StepPlace& place) const;

  std::vector<ReadyForm> micro_batches_;
  BatchReader data_;
  TrainerOptions options_;
  std::vector<std::int64_t> labels_ = {};  // of an example
};

}  // namespace poet
