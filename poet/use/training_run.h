#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/train/checkpoint.h"
#include "poet/use/step_meter.h"
#include "poet/use/train_network.h"

namespace poet {

// What one part of a training hands on to the next beside the values.
struct RunState {
  std::vector<CheckpointSetting> settings = {};  // empty without a checkpoint of the user's
  std::optional<std::int64_t> saved_step = {};   // of the user's checkpoint, where it is there
};

// How a part stands between two of its steps.
struct BetweenSteps {
  std::int64_t overhead_bytes = 0;  // what the process needs beside the arena
  std::int64_t done = 0;            // steps of the training
  std::int64_t left = 0;
  const std::vector<double>& step_times_s;  // of this part
};

// What a part measured of its steps.
struct MeteredPart {
  MeteredSteps steps = {};
  Objective objective = Objective::Energy;
  std::string kernels = {};   // kernel_set_name()
  double active_power_w = 0;  // of a processor at work, above idle
  double making_s = 0;        // from the beginning of the part to its first step
  std::int64_t done = 0;
  std::int64_t left = 0;
};

// A part of a training: all of it, or the steps in one of several RAM budgets.
struct RunPart {
  // Asked between steps: whether to go on in another budget, or with another plan. May be empty.
  std::function<bool(const BetweenSteps&)> is_to_leave = {};
  // Told once, when ReplanLimits::metered_steps were; where it is empty, or the plan expects a
  // training too short for it, nothing is measured.
  std::function<void(const MeteredPart&)> metered = {};
  std::string state_path = {};         // a checkpoint where a part leaves the values for the next
  std::optional<RunState> state = {};  // of the part before, whose values are in state_path
};

struct RunPartReport {
  TrainReport report = {};
  bool leaves = false;  // the values are in RunPart::state_path
  RunState state = {};
  std::vector<double> step_times_s = {};
  std::vector<double> work_times_s = {};
};

// Plans and trains, as train_network() does, in the budget of the request.
Result<RunPartReport> run_part(const TrainRequest& request, const RunPart& part, const Stop& stop,
                               const TrainEvents& events);

// The upper of two in the middle; 0 of none.
double median(std::vector<double> times_s);

}  // namespace poet
