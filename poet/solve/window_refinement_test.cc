#include "poet/solve/window_refinement.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

// Against 12 bytes, the stages need 6, 10, 15 and 12 where everything stays.
TEST(FirstKeys, TheStageThatLacksTheMost) {
  EXPECT_EQ(first_keys(make_step(detour())), (WindowKeys{.stages = {2}}));
  Problem problem = detour();
  problem.operations[1].workspace_bytes = 6;
  EXPECT_EQ(first_keys(make_step(problem)), (WindowKeys{.stages = {1}}));
}

// What does not fit beside everything else: stages 2 and 3, by 3 bytes and by none.
TEST(SpreadKeys, AreWhereNotEverythingFits) {
  EXPECT_EQ(spread_keys(make_step(detour()), 10), (WindowKeys{.stages = {2}}));
  Problem problem = detour();
  problem.ram_budget_bytes = 5;
  EXPECT_EQ(spread_keys(make_step(problem), 10), (WindowKeys{.stages = {0, 1, 2, 3}}));
  EXPECT_EQ(spread_keys(make_step(problem), 2), (WindowKeys{.stages = {0, 2}}));
  EXPECT_EQ(spread_keys(make_step(problem), 1), (WindowKeys{.stages = {2}}));
}

TEST(RefinedKeys, LooksWhereRamIsShort) {
  const Step step = make_step(detour());
  EXPECT_EQ(refined_keys(step, {.stages = {3}}, kept(), Refinement::Careful),
            (WindowKeys{.stages = {2, 3}}));
}

TEST(RefinedKeys, TheSameKeysWhereTheModelLookedAlready) {
  const Step step = make_step(detour());
  EXPECT_EQ(refined_keys(step, {.stages = {2}}, kept(), Refinement::Careful),
            (WindowKeys{.stages = {2}}));
}

TEST(RefinedKeys, TheSameKeysWhereEverythingFits) {
  const Step step = make_step(detour());
  EXPECT_EQ(refined_keys(step, {.stages = {1}}, paged(), Refinement::Careful),
            (WindowKeys{.stages = {1}}));
}

// b made again from a, with c beside them: 11 of 8 bytes. Only between keys at its own stage and
// the one before does the model know what else is in RAM.
TEST(RefinedKeys, ACrowdedExecutionNeedsTheKeysAroundIt) {
  const Step step = make_step(deep_detour());
  const EventChoice suggested = {
      .executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 0}}, {{3, 1}}, {{3, 3}}},
      .stored = std::vector<bool>(4),
      .resident = std::vector<bool>(4)};
  const WindowKeys refined = {.stages = {2, 3}, .crowded = {{3, 1}}};
  EXPECT_EQ(refined_keys(step, {}, suggested, Refinement::Careful), refined);
  EXPECT_EQ(refined_keys(step, {.stages = {2, 3}}, suggested, Refinement::Careful), refined);
  EXPECT_EQ(refined_keys(step, refined, suggested, Refinement::Careful), refined);
}

// Ten operations with nothing but workspace, and no RAM: all are short of it. The largest are, in
// order, 3 4 6 8 9.
Step ten_short_stages() {
  Problem problem;
  for (const std::int64_t bytes : {1, 2, 3, 12, 11, 6, 10, 7, 9, 8}) {
    const auto made = static_cast<std::int32_t>(problem.tensors.size());
    problem.tensors.push_back({});
    problem.operations.push_back({.outputs = {TensorId{made}}, .workspace_bytes = bytes});
  }
  return make_step(problem);
}

EventChoice each_once(const Step& step) {
  EventChoice choice;
  for (std::int32_t t = 0; t < step.stages(); ++t) choice.executions.push_back({{t, t}});
  choice.stored.resize(step.chains.size());
  choice.resident.resize(step.chains.size());
  return choice;
}

TEST(RefinedKeys, CarefulTakesAFewThatAreFarApart) {
  const Step step = ten_short_stages();
  EXPECT_EQ(refined_keys(step, {}, each_once(step), Refinement::Careful),
            (WindowKeys{.stages = {3, 6, 9}}));
}

TEST(RefinedKeys, FastTakesTheLargestWhereverTheyAre) {
  const Step step = ten_short_stages();
  EXPECT_EQ(refined_keys(step, {}, each_once(step), Refinement::Fast),
            (WindowKeys{.stages = {3, 4, 6}}));
}

TEST(RefinedKeys, FastTakesAsManyAgain) {
  const Step step = ten_short_stages();
  EXPECT_EQ(refined_keys(step, {.stages = {0, 1, 2, 5}}, each_once(step), Refinement::Fast),
            (WindowKeys{.stages = {0, 1, 2, 3, 4, 5, 6, 8}}));
}

}  // namespace
}  // namespace poet
