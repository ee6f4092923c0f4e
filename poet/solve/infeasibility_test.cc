#include "poet/solve/infeasibility.h"

#include <gtest/gtest.h>

#include <optional>

#include "poet/problem/facts.h"
#include "poet/solve/budget_solver.h"
#include "poet/solve/detour_for_tests.h"
#include "poet/solve/linear_backend.h"

namespace poet {
namespace {

TEST(PlainlyInfeasible, NothingWhereOneMustSearch) {
  EXPECT_EQ(plainly_infeasible(detour()), std::nullopt);
}

TEST(PlainlyInfeasible, NamesTheLargestWorkingSet) {
  Problem problem = detour();
  problem.ram_budget_bytes = 10;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->kind, Infeasibility::Kind::RamBudget);
  EXPECT_EQ(no->operation, OperationId{3});
  EXPECT_EQ(no->working_set_bytes, 12);
  EXPECT_EQ(no->least_budget_bytes, 12);
  EXPECT_EQ(no->working_budget_bytes, 12);
  EXPECT_EQ(no->reason,
            "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
            "and the budget is 10 bytes; the smallest budget that works is 12 bytes");
}

TEST(PlainlyInfeasible, TellsWhatAnOperationNeedsFromWhatStays) {
  Problem problem = detour();
  problem.tensors.push_back({.name = "loss", .size_bytes = 3, .home = Home::Resident});
  problem.ram_budget_bytes = 12;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->working_set_bytes, 15);
  EXPECT_EQ(
      no->reason,
      "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
      "beside 3 bytes of what stays in RAM, and the budget is 12 bytes; the smallest budget that "
      "works is 15 bytes");
}

TEST(PlainlyInfeasible, DoesNotPromiseABudgetWithoutPaging) {
  Problem problem = detour_from_storage();
  problem.ram_budget_bytes = 10;
  problem.paging_allowed = false;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->working_budget_bytes, 15);
  EXPECT_EQ(no->reason,
            "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
            "and the budget is 10 bytes; no budget below 12 bytes works, and 15 bytes is the "
            "smallest found to work");
}

// Nothing but a has to come back, and it is made from nothing.
TEST(PlainlyInfeasible, KnowsABudgetInWhichSomethingIsMadeAgain) {
  Problem problem = detour();
  problem.ram_budget_bytes = 10;
  problem.paging_allowed = false;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->working_budget_bytes, 12);
  EXPECT_EQ(no->reason,
            "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
            "and the budget is 10 bytes; the smallest budget that works is 12 bytes");
}

// With blocking transfers the deadline leaves no time for paging, and so keeping everything is what
// is known to work.
TEST(PlainlyInfeasible, KnowsABudgetThatKeepsTheDeadline) {
  Problem problem = detour();
  problem.ram_budget_bytes = 10;
  problem.time_mode = TimeMode::Blocking;
  problem.deadline_s = 6;
  for (Tensor& tensor : problem.tensors) tensor.page_in_s = tensor.page_out_s = 0.25;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->least_budget_bytes, 12);
  EXPECT_EQ(no->working_budget_bytes, 15);
  problem.deadline_s = 6.5;  // a is written and read once
  EXPECT_EQ(plainly_infeasible(problem)->working_budget_bytes, 12);
}

TEST(PlainlyInfeasible, NamesTwoLimitsThatAreBothImpossible) {
  Problem problem = detour();
  problem.ram_budget_bytes = 10;
  problem.deadline_s = 5.5;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->kind, Infeasibility::Kind::Combined);
  EXPECT_EQ(no->least_budget_bytes, 12);
  EXPECT_EQ(no->least_time_s, 6);
  EXPECT_EQ(no->reason,
            "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
            "and the budget is 10 bytes; no budget below 12 bytes works; besides, one execution of "
            "every operation takes 6 s, and the deadline is 5.5 s; no deadline below 6 s works; 12 "
            "bytes of RAM and 6 s work together");
  EXPECT_EQ(retold(problem, *no).reason, no->reason);
}

// A deadline that works in more RAM does not in little: in the least there is, of one schedule.
TEST(PlainlyInfeasible, OffersTwoLimitsTogether) {
  Problem problem = detour();
  problem.paging_allowed = problem.rematerialisation_allowed = false;
  problem.ram_budget_bytes = 10;
  problem.deadline_s = 5.5;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no && no->budget_of_least_time_bytes);
  EXPECT_EQ(no->budget_of_least_time_bytes, plain_peak_bytes(problem));
  EXPECT_EQ(no->reason.find("that works is"), std::string::npos) << no->reason;
}

