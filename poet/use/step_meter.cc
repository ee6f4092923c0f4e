#include "poet/use/step_meter.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "poet/base/check.h"
#include "poet/cost/operation_key.h"
#include "poet/graph/operator_table.h"
#include "poet/graph/stored_rows.h"
#include "poet/use/training_run.h"

namespace poet {
namespace {

// A number and no optional: meter_bytes() counts four bytes for each action.
constexpr std::int32_t kNotMetered = -1;
constexpr std::int64_t kBytesPerAction = sizeof(std::int32_t) + sizeof(ActionTime);

// Operations that fetch rows from storage by themselves are left as the costs have them, which
// count computing and fetching apart.
std::vector<bool> fetches_rows(const Graph& graph) {
  std::vector<bool> fetches = updates_of_stored_rows(graph);
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    if (reads_stored_rows(graph, graph.operations[v])) fetches[v] = true;
  return fetches;
}

// Where each different work stands among `works`.
class Kinds {
 public:
  explicit Kinds(std::vector<MeteredWork>& works) : works_(works) {
    for (std::size_t k = 0; k < works.size(); ++k) places_[key_of(works[k])] = k;
  }

  std::int32_t place(MeteredWork work) {
    const auto [place, is_new] = places_.emplace(key_of(work), works_.size());
    if (is_new) works_.push_back(std::move(work));
    return static_cast<std::int32_t>(place->second);
  }

 private:
  using Key = std::tuple<ActionWork, std::string, std::int64_t>;
  static Key key_of(const MeteredWork& work) { return {work.work, work.key, work.size_bytes}; }

