#include "poet/plan/released_matrices.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

OperationId op(int v) {
  return OperationId{v};
}
TensorId t(int i) {
  return TensorId{i};
}

// 0 -> 1 -> 2 -> 3 with 3 reading 0 and 2 as well, and 4 the first backward operation, which reads
// 3 and 1.
Problem chain() {
  Problem problem;
  problem.ram_budget_bytes = 100;
  problem.time_mode = TimeMode::Free;
  problem.tensors = {{.size_bytes = 1},
                     {.size_bytes = 2},
                     {.size_bytes = 4},
                     {.size_bytes = 8},
                     {.size_bytes = 16}};
  problem.operations = {{.outputs = {t(0)}},
                        {.inputs = {t(0)}, .outputs = {t(1)}},
                        {.inputs = {t(1)}, .outputs = {t(2)}},
                        {.inputs = {t(0), t(2)}, .outputs = {t(3)}},
                        {.inputs = {t(1), t(3)}, .outputs = {t(4)}, .backward = true}};
  return problem;
}

// 0 is written and read back; 1 is made again in stage 4.
Schedule schedule() {
  return {{Compute{op(0)}, PageOut{t(0)}, Compute{op(1)}, Drop{t(0)}, Compute{op(2)}, Drop{t(1)},
           PageIn{t(0)}, Compute{op(3)}, Drop{t(2)}, Compute{op(1)}, Drop{t(0)}, Compute{op(4)},
           Drop{t(1)}, Drop{t(3)}, Drop{t(4)}},
          {}};
}

ReleasedMatrices matrices(LossEdge loss_edge = LossEdge::Once) {
  const Replay replayed = replay(chain(), schedule());
  EXPECT_TRUE(replayed.valid());
  return released_matrices(chain(), schedule(), replayed, loss_edge);
}

using Marks = ReleasedMatrices::Marks;

TEST(ReleasedMatrices, ShowWhatRunsInEachStage) {
  EXPECT_EQ(
      matrices().r,
      (Marks{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 1, 0, 0, 1}}));
}

TEST(ReleasedMatrices, ShowTheStateWhenAStageBegins) {
  EXPECT_EQ(
      matrices().s_ram,
      (Marks{{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {1, 0, 0, 1, 0}}));
  EXPECT_EQ(
      matrices().s_sd,
      (Marks{{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}}));
}

TEST(ReleasedMatrices, ShowTransfers) {
  EXPECT_EQ(
      matrices().m_out,
      (Marks{{1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}));
  EXPECT_EQ(
      matrices().m_in,
      (Marks{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}));
}

TEST(ReleasedMatrices, ShowTheRamInUse) {
  EXPECT_EQ(
      matrices().u_bytes,
      (std::vector<std::vector<std::int64_t>>{
          {1, 0, 0, 0, 0}, {0, 3, 0, 0, 0}, {0, 0, 6, 0, 0}, {0, 0, 0, 13, 0}, {0, 11, 0, 0, 26}}));
}

TEST(ReleasedMatrices, FreeATensorAfterItsLastReaderInTheStage) {
  EXPECT_EQ(matrices().edges, (std::vector<ReleasedEdge>{{op(0), op(1)},
                                                         {op(1), op(2)},
                                                         {op(0), op(3)},
                                                         {op(2), op(3)},
                                                         {op(1), op(4)},
                                                         {op(3), op(4)}}));
  EXPECT_EQ(matrices().free_e, (Marks{{0, 0, 0, 0, 0, 0},
                                      {1, 0, 0, 0, 0, 0},
                                      {0, 1, 0, 0, 0, 0},
                                      {0, 0, 0, 1, 0, 0},
                                      {1, 0, 0, 0, 1, 1}}));
}

TEST(ReleasedMatrices, CanListTheLossTwiceAsTheReleasedGraphsDo) {
  const ReleasedMatrices twice = matrices(LossEdge::Twice);
  EXPECT_EQ(twice.edges.size(), 7U);
  EXPECT_EQ(twice.edges[5], (ReleasedEdge{op(3), op(4)}));
  EXPECT_EQ(twice.edges[6], (ReleasedEdge{op(3), op(4)}));
  EXPECT_EQ(twice.free_e[4], (std::vector<std::int8_t>{1, 0, 0, 0, 1, 1, 1}));
}

TEST(ReleasedMatrices, HomesCountFromTheFirstStage) {
  Problem problem;
  problem.ram_budget_bytes = 100;
  problem.tensors = {{.size_bytes = 1, .home = Home::Storage},
                     {.size_bytes = 1, .home = Home::Storage, .view_of = t(0)}};
  problem.operations = {{.inputs = {t(0)}, .outputs = {t(1)}, .view = true}};
  const Schedule view{{PageIn{t(0)}, Compute{op(0)}, Drop{t(0)}}, {}};
  const ReleasedMatrices m =
      released_matrices(problem, view, replay(problem, view), LossEdge::Once);
  EXPECT_EQ(m.s_sd, (Marks{{1}}));
  EXPECT_EQ(m.s_ram, (Marks{{0}}));
  EXPECT_EQ(m.m_in, (Marks{{1}}));
  EXPECT_TRUE(m.edges.empty());
}

}  // namespace
}  // namespace poet
