// The local search (local_search.h) against the oracle: on random instances with every feature that
// a problem can have, it leaves schedules that are valid and no dearer than what it began with,
// none cheaper than the cheapest, and nearly always the cheapest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/greedy_paging.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/local_search.h"
#include "poet/solve/step.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kLocalRounding = 1e-6;  // relative: a backend's tolerances
// What its integer programs may leave open of the overhead.
constexpr double kOpenPart = 1e-3;
constexpr int kLocalInstances = random_cases(400);
// Of the instances: an operation may have to run again in a stage that does not need it.
constexpr double kOftenCheapest = 0.97;

// Some schedule that is not the cheapest by design: everything stays, or the first tensors that
// come to hand are paged.
std::optional<EventChoice> any_schedule(const Problem& problem, const Step& step) {
  const std::optional<EventChoice> plain = from_schedule(problem, step, plain_schedule(problem));
  if (plain && keeps_budgets(step, figures_of(step, *plain))) return plain;
  return greedy_paging(step);
}

TEST(LocalSearch, NearlyAlwaysFindsTheCheapest) {
  const std::unique_ptr<LinearBackend> backend = std::move(open_backend("cbc").value());
  int count = 0;
  int cheapest_found = 0;
  for (std::uint64_t seed = 9'000'000; count < kLocalInstances; ++seed) {
    const Problem problem = random_problem({}, seed);
    const Step step = make_step(problem);
    const std::optional<EventChoice> start = any_schedule(problem, step);
    const std::optional<double> cheapest = start ? cheapest_objective(problem) : std::nullopt;
    if (!cheapest) continue;
    ++count;
    const ShownOnFailure shown(problem, seed);

    const SearchGoal goal;
    const ProgressSink silent;
    const Stop stop;
    SearchState state(step, goal, stop, silent);
    state.offer(*start);
    const double before = state.answer.value;
    search_locally(step, goal, *backend, 1'000'000, stop, state);
    ASSERT_LE(state.answer.value, before);
    ASSERT_TRUE(replay(problem, to_schedule(step, *state.answer.best)).valid());
    const double found = step.once_cost + state.answer.value;
    const double rounding = kLocalRounding * std::max(1.0, std::abs(*cheapest));
    ASSERT_GE(found, *cheapest - rounding);
    if (found <= *cheapest + rounding + kOpenPart * state.answer.value) ++cheapest_found;
  }
  EXPECT_GE(cheapest_found, kOftenCheapest * kLocalInstances);
}

}  // namespace
}  // namespace poet::testing
