#include "poet/report/timed_actions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

class Walk {
 public:
  Walk(const Problem& problem, const Replay& replay)
      : problem_(problem), replay_(replay), executed_(problem.operations.size(), false) {}

  void take(const Action& action, std::int64_t position) {
    position_ = position;
    std::visit([this](const auto& one) { step(one); }, action);
  }
  std::vector<TimedAction> steps() && { return std::move(steps_); }

 private:
  void step(const Compute& compute) {
    const std::int32_t index = index_of(compute.operation);
    if (index < 0 || index >= std::ssize(executed_)) return;
    const bool first = !executed_[static_cast<std::size_t>(index)];
    if (first && at(problem_.operations, compute.operation).backward) backward_ = true;
    add(first ? ActionKind::Compute : ActionKind::Recompute, index);
    executed_[static_cast<std::size_t>(index)] = true;
    if (first) ++stage_;
  }
  void step(const PageIn& page) { transfer(ActionKind::PageIn, index_of(page.tensor)); }
  void step(const PageOut& page) { transfer(ActionKind::PageOut, index_of(page.tensor)); }
  void step(const Drop&) {}

  void transfer(ActionKind kind, std::int32_t tensor) {
    if (tensor >= 0 && tensor < std::ssize(problem_.tensors)) add(kind, tensor);
  }
  void add(ActionKind kind, std::int32_t index) {
    steps_.push_back(TimedAction{.kind = kind,
                                 .index = index,
                                 .action = position_,
                                 .stage = stage_,
                                 .backward = backward_,
                                 .moment = replay_.moments[static_cast<std::size_t>(position_)]});
  }

  const Problem& problem_;
  const Replay& replay_;
  std::vector<bool> executed_;
  std::vector<TimedAction> steps_;
  std::int64_t position_ = 0;
  std::int64_t stage_ = 0;
  bool backward_ = false;
};

std::int64_t size_bytes(const Problem& problem, const TimedAction& step) {
  const auto index = static_cast<std::size_t>(step.index);
  if (step.kind == ActionKind::PageIn || step.kind == ActionKind::PageOut)
    return problem.tensors[index].size_bytes;
  std::int64_t sum = 0;
  for (const TensorId output : problem.operations[index].outputs)
    sum += at(problem.tensors, output).size_bytes;
  return sum;
}

double time_s(const Problem& problem, const TimedAction& step) {
  const auto index = static_cast<std::size_t>(step.index);
  switch (step.kind) {
    case ActionKind::PageIn:
      return problem.tensors[index].page_in_s;
    case ActionKind::PageOut:
      return problem.tensors[index].page_out_s;
    case ActionKind::Compute:
    case ActionKind::Recompute:
      return problem.operations[index].compute_s;
  }
  return 0;
}

}  // namespace

std::vector<TimedAction> timed_actions(const Problem& problem, const Schedule& schedule,
                                       const Replay& replay) {
  POET_CHECK(replay.moments.size() == schedule.actions.size());
  Walk walk(problem, replay);
  for (std::size_t i = 0; i < schedule.actions.size(); ++i)
    walk.take(schedule.actions[i], static_cast<std::int64_t>(i));
  return std::move(walk).steps();
}

const std::string& subject_name(const Problem& problem, ActionKind kind, std::int32_t index) {
  const bool transfer = kind == ActionKind::PageIn || kind == ActionKind::PageOut;
  return transfer ? at(problem.tensors, TensorId{index}).name
                  : at(problem.operations, OperationId{index}).name;
}

double energy_j(const Problem& problem, const TimedAction& step) {
  const auto index = static_cast<std::size_t>(step.index);
  switch (step.kind) {
    case ActionKind::PageIn:
      return problem.tensors[index].page_in_j;
    case ActionKind::PageOut:
      return problem.tensors[index].page_out_j;
    case ActionKind::Compute:
    case ActionKind::Recompute:
      return problem.operations[index].compute_j;
  }
  return 0;
}

std::vector<ExtraWork> extra_work(const Problem& problem, const std::vector<TimedAction>& steps) {
  std::map<std::pair<ActionKind, std::int32_t>, ExtraWork> by_key;
  for (const TimedAction& step : steps) {
    if (step.kind == ActionKind::Compute) continue;
    ExtraWork& work = by_key[{step.kind, step.index}];
    work.kind = step.kind;
    work.index = step.index;
    work.size_bytes = size_bytes(problem, step);
    work.energy_j += energy_j(problem, step);
    work.time_s += time_s(problem, step);
    work.stages.push_back(step.stage);
    ++work.count;
  }
  std::vector<ExtraWork> works;
  for (auto& [key, work] : by_key) works.push_back(std::move(work));
  std::stable_sort(works.begin(), works.end(),
                   [](const ExtraWork& a, const ExtraWork& b) { return a.energy_j > b.energy_j; });
  return works;
}

}  // namespace poet
