#include "poet/use/measures_of_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/base/check.h"
#include "poet/forms/budget_story.h"
#include "poet/forms/step_comparison.h"
#include "poet/forms/times_in_step.h"
#include "poet/train/process_memory.h"

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

namespace {

// What the heap may grow by while steps run: lines of text, losses, and what the system's own
// libraries set aside. Part of the fixed overhead.
constexpr std::int64_t kGrowthBytes = 1 << 20;

// What measuring steps may take of the RAM budget, or where that is little, anyhow.
constexpr std::int64_t kMeterPart = 64;
constexpr std::int64_t kLeastMeterBytes = 256 << 10;

}  // namespace

std::string planned_with(const Instance& instance, const StepFigures* measured) {
  if (!instance.device) return "";
  if (measured != nullptr)
    return fmt::format("{}, with what operations and transfers took in {} steps",
                       instance.device->name, measured->steps);
  const std::vector<DeviceFigure>& figures = instance.device->figures;
  const bool assumed = std::any_of(figures.begin(), figures.end(), [](const DeviceFigure& figure) {
    return figure.source.starts_with("assumed");
  });
  std::string text = fmt::format("{}, operations: {}", instance.device->name, instance.costs);
  if (assumed) text += "; the device's figures are assumed: 'poet profile' measures this machine's";
  return text;
}

void MeasuresOfRun::expect(const StepForms& forms, const PlannedForms& planned,
                           const Question& question, std::int64_t micro_batches,
                           std::int64_t steps) {
  const std::vector<std::int64_t> times = times_in_step(forms, micro_batches);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto often = static_cast<double>(times[k]);
    report_.predicted_step_s += often * planned.replays[k].time_s;
    energy_per_step_j_ += often * planned.replays[k].energy_j;
    recomputed_per_step_ += times[k] * planned.replays[k].recomputed_operations;
  }
  if (request_.draws_arena) draw_arenas(forms, planned);
  compare_with(forms, planned, times, steps);
  meter_with(forms, planned, question, times, steps);
  report_.story = budget_story(planned, times, micro_batches, forms.ram_budget_bytes, forms.plain);
}

void MeasuresOfRun::draw_arenas(const StepForms& forms, const PlannedForms& planned) {
  for (std::size_t k = 0; k < planned.steps.size(); ++k) {
    const RunnableStep& step = planned.steps[k];
    report_.arenas.push_back(arena_picture(step.plan, step.layout));
    report_.arenas.back().name = forms.forms[k].name;
    report_.arenas.back().ram_budget_bytes = forms.ram_budget_bytes;
    for (std::size_t m = 0; m < step.layout.further_arenas.size(); ++m) {
      if (step.layout.further_arenas[m].size_bytes == 0) continue;
      const MemoryId memory{static_cast<std::int32_t>(m) + 1};
      report_.arenas.push_back(arena_picture(step.plan, step.layout, memory));
      report_.arenas.back().name =
          forms.forms[k].name + "-" + step.plan.problem.further_memories[m].name;
    }
  }
}

// What the plans predict of a step; action by action where that is to be compared.
void MeasuresOfRun::compare_with(const StepForms& forms, const PlannedForms& planned,
                                 const std::vector<std::int64_t>& times, std::int64_t steps) {
  std::vector<std::string> names;
  for (const StepGraph& form : forms.forms) names.push_back(form.name);
  if (request_.traced_steps > 0)
    record_.emplace(planned, names, times, std::min(request_.traced_steps, steps));
  StepComparison comparison(planned, names, times);
  for (const Replay& replayed : planned.replays)
    report_.predicted_peak_bytes = std::max(report_.predicted_peak_bytes, replayed.peak_ram_bytes);
  for (const ComparedWork& work : comparison.works())
    (work.work == ActionWork::Write ? report_.predicted_out_bytes : report_.predicted_in_bytes) +=
        work.moved_bytes;
  // Of a step in parts it is many times as large as the arena.
  if (request_.compares_with_plan) comparison_ = std::move(comparison);
}

