#include "poet/solve/certify_windows.h"

#include <gtest/gtest.h>

#include "poet/solve/detour_for_tests.h"
#include "poet/solve/window_inequalities.h"

namespace poet {
namespace {

CertifiedWindows certify(const Problem& problem, double target, const CertifyLimits& limits = {}) {
  return certify_windows(make_step(problem), {.stages = {2}}, 1, target, **open_backend("cbc"),
                         limits, {});
}

// With a key at c the detour costs 2.5 (window_model_test.cc).
TEST(CertifyWindows, ProvesWhatTheModelCosts) {
  const CertifiedWindows proved = certify(detour(), 2.5);
  EXPECT_NEAR(proved.bound, 2.5, 1e-9);
  EXPECT_EQ(proved.proof.keys, std::vector<std::int32_t>{2});
  EXPECT_NEAR(certify(detour(), 1000).bound, 2.5, 1e-6);  // and no more
}

TEST(CertifyWindows, ProvesByCasesWithoutCuts) {
  Problem problem = detour();
  problem.ram_budget_bytes = 14;  // a fits but for one byte
  const CertifiedWindows by_cases = certify(problem, 2.5, {.most_cut_rounds = 0});
  EXPECT_NEAR(by_cases.bound, 2.5, 1e-6);
  EXPECT_TRUE(by_cases.proof.cuts.empty());
  EXPECT_GT(by_cases.proof.nodes.size(), 1u);
  const CertifiedWindows by_cuts = certify(problem, 2.5);
  EXPECT_NEAR(by_cuts.bound, 2.5, 1e-6);
  EXPECT_EQ(by_cuts.proof.nodes.size(), 1u);
  EXPECT_FALSE(by_cuts.proof.cuts.empty());
}

TEST(CertifyWindows, CountsOpenCasesWithTheBoundTheyHave) {
  Problem problem = detour();
  problem.ram_budget_bytes = 14;
  const CertifiedWindows stopped = certify(problem, 2.5, {.most_relaxations = 1});
  EXPECT_EQ(stopped.relaxations, 1);
  EXPECT_EQ(stopped.proof.nodes.size(), 1u);
  EXPECT_GT(stopped.bound, 0);
  EXPECT_LT(stopped.bound, 2.5);
}

TEST(WindowInequalities, AreAllStatedAsAtMost) {
  const WindowModel model = make_window_model(make_step(detour()), {.stages = {2}});
  const std::vector<Inequality> rows = inequalities_of(model);
  ASSERT_EQ(rows.size(), model.row_names.size());
  EXPECT_EQ(model.row_names[0], (WindowRowName{WindowRowKind::Need, {1, 0}}));
  EXPECT_EQ(rows[0].most, -1);  // a is there, or comes
  for (const LinearTerm& term : rows[0].terms) EXPECT_EQ(term.coefficient, -1);
}

}  // namespace
}  // namespace poet
