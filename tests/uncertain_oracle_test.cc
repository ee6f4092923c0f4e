// Costs above their figures: the planner against an exhaustive search that tries every set of them,
// and the worst case of the verifier against machines on which they are (docs/model/problem.md §4).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iostream>
#include <random>

#include "poet/base/json.h"
#include "poet/base/json_reader.h"
#include "poet/exact/replay.h"
#include "poet/exact/uncertainty.h"
#include "poet/overlap/planner.h"
#include "poet/problem/problem_json.h"
#include "poet/problem/schedule_json.h"
#include "poet/problem/uncertainty.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/random_schedule.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kUncertainRounding = 1e-7;
constexpr std::uint64_t kSeedsOfAll = 30;

RandomProblemOptions small_family() {
  RandomProblemOptions options;
  options.least_operations = 3;
  options.most_operations = 5;
  options.time_mode = TimeMode::Blocking;
  return options;
}

// Of most instances the deadline lies between what the cheapest schedule of all takes in the worst
// case and what it would take if only costs that every schedule pays were above their figures: by
// the figures it is in time, and in the worst case late.
Problem uncertain_problem(std::uint64_t seed, std::optional<std::int64_t> deviations) {
  Problem problem = random_problem(small_family(), seed);
  const double drawn_s = 1.25 * problem.deadline_s.value_or(30);
  problem.deadline_s.reset();
  problem.uncertainty = Uncertainty{.ratio = 0.25, .deviations = deviations};
  const std::optional<Schedule> cheapest = cheapest_schedule(problem);
  double asked_s = drawn_s;
  if (cheapest && seed % 4 != 0) {
    const Replay replayed = replay(problem, *cheapest);
    const double least_s = least_worst_s(problem, replayed.time_s);
    const double part = static_cast<double>(seed % 4 - 1) / 2.5;
    asked_s = least_s + part * (replayed.worst_case->time_s - least_s);
  }
  set_deadline(problem, asked_s);
  return problem;
}

struct UncertainTally {
  int solvable = 0;  // a schedule keeps the deadline of the worst case
  int found = 0;
  int best = 0;
  int optimal = 0;
  int late_by_the_figures = 0;  // the best schedule by the figures is late in the worst case
};

void expect_no_contradiction(const Problem& problem, const SolveReport& report,
                             const std::optional<double>& cheapest) {
  if (!cheapest) {
    EXPECT_FALSE(report.best);
    return;
  }
  const double tolerance = kUncertainRounding * std::max(1.0, *cheapest);
  ASSERT_NE(report.status, SolveStatus::Infeasible);
  EXPECT_LE(report.lower_bound, *cheapest + tolerance);
  if (report.certificate) {
    const CertificateCheck check = check_certificate(problem, *report.certificate);
    ASSERT_TRUE(check.holds()) << *check.fault;
    EXPECT_LE(check.proved_bound, *cheapest + tolerance);
  }
  if (!report.best) return;
  const Replay replayed = replay(problem, *report.best);
  ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
  EXPECT_GE(report.objective, *cheapest - tolerance);
  if (report.status == SolveStatus::Optimal) {
    EXPECT_LE(report.objective, *cheapest + tolerance);
  }
}

bool is_late_by_the_figures(const Problem& problem) {
  const std::optional<Schedule> by_figures = cheapest_schedule(by_the_figures(problem));
  return by_figures && !replay(problem, *by_figures).valid();
}

UncertainTally tally_of(std::optional<std::int64_t> deviations, std::uint64_t seeds) {
  UncertainTally tally;
  SolveOptions options;
  options.gap_ratio = 0;
  options.certificate = CertificateEffort::Cheap;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Problem problem = uncertain_problem(seed, deviations);
    // Of others the solver's own tests speak.
    if (deviations && seed > kSeedsOfAll && !is_late_by_the_figures(problem)) continue;
    const ShownOnFailure shown(problem, seed);
    EXPECT_FALSE(check_problem(problem));
    const std::optional<double> cheapest = cheapest_objective(problem);
    const SolveReport report = *make_planner()->solve(problem, options, {}, {});
    expect_no_contradiction(problem, report, cheapest);
    if (!cheapest) continue;
    ++tally.solvable;
    tally.found += report.best ? 1 : 0;
    const double tolerance = kUncertainRounding * std::max(1.0, *cheapest);
    tally.best += report.best && report.objective <= *cheapest + tolerance ? 1 : 0;
    tally.optimal += report.status == SolveStatus::Optimal ? 1 : 0;
    tally.late_by_the_figures += is_late_by_the_figures(problem) ? 1 : 0;
  }
  return tally;
}

