#include "poet/api/summary_text.h"

#include <gtest/gtest.h>

#include "poet/api/small_report_for_tests.h"

namespace poet {
namespace {

TEST(SummaryText, ShowsWhatAScheduleCosts) {
  EXPECT_EQ(summary_text(small_report()),
            "chain on board, released graph, free transfers\n"
            "schedule found, not proved best, after 2 s (cbc 2.10, event formulation)\n"
            "\n"
            "  energy      8.75 J            compute 8 J, reads 250 mJ, writes 500 mJ\n"
            "  time        80 s              of 1 min 40 s\n"
            "  peak RAM    700 B             70 % of the budget of 1,000 B; keeping everything "
            "needs 700 B\n"
            "  recomputed  1 operation\n"
            "  paged       1 tensor          200 B written, 200 B read\n"
            "  overhead    1.75 J            25 % above the 7 J that no schedule can save\n"
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
            "  overhead    10 s              14.3 % above the 70 s that no schedule can save\n"
            "  bound       75 s              gap 6.2 %, 50 % of the overhead\n");
}

TEST(SummaryText, ExplainsANo) {
  EXPECT_EQ(summary_text(infeasible_report()),
            "chain on board, released graph, free transfers\n"
            "no schedule exists: operation 'make_c' needs 700 bytes of RAM, and the budget is 600\n"
            "\n"
            "  RAM budget  600 B\n"
            "  working set 700 B             of make_c\n"
            "  needed      700 B             the smallest RAM budget that works\n"
            "  deadline    1 min 40 s\n");
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
