// Every published method that does not search, on thousands of problems with everything in them: it
// says that it cannot speak of one, or its answer keeps every limit and `over_limits` breaks
// nothing but limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "poet/methods/method_table.h"
#include "poet/verify/replay.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet {
namespace {

// Integer programs; held to the oracle elsewhere.
const std::set<std::string_view> kSearching = {"checkmate", "rematerialisation", "paging",
                                               "poet-released", "poet"};

// They can keep everything, so they have something to say of every problem. A schedule that breaks
// a rule is no proposal at all (proposals.h), and must not pass in silence.
const std::set<std::string_view> kNeverSilent = {"keep-all", "keep-all-unfreed", "dtr",
                                                 "dtr-eq",   "dtr-local",        "min-cut",
                                                 "capuchin", "checkmate-rounded"};

bool is_limit(Rule rule) {
  return rule == Rule::RamBudget || rule == Rule::Deadline || rule == Rule::StorageCapacity ||
         rule == Rule::WriteBudget;
}

void expect_sound(const Problem& problem, const SolveReport& report) {
  EXPECT_EQ(report.best.has_value(),
            report.status == SolveStatus::Feasible || report.status == SolveStatus::Optimal);
  if (report.best) {
    const Replay replayed = replay(problem, *report.best);
    EXPECT_TRUE(replayed.valid()) << replayed.findings[0].message;
    EXPECT_EQ(report.objective, objective_of(problem, replayed));
  }
  if (!report.over_limits) return;
  EXPECT_FALSE(report.best.has_value());
  for (const Finding& finding : replay(problem, *report.over_limits).findings)
    EXPECT_TRUE(is_limit(finding.rule)) << finding.message;
}

// A random graph does not say where its backward pass begins.
Problem with_backward(Problem problem, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  const std::size_t begin = dice() % (problem.operations.size() + 1);
  for (std::size_t v = begin; v < problem.operations.size(); ++v)
    problem.operations[v].backward = true;
  return problem;
}

int answers_of_every_method(const Problem& problem) {
  int answers = 0;
  for (const MethodEntry& entry : method_table()) {
    if (kSearching.contains(entry.name)) continue;
    SCOPED_TRACE(std::string(entry.name));
    const Result<SolveReport> report = entry.make()->solve(problem, {}, {}, {});
    if (!report.ok()) {
      EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
      continue;
    }
    expect_sound(problem, *report);
    EXPECT_TRUE(!kNeverSilent.contains(entry.name) || report->best || report->over_limits ||
                !report->notes.empty());
    answers += report->best.has_value();
  }
  return answers;
}

constexpr int kLimitInstances = testing::random_cases(1500);

TEST(MethodLimits, AnswersKeepEveryLimit) {
  int answers = 0;
  for (std::uint64_t seed = 0;
       seed < static_cast<std::uint64_t>(kLimitInstances) && !::testing::Test::HasFailure();
       ++seed) {
    const Problem problem = with_backward(testing::random_problem({}, seed), seed);
    const testing::ShownOnFailure shown(problem, seed);
    answers += answers_of_every_method(problem);
  }
  EXPECT_GT(answers, kLimitInstances);
}

}  // namespace
}  // namespace poet