std::ostream& operator<<(std::ostream& out, const UncertainTally& tally) {
  return out << tally.solvable << " solvable: " << tally.found << " found, " << tally.best
             << " best, " << tally.optimal << " proved; by the figures "
             << tally.late_by_the_figures << " late\n";
}

TEST(UncertainOracle, EveryAnswerIsBestWhereAllCostsMayBeAbove) {
  const UncertainTally tally = tally_of(std::nullopt, random_cases(60));
  std::cout << tally;
  EXPECT_GT(tally.solvable, 0);
  EXPECT_EQ(tally.optimal, tally.solvable);
  EXPECT_EQ(tally.late_by_the_figures, 0);
}

TEST(UncertainOracle, NoAnswerContradictsIt) {
  UncertainTally all;
  for (const std::int64_t deviations : {1, 2, 4}) {
    const UncertainTally tally = tally_of(deviations, random_cases(160));
    std::cout << "at most " << deviations << ": " << tally;
    all.solvable += tally.solvable;
    all.found += tally.found;
    all.optimal += tally.optimal;
    all.late_by_the_figures += tally.late_by_the_figures;
  }
  // So that the search beyond the figures is looked at.
  if (!kUnderSanitizers) {
    EXPECT_GT(all.late_by_the_figures, 0);
  }
  EXPECT_GE(all.found, all.solvable * 9 / 10);
  EXPECT_GE(all.optimal, all.solvable * 7 / 10);
}

// --- machines ------------------------------------------------------------------------------------

// The problem on a machine where at most as many costs as the uncertainty says are above their
// figures, drawn at random: by all of its part, or by some of it.
Problem machine_of(const Problem& problem, std::mt19937_64& random) {
  const std::size_t operations = problem.operations.size(), tensors = problem.tensors.size();
  std::vector<double> factors(operations + 2 * tensors, 1);
  std::vector<std::size_t> order(factors.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
  for (std::size_t c = order.size(); c-- > 1;) std::swap(order[c], order[random() % (c + 1)]);
  const Uncertainty& uncertainty = *problem.uncertainty;
  order.resize(static_cast<std::size_t>(std::min<std::int64_t>(
      uncertainty.deviations.value_or(std::ssize(order)), std::ssize(order))));
  for (const std::size_t c : order)
    factors[c] += uncertainty.ratio * static_cast<double>(random() % 5) / 4;
  Problem machine = by_the_figures(problem);
  machine.deadline_s.reset();
  for (std::size_t v = 0; v < operations; ++v) {
    machine.operations[v].compute_s *= factors[v];
    machine.operations[v].compute_j *= factors[v];
  }
  for (std::size_t i = 0; i < tensors; ++i) {
    machine.tensors[i].page_in_s *= factors[operations + i];
    machine.tensors[i].page_in_j *= factors[operations + i];
    machine.tensors[i].page_out_s *= factors[operations + tensors + i];
    machine.tensors[i].page_out_j *= factors[operations + tensors + i];
  }
  return machine;
}

// Every set of costs, each by all of its part, for steps with few of them.
WorstCase worst_of_all_machines(const Problem& problem, const Schedule& schedule) {
  std::vector<double*> costs;
  Problem machine = by_the_figures(problem);
  machine.deadline_s.reset();
  const std::size_t all = machine.operations.size() + 2 * machine.tensors.size();
  WorstCase worst;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << all; ++set) {
    if (problem.uncertainty->deviations && std::popcount(set) > *problem.uncertainty->deviations)
      continue;
    Problem one = machine;
    std::size_t c = 0;
    const auto raise = [&](double& time_s, double& energy_j) {
      if ((set >> c++ & 1) == 0) return;
      time_s *= 1 + problem.uncertainty->ratio;
      energy_j *= 1 + problem.uncertainty->ratio;
    };
    for (Operation& operation : one.operations) raise(operation.compute_s, operation.compute_j);
    for (Tensor& tensor : one.tensors) raise(tensor.page_in_s, tensor.page_in_j);
    for (Tensor& tensor : one.tensors) raise(tensor.page_out_s, tensor.page_out_j);
    const Replay replayed = replay(one, schedule);
    worst.time_s = std::max(worst.time_s, replayed.time_s);
    worst.energy_j = std::max(worst.energy_j, replayed.energy_j);
  }
  return worst;
}

