#include "apps/cli/progress_display.h"

#include <gtest/gtest.h>

#include <cmath>

namespace poet::cli {
namespace {

TEST(ProgressText, ShowsWhatIsKnown) {
  EXPECT_EQ(progress_text({"relaxation", {}, {}, "J"}, 200), "relaxation  no schedule yet");
  EXPECT_EQ(progress_text({"relaxation", {}, 0.5, "J"}, 200),
            "relaxation  no schedule yet, bound 0.5 J");
  EXPECT_EQ(progress_text({"integer program", 2.0, 1.5, "J"}, 200),
            "integer program  best 2 J, bound 1.5 J, gap 25.00 %");
  EXPECT_EQ(progress_text({"windows", 2.0, {}, ""}, 200), "windows  best 2");
  EXPECT_EQ(progress_text({"budgets", 127759104.0, 12390400.0, "B"}, 200),
            "budgets  best 127,759,104 B, bound 12,390,400 B, gap 90.30 %");
  EXPECT_EQ(progress_text({"integer program", 2.0, {}, "s"}, 200), "integer program  best 2 s");
}

TEST(ProgressText, LeavesOutWholePartsWhereThereIsNoRoom) {
  const ProgressState state{"integer program", 110.9113, 100.5435, "J"};
  const std::string whole = "integer program  best 110.9113 J, bound 100.5435 J, gap 9.35 %";
  EXPECT_EQ(progress_text(state, whole.size()), whole);
  EXPECT_EQ(progress_text(state, whole.size() - 1),
            "best 110.9113 J, bound 100.5435 J, gap 9.35 %");
  EXPECT_EQ(progress_text(state, 44), "integer program  best 110.9113 J, gap 9.35 %");
  EXPECT_EQ(progress_text(state, 43), "best 110.9113 J, gap 9.35 %");
  EXPECT_EQ(progress_text(state, 26), "best 110.9113 J");
  EXPECT_EQ(progress_text(state, 14), "");
}

// A training plans several steps one after the other: the best of one and the bound of another make
// no sense in one line.
TEST(ProgressState, ForgetsTheSearchBefore) {
  ProgressState state = after({}, {.phase = "preparing", .search_unit = "J"});
  state = after(state, {.phase = "windows", .incumbent = 0.145, .bound = 0.14});
  state = after(state, {.phase = "windows", .bound = 0.142});
  EXPECT_EQ(progress_text(state, 200), "windows  best 0.145 J, bound 0.142 J, gap 2.07 %");
  state = after(state, {.phase = "preparing", .search_unit = "s"});
  EXPECT_EQ(progress_text(state, 200), "preparing  no schedule yet");
  state = after(state, {.phase = "relaxation", .bound = 0.383});
  EXPECT_EQ(progress_text(state, 200), "relaxation  no schedule yet, bound 0.383 s");
}

TEST(ProgressState, OfWhatIsNoSearchIsItsPhase) {
  const ProgressState measuring =
      after({.incumbent = 5}, {.phase = "gradients of batch 1 of 4", .search_unit = ""});
  EXPECT_EQ(progress_text(measuring, 80), "gradients of batch 1 of 4");
  EXPECT_EQ(progress_text(measuring, 10), "");
  EXPECT_EQ(progress_text(after(measuring, {.phase = "cuts", .search_unit = "J"}), 80),
            "cuts  no schedule yet");
}

TEST(ProgressBar, FillsWithTheTimeLimit) {
  EXPECT_EQ(progress_bar(0), "[          ]");
  EXPECT_EQ(progress_bar(0.5), "[#####     ]");
  EXPECT_EQ(progress_bar(7), "[##########]");
  EXPECT_EQ(progress_bar(std::nan("")), "[          ]");
}

TEST(ProgressDisplay, IsSilentWithoutAStyle) {
  testing::internal::CaptureStderr();
  {
    ProgressDisplay display({});
    display.update({"relaxation", 2.0, 1.0, 3, 4});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressDisplay, LetsOtherLinesBeWritten) {
  int written = 0;
  ProgressDisplay display({});
  display.aside([&written] { ++written; });
  EXPECT_EQ(written, 1);
}

// Answers that come before the first line is due leave no trace in a log.
TEST(ProgressDisplay, WritesNoLineForAShortSolve) {
  testing::internal::CaptureStderr();
  {
    ProgressDisplay display(
        {.style = ProgressStyle::Lines, .elapsed_s = [] { return 1.0; }, .limit_s = 60});
    display.update({"relaxation", 2.0, 1.0, 3, 4});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace poet::cli
