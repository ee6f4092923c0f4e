// Problems that were answered wrongly once, or ended the program, with what brute force that shares
// no code with the project found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "poet/problem/problem_json.h"
#include "support/false_answers.h"
#include "support/random_cases.h"
#include "support/source_folder.h"
#include "support/truth.h"

namespace poet::testing {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Asked with several choices of techniques.
void expect_no_false_answer(Truth& truth) {
  constexpr std::uint64_t kSeeds = random_cases(6);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    for (const std::string& falsehood : check_answers(truth, seed).falsehoods)
      ADD_FAILURE() << "seed " << seed << ", " << falsehood << '\n'
                    << problem_text(truth.problem());
}

struct KnownTruth {
  std::string name;
  std::optional<double> least = {};  // nothing: no schedule
  double tolerance = 0;
};

void PrintTo(const KnownTruth& known, std::ostream* out) {
  *out << known.name;
}

class KnownProblem : public ::testing::TestWithParam<KnownTruth> {};

TEST_P(KnownProblem, IsAnsweredTruly) {
  const std::string path = source_folder() + "/tests/data/solver/" + GetParam().name + ".json";
  const Result<Problem> problem = parse_problem(text_of(path), path);
  ASSERT_TRUE(problem.ok()) << to_string(problem.error());
  Truth truth(*problem);
  const std::optional<double>& least = truth.least_objective();
  ASSERT_EQ(least.has_value(), GetParam().least.has_value());
  if (least) {
    EXPECT_NEAR(*least, *GetParam().least, GetParam().tolerance);
  }
  expect_no_false_answer(truth);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Solver, KnownProblem, ::testing::Values(
  // Sizes of a byte or two beside gigabytes, RAM to the byte.
  KnownTruth{"a_byte_beside_gigabytes", 7},
  KnownTruth{"a_byte_and_a_deadline", 3.21, 1e-9},
  KnownTruth{"a_byte_without_paging", 200.2, 1e-9},
  KnownTruth{"a_minimum_to_the_byte", 602.5, 1e-9},
  KnownTruth{"least_3", 3}, KnownTruth{"least_4_in_time", 4}, KnownTruth{"least_4_to_the_byte", 4},
  KnownTruth{"least_5_with_updates", 5}, KnownTruth{"least_5_to_the_byte", 5}, KnownTruth{"least_6", 6},
  KnownTruth{"least_4_one_byte", 4, 0.01}, KnownTruth{"least_4.25", 4.25},
  // Deadlines that are the sum of the times.
  KnownTruth{"a_deadline_that_is_a_sum", 3}, KnownTruth{"a_deadline_met_by_rounding", 4},
  KnownTruth{"least_5_with_a_deadline", 5}));
// clang-format on

// Where a certificate did not hold, or a library's assertion ended the program.
class OnceAborted : public ::testing::TestWithParam<std::string> {};

TEST_P(OnceAborted, IsAnsweredTruly) {
  const std::string path = source_folder() + "/tests/data/solver/" + GetParam() + ".json";
  const Result<Problem> problem = parse_problem(text_of(path), path);
  ASSERT_TRUE(problem.ok()) << to_string(problem.error());
  Truth truth(*problem);
  expect_no_false_answer(truth);
}

INSTANTIATE_TEST_SUITE_P(Solver, OnceAborted,
                         ::testing::Values("a_certificate_with_a_deadline",
                                           "a_certificate_with_a_fixed_branch",
                                           "a_minimum_with_a_deadline", "a_small_square",
                                           "sixteenths_of_petabytes"));

// Rows of doubles skip such bytes: nothing that is said of them could be meant to the byte.
TEST(MoreBytesThanDoublesTellApart, AreRefused) {
  const std::string path = source_folder() + "/tests/data/solver/petabytes.json";
  const Result<Problem> problem = parse_problem(text_of(path), "p.json");
  ASSERT_FALSE(problem.ok());
  EXPECT_EQ(to_string(problem.error()),
            "p.json:1:1: the problem has sizes that add up to more than 2^53 bytes, above which "
            "doubles skip some");
}

}  // namespace
}  // namespace poet::testing
