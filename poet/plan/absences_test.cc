#include "poet/plan/absences.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace poet {

void PrintTo(const Absence& absence, std::ostream* out) {
  *out << "tensor " << index_of(absence.tensor)
       << (absence.way == Absence::Return::Read ? " read" : " recomputed") << " actions ["
       << absence.left_action << ", " << absence.back_action << ") stages " << absence.left_stage
       << " to " << absence.back_stage;
}

namespace {

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}

// A chain a -> b -> c, and d that reads a and c. Sizes 6 4 5 1, at most 12 bytes.
Plan detour_plan(std::vector<Action> actions) {
  Plan plan;
  Problem& problem = plan.problem;
  const std::vector<std::int64_t> sizes = {6, 4, 5, 1};
  for (int i = 0; i < 4; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    problem.tensors.push_back({.name = name,
                               .size_bytes = sizes[i],
                               .page_in_j = 1,
                               .page_out_j = 1.5,
                               .page_in_s = 0.25,
                               .page_out_s = 0.5});
    problem.operations.push_back({.name = "make " + name,
                                  .outputs = {t(i)},
                                  .compute_j = i == 0 ? 3.0 : 1.0,
                                  .compute_s = 2});
  }
  problem.operations[1].inputs = {t(0)};
  problem.operations[2].inputs = {t(1)};
  problem.operations[3].inputs = {t(0), t(2)};
  problem.ram_budget_bytes = 12;
  plan.schedule.actions = std::move(actions);
  plan.buffers = buffers_of(problem, plan.schedule);
  return plan;
}

Plan paged() {
  return detour_plan({Compute{op(0)}, PageOut{t(0)}, Compute{op(1)}, Drop{t(0)}, Compute{op(2)},
                      Drop{t(1)}, PageIn{t(0)}, Compute{op(3)}});
}

Plan repeated() {
  return detour_plan({Compute{op(0)}, Compute{op(1)}, Drop{t(0)}, Compute{op(2)}, Drop{t(1)},
                      Compute{op(0)}, Compute{op(3)}});
}

TEST(AbsencesOf, FindsWhatIsReadAgain) {
  const std::vector<Absence> expected = {{.tensor = t(0),
                                          .way = Absence::Return::Read,
                                          .left_action = 4,
                                          .back_action = 6,
                                          .left_stage = 2,
                                          .back_stage = 3}};
  EXPECT_EQ(absences_of(paged()), expected);
}

TEST(AbsencesOf, FindsWhatIsComputedAgain) {
  const std::vector<Absence> expected = {{.tensor = t(0),
                                          .way = Absence::Return::Recomputed,
                                          .left_action = 3,
                                          .back_action = 5,
                                          .left_stage = 2,
                                          .back_stage = 3}};
  EXPECT_EQ(absences_of(repeated()), expected);
}

TEST(AbsencesOf, NothingWhereEverythingStays) {
  EXPECT_TRUE(
      absences_of(detour_plan({Compute{op(0)}, Compute{op(1)}, Compute{op(2)}, Compute{op(3)}}))
          .empty());
}

TEST(TightestMoment, IsTheFullestInTheAbsence) {
  const Plan plan = paged();
  const TightMoment expected = {
      .operation = op(2), .used_bytes = 9, .workspace_bytes = 0, .holders = {t(2), t(1)}};
  EXPECT_EQ(tightest_moment(plan, replay(plan.problem, plan.schedule), absences_of(plan)[0]),
            expected);
}

TEST(RecomputationOf, ExecutesTheProducerAgain) {
  const Plan plan = paged();
  const Recomputation expected = {.operations = {op(0)}, .reads = {}, .cost = 3};
  EXPECT_EQ(recomputation_of(plan, absences_of(plan)[0]), expected);
}

// To have c again, b must come again too, and for that a: which storage has, for less.
TEST(RecomputationOf, FollowsInputsThatAreGone) {
  Plan plan = paged();
  const Absence absence = {.tensor = t(2), .back_action = 6};
  const Recomputation reading = {.operations = {op(1), op(2)}, .reads = {t(0)}, .cost = 3};
  EXPECT_EQ(recomputation_of(plan, absence), reading);
  plan.problem.tensors[0].page_in_j = 3.5;
  for (PlanBuffer& buffer : plan.buffers)
    if (buffer.tensor == t(2)) buffer.begin_action = 7;
  const Recomputation making = {.operations = {op(0), op(1), op(2)}, .reads = {}, .cost = 5};
  EXPECT_EQ(recomputation_of(plan, absence), making);
}

TEST(RecomputationOf, NothingForAnOperationThatRunsOnce) {
  Plan plan = paged();
  plan.problem.operations[0].once = true;
  EXPECT_EQ(recomputation_of(plan, absences_of(plan)[0]), std::nullopt);
}

TEST(Costs, AreInTheUnitOfTheObjective) {
  Problem problem = paged().problem;
  problem.idle_w = 2;
  problem.time_mode = TimeMode::Blocking;
  EXPECT_EQ(execution_cost(problem, op(0)), 7);
  EXPECT_EQ(read_cost(problem, t(0)), 1.5);
  EXPECT_EQ(write_cost(problem, t(0)), 2.5);
  problem.time_mode = TimeMode::Free;
  EXPECT_EQ(read_cost(problem, t(0)), 1);
  problem.objective = Objective::Time;
  EXPECT_EQ(execution_cost(problem, op(0)), 2);
  EXPECT_EQ(read_cost(problem, t(0)), 0);
}

}  // namespace
}  // namespace poet