// Beside a deadline that nothing keeps, the one schedule that is left needs more than the budget.
TEST(PlainlyInfeasible, NamesWhatTheOnlyScheduleNeedsBesideADeadline) {
  Problem problem = detour();
  problem.paging_allowed = problem.rematerialisation_allowed = false;
  problem.ram_budget_bytes = plain_peak_bytes(problem) - 1;
  ASSERT_GE(problem.ram_budget_bytes, largest_working_set(problem).bytes);
  EXPECT_EQ(plainly_infeasible(problem), std::nullopt);  // alone, the search says so
  problem.deadline_s = 1;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->kind, Infeasibility::Kind::Combined);
  EXPECT_EQ(no->least_budget_bytes, plain_peak_bytes(problem));
  EXPECT_EQ(no->working_time_s, std::nullopt);
  EXPECT_NE(
      no->reason.find("; besides, computing everything once, without paging, cannot keep within"),
      std::string::npos)
      << no->reason;
  EXPECT_EQ(retold(problem, *no).reason.find("; besides, "), no->reason.find("; besides, "));
  problem.paging_allowed = true;
  EXPECT_EQ(plainly_infeasible(problem)->kind, Infeasibility::Kind::Deadline);
}

TEST(Retold, KeepsBothLimitsAndNamesTheDeadlineThatWorks) {
  Problem problem = detour();
  problem.ram_budget_bytes = 10;
  problem.deadline_s = 5.5;
  Infeasibility no = *plainly_infeasible(problem);
  no.least_budget_bytes.reset();  // as where other steps need less
  no.least_time_s.reset();
  no.working_time_s = 8;
  EXPECT_EQ(
      retold(problem, no).reason,
      "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
      "and the budget is 10 bytes; besides, one execution of every operation takes 6 s, and "
      "the deadline is 5.5 s; a deadline of 8 s works; 12 bytes of RAM and 6 s work together");
}

TEST(Retold, KeepsTheWriteBudgetBesideADeadline) {
  Problem problem = detour_from_storage();
  problem.deadline_s = 5.5;
  problem.write_budget_bytes = -1;  // nothing keeps it
  Infeasibility no = *plainly_infeasible(problem);
  ASSERT_EQ(no.kind, Infeasibility::Kind::Combined);
  ASSERT_FALSE(no.operation);
  const std::string second = no.reason.substr(no.reason.find("; besides, "));
  no.working_time_s = 8;
  no.least_time_s.reset();
  const std::string reason = retold(problem, no).reason;
  EXPECT_NE(reason.find("the deadline is 5.5 s; a deadline of 8 s works"), std::string::npos);
  EXPECT_TRUE(reason.ends_with(second)) << reason;
}

// Of 6 s the problem has what 20 % above every figure leave, 5 s; what works is of the worst case.
TEST(Retold, NamesTheDeadlineThatWasAskedForWhereCostsAreUncertain) {
  Problem problem = detour();
  problem.uncertainty = Uncertainty{.ratio = 0.2, .deadline_s = 6};
  problem.deadline_s = 5;
  Infeasibility no = *plainly_infeasible(problem, WhatWorks::IsLeftOut);
  no.least_time_s.reset();
  no.working_time_s = 7.2;
  EXPECT_EQ(retold(problem, no).reason,
            "by the figures, one execution of every operation takes 6 s, and the deadline is 5 s; "
            "that is what the deadline of 6 s leaves, since every cost may be 20 % above its "
            "figure: in the worst case, a deadline of 7.2 s works");
}

TEST(PlainlyInfeasible, NamesTheLeastTime) {
  Problem problem = detour();
  problem.deadline_s = 5.5;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->kind, Infeasibility::Kind::Deadline);
  EXPECT_EQ(no->least_time_s, 6);
  EXPECT_EQ(no->working_time_s, 6);
  EXPECT_EQ(no->reason,
            "one execution of every operation takes 6 s, and the deadline is 5.5 s; the shortest "
            "deadline that works is 6 s");
}

TEST(PlainlyInfeasible, DoesNotPromiseADeadlineWhereTransfersTakeTime) {
  Problem problem = detour_from_storage();
  problem.deadline_s = 5.5;
  problem.time_mode = TimeMode::Blocking;
  for (Tensor& tensor : problem.tensors) tensor.page_in_s = tensor.page_out_s = 0.25;
  EXPECT_EQ(plainly_infeasible(problem)->reason,
            "one execution of every operation with the transfers that no schedule can avoid takes "
            "6.25 s, and the deadline is 5.5 s; no deadline below 6.25 s works, and 6.75 s is the "
            "shortest found to work");
  problem.paging_allowed = false;
  EXPECT_EQ(plainly_infeasible(problem)->reason,
            "one execution of every operation with the transfers that no schedule can avoid takes "
            "6.25 s, and the deadline is 5.5 s; no deadline below 6.25 s works");
}

// They are in the least time of transfers beside the processor too.
TEST(PlainlyInfeasible, CountsTransfersBesideTheProcessor) {
  Problem problem = detour();
  problem.deadline_s = 5.5;
  problem.time_mode = TimeMode::Overlapped;
  EXPECT_TRUE(plainly_infeasible(problem)->reason.starts_with(
      "one execution of every operation with the transfers that no schedule can avoid takes 6 s, "
      "and the deadline is 5.5 s; "));
}

TEST(PlainlyInfeasible, ShowsTheDigitsInWhichTimesDiffer) {
  Problem problem = detour();
  problem.deadline_s = 5.9999994;
  EXPECT_EQ(plainly_infeasible(problem)->reason,
            "one execution of every operation takes 6 s, and the deadline is 5.9999994 s; the "
            "shortest deadline that works is 6 s");
}

