// The search for large steps (large_search.h) against the oracle, on random instances with every
// feature that a problem can have: no prices bound above the optimum, and what is answered is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/solve/event_solver.h"
#include "poet/solve/interval_packing.h"
#include "poet/solve/interval_prices.h"
#include "poet/solve/interval_program.h"
#include "poet/solve/keep_intervals.h"
#include "poet/solve/linear_backend.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kIntervalRounding = 1e-9;  // relative
constexpr int kIntervalInstances = random_cases(1500);

// Three rooms in four cost nothing, the others up to two units a byte.
IntervalPrices random_prices(const Step& step, std::mt19937_64& random) {
  const auto some = [&random] {
    return random() % 4 == 0 ? static_cast<double>(random() % 1024) / 512 : 0.0;
  };
  IntervalPrices prices;
  for (std::int32_t t = 0; t < step.stages(); ++t) prices.byte.push_back(some());
  prices.second = some();
  prices.storage_byte = some();
  prices.written_byte = some();
  return prices;
}

void expect_not_above(double bound, double cheapest) {
  EXPECT_LE(bound, cheapest + kIntervalRounding * std::max(1.0, std::abs(cheapest)));
}

TEST(IntervalPrices, BoundEveryScheduleWhateverTheyAre) {
  const auto opened = open_backend("cbc");
  ASSERT_TRUE(opened.ok());
  const LinearBackend* const backend = opened->get();
  int count = 0, above_unavoidable = 0, by_program = 0;
  for (std::uint64_t seed = 31'000'000; count < kIntervalInstances; ++seed) {
    const Problem problem = random_problem({}, seed);
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (!cheapest) continue;
    ++count;
    const ShownOnFailure shown(problem, seed);
    const Step step = make_step(problem);
    const KeepIntervals intervals = keep_intervals(step);
    std::mt19937_64 random(seed);
    for (int n = 0; n < 10; ++n) {
      IntervalPrices prices = random_prices(step, random);
      if (!step.deadline_s) prices.second = 0;
      if (!step.storage_room_bytes) prices.storage_byte = 0;
      if (!step.write_room_bytes) prices.written_byte = 0;
      expect_not_above(step.once_cost + interval_bound(step, intervals, prices), *cheapest);
    }
    const PricedIntervals priced =
        price_intervals(step, intervals, *cheapest - step.once_cost, 200, {});
    expect_not_above(step.once_cost + priced.bound, *cheapest);
    EXPECT_EQ(priced.bound, interval_bound(step, intervals, priced.prices));
    if (step.once_cost + priced.bound > unavoidable_objective(problem) + 0.01) ++above_unavoidable;
    const auto best = price_by_program(step, intervals, *backend, {});
    if (best) {
      expect_not_above(step.once_cost + best->bound, *cheapest);
      // Its prices are the best that there are, but for the backend's tolerances.
      const double scale = std::abs(step.once_cost) + std::abs(priced.bound);
      EXPECT_GE(best->bound, priced.bound - 1e-5 * scale);
      ++by_program;
    }
    if (const auto choice = pack_intervals(step, intervals, priced.prices)) {
      const Replay replayed = replay(problem, to_schedule(step, *choice));
      EXPECT_TRUE(replayed.valid());
      EXPECT_GE(objective_of(problem, replayed), *cheapest * (1 - kIntervalRounding));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(above_unavoidable, kIntervalInstances / 20);  // prices do bound something
  EXPECT_GT(by_program, kIntervalInstances / 2);
}

TEST(LargeSearch, SaysWhatIsTrue) {
  const std::unique_ptr<Solver> solver = make_event_solver();
  int with_schedule = 0;
  for (int n = 0; n < kIntervalInstances / 3; ++n) {
    const std::uint64_t seed = 32'000'000 + static_cast<std::uint64_t>(n);
    const Problem problem = random_problem({}, seed);
    const ShownOnFailure shown(problem, seed);
    SolveOptions options;
    options.large_stages = 0;
    options.gap_ratio = 0;
    options.techniques.windows = seed % 2 == 0;
    const Result<SolveReport> report = solver->solve(problem, options, {}, {});
    ASSERT_TRUE(report.ok());
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (report->status == SolveStatus::Infeasible) {
      EXPECT_FALSE(cheapest);
    }
    if (cheapest) expect_not_above(report->lower_bound, *cheapest);
    if (report->best) {
      ++with_schedule;
      const Replay replayed = replay(problem, *report->best);
      EXPECT_TRUE(replayed.valid());
      ASSERT_TRUE(cheapest);
      EXPECT_GE(objective_of(problem, replayed), *cheapest * (1 - kIntervalRounding));
      if (report->status == SolveStatus::Optimal) expect_not_above(report->objective, *cheapest);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(with_schedule, kIntervalInstances / 10);
}

}  // namespace
}  // namespace poet::testing
