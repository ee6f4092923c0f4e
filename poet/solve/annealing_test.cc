#include "poet/solve/annealing.h"

#include <gtest/gtest.h>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

TEST(Annealing, FindsThatReadingBackIsCheaper) {
  EXPECT_EQ(anneal(make_step(detour()), repeated(), {}, {}), paged());
}

TEST(Annealing, FindsThatMakingAgainIsCheaper) {
  Problem problem = detour();
  problem.tensors[0].page_out_j = 2.5;
  EXPECT_EQ(anneal(make_step(problem), paged(), {}, {}), repeated());
}

TEST(Annealing, SaysNothingWhereNothingIsCheaper) {
  EXPECT_EQ(anneal(make_step(detour()), paged(), {}, {}), std::nullopt);
}

TEST(Annealing, KeepsTheWriteBudget) {
  Problem problem = detour();
  problem.write_budget_bytes = 5;  // a has 6
  EXPECT_EQ(anneal(make_step(problem), repeated(), {}, {}), std::nullopt);
}

TEST(Annealing, KeepsWhatThereIsRoomFor) {
  Problem problem = detour();
  problem.ram_budget_bytes = 15;
  EXPECT_EQ(anneal(make_step(problem), repeated(), {}, {}), kept());
}

TEST(Annealing, LeavesResidentTensorsAlone) {
  EventChoice choice = repeated();
  choice.resident[0] = true;
  EXPECT_EQ(anneal(make_step(detour()), choice, {}, {}), std::nullopt);
}

TEST(Annealing, IsTheSameForAnyNumberOfThreads) {
  const Step step = make_step(detour());
  const AnnealingOptions together = {.threads = 4};
  EXPECT_EQ(anneal(step, repeated(), {}, {}), anneal(step, repeated(), together, {}));
}

TEST(Annealing, MakesNoMoreMovesThanItMay) {
  EXPECT_EQ(anneal(make_step(detour()), repeated(), {.moves_per_run = 0}, {}), std::nullopt);
}

}  // namespace
}  // namespace poet