// A weight at home in storage, and its new value.
Problem one_update() {
  Problem problem;
  problem.tensors = {{.size_bytes = 4, .home = Home::Storage},
                     {.size_bytes = 4, .updates = TensorId{0}}};
  problem.operations = {{.inputs = {TensorId{0}}, .outputs = {TensorId{1}}, .once = true}};
  problem.ram_budget_bytes = 8;
  return problem;
}

TEST(PlainlyInfeasible, HomesMustFitIntoStorage) {
  Problem problem = one_update();
  problem.storage_capacity_bytes = 3;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->kind, Infeasibility::Kind::StorageCapacity);
  EXPECT_EQ(no->reason,
            "the tensors that are at home in storage take 4 bytes, and its capacity is 3 bytes");
}

TEST(PlainlyInfeasible, UpdatesMustBeWritten) {
  Problem problem = one_update();
  problem.write_budget_bytes = 3;
  const std::optional<Infeasibility> no = plainly_infeasible(problem);
  ASSERT_TRUE(no);
  EXPECT_EQ(no->kind, Infeasibility::Kind::WriteBudget);
  EXPECT_EQ(no->reason,
            "the updated tensors must be written back, 4 bytes, and the write budget is 3 bytes");
  problem.operations[0].written_bytes = 2;
  problem.write_budget_bytes = 5;
  EXPECT_EQ(plainly_infeasible(problem)->kind, Infeasibility::Kind::WriteBudget);
  problem.write_budget_bytes = 6;
  EXPECT_FALSE(plainly_infeasible(problem));
}

SearchGoal small_goal() {
  SearchGoal goal;
  goal.max_nodes = 10'000;
  goal.rounding_ratio = 1e-9;
  return goal;
}

// Without paging nothing but keeping everything is known to work in less than 15 bytes; a search
// finds that computing a again does with 12, given the time.
TEST(WithSmallerBudget, SearchesBelowKeepingEverything) {
  Problem problem = detour();
  problem.ram_budget_bytes = 10;
  problem.paging_allowed = false;
  const auto searched = [&problem] {
    return with_smaller_budget(problem, *plainly_infeasible(problem), small_goal(),
                               **open_backend("cbc"), {});
  };
  EXPECT_EQ(searched().working_budget_bytes, 12);
  EXPECT_EQ(searched().reason,
            "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
            "and the budget is 10 bytes; the smallest budget that works is 12 bytes");
  problem.deadline_s = 6.5;
  EXPECT_EQ(searched().least_budget_bytes, 15);
  EXPECT_EQ(searched().working_budget_bytes, 15);
}

Infeasibility explained(const Problem& problem, const Stop& stop = {}) {
  return explain_infeasible(problem, small_goal(), **open_backend("cbc"), stop);
}

TEST(ExplainInfeasible, NamesTheSmallestBudget) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.rematerialisation_allowed = false;
  const Infeasibility no = explained(problem);
  EXPECT_EQ(no.kind, Infeasibility::Kind::RamBudget);
  EXPECT_EQ(no.least_budget_bytes, 15);
  EXPECT_EQ(no.working_budget_bytes, 15);
  EXPECT_EQ(no.reason,
            "computing everything once, without paging, cannot keep within 12 bytes of RAM; the "
            "smallest budget that works is 15 bytes");
}

TEST(ExplainInfeasible, NamesWhatEitherBudgetWouldHaveToBe) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  const Infeasibility no = explained(problem);
  EXPECT_EQ(no.kind, Infeasibility::Kind::Combined);
  EXPECT_EQ(no.reason,
            "recomputing alone cannot keep within 12 bytes of RAM and 6.5 s; within 6.5 s, the "
            "smallest budget that works is 15 bytes; with 12 bytes of RAM, the shortest deadline "
            "that works is 9 s");
}

TEST(ExplainInfeasible, LeavesOutADeadlineThatDoesNotBind) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.rematerialisation_allowed = false;
  problem.deadline_s = 100;
  const Infeasibility no = explained(problem);
  EXPECT_EQ(no.kind, Infeasibility::Kind::RamBudget);
  EXPECT_EQ(no.least_time_s, std::nullopt);
  EXPECT_EQ(no.reason,
            "computing everything once, without paging, cannot keep within 12 bytes of RAM and 100 "
            "s; within 100 s, the smallest budget that works is 15 bytes");
}

// A search that may not look at anything still knows what keeping everything needs, and that the
// time it could not bound says nothing.
TEST(ExplainInfeasible, KnowsABudgetThatWorksWithoutASearch) {
  Problem problem = detour_from_storage();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  const Infeasibility no = explained(problem, Stop{.token = {}, .elapsed_s = {}, .limit_s = 0});
  EXPECT_EQ(no.working_budget_bytes, 15);
  EXPECT_EQ(no.least_time_s, std::nullopt);
  EXPECT_EQ(no.reason,
            "recomputing alone cannot keep within 12 bytes of RAM and 6.5 s; within 6.5 s, no "
            "budget below 13 bytes works, and 15 bytes is the smallest found to work");
}

}  // namespace
}  // namespace poet
