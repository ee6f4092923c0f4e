#include "poet/solve/window_player.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

// A window model, and values in which nothing is chosen until a test says so.
struct Played {
  Played(const Problem& problem, std::vector<std::int32_t> stages)
      : step(make_step(problem)), model(make_window_model(step, {.stages = stages})) {
    values.assign(model.linear.columns.size(), 0.0);
  }

  void choose(const std::optional<std::int32_t>& column) { values.at(column.value()) = 1; }
  EventChoice choice() const { return choice_of(step, model, values); }
  std::vector<Execution> executions() const { return choice().executions; }

  Step step;
  WindowModel model;
  std::vector<double> values = {};
};

using Executions = std::vector<Execution>;

TEST(WindowPlayer, WhatIsPresentStays) {
  Played played(detour(), {2});
  played.choose(played.model.present[1][0]);
  EXPECT_EQ(played.choice(), kept());
}

TEST(WindowPlayer, ReadsACopy) {
  Played played(detour(), {2});
  played.choose(played.model.read[1][0]);
  played.choose(played.model.stored[0]);
  EXPECT_EQ(played.choice(), paged());
}

TEST(WindowPlayer, RunsAnOperationAgain) {
  Played played(detour(), {2});
  played.choose(played.model.made[1][0]);
  EXPECT_EQ(played.choice(), repeated());
}

TEST(WindowPlayer, RunsWhatThatNeedsBeforeIt) {
  Played played(deep_detour(), {2});
  played.choose(played.model.made[1][0]);
  played.choose(played.model.made[1][1]);
  EXPECT_EQ(played.executions(),
            (Executions{{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 0}}, {{3, 1}}, {{3, 3}}}));
}

TEST(WindowPlayer, RunsWhatMakesTwoTensorsOnce) {
  Problem problem = detour();
  problem.tensors.push_back({.name = "a's twin"});
  problem.operations[0].outputs.push_back(TensorId{4});
  problem.operations[3].inputs.push_back(TensorId{4});
  Played played(problem, {2});
  played.choose(played.model.made[1][0]);
  EXPECT_EQ(played.executions(), repeated().executions);
}

// d asks for c before a.
TEST(WindowPlayer, RunsOperationsAgainInTheirOrder) {
  Problem problem = detour();
  problem.operations[3].inputs = {TensorId{2}, TensorId{0}};
  Played played(problem, {2, 3});
  played.choose(played.model.made[1][0]);
  played.choose(played.model.made[1][2]);
  EXPECT_EQ(played.executions(),
            (Executions{{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 0}}, {{3, 2}}, {{3, 3}}}));
}

TEST(WindowPlayer, ReadsWhatAnExecutionAgainNeeds) {
  Played played(deep_detour(), {2});
  played.choose(played.model.stored[0]);
  played.choose(played.model.read[1][0]);
  played.choose(played.model.made[1][1]);
  EXPECT_EQ(played.executions(),
            (Executions{{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 1}, {0}}, {{3, 3}}}));
}

// The detour with e from a at the end.
enum class DReadsA { No, Yes };
Problem longer_detour(DReadsA d_reads_a) {
  Problem problem = detour();
  problem.tensors.push_back({.name = "e", .size_bytes = 1, .page_in_j = 1, .page_out_j = 1.5});
  problem.operations.push_back(
      {.name = "make e", .inputs = {TensorId{0}}, .outputs = {TensorId{4}}});
  if (d_reads_a == DReadsA::No) problem.operations[3].inputs = {TensorId{2}};
  return problem;
}

TEST(WindowPlayer, WhatComesStaysUntilTheWindowEnds) {
  Played played(longer_detour(DReadsA::Yes), {2});
  played.choose(played.model.made[1][0]);
  EXPECT_EQ(played.executions(),
            (Executions{{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 0}}, {{3, 3}}, {{4, 4}}}));
}

TEST(WindowPlayer, BringsNothingBeforeItIsNeeded) {
  Played played(longer_detour(DReadsA::No), {2});
  played.choose(played.model.made[1][0]);
  EXPECT_EQ(played.executions(),
            (Executions{{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}}, {{4, 0}}, {{4, 4}}}));
}

// a comes in the window before the key at d, and is used after it.
TEST(WindowPlayer, MakesInTimeForTheKey) {
  Played played(longer_detour(DReadsA::No), {2, 3});
  played.choose(played.model.made[1][0]);
  played.choose(played.model.present[2][0]);
  EXPECT_EQ(played.executions(),
            (Executions{{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 0}}, {{3, 3}}, {{4, 4}}}));
}

TEST(WindowPlayer, ReadsOnlyWhenSomethingNeedsIt) {
  Played played(longer_detour(DReadsA::No), {2, 3});
  played.choose(played.model.stored[0]);
  played.choose(played.model.read[1][0]);
  played.choose(played.model.present[2][0]);
  EXPECT_EQ(played.executions(),
            (Executions{{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}}, {{4, 4}, {0}}}));
}

// Between two keys that follow each other, being there and coming all the same makes room.
TEST(WindowPlayer, ReadsAgainWhatMakesRoomWithinOneStage) {
  Played played(detour(), {2, 3});
  played.choose(played.model.stored[0]);
  played.choose(played.model.present[1][0]);
  played.choose(played.model.read[1][0]);
  EXPECT_EQ(played.choice(), paged());
}

TEST(WindowPlayer, KeepsWhatIsThereInALongerWindow) {
  Played played(detour(), {1});
  played.choose(played.model.made[1][0]);
  EXPECT_EQ(played.choice(), kept());
}

TEST(WindowPlayer, AResidentIsAlwaysThere) {
  Problem problem = detour();
  problem.tensors.push_back({.size_bytes = 1, .home = Home::Storage, .may_be_resident = true});
  problem.operations[2].inputs.push_back(TensorId{4});
  for (const std::vector<std::int32_t>& stages : {std::vector{1}, std::vector{1, 2}}) {
    Played played(problem, stages);
    played.choose(played.model.read[1][4]);
    const Executions read = {{{0, 0}}, {{1, 1}}, {{2, 2}, {4}}, {{3, 3}}};
    EXPECT_EQ(played.executions(), read);
    played.choose(played.model.resident[4]);
    EXPECT_EQ(played.executions(), kept().executions);
    EXPECT_EQ(played.choice().resident, (std::vector<bool>{false, false, false, false, true}));
  }
}

}  // namespace
}  // namespace poet
