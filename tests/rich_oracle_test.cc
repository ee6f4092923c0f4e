// The planner's answers, certificates, smallest budgets and refusals against the oracle, on
// problems with sizes of every magnitude, decimal times, steep costs and limits that are met with
// equality. bench/oracle asks the same of a million.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "poet/problem/problem.h"
#include "poet/problem/problem_json.h"
#include "support/false_answers.h"
#include "support/random_cases.h"
#include "support/rich_problem.h"

namespace poet::testing {
namespace {

constexpr std::uint64_t kBlocks = 20;
constexpr std::uint64_t kSeedsOfBlock = kUnderSanitizers ? 40 : 1'000;

TEST(RichProblem, IsWellFormed) {
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const Failure failure = check_problem(rich_problem(seed));
    ASSERT_FALSE(failure) << "seed " << seed << ": " << failure->message;
  }
}

TEST(RichProblem, TheSeedDecides) {
  EXPECT_EQ(rich_problem(7), rich_problem(7));
  EXPECT_NE(rich_problem(7), rich_problem(8));
}

class EveryAnswer : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(EveryAnswer, IsTrue) {
  AnswerCheck sum;
  for (std::uint64_t n = 0; n < kSeedsOfBlock; ++n) {
    const std::uint64_t seed = GetParam() * 1'000 + n;
    const Problem problem = rich_problem(seed);
    const AnswerCheck check = check_answers(problem, seed);
    for (const std::string& falsehood : check.falsehoods)
      ADD_FAILURE() << falsehood << "\nThat was seed " << seed << ": " << problem_text(problem);
    if (HasFailure()) return;
    sum.answers += check.answers;
    sum.unproved += check.unproved;
    sum.certificates += check.certificates;
    sum.covered += check.covered;
  }
  // Problems so small are solved: an answer without a proof is true, and still a disappointment.
  EXPECT_LE(sum.unproved, sum.answers / 100);
  EXPECT_GE(sum.covered, sum.certificates * 7 / 10);
}

// Of the million: a budget of which 12 bytes are left beside 370 GB, and an integer program with a
// byte beside 1 MB whose solution was rounded into nothing. Then relaxations that were called
// infeasible or optimal within tolerances that hid what mattered, and bounds whose terms are a
// hundred million times as large as they are (docs/model/numbers.md §1.5); and integer programs
// that claimed more than their tolerances can tell apart beside costs of 5e9 (§1.6).
TEST(EveryAnswerOfTheMillion, IsTrueWhereItWasFalse) {
  for (const std::uint64_t seed :
       {1'015'828, 1'028'368, 1'103'329, 1'187'715, 1'194'630, 1'256'206, 1'304'239, 1'545'871,
        1'569'118, 1'687'788, 1'840'552, 1'845'479}) {
    const AnswerCheck check = check_answers(rich_problem(seed), seed);
    EXPECT_EQ(check.falsehoods, std::vector<std::string>{}) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Rich, EveryAnswer, ::testing::Range<std::uint64_t>(0, kBlocks));

}  // namespace
}  // namespace poet::testing
