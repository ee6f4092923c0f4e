// Several memories (docs/model/memories.md): the verifier, and what the planner says, against an
// exhaustive search that shares nothing with them, on small random instances with two and three
// memories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>

#include "poet/overlap/least_in_memories.h"
#include "poet/overlap/memory_bound.h"
#include "poet/overlap/place_buffers.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/problem/problem.h"
#include "poet/problem/problem_json.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/cheapest_in_memories.h"
#include "support/random_cases.h"
#include "support/random_problem.h"

namespace poet::testing {
namespace {

constexpr double kMemoryRounding = 1e-9;

RandomProblemOptions small_in_memories() {
  RandomProblemOptions options;
  options.least_operations = 2;
  options.most_operations = 4;
  return options;
}

// What the oracle's states are made of: tensors that may lie in any memory.
std::int64_t movable_tensors(const Problem& problem) {
  return std::count_if(problem.tensors.begin(), problem.tensors.end(), [](const Tensor& tensor) {
    return !tensor.view_of && (tensor.home == Home::Made || tensor.home == Home::Storage);
  });
}

// The first problem from `seed` on of so few tensors that it is searched in no time.
Problem problem_in_memories(std::uint64_t seed) {
  for (std::uint64_t next = 1'000 * seed;; ++next) {
    const Problem problem = random_problem(small_in_memories(), next);
    if (movable_tensors(problem) <= 5) return with_memories(problem, next);
  }
}

TEST(ProblemsInMemories, AreWellFormed) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Failure failure = check_problem(problem_in_memories(seed));
    ASSERT_FALSE(failure) << "seed " << seed << ": " << failure->message;
  }
}

