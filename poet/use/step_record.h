#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "poet/exec/executor.h"
#include "poet/forms/plan_forms.h"
#include "poet/report/step_trace.h"

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

}  // namespace poet
