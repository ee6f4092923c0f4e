#include "poet/tell/summary_text.h"

#include <gtest/gtest.h>

#include "poet/ask/small_report_for_tests.h"

namespace poet {
namespace {

TEST(SummaryText, ShowsWhatAScheduleCosts) {
  EXPECT_EQ(
      summary_text(small_report()),
      "chain on board, released graph, free transfers\n"
      "schedule found, not proved best, after 2 s (cbc 2.10, event formulation)\n"
      "\n"
      "  energy      8.75 J            compute 8 J, reads 250 mJ, writes 500 mJ\n"
      "  time        80 s              of 1 min 40 s\n"
      "  peak RAM    700 B             70 % of the budget of 1,000 B; keeping everything "
      "needs 700 B\n"
      "  recomputed  1 operation\n"
      "  paged       1 tensor          200 B written, 200 B read\n"
      "  overhead    1.75 J            25 % above the 7 J that no schedule of this step can save\n"
      "  bound       7.875 J           gap 10 %, 50 % of the overhead\n");
}

TEST(SummaryText, SpeaksOfTimeWhenTimeIsTheObjective) {
  PlanReport report = small_report();
  report.problem.objective = Objective::Time;
  report.solve.lower_bound = 75;
  const std::string text = summary_text(report);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "chain on board, released graph, free transfers, least time");
  EXPECT_EQ(text.substr(text.find("  overhead")),
            "  overhead    10 s              14.3 % above the 70 s that no schedule of this step "
            "can save\n"
            "  bound       75 s              gap 6.2 %, 50 % of the overhead\n");
}

// Sums of doubles differ in their last digits.
TEST(SummaryText, DoesNotMeasureAnOverheadThatIsNone) {
  PlanReport report = small_report();
  report.replay.energy_j = report.unavoidable_j * (1 + 1e-15);
  report.solve.lower_bound = report.unavoidable_j;
  EXPECT_NE(summary_text(report).find("\n  overhead    none              no schedule takes less\n"),
            std::string::npos)
      << summary_text(report);
}

TEST(SummaryText, ExplainsANo) {
  EXPECT_EQ(summary_text(infeasible_report()),
            "chain on board, released graph, free transfers\n"
            "no schedule exists (proved in exact arithmetic): operation 'make_c' needs 700 bytes "
            "of RAM, and the budget is 600\n"
            "\n"
            "  RAM budget  600 B\n"
            "  working set 700 B             of make_c\n"
            "  RAM needed  700 B             the smallest RAM budget that works\n"
            "  deadline    100 s             1 min 40 s\n");
}

TEST(SummaryText, SaysOfWhichSchedulesANoSpeaksThatIsNotOfAll) {
  PlanReport report = infeasible_report();
  report.solve.infeasibility->operation.reset();
  EXPECT_NE(summary_text(report).find(
                "\n  class       first executions in the given order; re-executions within one "
                "stage in increasing order, each at most once\n"),
            std::string::npos);
}

TEST(SummaryText, SaysThatANoIsOfTheClassWhereItIs) {
  PlanReport report = infeasible_report();
  EXPECT_NE(summary_text(report).find("\nno schedule exists ("), std::string::npos);
  report.solve.infeasibility->operation.reset();
  EXPECT_NE(summary_text(report).find("\nno schedule of the class below exists ("),
            std::string::npos);
}

TEST(SummaryText, SaysByWhatKindOfProofSomethingIsSo) {
  PlanReport report = infeasible_report();
  report.solve.backend = "cbc 2.10";
  report.proof = ProofKind::Margin;
  EXPECT_NE(
      summary_text(report).find("\nno schedule exists (proved within the margin of doubles): "),
      std::string::npos);
  report.proof = ProofKind::Backend;
  EXPECT_NE(summary_text(report).find("\nno schedule exists (by cbc 2.10, without certificate): "),
            std::string::npos);
  report = small_report();
  report.solve.status = SolveStatus::Optimal;
  report.proof = ProofKind::Exact;
  EXPECT_NE(summary_text(report).find("\noptimal schedule, proved in exact arithmetic after 2 s "),
            std::string::npos);
}

TEST(SummaryText, SaysHowMuchOfTheBoundACertificateProves) {
  PlanReport report = small_report();
  report.solve.backend = "cbc 2.10";
  report.certificate.emplace().proved_bound = 7.35;
  EXPECT_NE(summary_text(report).find(
                "  certified   7.35 J            80 % of the overhead; from there to the bound by "
                "cbc 2.10, without certificate\n"),
            std::string::npos);
  report.certificate->proved_bound = 7.875;
  EXPECT_EQ(summary_text(report).find("certified"), std::string::npos);
}

TEST(SummaryText, ShowsTimesOfANoAsTheSentenceDoes) {
  PlanReport report = infeasible_report();
  report.problem.deadline_s = 751.8190001;
  report.solve.infeasibility->operation.reset();
  report.solve.infeasibility->least_budget_bytes.reset();
  report.solve.infeasibility->working_budget_bytes = 800;
  report.solve.infeasibility->least_time_s = 751.8190002;
  report.solve.infeasibility->working_time_s = 900;
  const std::string text = summary_text(report);
  EXPECT_EQ(text.substr(text.find("  RAM found"), text.find("  class") - text.find("  RAM found")),
            "  RAM found   800 B             a RAM budget that works\n"
            "  deadline    751.8190001 s     12 min 32 s\n"
            "  time needed 751.8190002 s     12 min 32 s; no shorter deadline works\n"
            "  time found  900 s             15 min 0 s; a deadline that works\n");
  report.solve.infeasibility->working_time_s = 751.8190002;
  EXPECT_NE(
      summary_text(report).find(
          "  time needed 751.8190002 s     12 min 32 s; the shortest deadline that works\n  class"),
      std::string::npos);
  report.solve.infeasibility->working_time_s = 900;
  report.solve.infeasibility->least_time_s.reset();  // of other steps nothing is proved
  EXPECT_NE(summary_text(report).find(
                "751.8190001 s     12 min 32 s\n"
                "  time found  900 s             15 min 0 s; a deadline that works\n"),
            std::string::npos);
}

TEST(SummaryText, SaysWhereLessIsLookedForThanABudgetThatWorks) {
  PlanReport report = infeasible_report();
  report.solve.infeasibility->least_budget_bytes.reset();
  report.solve.infeasibility->working_budget_bytes = 800;
  report.parts.by_budget = true;
  EXPECT_NE(summary_text(report).find("  RAM found   800 B             a RAM budget that works; "
                                      "'poet minimum' looks for the least in parts\n"),
            std::string::npos);
}

// 'poet explain' does.
TEST(SummaryText, LeavesOutOfWhichSchedulesOptimalSpeaks) {
  PlanReport report = small_report();
  report.solve.status = SolveStatus::Optimal;
  EXPECT_EQ(summary_text(report).find("  class"), std::string::npos);
}

// Where the budget may choose parts, others may be cheaper.
TEST(SummaryText, SaysOfWhichPartsOptimalSpeaks) {
  PlanReport report = small_report();
  report.solve.status = SolveStatus::Optimal;
  report.parts.by_budget = true;
  const auto headline = [&report] {
    const std::string text = summary_text(report);
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.find(',', begin) - begin);
  };
  EXPECT_EQ(headline(), "optimal schedule of whole operations");
  report.updates.asked = Updates::Auto;
  EXPECT_EQ(headline(), "optimal schedule of whole operations with separate updates");
  report.updates.sliced = {"fc.weight"};
  EXPECT_EQ(headline(), "optimal schedule of whole operations with these updates by slices");
  report.parts.part_bytes = 65536;
  EXPECT_EQ(summary_text(report).find("optimal schedule in parts of at most 65,536 bytes, "),
            summary_text(report).find('\n') + 1);
}