TEST(UncertainMachines, TheWorstOfAllIsTheWorstCase) {
  RandomProblemOptions options = small_family();
  options.most_operations = 3;
  options.several_outputs = false;
  for (std::uint64_t seed = 1; seed <= random_cases(30); ++seed) {
    Problem problem = random_problem(options, seed);
    problem.deadline_s.reset();
    const Schedule schedule = random_schedule(problem, seed);
    if (problem.operations.size() + 2 * problem.tensors.size() > 13) continue;
    for (const std::int64_t deviations : {1, 3}) {
      problem.uncertainty = Uncertainty{.ratio = 0.25, .deviations = deviations};
      const ShownOnFailure shown(problem, seed);
      const WorstCase worst = worst_of_all_machines(problem, schedule);
      const WorstCase said = *replay(problem, schedule).worst_case;
      EXPECT_NEAR(said.time_s, worst.time_s, 1e-9 * worst.time_s);
      EXPECT_NEAR(said.energy_j, worst.energy_j, 1e-9 * worst.energy_j);
    }
  }
}

std::optional<std::string> exact_fault(const Problem& problem, const Schedule& schedule) {
  const std::string problem_file = problem_text(problem), schedule_file = schedule_text(schedule);
  const Result<JsonValue> problem_json = parse_json(problem_file, "problem.json");
  const Result<JsonValue> schedule_json = parse_json(schedule_file, "schedule.json");
  JsonReader reader("test");
  const exact::Problem read = exact::read_problem(*problem_json, reader);
  const exact::Schedule actions = exact::read_schedule(*schedule_json, reader);
  EXPECT_FALSE(reader.failure());
  EXPECT_FALSE(exact::deadline_fault(read));
  return exact::replay(read, actions).fault;
}

TEST(UncertainMachines, TheExactReplayIsLateWhereTheVerifierIs) {
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    RandomProblemOptions options;
    options.time_mode = seed % 2 == 0 ? TimeMode::Overlapped : TimeMode::Blocking;
    Problem problem = random_problem(options, seed);
    problem.deadline_s.reset();
    problem.ram_budget_bytes = std::int64_t{1} << 40;
    problem.storage_capacity_bytes.reset();
    problem.write_budget_bytes.reset();
    const Schedule schedule = random_schedule(problem, seed);
    problem.uncertainty = Uncertainty{.ratio = 0.25};
    if (seed % 3 != 0) problem.uncertainty->deviations = 1 + seed % 5;
    const Replay replayed = replay(problem, schedule);
    if (!replayed.valid()) continue;
    const ShownOnFailure shown(problem, seed);
    set_deadline(problem, replayed.worst_case->time_s);
    EXPECT_EQ(exact_fault(problem, schedule), std::nullopt);
    if (replayed.worst_case->time_s == 0) continue;
    set_deadline(problem, 0.999 * replayed.worst_case->time_s);
    problem.deadline_s =
        std::max(*problem.deadline_s, replayed.time_s);  // by the figures it stays in time
    EXPECT_EQ(exact_fault(problem, schedule),
              "in the worst case the step takes longer than its deadline");
    ++judged;
  }
  EXPECT_GT(judged, random_cases(60) / 3);
}

TEST(UncertainMachines, NoneIsWorseThanTheWorstCaseInAnyTimeMode) {
  std::mt19937_64 random(22);
  for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped})
    for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
      RandomProblemOptions options;
      options.time_mode = mode;
      Problem problem = random_problem(options, seed);
      problem.deadline_s.reset();
      const Schedule schedule = random_schedule(problem, seed);
      problem.uncertainty = Uncertainty{.ratio = 0.25};
      if (seed % 3 != 0) problem.uncertainty->deviations = 1 + seed % 5;
      const ShownOnFailure shown(problem, seed);
      const WorstCase worst = *replay(problem, schedule).worst_case;
      for (int k = 0; k < 20; ++k) {
        const Replay there = replay(machine_of(problem, random), schedule);
        EXPECT_LE(there.time_s, worst.time_s * (1 + 1e-12));
        EXPECT_LE(there.energy_j, worst.energy_j * (1 + 1e-12));
      }
    }
}

}  // namespace
}  // namespace poet::testing
