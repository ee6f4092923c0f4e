#include "poet/report/step_trace.h"

#include <optional>
#include <utility>
#include <variant>

#include "poet/base/check.h"
#include "poet/problem/facts.h"

namespace poet {

bool is_transfer(ActionKind kind) {
  return kind == ActionKind::PageIn || kind == ActionKind::PageOut;
}

namespace {

bool is_view(const Problem& problem, const TimedAction& timed) {
  return !is_transfer(timed.kind) && at(problem.operations, OperationId{timed.index}).view;
}

TracedAction traced_action(const Problem& problem, const TimedAction& timed) {
  return {.kind = timed.kind,
          .name = subject_name(problem, timed.kind, timed.index),
          .action = timed.action,
          .begin_s = timed.moment.begin_s,
          .end_s = timed.moment.end_s,
          .energy_j = energy_j(problem, timed),
          .moved_bytes =
              is_transfer(timed.kind) ? at(problem.tensors, TensorId{timed.index}).size_bytes : 0};
}

// Who makes and who moves each tensor, as far as the schedule has come.
class Links {
 public:
  explicit Links(const Problem& problem)
      : problem_(problem), made_(problem.tensors.size()), read_(problem.tensors.size()) {}

  void add(std::int64_t action, const Compute& compute) {
    const Operation& operation = at(problem_.operations, compute.operation);
    if (operation.view) return;
    for (const TensorId input : operation.inputs)
      if (auto& read = read_[index_of(root_of(problem_, input))])
        links_.push_back({*std::exchange(read, {}), action});
    for (const TensorId output : operation.outputs)
      made_[index_of(root_of(problem_, output))] = action;
  }
  void add(std::int64_t action, const PageIn& page) { read_[index_of(page.tensor)] = action; }
  void add(std::int64_t action, const PageOut& page) {
    if (const auto& made = made_[index_of(page.tensor)]) links_.push_back({*made, action});
  }
  void add(std::int64_t, const Drop& drop) { read_[index_of(drop.tensor)].reset(); }

  std::vector<TracedLink> take() { return std::move(links_); }

 private:
  static std::size_t index_of(TensorId tensor) { return static_cast<std::size_t>(tensor); }

  const Problem& problem_;
  std::vector<std::optional<std::int64_t>> made_;  // by root: the action that did last
  std::vector<std::optional<std::int64_t>> read_;  // and that nobody has used yet
  std::vector<TracedLink> links_ = {};
};

std::vector<TracedLink> links_of(const Problem& problem, const Schedule& schedule) {
  Links links(problem);
  for (std::size_t a = 0; a < schedule.actions.size(); ++a)
    std::visit([&links, a](const auto& action) { links.add(static_cast<std::int64_t>(a), action); },
               schedule.actions[a]);
  return links.take();
}

}  // namespace

TracedForm traced_form(std::string name, const Problem& problem, const Schedule& schedule,
                       const Replay& replay) {
  POET_CHECK(replay.valid());
  TracedForm form{.name = std::move(name), .taken_s = replay.taken_s, .time_s = replay.time_s};
  for (const TimedAction& timed : timed_actions(problem, schedule, replay))
    if (!is_view(problem, timed)) form.actions.push_back(traced_action(problem, timed));
  form.links = links_of(problem, schedule);
  for (const Moment& moment : replay.moments) form.planned_ram_bytes.push_back(moment.ram_bytes);
  return form;
}

}  // namespace poet