// LeNet-5 on a Cortex-M4 in 384,032 bytes: 55 mJ, and 41 mJ with updates by slices.
TEST(SummaryText, NamesWhatWasNotTriedWhereRamCostsEnergy) {
  PlanReport report = small_report();
  report.unavoidable_j = report.replay.energy_j;
  report.updates.asked = Updates::Auto;
  report.parts.by_budget = true;
  EXPECT_EQ(summary_text(report).find("not tried"), std::string::npos);
  report.unavoidable_j = 0.98 * report.replay.energy_j;
  EXPECT_NE(summary_text(report).find(
                "  not tried   updates by slices (--updates sliced), operations in parts "
                "(such as --parts 64KiB), which may cost less here\n"),
            std::string::npos)
      << summary_text(report);
  report.parts.part_bytes = 65536;
  EXPECT_EQ(summary_text(report).find("not tried"), std::string::npos);
}

TEST(SummaryText, ShowsNoGapWhereTheDifferenceIsRounding) {
  PlanReport report = small_report();
  report.solve.lower_bound = 8.75 * (1 - 1e-10);
  const std::string text = summary_text(report);
  EXPECT_NE(text.find("gap 0 %, 0 % of the overhead\n"), std::string::npos) << text;
}

TEST(SummaryText, SaysWhenNothingWasFound) {
  PlanReport report = infeasible_report();
  report.solve = {};
  report.solve.lower_bound = 7.5;
  report.solve.backend = "cbc 2.10";
  EXPECT_EQ(summary_text(report),
            "chain on board, released graph, free transfers\n"
            "no schedule found, and none ruled out, after 2 s (cbc 2.10, event formulation)\n"
            "\n"
            "  RAM budget  600 B\n"
            "  bound       7.5 J\n");
}

}  // namespace
}  // namespace poet
