// The methods for chains on random instances with every feature that a problem can have: what they
// answer is valid, and what they cannot speak of they refuse.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "poet/methods/method_table.h"
#include "poet/verify/replay.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

// The last so many operations become the backward pass, as no random graph has one.
Problem with_backward_pass(Problem problem, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t begin = 1 + random() % (problem.operations.size() - 1);
  for (std::size_t v = begin; v < problem.operations.size(); ++v)
    problem.operations[v].backward = true;
  return problem;
}

void expect_a_true_answer(const Problem& problem, const SolveReport& report) {
  EXPECT_EQ(report.status == SolveStatus::Feasible, report.best.has_value());
  if (report.best) {
    const Replay replayed = replay(problem, *report.best);
    ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
    EXPECT_EQ(report.objective, objective_of(problem, replayed));
  }
  if (report.over_limits) {
    EXPECT_FALSE(report.best);
    for (const Finding& finding : replay(problem, *report.over_limits).findings)
      EXPECT_TRUE(finding.rule == Rule::RamBudget || finding.rule == Rule::Deadline ||
                  finding.rule == Rule::StorageCapacity || finding.rule == Rule::WriteBudget)
          << finding.message;
  }
}

struct ChainTally {
  int answered = 0;
  int over_limits = 0;
};

ChainTally run_on_random_problems(const Solver& method, TimeMode mode,
                                  RandomProblemOptions options) {
  ChainTally tally;
  options.time_mode = mode;
  options.most_operations = 16;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(random_cases(600)); ++seed) {
    const Problem problem = with_backward_pass(random_problem(options, seed), seed);
    const ShownOnFailure shown(problem, seed);
    const Result<SolveReport> report = method.solve(problem, {}, {}, {});
    if (report.ok()) {
      tally.answered += report->best.has_value();
      tally.over_limits += report->over_limits.has_value();
      expect_a_true_answer(problem, *report);
    } else {
      EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
    }
    if (::testing::Test::HasFailure()) return tally;  // one instance is enough to read
  }
  return tally;
}

class EveryChainMethod : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Solver> method() {
    for (const MethodEntry& entry : method_table())
      if (entry.name == GetParam()) return entry.make();
    return nullptr;
  }
};

TEST_P(EveryChainMethod, AnswersWithValidSchedules) {
  const std::unique_ptr<Solver> method = EveryChainMethod::method();
  ASSERT_TRUE(method);
  for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped}) {
    const ChainTally tally = run_on_random_problems(*method, mode, {});
    if (HasFailure()) return;
    EXPECT_GT(tally.answered, random_cases(20));
    EXPECT_GT(tally.over_limits, random_cases(20));
  }
}

TEST_P(EveryChainMethod, AnswersOnSimpleGraphs) {
  const std::unique_ptr<Solver> method = EveryChainMethod::method();
  ASSERT_TRUE(method);
  const ChainTally tally = run_on_random_problems(*method, TimeMode::Overlapped, simple_family());
  EXPECT_GT(tally.answered, random_cases(20));
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryChainMethod,
                         ::testing::Values("revolve", "rotor", "h-revolve", "pofo"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace poet::testing
