// A problem is made from the bytes, and asked about with techniques that the bytes choose. Whatever
// they are, an answer comes, and what it claims is so: its schedule breaks no rule and has the
// objective that is said, its certificate holds, and no schedule that the oracle of the tests knows
// is better than its bound.
#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "../support/cheapest.h"
#include "poet/base/check.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/solver.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"
#include "problem_from_bytes.h"

namespace {

using namespace poet;

// What networks on devices can have; beyond that, cost ratios are refused or stated as a margin.
constexpr fuzz::Scale kScale{.most_bytes = std::int64_t{1} << 50, .most_cost = 1e6};
// A run must end: an answer may say that it is not the best.
constexpr std::int64_t kMostNodes = 200;
constexpr std::int64_t kMostIterations = 20'000;
// The oracle searches exhaustively.
constexpr std::size_t kMostOracleOperations = 5;
constexpr std::size_t kMostOracleTensors = 9;

SolveOptions take_options(FuzzedDataProvider& bytes) {
  SolveOptions options;
  options.max_nodes = kMostNodes;
  options.max_iterations = kMostIterations;
  for (const Named<bool Techniques::*>& technique : kTechniqueNames)
    options.techniques.*technique.value = bytes.ConsumeBool();
  if (bytes.ConsumeBool()) options.gap_ratio = 0;
  if (bytes.ConsumeBool()) options.few_events = 0;
  options.certificate = bytes.PickValueInArray(
      {CertificateEffort::None, CertificateEffort::Cheap, CertificateEffort::Whole});
  return options;
}

double rounding(const SolveOptions& options, double objective) {
  return (options.rounding_ratio + 1e-12) * std::abs(objective);
}

void check_schedule(const Problem& problem, const SolveOptions& options,
                    const SolveReport& report) {
  const Replay replayed = replay(problem, *report.best);
  POET_CHECK(replayed.valid());
  const double objective = objective_of(problem, replayed);
  POET_CHECK(std::abs(objective - report.objective) <= rounding(options, objective));
  POET_CHECK(report.lower_bound <= objective + rounding(options, objective));
}

void check_against_oracle(const Problem& problem, const SolveOptions& options,
                          const SolveReport& report) {
  const std::optional<double> least = testing::cheapest_objective(problem);
  if (report.status == SolveStatus::Infeasible) {
    POET_CHECK(!least);
  } else if (least) {
    POET_CHECK(report.lower_bound <= *least + rounding(options, *least));
    if (report.best) POET_CHECK(report.objective >= *least - rounding(options, *least));
    if (report.status == SolveStatus::Optimal)
      POET_CHECK(report.objective <=
                 *least + rounding(options, *least) +
                     allowed_gap(options, report.objective, unavoidable_objective(problem)));
  } else {
    POET_CHECK(!report.best);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const SolveOptions options = take_options(bytes);
  const TimeMode mode = bytes.PickValueInArray({TimeMode::Free, TimeMode::Blocking});
  Problem problem = fuzz::ProblemFromBytes(bytes, kScale).take_problem();
  problem.time_mode = mode;
  if (check_problem(problem)) return 0;
  static const std::unique_ptr<Solver> solver = planner_table().front().make();
  const Result<SolveReport> report = solver->solve(problem, options, {}, {});
  POET_CHECK(report.ok());
  const bool answers =
      report->status == SolveStatus::Optimal || report->status == SolveStatus::Feasible;
  POET_CHECK(report->best.has_value() == answers);
  if (report->certificate) POET_CHECK(check_certificate(problem, *report->certificate).holds());
  if (report->best) check_schedule(problem, options, *report);
  if (problem.operations.size() <= kMostOracleOperations &&
      problem.tensors.size() <= kMostOracleTensors)
    check_against_oracle(problem, options, *report);
  return 0;
}
