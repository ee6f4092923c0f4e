#include "poet/api/summary_text.h"

#include <gtest/gtest.h>

#include "poet/api/small_report_for_tests.h"

namespace poet {
namespace {

TEST(SummaryText, ShowsWhatAScheduleCosts) {
  EXPECT_EQ(summary_text(small_report()), "");
}

TEST(SummaryText, ExplainsANo) {
  EXPECT_EQ(summary_text(infeasible_report()), "");
}

}  // namespace
}  // namespace poet
