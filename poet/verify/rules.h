#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "poet/problem/memories.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/verify/clock.h"
#include "poet/verify/messages.h"
#include "poet/verify/replay.h"
#include "poet/verify/step_state.h"

namespace poet {

// A transfer as it then happens, and what it pays in memories that are slower than the RAM.
struct JudgedTransfer {
  CheckedTransfer moved = {};
  double access_j = 0;
};

struct JudgedExecution {
  CheckedExecution run = {};
  double access_j = 0;
};

// Judges the actions of one step, in order, and keeps what is true between two actions. compute,
// page_out, page_in and drop return what then really happens, for a clock to follow; nothing when
// the action cannot be done at all (an unknown name, a tensor that never moves, a Drop of what is
// not there). What the clock says goes to the last two.
//
// After a broken rule the step goes on as if what was missing had been there: a missing tensor
// counts as present from then on, though at no RAM, and a missing copy as written. So one fault is
// one finding, and not one for each action that rests on it.
class Rules {
 public:
  Rules(const Problem& problem, const Schedule& schedule);

  // `next` is the action that follows, if any: it decides whether an input's buffer is taken over
  // in place.
  std::optional<JudgedExecution> compute(const ActionAt& at, const Action* next);
  std::optional<JudgedTransfer> page_out(const ActionAt& at);
  std::optional<JudgedTransfer> page_in(const ActionAt& at);
  std::optional<TensorId> drop(const ActionAt& at);
  void ram_in_use(const ActionAt& at, std::int64_t used_bytes);
  void memory_in_use(const ActionAt& at, MemoryId memory, std::int64_t used_bytes);
  void end(std::int64_t actions, double time_s, const ReplayOptions& options);
  void worst_case(std::int64_t actions, const WorstCase& worst, const ReplayOptions& options);

  // Of residents, by memory.
  const std::vector<std::int64_t>& fixed_bytes() const { return fixed_bytes_; }
  const StepState& state() const { return state_; }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  TensorState& state_of(TensorId tensor) { return poet::at(state_.tensors, tensor); }
  std::vector<bool> chosen_residents(const Schedule& schedule);
  void judge_count_and_order(const ActionAt& at, OperationId id);
  void take_places(const Schedule& schedule);
  bool may_be_placed(const PlacedBuffer& placed, std::size_t actions) const;
  void place_residents();
  MemoryId take_place(std::optional<std::int64_t> action, TensorId tensor);
  AccessCost access_of(const Operation& operation) const;
  void judge_input(const ActionAt& at, TensorId input, CheckedExecution& execution);
  void make_output(const ActionAt& at, TensorId output, CheckedExecution& execution);
  void share_in_place(const Action* next, CheckedExecution& execution);
  std::optional<TensorId> movable(const ActionAt& at);
  void count_written(const ActionAt& at, std::int64_t bytes);
  void count_write(const ActionAt& at, TensorId tensor);

  const Problem& problem_;
  std::vector<Finding> findings_;  // first member: a wrong Schedule::resident is found at once
  std::vector<bool> chosen_;       // by tensor: kept resident by the schedule
  StepState state_;
  std::map<std::pair<std::optional<std::int64_t>, TensorId>, PlacedBuffer>
      places_;                             // not taken yet
  std::vector<std::int64_t> fixed_bytes_;  // by memory
};

}  // namespace poet
