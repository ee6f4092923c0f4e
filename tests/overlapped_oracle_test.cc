// The planner of overlapped transfers against an exhaustive search with a clock of its own, on
// small random instances.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <iostream>

#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"
#include "support/cheapest_overlapped.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kOverlapRounding = 1e-7;
constexpr std::int64_t kMostStates = 20'000;

RandomProblemOptions small_overlapped() {
  RandomProblemOptions options;
  options.least_operations = 3;
  options.most_operations = 4;
  options.views = false;
  options.in_place = false;
  options.choosable_residents = false;
  options.time_mode = TimeMode::Overlapped;
  return options;
}

struct OverlapTally {
  int known = 0;       // the oracle has an answer
  int solvable = 0;    // and it is a schedule
  int found = 0;       // by the planner
  int best = 0;        // as good as the oracle's
  int optimal = 0;     // and proved
  int impossible = 0;  // the oracle proves that there is none
  int infeasible = 0;  // and so does the planner
};

void expect_no_contradiction(const Problem& problem, const SolveReport& report,
                             const std::optional<double>& cheapest, OverlapTally& tally) {
  ++tally.known;
  if (!cheapest) {
    ++tally.impossible;
    EXPECT_FALSE(report.best);
    tally.infeasible += report.status == SolveStatus::Infeasible ? 1 : 0;
    return;
  }
  ++tally.solvable;
  const double tolerance = kOverlapRounding * std::max(1.0, *cheapest);
  ASSERT_NE(report.status, SolveStatus::Infeasible);
  EXPECT_LE(report.lower_bound, *cheapest + tolerance);
  EXPECT_LE(unavoidable_objective(problem), *cheapest + tolerance);
  if (report.certificate) {
    const CertificateCheck check = check_certificate(problem, *report.certificate);
    ASSERT_TRUE(check.holds()) << *check.fault;
    EXPECT_LE(check.proved_bound, *cheapest + tolerance);
  }
  if (!report.best) return;
  ++tally.found;
  const Replay replayed = replay(problem, *report.best);
  ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
  EXPECT_NEAR(objective_of(problem, replayed), report.objective, tolerance);
  EXPECT_GE(report.objective, *cheapest - tolerance);
  const bool is_best = report.objective <= *cheapest + tolerance;
  tally.best += is_best ? 1 : 0;
  tally.optimal += report.status == SolveStatus::Optimal ? 1 : 0;
  if (report.status == SolveStatus::Optimal) {
    EXPECT_TRUE(is_best) << report.objective << ", not " << *cheapest;
  }
}

OverlapTally tally_of(const RandomProblemOptions& options, std::uint64_t first,
                      std::uint64_t last) {
  OverlapTally tally;
  SolveOptions exactly;
  exactly.gap_ratio = 0;
  const std::unique_ptr<Solver> planner = make_planner();
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const Problem problem = random_problem(options, seed);
    const ShownOnFailure shown(problem, seed);
    const OverlappedAnswer truth = cheapest_overlapped(problem, kMostStates);
    if (!truth.complete) continue;
    exactly.certificate = seed % 5 == 0 ? CertificateEffort::Whole : CertificateEffort::None;
    const Result<SolveReport> report = planner->solve(problem, exactly, {}, {});
    EXPECT_TRUE(report.ok());
    expect_no_contradiction(problem, *report, truth.cheapest, tally);
    if (::testing::Test::HasFailure()) break;  // one instance is enough to read
  }
  std::cout << tally.known << " known, " << tally.solvable << " solvable, " << tally.found
            << " found, " << tally.best << " best, " << tally.optimal << " optimal; "
            << tally.impossible << " impossible, " << tally.infeasible << " proved\n";
  return tally;
}

class PlannerBesideTheProcessor : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PlannerBesideTheProcessor, NeverContradictsTheOracle) {
  const OverlapTally tally =
      tally_of(small_overlapped(), GetParam(), GetParam() + random_cases(50));
  EXPECT_GE(tally.known, random_cases(20));
  // How good it is: what is not best or not proved has to stay a small part.
  EXPECT_GE(tally.found, 0.9 * tally.solvable);
  EXPECT_GE(tally.best, 0.8 * tally.solvable);
  EXPECT_GE(tally.optimal, 0.6 * tally.solvable);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlannerBesideTheProcessor, ::testing::Values(0, 50, 100, 150));

}  // namespace
}  // namespace poet::testing
