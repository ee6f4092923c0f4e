#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/stop.h"
#include "poet/exec/executor.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_comparison.h"
#include "poet/forms/step_forms.h"
#include "poet/report/step_trace.h"
#include "poet/train/trainer.h"
#include "poet/use/running_forms.h"
#include "poet/use/step_meter.h"
#include "poet/use/train_network.h"
#include "poet/use/training_run.h"

namespace poet {

// Records the first steps of a training action by action, for a trace. Its memory is taken when it
// is made: while steps run it allocates nothing.
class StepRecord {
 public:
  // The forms that run in a step, in the order of `planned`, which is needed no longer afterwards.
  // `times`: how often each runs in a step; one that does not is left out.
  StepRecord(const PlannedForms& planned, const std::vector<std::string>& names,
             const std::vector<std::int64_t>& times, std::int64_t most_steps);

  // One run of a form, `form` being its place in `planned`, in the step that end_step() will name.
  // Runs past the last step that is recorded are left out.
  void add(std::size_t form, std::span<const ActionTime> times);
  void end_step(std::int64_t step, double begin_s, double end_s, double loss);

  // What was recorded, under a title; the record is empty afterwards.
  StepTrace take(std::string title);

 private:
  StepTrace trace_ = {};
  std::vector<std::size_t> places_ = {};  // by form of `planned`, among trace_.forms
  std::size_t most_steps_ = 0;
  std::size_t runs_ = 0;  // used so far, of trace_.runs
};

// What the plans expect of a training's steps, and what is measured of them: times, and the memory
// of the process. It fills in what the report says of both.
class MeasuresOfRun {
 public:
  MeasuresOfRun(const TrainRequest& request, const RunPart& part, const Stop& stop,
                TrainReport& report)
      : request_(request), part_(part), stop_(stop), report_(report), begin_s_(stop.now_s()) {}

  // What the plans say of a step of so many micro-batches, of a training of so many steps.
  void expect(const StepForms& forms, const PlannedForms& planned, const Question& question,
              std::int64_t micro_batches, std::int64_t steps);

  ExecutorOptions executor_options(const KernelSet& kernels) const;

  // Before the training takes its memory.
  void begin_memory();
  // Before the first step, and once more after it.
  void state_overhead(const RunningForms& running);
  void watch_memory();
  // At the end.
  void state_address_space();

  void begin_steps() { first_step_s_ = stop_.now_s(); }
  // One run of a form within a step.
  void add_run(const RunningForms& running, const ReadyForm& form);
  // What one step took and did, of which `done` are.
  void end_step(const TrainedStep& step, std::int64_t done, double begin_s, double begin_work_s);
  // Hands on what was metered, once there is enough of it.
  void hand_on_metered(std::int64_t done, std::int64_t steps);

  // With evaluations and checkpoints, which come again, too.
  double remaining_s(std::int64_t steps_left) const;
  double last_step_s() const { return step_times_s_.back(); }
  double predicted_step_j() const { return energy_per_step_j_; }
  std::int64_t predicted_recomputations() const { return recomputed_per_step_; }
  const std::vector<double>& step_times_s() const { return step_times_s_; }

  // The report's figures of all steps.
  void finish();
  // And what was recorded of the first.
  void take_trace();
  void take_times(RunPartReport& part);

 private:
  void draw_arenas(const StepForms& forms, const PlannedForms& planned);
  void compare_with(const StepForms& forms, const PlannedForms& planned,
                    const std::vector<std::int64_t>& times, std::int64_t steps);
  void meter_with(const StepForms& forms, const PlannedForms& planned, const Question& question,
                  const std::vector<std::int64_t>& times, std::int64_t steps);

  const TrainRequest& request_;
  const RunPart& part_;
  const Stop& stop_;
  TrainReport& report_;
  double begin_s_;
  std::optional<StepComparison> comparison_ = {};
  std::optional<StepRecord> record_ = {};
  std::optional<StepMeter> meter_ = {};
  MeteredPart metered_ = {};
  std::int64_t library_bytes_ = 0;  // of libraries' files, the most that was in RAM
  double energy_per_step_j_ = 0;
  std::int64_t recomputed_per_step_ = 0;
  double first_step_s_ = 0;  // when it began
  std::vector<double> step_times_s_ = {};
  std::vector<double> work_times_s_ = {};
  std::vector<double> exchange_times_s_ = {};
};

// What plans were made with: "" where no device is known.
std::string planned_with(const Instance& instance, const StepFigures* measured);

}  // namespace poet
