#include "poet/api/update_levels.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "poet/api/training_step.h"
#include "poet/api/updates_that_fit.h"
#include "poet/base/check.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr std::int64_t kNoBudget = std::numeric_limits<std::int64_t>::max();

// What the levels that were looked at say together.
class Together {
 public:
  void take(std::size_t place, BudgetReport solved) {
    effort_.add(solved.least.effort);
    if (solved.least.status != SolveStatus::Infeasible)
      proved_bytes_ = std::min(proved_bytes_, solved.least.proved_bytes);
    const std::optional<std::int64_t> found = solved.least.found_bytes;
    const bool better = found && *found < found_bytes();
    if (better || !has_found_) best_ = {std::move(solved), place};
    has_found_ = has_found_ || better;
  }

  std::int64_t found_bytes() const {
    return has_found_ ? *best_.solved.least.found_bytes : kNoBudget;
  }

  LeastOverLevels answer() && {
    LeastBudget& least = best_.solved.least;
    least.effort = effort_;
    if (!has_found_) {
      const bool is_open = proved_bytes_ < kNoBudget;
      least.found_bytes.reset();
      least.schedule.reset();
      least.status = is_open ? SolveStatus::Unknown : SolveStatus::Infeasible;
      if (!is_open) return std::move(best_);
      least.proved_bytes = proved_bytes_;
      best_.solved.infeasibility.reset();
      return std::move(best_);
    }
    least.proved_bytes = std::min(proved_bytes_, found_bytes());
    least.status =
        least.proved_bytes == found_bytes() ? SolveStatus::Optimal : SolveStatus::Feasible;
    return std::move(best_);
  }

 private:
  LeastOverLevels best_ = {};
  SolveEffort effort_ = {};
  std::int64_t proved_bytes_ = kNoBudget;
  bool has_found_ = false;
};

}  // namespace

Result<std::vector<UpdateLevel>> update_levels(const PlanRequest& request) {
  Result<Instance> first = instance_at_any_budget(request);
  if (!first.ok()) return first.error();
  std::vector<UpdateLevel> levels;
  levels.push_back({.instance = *std::move(first)});
  levels[0].least_bytes = largest_working_set(levels[0].instance.problem).bytes;
  while (true) {
    const std::int64_t bytes = levels.back().least_bytes - 1;
    const Problem* const separate = &levels.front().instance.problem;
    const std::optional<PlanRequest> fitting =
        with_updates_that_fit(request, {&separate, 1}, bytes);
    if (!fitting) return levels;
    Result<Instance> instance = instance_at_any_budget(*fitting);
    if (!instance.ok() && !request.costs_path) return instance.error();
    if (!instance.ok()) {
      levels.back().instance.warnings.push_back(
          "less RAM was not looked at, which takes updates by slices: " + instance.error().message);
      return levels;
    }
    const std::int64_t least_bytes = largest_working_set(instance->problem).bytes;
    if (least_bytes > bytes) return levels;
    levels.push_back({*std::move(instance), least_bytes, bytes + 1});
  }
}

Result<std::vector<UpdateLevel>> steps_of_updates(const PlanRequest& request) {
  Result<std::vector<UpdateLevel>> levels = update_levels(request);
  const bool is_open = request.training.updates == Updates::Auto &&
                       request.kernels.library == KernelLibrary::Reference &&
                       graph_of(request) == "real";
  if (!levels.ok() || !is_open) return levels;
  PlanRequest sliced = request;
  sliced.training.updates = Updates::Sliced;
  Result<Instance> instance = instance_at_any_budget(sliced);
  if (!instance.ok()) return levels;  // a table of costs without updates by slices: said above
  instance->updates.asked = Updates::Auto;
  if (instance->problem == levels->back().instance.problem) return levels;
  const std::int64_t least_bytes = largest_working_set(instance->problem).bytes;
  const std::int64_t below_bytes = levels->back().least_bytes;
  levels->push_back({*std::move(instance), least_bytes, std::min(least_bytes, below_bytes)});
  return levels;
}

Result<LeastOverLevels> least_over_levels(const std::vector<UpdateLevel>& levels,
                                          const LeastBudgetFinder& find) {
  POET_CHECK(!levels.empty());
  Together together;
  // Those first that may do with least, and of these the one with fewer slices.
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&levels](std::size_t a, std::size_t b) {
    return levels[a].least_bytes < levels[b].least_bytes;
  });
  for (const std::size_t k : order) {
    if (levels[k].least_bytes >= together.found_bytes()) break;
    Problem asked = levels[k].instance.problem;
    asked.ram_budget_bytes = 0;  // it is what is looked for
    Result<BudgetReport> solved = find(asked);
    if (!solved.ok()) return solved.error();
    together.take(k, *std::move(solved));
  }
  return std::move(together).answer();
}

}  // namespace poet
