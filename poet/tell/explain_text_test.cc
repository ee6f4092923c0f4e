#include "poet/ask/explain.h"

#include <gtest/gtest.h>

#include "poet/tell/explain_text.h"

namespace poet {
namespace {

TensorId t(int i) {
  return TensorId{i};
}

// Tensors a and b that wait while c is made from nothing but workspace.
Problem waiting() {
  Problem problem;
  problem.tensors = {{.name = "a", .size_bytes = 6},
                     {.name = "b", .size_bytes = 4},
                     {.name = "c", .size_bytes = 5}};
  problem.operations = {{.name = "make a", .outputs = {t(0)}},
                        {.name = "make b", .outputs = {t(1)}},
                        {.name = "make c", .outputs = {t(2)}, .workspace_bytes = 1}};
  problem.ram_budget_bytes = 12;
  return problem;
}

ExplainedAbsence read_again() {
  ExplainedAbsence one;
  one.absence = {.tensor = t(0),
                 .way = Absence::Return::Read,
                 .left_action = 4,
                 .back_action = 6,
                 .left_stage = 2,
                 .back_stage = 5};
  one.tightest = TightMoment{
      .operation = OperationId{2}, .used_bytes = 10, .workspace_bytes = 1, .holders = {t(2), t(1)}};
  one.missing_bytes = 4;
  one.cost = 1;
  one.copy_cost = 1.5;
  one.keeping = 2;
  one.recomputing = Recomputation{.operations = {OperationId{0}}, .reads = {}, .cost = 3};
  return one;
}

TEST(AbsenceText, SaysWhyATensorIsPaged) {
  EXPECT_EQ(
      absence_text(waiting(), read_again(), 5),
      "a (6 bytes) is absent in stages 2 to 5, and read again for 1 J (20 % of the overhead), "
      "after it was written for 1.5 J (30 % of the overhead).\n"
      "  While 'make c' runs, 10 of 12 bytes are in use: 4 bytes too few for it to stay. In "
      "RAM then: c (5) and b (4), besides 1 byte of workspace.\n"
      "  Instead, with all else as it is: the RAM to keep it is worth about 2 J (40 % of the "
      "overhead); computing it again from what is in RAM then (make a) would cost 3 J (60 % of the "
      "overhead).\n");
}

TEST(AbsenceText, SaysWhyATensorIsRecomputed) {
  ExplainedAbsence one = read_again();
  one.absence.way = Absence::Return::Recomputed;
  one.absence.back_stage = 2;
  one.cost = 3;
  one.recomputing.reset();
  one.paging = 2.5;
  EXPECT_EQ(absence_text(waiting(), one, 0),
            "a (6 bytes) is absent in stage 2, and computed again for 3 J.\n"
            "  While 'make c' runs, 10 of 12 bytes are in use: 4 bytes too few for it to stay. In "
            "RAM then: c (5) and b (4), besides 1 byte of workspace.\n"
            "  Instead, with all else as it is: the RAM to keep it is worth about 2 J; writing and "
            "reading it would cost "
            "2.5 J.\n");
}

TEST(AbsenceText, SaysWhenATensorCouldStay) {
  ExplainedAbsence one = read_again();
  one.tightest->used_bytes = 6;
  one.missing_bytes = 0;
  one.keeping.reset();
  one.recomputing.reset();
  EXPECT_EQ(
      absence_text(waiting(), one, 0),
      "a (6 bytes) is absent in stages 2 to 5, and read again for 1 J, after it was written "
      "for 1.5 J.\n"
      "  While 'make c' runs, 6 of 12 bytes are in use, the most in that time: it could stay. "
      "In RAM then: c (5) and b (4), besides 1 byte of workspace.\n"
      "  Instead, with all else as it is: it cannot be computed again.\n");
}

// More RAM may have another step, of which nothing is proved.
TEST(MoreText, SaysOfWhichStepsOfANetworkItSpeaks) {
  Plan plan{.origin = {.graph = "real"}, .problem = waiting()};
  const MoreOfIt more{.saves_at_most = 2, .evidence = Evidence::Arithmetic};
  EXPECT_EQ(more_text(plan, more, "another 8 bytes of RAM", 4),
            "another 8 bytes of RAM can save at most 2 J (50 % of the overhead) in this step; that "
            "is proved by sums over the problem\n");
  plan.origin.part_bytes = 16'064;
  EXPECT_EQ(more_text(plan, more, "another 8 bytes of RAM", 4),
            "another 8 bytes of RAM can save at most 2 J (50 % of the overhead) in these parts; "
            "that is proved by sums over the problem\n");
}

TEST(MoreText, SaysWhatIsBoundedAndWhatWasFound) {
  const Plan plan{.problem = waiting()};
  MoreOfIt more{.saves_at_most = 2, .evidence = Evidence::Backend, .backend = "cbc 2.10.8"};
  EXPECT_EQ(more_text(plan, more, "another 8 bytes of RAM", 4),
            "another 8 bytes of RAM can save at most 2 J (50 % of the overhead); that is by "
            "cbc 2.10.8, without certificate\n");
  more.found = 1;
  more.status = SolveStatus::Feasible;
  EXPECT_EQ(
      more_text(plan, more, "another 8 bytes of RAM", 4),
      "another 8 bytes of RAM can save at most 2 J (50 % of the overhead); planned again, 1 J "
      "(25 % of the overhead) is saved, and more may be possible; that is by cbc 2.10.8, without "
      "certificate\n");
  // Complete, within a gap: what is left of that may be saved as well.
  more.found = 0;
  more.status = SolveStatus::Optimal;
  EXPECT_EQ(
      more_text(plan, more, "another 8 bytes of RAM", 4),
      "another 8 bytes of RAM can save at most 2 J (50 % of the overhead); planned again, "
      "nothing is saved, and more may be possible; that is by cbc 2.10.8, without certificate\n");
  more.found = 2;
  more.evidence = Evidence::Arithmetic;
  EXPECT_EQ(
      more_text(plan, more, "another 8 bytes of RAM", 4),
      "another 8 bytes of RAM can save at most 2 J (50 % of the overhead); planned again, "
      "2 J (50 % of the overhead) is saved, and no more can be saved; that is proved by sums over "
      "the problem\n");
}

TEST(ExplainPlan, RefusesAFileThatIsNotThere) {
  ExplainRequest request;
  request.plan_path = "no-such-plan.json";
  const Result<Explanation> explanation = explain_plan(request, {}, {});
  ASSERT_FALSE(explanation.ok());
}

}  // namespace
}  // namespace poet
