#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "poet/exec/executor.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_comparison.h"
#include "poet/use/step_figures.h"

namespace poet {

// What is the same work wherever it stands: equal operations, transfers of one size, examples for
// inputs of one type.
struct MeteredWork {
  ActionWork work = ActionWork::Compute;
  std::string key = {};         // operation_key() or example_key(); empty of transfers
  std::int64_t size_bytes = 0;  // of transfers
  std::int64_t times = 0;       // in a step, by the plan
  std::int64_t needed = 0;  // of them, what no plan can do without: operations and examples once
  double predicted_s = 0;   // of one
  double measured_s = 0;    // of one: the median of the steps' means

  bool operator==(const MeteredWork&) const = default;
};

// Some steps of a training, in the sums of their plan.
struct MeteredSteps {
  std::int64_t steps = 0;
  bool overlapped = false;  // transfers are then not among the works
  double predicted_step_s = 0;
  double step_s = 0;  // the median
  std::vector<MeteredWork> works = {};
};

// Times the steps of a training by what they do. It keeps a few numbers for each different work and
// four bytes for each action, and allocates nothing while steps run.
class StepMeter {
 public:
  // As of StepComparison. The first step is left out, which finds caches cold and pages of its
  // memory missing; `steps` are those that count.
  StepMeter(const PlannedForms& planned, const std::vector<std::int64_t>& times,
            std::int64_t steps);

  void add(std::size_t form, std::span<const ActionTime> times);
  void end_step(double step_s);

  bool is_full() const { return ended_ > steps_; }
  MeteredSteps metered() const;  // of one that is full

 private:
  void add_form(const RunnableStep& step, std::int64_t times, std::vector<std::int32_t>& kinds);
  void clear();

  std::int64_t steps_ = 0;
  std::int64_t ended_ = 0;  // the first, which does not count, among them
  MeteredSteps plan_ = {};  // as predicted
  std::vector<std::vector<std::int32_t>> kinds_ = {};  // of each form, by action; or kNotMetered
  std::vector<double> sums_s_ = {};                    // of the step that runs, by kind
  std::vector<double> means_s_ = {};                   // by step, and in it by kind
  std::vector<double> step_times_s_ = {};
};

// What a StepMeter of these plans keeps, at the most.
std::int64_t meter_bytes(const PlannedForms& planned);

// As figures to plan with, of this kernel set. A processor at work draws `active_power_w`.
StepFigures figures_of(const MeteredSteps& steps, const std::string& kernels,
                       double active_power_w);

}  // namespace poet
