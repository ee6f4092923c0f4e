#pragma once

#include <cstdint>
#include <optional>

#include "poet/problem/problem.h"

namespace poet::testing {

// What the oracle says of one problem, of its budgets and of its shortest time. A search of the
// oracle takes longer than most answers that are held against it, so each is made once.
class Truth {
 public:
  explicit Truth(Problem problem);

  const Problem& problem() const { return problem_; }
  // Nothing: there is no schedule.
  const std::optional<double>& least_objective() const { return least_objective_; }
  // More RAM never hurts (oracle_test.cc): what is known of one budget holds for others.
  bool works_with(std::int64_t ram_bytes);
  // Without its deadline; nothing: there is no schedule at all.
  const std::optional<double>& least_time_s();

 private:
  Problem problem_;
  std::optional<double> least_objective_;
  std::int64_t too_little_bytes_ = -1;
  std::optional<std::int64_t> enough_bytes_ = {};
  std::optional<std::optional<double>> least_time_s_ = {};  // nothing: not asked yet
};

}  // namespace poet::testing