// Two oracles that share nothing agree where there is one memory.
TEST(CheapestInMemories, IsTheOtherOracleWhereThereIsOneMemory) {
  for (std::uint64_t seed = 0; seed < random_cases(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = random_problem(small_in_memories(), seed);
    const std::optional<double> one = cheapest_objective(problem);
    const std::optional<CheapestInMemories> other = cheapest_in_memories(problem);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (one) {
      ASSERT_NEAR(*one, other->objective, kMemoryRounding * std::max(1.0, *one));
    }
  }
}

// What the oracle finds is valid for the verifier and costs the same, down to the last byte: with
// any memory a byte smaller than the schedule uses it, it is not.
TEST(CheapestInMemories, IsWhatTheVerifierReplays) {
  int solved = 0, in_further = 0;
  for (std::uint64_t seed = 0; seed < random_cases(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = problem_in_memories(seed);
    const std::optional<CheapestInMemories> best = cheapest_in_memories(problem);
    if (!best) continue;
    ++solved;
    in_further += best->schedule.placed.empty() ? 0 : 1;
    const Replay replayed = replay(problem, best->schedule);
    ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message << "\n"
                                  << problem_text(problem);
    ASSERT_NEAR(objective_of(problem, replayed), best->objective,
                kMemoryRounding * std::max(1.0, best->objective));
    for (std::size_t m = 0; m < problem.further_memories.size(); ++m) {
      if (replayed.further_peak_bytes[m] == 0) continue;
      Problem smaller = problem;
      smaller.further_memories[m].size_bytes = replayed.further_peak_bytes[m] - 1;
      ASSERT_EQ(replay(smaller, best->schedule).findings.front().rule, Rule::MemoryFull);
    }
  }
  EXPECT_GT(solved, random_cases(120) / 3);
  EXPECT_GT(in_further, random_cases(120) / 10);
}

// More memory, or a cheaper one, never costs more.
TEST(CheapestInMemories, NeverCostsMoreInMoreMemory) {
  for (std::uint64_t seed = 0; seed < random_cases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = problem_in_memories(seed);
    Problem without = problem;
    without.further_memories.clear();
    Problem joined = without;
    for (const FurtherMemory& memory : problem.further_memories)
      joined.ram_budget_bytes += memory.size_bytes;
    const std::optional<CheapestInMemories> best = cheapest_in_memories(problem);
    if (const std::optional<double> less = cheapest_objective(without)) {
      ASSERT_TRUE(best);
      ASSERT_LE(best->objective, *less + kMemoryRounding * std::max(1.0, *less));
    }
    if (!best) continue;
    const std::optional<double> more = cheapest_objective(joined);
    ASSERT_TRUE(more);
    ASSERT_LE(*more, best->objective + kMemoryRounding * std::max(1.0, best->objective));
  }
}

// --- The bound

TEST(MemoryBound, IsBelowTheOptimumWhateverTheMultipliers) {
  const auto backend = open_backend("cbc");
  ASSERT_TRUE(backend.ok());
  int above_unavoidable = 0, tight = 0;
  for (std::uint64_t seed = 0; seed < random_cases(160); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = problem_in_memories(seed);
    const std::optional<CheapestInMemories> best = cheapest_in_memories(problem);
    if (!best) continue;
    const double most = best->objective + kMemoryRounding * std::max(1.0, best->objective);
    const double bound = memory_bound(problem, **backend, {});
    ASSERT_LE(bound, most) << problem_text(problem);
    above_unavoidable += bound > unavoidable_objective(problem) + 1e-9 ? 1 : 0;
    tight += bound > unavoidable_objective(problem) + 1e-9 && bound >= best->objective - 1e-6;
    std::mt19937_64 engine(seed);
    for (int k = 0; k < 20; ++k) {
      std::vector<double> multipliers;
      for (std::size_t v = 0; v < problem.operations.size(); ++v)
        multipliers.push_back(static_cast<double>(engine() % 64) / 64 - 0.25);
      ASSERT_LE(memory_bound_of(problem, multipliers), most);
    }
  }
  EXPECT_GT(above_unavoidable, random_cases(160) / 10);
  EXPECT_GT(tight, 0);
  std::cout << "above what is unavoidable: " << above_unavoidable << ", tight: " << tight << "\n";
}

// --- Places

// Every buffer in every memory, by the verifier.
std::optional<double> cheapest_places(const Problem& problem, Schedule schedule) {
  std::vector<PlacedBuffer> buffers;
  schedule.placed.clear();
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    for (std::int64_t a = -1; a < std::ssize(schedule.actions); ++a) {
      const PlacedBuffer one{TensorId{static_cast<std::int32_t>(i)},
                             a < 0 ? std::nullopt : std::optional(a), MemoryId{1}};
      schedule.placed = {one};
      const Replay replayed = replay(problem, schedule);
      const bool is_wrong =
          std::any_of(replayed.findings.begin(), replayed.findings.end(),
                      [](const Finding& finding) { return finding.rule == Rule::WrongPlace; });
      if (!is_wrong) buffers.push_back(one);
    }
  const std::size_t memories = problem.further_memories.size() + 1;
  std::size_t ways = 1;
  for (std::size_t b = 0; b < buffers.size(); ++b) ways *= memories;
  std::optional<double> best;
  for (std::size_t way = 0; way < ways; ++way) {
    schedule.placed.clear();
    std::size_t rest = way;
    for (PlacedBuffer one : buffers) {
      one.memory = MemoryId{static_cast<std::int32_t>(rest % memories)};
      rest /= memories;
      if (one.memory != kFastRam) schedule.placed.push_back(one);
    }
    const Replay replayed = replay(problem, schedule);
    const double objective = objective_of(problem, replayed);
    if (replayed.valid() && (!best || objective < *best)) best = objective;
  }
  return best;
}

TEST(PlaceBuffers, CostLeastOfAllPlaces) {
  const auto backend = open_backend("cbc");
  ASSERT_TRUE(backend.ok());
  int placed = 0, without = 0;
  for (std::uint64_t seed = 0; seed < random_cases(160); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = problem_in_memories(seed);
    Problem joined = problem;
    joined.further_memories.clear();
    for (const FurtherMemory& memory : problem.further_memories)
      joined.ram_budget_bytes += memory.size_bytes;
    const std::optional<Schedule> schedule = cheapest_schedule(joined);
    if (!schedule || schedule->actions.size() > 14) continue;
    const std::optional<double> least = cheapest_places(problem, *schedule);
    const std::optional<PlacedSchedule> found =
        place_buffers(problem, *schedule, **backend, {}, {});
    ASSERT_EQ(least.has_value(), found.has_value()) << problem_text(problem);
    if (!found) {
      ++without;
      continue;
    }
    const Replay replayed = replay(problem, found->schedule);
    ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
    ASSERT_TRUE(found->is_cheapest);
    ASSERT_NEAR(objective_of(problem, replayed), *least, 1e-7 * std::max(1.0, *least));
    placed += found->schedule.placed.empty() ? 0 : 1;
  }
  EXPECT_GT(placed, random_cases(160) / 10);
  EXPECT_GT(without, 0);
}

// --- The planner

TEST(PlannerInMemories, NeverContradictsTheOracle) {
  int solvable = 0, found = 0, best = 0, optimal = 0, impossible = 0, infeasible = 0;
  for (std::uint64_t seed = 0; seed < random_cases(160); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = problem_in_memories(seed);
    const std::optional<CheapestInMemories> cheapest = cheapest_in_memories(problem);
    const Result<SolveReport> report = make_planner()->solve(problem, {}, {}, {});
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    ASSERT_FALSE(report->certificate);
    if (!cheapest) {
      ++impossible;
      ASSERT_FALSE(report->best);
      infeasible += report->status == SolveStatus::Infeasible ? 1 : 0;
      continue;
    }
    ++solvable;
    const double tolerance = 1e-7 * std::max(1.0, cheapest->objective);
    ASSERT_NE(report->status, SolveStatus::Infeasible);
    ASSERT_LE(report->lower_bound, cheapest->objective + tolerance);
    if (!report->best) continue;
    ++found;
    const Replay replayed = replay(problem, *report->best);
    ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
    ASSERT_NEAR(objective_of(problem, replayed), report->objective, tolerance);
    ASSERT_GE(report->objective, cheapest->objective - tolerance);
    const bool is_best = report->objective <= cheapest->objective + tolerance;
    best += is_best ? 1 : 0;
    if (report->status != SolveStatus::Optimal) continue;
    ++optimal;
    const double overhead = report->objective - unavoidable_objective(problem);
    ASSERT_LE(report->objective - cheapest->objective, 0.01 * overhead + 2e-6 * report->objective);
  }
  std::cout << "solvable " << solvable << ": found " << found << ", best " << best << ", optimal "
            << optimal << "; impossible " << impossible << ": said " << infeasible << "\n";
  EXPECT_GT(found, solvable * 9 / 10);
  EXPECT_GT(best, solvable * 7 / 10);
  EXPECT_GT(optimal, solvable / 4);
  EXPECT_GT(infeasible, impossible / 4);
}

// The schedules of overlapped problems are valid, and their bounds below what they take.
TEST(PlannerInMemories, FindsValidSchedulesInOverlappedTime) {
  int found = 0, placed = 0;
  for (std::uint64_t seed = 0; seed < random_cases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = problem_in_memories(seed);
    problem.time_mode = TimeMode::Overlapped;
    const Result<SolveReport> report = make_planner()->solve(problem, {}, {}, {});
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    if (!report->best) continue;
    ++found;
    placed += report->best->placed.empty() ? 0 : 1;
    const Replay replayed = replay(problem, *report->best);
    ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
    ASSERT_LE(report->lower_bound, objective_of(problem, replayed) + 1e-9);
  }
  EXPECT_GT(found, random_cases(60) / 4);
  EXPECT_GT(placed, random_cases(60) / 20);
}

// --- The smallest RAM

// More RAM is never worse, so the least that works is found by halves. The plain peak is enough for
// any schedule, so that where it is not, no RAM is.
std::optional<std::int64_t> least_ram_of_oracle(Problem problem) {
  std::int64_t below = -1, works = plain_peak_bytes(problem);
  const auto is_enough = [&problem](std::int64_t bytes) {
    problem.ram_budget_bytes = bytes;
    return cheapest_in_memories(problem).has_value();
  };
  if (!is_enough(works)) return std::nullopt;
  while (works - below > 1) {
    const std::int64_t bytes = below + (works - below) / 2;
    (is_enough(bytes) ? works : below) = bytes;
  }
  return works;
}

// Whether what is quickest, as far as is found, is a plan for energy that a deadline leaves.
bool has_plan_in_its_least_time(Problem problem, const SolveOptions& options) {
  problem.objective = Objective::Time;
  problem.deadline_s.reset();
  const Result<SolveReport> quickest = make_planner()->solve(problem, options, {}, {});
  if (!quickest.ok() || !quickest->best) return quickest.ok();
  problem.objective = Objective::Energy;
  problem.deadline_s = quickest->objective;
  const Result<SolveReport> planned = make_planner()->solve(problem, options, {}, {});
  return planned.ok() && planned->best;
}

TEST(LeastRamInMemories, LiesBetweenWhatIsProvedAndWhatIsFound) {
  int solvable = 0, least = 0, optimal = 0, impossible = 0, infeasible = 0, late = 0;
  for (std::uint64_t seed = 0; seed < random_cases(40); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = problem_in_memories(seed);
    const std::optional<std::int64_t> true_bytes = least_ram_of_oracle(problem);
    SolveOptions options;
    options.gap_ratio = 0;
    const Result<BudgetReport> report = least_ram_in_memories(problem, options, {}, {});
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    const LeastBudget& budget = report->least;
    if (!true_bytes) {
      ++impossible;
      ASSERT_FALSE(budget.found_bytes) << problem_text(problem);
      infeasible += budget.status == SolveStatus::Infeasible ? 1 : 0;
      continue;
    }
    ++solvable;
    ASSERT_NE(budget.status, SolveStatus::Infeasible) << problem_text(problem);
    ASSERT_LE(budget.proved_bytes, *true_bytes) << problem_text(problem);
    late += problem.deadline_s && budget.proved_bytes > largest_need_of_ram(problem).bytes ? 1 : 0;
    if (!budget.found_bytes) continue;
    ASSERT_GE(*budget.found_bytes, *true_bytes) << problem_text(problem);
    Problem at_least = problem;
    at_least.ram_budget_bytes = *budget.found_bytes;
    ASSERT_TRUE(replay(at_least, *budget.schedule).valid());
    const Result<SolveReport> planned = make_planner()->solve(at_least, options, {}, {});
    ASSERT_TRUE(planned.ok() && planned->best) << problem_text(at_least);
    ASSERT_TRUE(has_plan_in_its_least_time(problem, options)) << problem_text(problem);
    least += *budget.found_bytes == *true_bytes ? 1 : 0;
    ASSERT_EQ(budget.status == SolveStatus::Optimal, *budget.found_bytes == budget.proved_bytes);
    optimal += budget.status == SolveStatus::Optimal ? 1 : 0;
  }
  std::cout << "solvable " << solvable << ": least " << least << ", optimal " << optimal
            << ", proved by time " << late << "; impossible " << impossible << ": said "
            << infeasible << "\n";
  EXPECT_GT(least, solvable * 8 / 10);
  EXPECT_GT(optimal, solvable / 4);
}

}  // namespace
}  // namespace poet::testing