  std::vector<MeteredWork>& works_;
  std::map<Key, std::size_t> places_ = {};
};

// The work of an action; nothing where it takes none, or none that shows.
std::optional<MeteredWork> work_of(const RunnableStep& step, const std::vector<bool>& fetches,
                                   const Action& action) {
  const Problem& problem = step.plan.problem;
  if (const auto* compute = std::get_if<Compute>(&action)) {
    const Operation& operation = at(problem.operations, compute->operation);
    const auto place = static_cast<std::size_t>(compute->operation);
    if (operation.view || fetches[place]) return std::nullopt;
    return MeteredWork{
        .key = operation_key(types_of(step.graph, at(step.graph.operations, compute->operation))),
        .predicted_s = operation.compute_s};
  }
  const auto* const read = std::get_if<PageIn>(&action);
  if (read != nullptr && at(step.graph.tensors, read->tensor).role == TensorRole::Input)
    return MeteredWork{.work = ActionWork::Input,
                       .key = example_key(at(step.graph.tensors, read->tensor).type),
                       .predicted_s = at(problem.tensors, read->tensor).page_in_s};
  if (problem.time_mode == TimeMode::Overlapped) return std::nullopt;
  if (const auto* write = std::get_if<PageOut>(&action)) {
    const Tensor& tensor = at(problem.tensors, write->tensor);
    return MeteredWork{.work = ActionWork::Write,
                       .size_bytes = tensor.size_bytes,
                       .predicted_s = tensor.page_out_s};
  }
  if (read == nullptr) return std::nullopt;
  const Tensor& tensor = at(problem.tensors, read->tensor);
  return MeteredWork{
      .work = ActionWork::Read, .size_bytes = tensor.size_bytes, .predicted_s = tensor.page_in_s};
}

// Notes it, and says whether it is new.
bool is_new(std::set<std::int32_t>& met, std::int32_t id) {
  return met.insert(id).second;
}

MeasuredOperation operation_of(const MeteredWork& work, std::int64_t steps,
                               const std::string& kernels) {
  return {.key = work.key,
          .kernels = kernels,
          .seconds = work.measured_s,
          .samples = steps,
          .executions = steps * work.times,
          .uses = work.times};
}

}  // namespace

StepMeter::StepMeter(const PlannedForms& planned, const std::vector<std::int64_t>& times,
                     std::int64_t steps)
    : steps_(steps) {
  plan_.steps = steps;
  kinds_.resize(planned.steps.size());
  for (std::size_t k = 0; k < planned.steps.size(); ++k) {
    if (times[k] == 0) continue;
    plan_.predicted_step_s += static_cast<double>(times[k]) * planned.replays[k].time_s;
    plan_.overlapped = planned.steps[k].plan.problem.time_mode == TimeMode::Overlapped;
    add_form(planned.steps[k], times[k], kinds_[k]);
  }
  sums_s_.resize(plan_.works.size());
  means_s_.resize(plan_.works.size() * static_cast<std::size_t>(steps));
  step_times_s_.reserve(static_cast<std::size_t>(steps));
}

void StepMeter::add_form(const RunnableStep& step, std::int64_t times,
                         std::vector<std::int32_t>& kinds) {
  Kinds known(plan_.works);
  const std::vector<bool> fetches = fetches_rows(step.graph);
  std::set<std::int32_t> met;      // operations
  std::set<std::int32_t> brought;  // inputs
  kinds.reserve(step.plan.schedule.actions.size());
  for (const Action& action : step.plan.schedule.actions) {
    std::optional<MeteredWork> work = work_of(step, fetches, action);
    kinds.push_back(work ? known.place(*std::move(work)) : kNotMetered);
    if (kinds.back() == kNotMetered) continue;
    MeteredWork& kind = plan_.works[static_cast<std::size_t>(kinds.back())];
    kind.times += times;
    const auto* const compute = std::get_if<Compute>(&action);
    const auto* const read = std::get_if<PageIn>(&action);
    const bool needed = compute != nullptr ? is_new(met, index_of(compute->operation))
                                           : kind.work == ActionWork::Input &&
                                                 is_new(brought, index_of(read->tensor));
    if (needed) kind.needed += times;
  }
}

void StepMeter::add(std::size_t form, std::span<const ActionTime> times) {
  if (is_full() || kinds_[form].empty()) return;
  POET_CHECK(times.size() == kinds_[form].size());
  for (std::size_t a = 0; a < times.size(); ++a)
    if (kinds_[form][a] != kNotMetered)
      sums_s_[static_cast<std::size_t>(kinds_[form][a])] +=
          times[a].end_s - times[a].begin_s - times[a].wait_s;
}

void StepMeter::end_step(double step_s) {
  if (is_full()) return;
  if (ended_ > 0) {
    step_times_s_.push_back(step_s);
    double* const means = &means_s_[static_cast<std::size_t>(ended_ - 1) * sums_s_.size()];
    for (std::size_t k = 0; k < sums_s_.size(); ++k)
      means[k] = sums_s_[k] / static_cast<double>(plan_.works[k].times);
  }
  ++ended_;
  std::fill(sums_s_.begin(), sums_s_.end(), 0);
}

MeteredSteps StepMeter::metered() const {
  POET_CHECK(is_full());
  MeteredSteps steps = plan_;
  steps.step_s = median(step_times_s_);
  for (std::size_t k = 0; k < steps.works.size(); ++k) {
    std::vector<double> means_s;
    for (std::size_t s = 0; s < step_times_s_.size(); ++s)
      means_s.push_back(means_s_[s * steps.works.size() + k]);
    steps.works[k].measured_s = median(std::move(means_s));
  }
  return steps;
}

std::int64_t meter_bytes(const PlannedForms& planned) {
  std::int64_t actions = 0;
  for (const RunnableStep& step : planned.steps) actions += std::ssize(step.plan.schedule.actions);
  return kBytesPerAction * actions;
}

StepFigures figures_of(const MeteredSteps& steps, const std::string& kernels,
                       double active_power_w) {
  StepFigures figures{.steps = steps.steps, .step_s = steps.step_s, .overlapped = steps.overlapped};
  figures.costs.active_power_w = active_power_w;
  for (const MeteredWork& work : steps.works) {
    if (work.work == ActionWork::Read)
      figures.reads.push_back({work.size_bytes, work.measured_s});
    else if (work.work == ActionWork::Write)
      figures.writes.push_back({work.size_bytes, work.measured_s});
    else if (work.work == ActionWork::Input)
      figures.costs.examples.push_back(operation_of(work, steps.steps, std::string(kExamples)));
    else
      figures.costs.operations.push_back(operation_of(work, steps.steps, kernels));
  }
  return figures;
}

}  // namespace poet
