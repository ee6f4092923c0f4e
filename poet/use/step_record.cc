#include "poet/use/step_record.h"

#include <algorithm>
#include <utility>

#include "poet/base/check.h"
#include "poet/forms/step_comparison.h"

namespace poet {

StepRecord::StepRecord(const PlannedForms& planned, const std::vector<std::string>& names,
                       const std::vector<std::int64_t>& times, std::int64_t most_steps)
    : most_steps_(static_cast<std::size_t>(most_steps)) {
  std::size_t most_actions = 0;
  std::size_t runs_in_step = 0;
  places_.resize(planned.steps.size());
  for (std::size_t k = 0; k < planned.steps.size(); ++k) {
    if (times[k] == 0) continue;
    const Plan& plan = planned.steps[k].plan;
    places_[k] = trace_.forms.size();
    trace_.overlapped = plan.problem.time_mode == TimeMode::Overlapped;
    trace_.forms.push_back(traced_form(names[k], plan.problem, plan.schedule, planned.replays[k]));
    trace_.forms.back().arena_ram_bytes = arena_ram_bytes(planned.steps[k]);
    most_actions = std::max(most_actions, plan.schedule.actions.size());
    runs_in_step += static_cast<std::size_t>(times[k]);
  }
  trace_.steps.reserve(most_steps_);
  trace_.runs.resize(most_steps_ * runs_in_step);
  for (TracedRun& run : trace_.runs) run.times.reserve(most_actions);
}

void StepRecord::add(std::size_t form, std::span<const ActionTime> times) {
  if (trace_.steps.size() == most_steps_) return;
  POET_CHECK(runs_ < trace_.runs.size());
  TracedRun& run = trace_.runs[runs_++];
  run.form = places_[form];
  for (const ActionTime& time : times)
    run.times.push_back({.begin_s = time.begin_s, .wait_s = time.wait_s, .end_s = time.end_s});
}

void StepRecord::end_step(std::int64_t step, double begin_s, double end_s, double loss) {
  if (trace_.steps.size() == most_steps_) return;
  const std::size_t first = trace_.steps.empty() ? 0 : trace_.steps.back().end_run;
  trace_.steps.push_back({.step = step,
                          .begin_s = begin_s,
                          .end_s = end_s,
                          .loss = loss,
                          .first_run = first,
                          .end_run = runs_});
}

StepTrace StepRecord::take(std::string title) {
  trace_.title = std::move(title);
  trace_.runs.resize(std::exchange(runs_, 0));
  return std::exchange(trace_, {});
}

}  // namespace poet
