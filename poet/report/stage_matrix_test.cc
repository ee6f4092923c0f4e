#include "poet/report/stage_matrix.h"

#include <gtest/gtest.h>

#include "poet/report/sample_step.h"

namespace poet {
namespace {

StageMatrix matrix_of(const Problem& problem, const Schedule& schedule) {
  return stage_matrix(problem, schedule,
                      timed_actions(problem, schedule, replay(problem, schedule)));
}

TEST(StageMatrix, SaysWhereEachTensorLiesInEachStage) {
  const StageMatrix matrix = matrix_of(sample::five_operations(), sample::paging_and_recomputing());
  EXPECT_EQ(matrix.stages, 5);
  EXPECT_EQ(matrix.columns, (std::vector<TensorId>{TensorId{0}, TensorId{1}, TensorId{2},
                                                   TensorId{3}, TensorId{4}}));
  EXPECT_EQ(matrix.runs, (std::vector<PlaceRun>{{0, 0, 1, Place::Ram},
                                                {0, 1, 2, Place::RamAndStorage},
                                                {0, 2, 4, Place::Storage},
                                                {0, 4, 5, Place::RamAndStorage},
                                                {1, 1, 4, Place::Ram},
                                                {2, 2, 4, Place::Ram},
                                                {3, 3, 5, Place::Ram},
                                                {4, 4, 5, Place::Ram}}));
}

TEST(StageMatrix, MarksWhatHappens) {
  const StageMatrix matrix = matrix_of(sample::five_operations(), sample::paging_and_recomputing());
  EXPECT_EQ(matrix.marks, (std::vector<StageMark>{{0, 0, ActionKind::Compute},
                                                  {0, 1, ActionKind::PageOut},
                                                  {1, 1, ActionKind::Compute},
                                                  {2, 2, ActionKind::Compute},
                                                  {0, 3, ActionKind::PageIn},
                                                  {1, 3, ActionKind::Recompute},
                                                  {3, 3, ActionKind::Compute},
                                                  {0, 4, ActionKind::PageIn},
                                                  {4, 4, ActionKind::Compute}}));
}

// w (in storage) and a rom table are read; the update makes w', which is written back after the
// last operation.
Problem update_of_a_weight() {
  Problem problem;
  problem.tensors = {sample::tensor("w"), sample::tensor("rom"), sample::tensor("new w")};
  problem.tensors[0].home = Home::Storage;
  problem.tensors[1].home = Home::Rom;
  problem.tensors[2].updates = TensorId{0};
  problem.operations = {sample::operation("update", {0, 1}, 2)};
  problem.operations[0].once = true;
  problem.ram_budget_bytes = 200;
  return problem;
}

TEST(StageMatrix, ANewValueTakesThePlaceOfTheOldOneAndIsWrittenInAStageOfItsOwn) {
  const TensorId w{0};
  const TensorId new_w{2};
  const StageMatrix matrix = matrix_of(
      update_of_a_weight(),
      Schedule{{PageIn{w}, Compute{OperationId{0}}, Drop{w}, PageOut{new_w}, Drop{new_w}}, {}});
  EXPECT_EQ(matrix.columns, (std::vector<TensorId>{w, new_w}));
  EXPECT_EQ(matrix.stages, 2);
  EXPECT_EQ(matrix.runs, (std::vector<PlaceRun>{{1, 0, 1, Place::Ram}, {1, 1, 2, Place::Storage}}));
}

TEST(StageMatrix, AViewHasNoColumn) {
  Problem problem;
  problem.tensors = {sample::tensor("a"), sample::tensor("flat a")};
  problem.tensors[1].view_of = TensorId{0};
  problem.operations = {sample::operation("a", {}, 0), sample::operation("flatten", {0}, 1)};
  problem.operations[1].view = true;
  problem.ram_budget_bytes = 100;
  const StageMatrix matrix = matrix_of(problem, plain_schedule(problem));
  EXPECT_EQ(matrix.columns, std::vector<TensorId>{TensorId{0}});
  EXPECT_EQ(matrix.marks, (std::vector<StageMark>{{0, 0, ActionKind::Compute}}));
}

TEST(StageMatrix, OfNothingIsEmpty) {
  const StageMatrix matrix = matrix_of(Problem{}, Schedule{});
  EXPECT_EQ(matrix.stages, 0);
  EXPECT_TRUE(matrix.columns.empty());
}

}  // namespace
}  // namespace poet
