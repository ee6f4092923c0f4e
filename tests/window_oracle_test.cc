// Window models (window_model.h) against the oracle: on random instances with every feature that a
// problem can have, no model's optimum is above the problem's, whatever keys it has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/smaller_model.h"
#include "poet/solve/step.h"
#include "poet/solve/window_model.h"
#include "poet/solve/window_player.h"
#include "support/cheapest.h"
#include "support/instance_block.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kWindowRounding = 1e-6;  // relative: a backend's tolerances
constexpr int kInstancesOfBlock = random_cases(300);

WindowKeys every_key(const Step& step) {
  WindowKeys keys;
  for (std::int32_t t = 0; t < step.stages(); ++t) {
    keys.stages.push_back(t);
    for (std::int32_t k = 0; k < t; ++k) keys.crowded.push_back(Event{t, k});
  }
  return keys;
}

// Some of all: a crowded event needs its key and the one before it.
WindowKeys random_keys(const Step& step, std::mt19937_64& random) {
  WindowKeys keys;
  for (std::int32_t t = 0; t < step.stages(); ++t)
    if (random() % 2 == 0) keys.stages.push_back(t);
  if (keys.stages.empty()) keys.stages.push_back(step.stages() - 1);
  const auto has = [&keys](std::int32_t t) {
    return std::find(keys.stages.begin(), keys.stages.end(), t) != keys.stages.end();
  };
  for (const Event& event : every_key(step).crowded)
    if (has(event.stage) && has(event.stage - 1) && random() % 2 == 0)
      keys.crowded.push_back(event);
  return keys;
}

struct Solved {
  LinearStatus status = LinearStatus::Unknown;
  double cost = 0;  // of the whole step
  EventChoice choice = {};
};

Solved solve(const Step& step, const WindowKeys& keys, const WindowModelOptions& options) {
  static const std::unique_ptr<LinearBackend> backend = std::move(open_backend("cbc").value());
  const WindowModel model = make_window_model(step, keys, options);
  const SmallerModel smaller = make_smaller(model.linear);
  Solved solved;
  const IntegerAnswer answer = solve_smaller(smaller, *backend, {}, {}, {});
  solved.status = answer.status;
  solved.cost = step.once_cost + model.constant_cost + answer.objective;
  if (has_values(answer)) solved.choice = choice_of(step, model, answer.values);
  return solved;
}

class EveryWindow : public ::testing::TestWithParam<InstanceBlock> {};

TEST_P(EveryWindow, NoOptimumIsAboveTheProblems) {
  const RandomProblemOptions options = options_of(GetParam());
  int count = 0;
  for (std::uint64_t seed = GetParam().first_seed; count < kInstancesOfBlock; ++seed) {
    const Problem problem = random_problem(options, seed);
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (!cheapest) continue;
    ++count;
    const ShownOnFailure shown(problem, seed);
    const Step step = make_step(problem);
    std::mt19937_64 random(seed);
    for (const WindowKeys& keys : {every_key(step), random_keys(step, random)}) {
      const Solved loose = solve(step, keys, {});
      const Solved solved = solve(step, keys, {.reachable_sums = true});
      ASSERT_NEAR(solved.cost, loose.cost, kWindowRounding * std::max(1.0, std::abs(loose.cost)));
      ASSERT_EQ(solved.status, LinearStatus::Optimal);
      ASSERT_LE(solved.cost, *cheapest + kWindowRounding * std::max(1.0, std::abs(*cheapest)));
      // What keeps every budget is a schedule, and none is cheaper than the cheapest.
      const ChoiceFigures figures = figures_of(step, solved.choice);
      if (keeps_budgets(step, figures)) {
        ASSERT_GE(figures.cost, *cheapest - kWindowRounding * std::max(1.0, std::abs(*cheapest)));
      }
    }
  }
}

// With RAM as the objective no model asks for more than the smallest budget that works.
TEST_P(EveryWindow, NoLeastBudgetIsAboveTheProblems) {
  const RandomProblemOptions options = options_of(GetParam());
  const std::unique_ptr<LinearBackend> backend = std::move(open_backend("cbc").value());
  int count = 0;
  for (std::uint64_t seed = GetParam().first_seed; count < kInstancesOfBlock; ++seed) {
    const Problem problem = random_problem(options, seed);
    const std::optional<std::int64_t> least = least_ram_budget(problem);
    if (!least) continue;
    ++count;
    const ShownOnFailure shown(problem, seed);
    const Step step = make_step(problem);
    std::mt19937_64 random(seed);
    for (const WindowKeys& keys : {every_key(step), random_keys(step, random)}) {
      const WindowModel model =
          make_window_model(step, keys, {.objective = EventObjective::RamBudget});
      const IntegerAnswer answer = solve_smaller(make_smaller(model.linear), *backend, {}, {}, {});
      ASSERT_EQ(answer.status, LinearStatus::Optimal);
      ASSERT_LE(answer.objective * model.byte_unit,
                static_cast<double>(*least - resident_bytes(problem)) + kWindowRounding);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, EveryWindow, ::testing::ValuesIn(every_block(5'000'000, 100'000)));

}  // namespace
}  // namespace poet::testing
