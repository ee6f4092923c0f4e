#include "poet/tell/train_text.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// What the process may need counts pages of its program that were not read: a peak may be below it.
TEST(TrainText, NamesNoPartThatIsLargerThanTheWhole) {
  TrainReport report;
  report.arena_bytes = 1'000;
  report.peak_rss_bytes = 24'576'000;
  report.fixed_overhead_bytes = 30'105'604;
  const std::string text = train_text(report);
  EXPECT_NE(text.find("24,576,000 bytes of the process, which may come to 30,106,604: the arena, "
                      "and 30,105,604 for itself\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("of which"), std::string::npos) << text;
}

TEST(TrainText, SaysWhichBytesWereReadAndWhichWritten) {
  TrainReport report;
  report.paged_in_bytes = 12;
  report.paged_out_bytes = 3;
  const std::string text = train_text(report);
  EXPECT_NE(text.find("12 bytes read, 3 bytes written\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace poet
