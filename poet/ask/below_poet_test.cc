#include "poet/ask/below_poet.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

MethodRun fitting(const std::string& method, double energy_j) {
  MethodRun run{.method = method, .outcome = Outcome::Fits};
  run.replay.energy_j = energy_j;
  run.replay.time_s = 100;
  return run;
}

TEST(BelowPoet, AScheduleThatCostsLessIsAFinding) {
  EXPECT_EQ(finding_of({}, fitting("dtr", 4), {fitting("poet", 5)}),
            "dtr needs 4 J, less than what POET found: its schedule is outside the class that POET "
            "searches");
  EXPECT_EQ(finding_of({}, fitting("dtr", 5), {fitting("poet", 5)}), std::nullopt);
  EXPECT_EQ(finding_of({}, fitting("dtr", 6), {fitting("poet", 5)}), std::nullopt);
}

TEST(BelowPoet, TheObjectiveIsTheProblems) {
  MethodRun quick = fitting("dtr", 6);
  quick.replay.time_s = 99;
  EXPECT_EQ(finding_of({.objective = Objective::Time}, quick, {fitting("poet", 5)}),
            "dtr needs 99 s, less than what POET found: its schedule is outside the class that "
            "POET searches");
}

TEST(BelowPoet, ARoundingErrorIsNone) {
  const PoetSays poet{.run = fitting("poet", 5), .bound = 4.95, .rounding_ratio = 0.1};
  EXPECT_EQ(finding_of({}, fitting("dtr", 4.6), poet), std::nullopt);
  EXPECT_NE(finding_of({}, fitting("dtr", 4.4), poet), std::nullopt);
}

TEST(BelowPoet, AScheduleWherePoetHasNoneIsAFinding) {
  MethodRun run = fitting("dtr", 4);
  run.in_class = true;
  EXPECT_EQ(
      finding_of({}, run, {MethodRun{.method = "poet"}}),
      "dtr needs 4 J where POET found nothing: its schedule is in the class that POET searches");
  EXPECT_EQ(finding_of({}, MethodRun{.method = "dtr"}, {MethodRun{.method = "poet"}}),
            std::nullopt);
}

TEST(BelowPoet, AScheduleBelowTheBoundIsAFinding) {
  const PoetSays poet{.run = fitting("poet", 5), .bound = 4.5};
  EXPECT_TRUE(is_below_the_bound({}, fitting("dtr", 4), poet));
  EXPECT_FALSE(is_below_the_bound({}, fitting("dtr", 4.7), poet));
  EXPECT_EQ(finding_of({}, fitting("dtr", 4), poet),
            "dtr needs 4 J, less than any schedule of the class: its schedule is outside the class "
            "that POET searches");
}

}  // namespace
}  // namespace poet
