#include "poet/ask/solver_names.h"

#include <gtest/gtest.h>

#include "poet/solve/linear_backend.h"

namespace poet {
namespace {

TEST(ChooseBackend, KnowsCbcByBothNames) {
  for (const std::string name : {"cbc", "pulp-cbc"}) {
    const Result<BackendChoice> choice = choose_backend(**solver_named(name), {});
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->backend, "cbc");
    EXPECT_TRUE(choice->warnings.empty());
  }
}

TEST(ChooseBackend, FallsBackToCbcForGurobiAndSaysSo) {
  const auto gurobi = open_backend("gurobi");
  if (gurobi.ok()) GTEST_SKIP() << "Gurobi is installed here, so nothing falls back";
  for (const std::string name : {"gurobi", "gurobipy", "pulp-gurobi"}) {
    const Result<BackendChoice> choice = choose_backend(**solver_named(name), {});
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->backend, "cbc");
    ASSERT_EQ(choice->warnings.size(), 1);
    EXPECT_EQ(choice->warnings[0],
              "the solver '" + name + "' is not available, cbc is used: " + gurobi.error().message);
  }
}

TEST(ChooseBackend, RefusesAMissingHighs) {
  const auto highs = open_backend("highs");
  if (highs.ok()) GTEST_SKIP() << "HiGHS is installed here, so it is not missing";
  const Result<BackendChoice> choice = choose_backend(**solver_named("highs"), {});
  ASSERT_FALSE(choice.ok());
  EXPECT_EQ(choice.error().message,
            "the solver 'highs' is not available: " + highs.error().message);
}

TEST(ChooseBackend, SuggestsANameForAnUnknownOne) {
  EXPECT_EQ(solver_named("cbcc").error().message, "unknown solver 'cbcc'; did you mean 'cbc'?");
  EXPECT_EQ(solver_named("simplex!").error().message,
            "unknown solver 'simplex!'; the solvers are cbc, highs, gurobi, gurobipy, pulp-gurobi, "
            "pulp-cbc");
}

}  // namespace
}  // namespace poet
