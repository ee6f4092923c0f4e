#pragma once

#include <optional>
#include <string_view>

#include "poet/overlap/moves.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"

namespace poet {

// The schedules that a method comes up with for different values of its parameters: the one with
// the least objective that keeps every limit is its answer. A method's own estimate of its RAM or
// energy never counts; replays do.
class Proposals {
 public:
  explicit Proposals(const Problem& problem) : problem_(problem) {}

  void offer(const Schedule& schedule);
  void offer(const Moves& moves) { offer(with_drops(problem_, moves)); }

  bool has_answer() const { return best_.has_value(); }
  // Of the last one that was offered.
  const Replay& last() const { return last_; }

  // Feasible with an answer; else Unknown, and `over_limits` is the proposal nearest to the limits.
  // The bound is what no schedule can save.
  SolveReport report(std::string_view method) const;

 private:
  const Problem& problem_;
  Replay last_ = {};
  std::optional<Schedule> best_ = {};
  double objective_ = 0;
  std::optional<Schedule> nearest_ = {};
  std::int64_t nearest_excess_bytes_ = 0;
  double nearest_time_s_ = 0;
};

}  // namespace poet
