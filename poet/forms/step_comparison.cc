#include "poet/forms/step_comparison.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "poet/base/check.h"

namespace poet {
namespace {

constexpr std::size_t kNoWork = std::numeric_limits<std::size_t>::max();

// An action that takes work, by the graph and the problem of its plan.
struct PlannedWork {
  ActionWork work = ActionWork::Compute;
  std::int32_t subject = 0;
  std::string name = {};
  double seconds = 0;
  std::int64_t moved_bytes = 0;
};

std::optional<PlannedWork> work_of(const RunnableStep& step, const Action& action) {
  const Problem& problem = step.plan.problem;
  if (const auto* compute = std::get_if<Compute>(&action)) {
    const Operation& operation = at(problem.operations, compute->operation);
    if (operation.view) return std::nullopt;
    return PlannedWork{ActionWork::Compute, index_of(compute->operation), operation.name,
                       operation.compute_s, 0};
  }
  if (const auto* write = std::get_if<PageOut>(&action)) {
    const Tensor& tensor = at(problem.tensors, write->tensor);
    return PlannedWork{ActionWork::Write, index_of(write->tensor), tensor.name, tensor.page_out_s,
                       tensor.size_bytes};
  }
  if (const auto* read = std::get_if<PageIn>(&action)) {
    const Tensor& tensor = at(problem.tensors, read->tensor);
    const bool is_input = at(step.graph.tensors, read->tensor).role == TensorRole::Input;
    return PlannedWork{is_input ? ActionWork::Input : ActionWork::Read, index_of(read->tensor),
                       tensor.name, tensor.page_in_s, is_input ? 0 : tensor.size_bytes};
  }
  return std::nullopt;
}

}  // namespace

// Of the RAM. Of buffers that share bytes the larger counts where they meet.
std::vector<std::int64_t> arena_ram_bytes(const RunnableStep& step) {
  const std::size_t count = step.plan.schedule.actions.size();
  std::vector<std::int64_t> changes(count + 1, 0);
  const std::vector<PlanBuffer> buffers = arena_buffers(step.plan);
  for (const PlanBuffer& buffer : buffers) {
    if (buffer.memory != kFastRam) continue;
    changes[static_cast<std::size_t>(buffer.begin_action)] += buffer.size_bytes;
    changes[static_cast<std::size_t>(buffer.end_action)] -= buffer.size_bytes;
    if (!buffer.shares) continue;
    const PlanBuffer& other = buffers[static_cast<std::size_t>(*buffer.shares)];
    const std::int64_t twice = std::min(buffer.size_bytes, other.size_bytes);
    if (other.end_action <= buffer.begin_action) continue;
    changes[static_cast<std::size_t>(buffer.begin_action)] -= twice;
    changes[static_cast<std::size_t>(other.end_action)] += twice;
  }
  std::vector<std::int64_t> held(count, 0);
  std::int64_t now = 0;
  for (std::size_t a = 0; a < count; ++a) {
    held[a] = now += changes[a];
    const auto* const compute = std::get_if<Compute>(&step.plan.schedule.actions[a]);
    if (compute != nullptr)
      held[a] += at(step.plan.problem.operations, compute->operation).workspace_bytes;
  }
  return held;
}

StepComparison::StepComparison(const PlannedForms& planned, const std::vector<std::string>& names,
                               const std::vector<std::int64_t>& times) {
  forms_.resize(planned.steps.size());
  for (std::size_t k = 0; k < planned.steps.size(); ++k) {
    forms_[k].times = times[k];
    if (times[k] > 0) add_form(planned.steps[k], planned.replays[k], names[k], forms_[k]);
  }
}

void StepComparison::add_form(const RunnableStep& step, const Replay& replayed,
                              const std::string& name, FormRecord& record) {
  const std::vector<Action>& actions = step.plan.schedule.actions;
  const std::vector<std::int64_t> arena_bytes = arena_ram_bytes(step);
  std::map<std::pair<ActionWork, std::int32_t>, std::size_t> places;
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const std::optional<PlannedWork> planned = work_of(step, actions[a]);
    record.work_of.push_back(kNoWork);
    if (!planned) continue;
    const auto [place, is_new] =
        places.emplace(std::pair(planned->work, planned->subject), works_.size());
    if (is_new) works_.push_back({.form = name, .work = planned->work, .name = planned->name});
    record.work_of.back() = place->second;
    ComparedWork& work = works_[place->second];
    work.times += record.times;
    work.predicted_s += static_cast<double>(record.times) * planned->seconds;
    work.moved_bytes += record.times * planned->moved_bytes;
    work.planned_ram_bytes = std::max(work.planned_ram_bytes, replayed.moments[a].ram_bytes);
    work.arena_ram_bytes = std::max(work.arena_ram_bytes, arena_bytes[a]);
  }
  record.sums_s.resize(actions.size());
  record.waits_s.resize(actions.size());
  record.work_s.resize(actions.size());
}

void StepComparison::add(std::size_t form, std::span<const ActionTime> times) {
  FormRecord& record = forms_[form];
  POET_CHECK(times.size() == record.sums_s.size());
  if (record.runs == 1) {
    std::fill(record.sums_s.begin(), record.sums_s.end(), 0);
    std::fill(record.waits_s.begin(), record.waits_s.end(), 0);
    std::fill(record.work_s.begin(), record.work_s.end(), 0);
  }
  ++record.runs;
  for (std::size_t a = 0; a < times.size(); ++a) {
    record.sums_s[a] += times[a].end_s - times[a].begin_s - times[a].wait_s;
    record.waits_s[a] += times[a].wait_s;
    record.work_s[a] += times[a].work_s;
  }
}

std::vector<ComparedWork> StepComparison::works() const {
  std::vector<ComparedWork> works = works_;
  for (const FormRecord& record : forms_) {
    if (record.runs == 0) continue;
    const std::int64_t counted = std::max<std::int64_t>(1, record.runs - 1);
    const double per_step = static_cast<double>(record.times) / static_cast<double>(counted);
    for (std::size_t a = 0; a < record.sums_s.size(); ++a) {
      if (record.work_of[a] == kNoWork) continue;
      works[record.work_of[a]].measured_s += per_step * record.sums_s[a];
      works[record.work_of[a]].waited_s += per_step * record.waits_s[a];
      works[record.work_of[a]].worked_s += per_step * record.work_s[a];
    }
  }
  return works;
}

bool StepComparison::is_empty() const {
  return std::all_of(forms_.begin(), forms_.end(),
                     [](const FormRecord& record) { return record.runs == 0; });
}

}  // namespace poet
