#include "truth.h"

#include <utility>

#include "cheapest.h"

namespace poet::testing {

Truth::Truth(Problem problem)
    : problem_(std::move(problem)), least_objective_(cheapest_objective(problem_)) {
  if (least_objective_) {
    enough_bytes_ = problem_.ram_budget_bytes;
  } else {
    too_little_bytes_ = problem_.ram_budget_bytes;
  }
}

bool Truth::works_with(std::int64_t ram_bytes) {
  if (ram_bytes <= too_little_bytes_) return false;
  if (enough_bytes_ && ram_bytes >= *enough_bytes_) return true;
  Problem other = problem_;
  other.ram_budget_bytes = ram_bytes;
  const bool works = cheapest_objective(other).has_value();
  if (works) {
    enough_bytes_ = ram_bytes;
  } else {
    too_little_bytes_ = ram_bytes;
  }
  return works;
}

const std::optional<double>& Truth::least_time_s() {
  if (!least_time_s_) {
    Problem quickest = problem_;
    quickest.objective = Objective::Time;
    quickest.deadline_s.reset();
    least_time_s_ = cheapest_objective(quickest);
  }
  return *least_time_s_;
}

}  // namespace poet::testing