// Only where it may come to something, and takes no memory that would be missed.
void MeasuresOfRun::meter_with(const StepForms& forms, const PlannedForms& planned,
                               const Question& question, const std::vector<std::int64_t>& times,
                               std::int64_t steps) {
  const ReplanLimits& limits = request_.replanning.limits;
  const double training_s = report_.predicted_step_s * static_cast<double>(steps);
  const std::int64_t most_bytes = std::max(kLeastMeterBytes, report_.ram_budget_bytes / kMeterPart);
  // After a change it is to be seen what that brought, in however short a time.
  const bool is_too_short = !request_.figures && training_s < limits.least_training_s;
  if (!part_.metered || is_too_short || meter_bytes(planned) > most_bytes) return;
  const Instance& instance = forms.forms.front().instance;
  meter_.emplace(planned, times, limits.metered_steps);
  metered_.objective = instance.problem.objective;
  metered_.kernels = kernel_set_name(question.kernels);
  metered_.active_power_w =
      question.costs ? question.costs->measured.active_power_w
                     : instance.device->compute.flop_per_s / instance.device->compute.flop_per_j;
}

ExecutorOptions MeasuresOfRun::executor_options(const KernelSet& kernels) const {
  ExecutorOptions options{.machine = request_.machine, .kernels = &kernels};
  if (request_.compares_with_plan || record_ || meter_) options.clock_s = stop_.elapsed_s;
  if (request_.compares_with_plan || record_) options.work_s = request_.work_s;
  return options;
}

void MeasuresOfRun::begin_memory() {
  library_bytes_ = process_memory().library_bytes;
  forget_peak_memory();
}

// Some of what the system's libraries need they take when they are called first. What was given
// back of their files may be called again.
void MeasuresOfRun::state_overhead(const RunningForms& running) {
  const ProcessMemory memory = process_memory();
  library_bytes_ = std::max(library_bytes_, memory.library_bytes);
  const std::int64_t now_bytes = memory.resident_bytes - memory.library_bytes + library_bytes_ -
                                 resident_bytes(running.arena->bytes());
  report_.fixed_overhead_bytes =
      std::max(report_.fixed_overhead_bytes,
               now_bytes + memory.unread_program_bytes + running.rom.size_bytes() + kGrowthBytes);
}

void MeasuresOfRun::watch_memory() {
  const ProcessMemory memory = process_memory();
  report_.peak_rss_bytes = std::max(report_.peak_rss_bytes, memory.peak_bytes);
}

void MeasuresOfRun::add_run(const RunningForms& running, const ReadyForm& form) {
  if (form.executor->times().empty()) return;
  for (std::size_t k = 0; k < running.ready.size(); ++k) {
    if (running.ready[k].executor != form.executor) continue;
    if (comparison_) comparison_->add(k, form.executor->times());
    if (record_) record_->add(k, form.executor->times());
    if (meter_) meter_->add(k, form.executor->times());
  }
}

void MeasuresOfRun::end_step(const TrainedStep& step, std::int64_t done, double begin_s,
                             double begin_work_s) {
  const double end_s = stop_.now_s();
  if (request_.work_s) work_times_s_.push_back(request_.work_s() - begin_work_s);
  step_times_s_.push_back(end_s - begin_s);
  exchange_times_s_.push_back(step.exchange_s);
  if (record_) record_->end_step(done, begin_s, end_s, static_cast<double>(step.loss));
  report_.losses.push_back(step.loss);
  report_.paged_in_bytes += step.read_bytes;
  report_.paged_out_bytes += step.written_bytes;
  report_.energy_j += energy_per_step_j_;
}

void MeasuresOfRun::hand_on_metered(std::int64_t done, std::int64_t steps) {
  if (!meter_) return;
  meter_->end_step(last_step_s());
  if (!meter_->is_full()) return;
  metered_.steps = meter_->metered();
  metered_.making_s = first_step_s_ - begin_s_;
  metered_.done = done;
  metered_.left = steps - done;
  meter_.reset();
  part_.metered(metered_);
}

double MeasuresOfRun::remaining_s(std::int64_t steps_left) const {
  const auto taken = static_cast<double>(report_.losses.size());
  return (stop_.now_s() - first_step_s_) / taken * static_cast<double>(steps_left);
}

void MeasuresOfRun::finish() {
  if (comparison_ && !comparison_->is_empty()) report_.works = comparison_->works();
  report_.step_s = median(step_times_s_);
  report_.exchange_s = median(exchange_times_s_);
  report_.step_work_s = median(work_times_s_);
}

void MeasuresOfRun::state_address_space() {
  report_.address_space_overhead_bytes =
      process_memory().address_space_bytes - report_.arena_bytes + kGrowthBytes;
}

void MeasuresOfRun::take_trace() {
  if (!record_) return;
  report_.trace = record_->take(request_.plan.command);
  report_.trace->ram_budget_bytes = report_.ram_budget_bytes;
}

void MeasuresOfRun::take_times(RunPartReport& part) {
  part.step_times_s = std::move(step_times_s_);
  part.work_times_s = std::move(work_times_s_);
}

}  // namespace poet
