#pragma once

#include <cstdint>
#include <vector>

#include "poet/use/train_network.h"
#include "poet/use/training_run.h"

namespace poet {

// The parts of one training (training_run.h) as the one that they are.
class TrainingParts {
 public:
  // `taken_s`: by the clock, from the part's beginning to its end.
  void add(RunPartReport part, double taken_s);

  // What the next part tells, counted from the beginning of the first. Good until it is added.
  TrainEvents seen_as_one(const TrainEvents& events) const;

  bool is_empty() const { return whole_.stretches.empty(); }
  std::int64_t last_step() const { return whole_.first_step + whole_.steps - 1; }

  // The report of all, with a stretch for each part; empty afterwards.
  TrainReport take();

 private:
  void take_over(TrainReport& now) const;

  std::vector<double> step_times_s_ = {};
  std::vector<double> work_times_s_ = {};
  TrainReport whole_ = {};
};

}  // namespace poet
