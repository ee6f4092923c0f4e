#include "poet/tell/train_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

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

TEST(TrainText, SaysOfAShortTrainingNothingTwiceAndNothingThatIsNot) {
  TrainReport report;
  EXPECT_TRUE(train_text(report).starts_with("There was no step left to take\n"));
  report.steps = 1;
  report.first_step = 7;
  report.losses = {-std::numeric_limits<float>::quiet_NaN()};
  const std::string text = train_text(report);
  EXPECT_NE(text.find("Trained after 1 step\n\n  loss             nan at step 7\n"),
            std::string::npos)
      << text;
}

TEST(TrainText, SaysOfWhatAStepIsMadeWhereTheBudgetChoseIt) {
  TrainReport report;
  report.steps = 1;
  report.losses = {0.5F};
  report.updates = {.asked = Updates::Auto};
  EXPECT_EQ(train_text(report).find("  updates "), std::string::npos);
  EXPECT_EQ(train_text(report).find("  parts "), std::string::npos);
  report.updates.sliced = {"fc1.weight"};
  report.parts = {.by_budget = true, .part_bytes = 65'536, .operations = 12};
  report.parts.cuts = std::make_shared<const Cuts>();
  const std::string text = train_text(report);
  EXPECT_NE(text.find("  updates          auto: by slices for fc1.weight\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  parts            auto: 12 operations of at most 64 KiB\n"),
            std::string::npos)
      << text;
}

TEST(TrainText, NamesTheErrorOfARegression) {
  EXPECT_EQ(score_text({.loss = 0.25, .error = 0.5, .examples = 8}),
            "loss 0.2500, root mean square error 0.5 on 8 examples");
}

TEST(TrainText, NamesWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(score_text({.loss = nan, .accuracy = 0.5, .examples = 4, .not_finite = 2}),
            "loss nan, accuracy 50.00 % on 4 examples; what the network makes of example 2 (they "
            "count from 0) is not finite");
  EXPECT_EQ(score_text({.loss = nan, .examples = 4}), "nothing that counts");
}

}  // namespace
}  // namespace poet
