#include "poet/base/duration_text.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(parse_duration("250ns").value(), 250 * 1e-9);
  EXPECT_EQ(parse_duration("3 us").value(), 3 * 1e-6);
  EXPECT_EQ(parse_duration("200ms").value(), 200 * 1e-3);
  EXPECT_EQ(parse_duration("3s").value(), 3.0);
  EXPECT_EQ(parse_duration("1.5 min").value(), 90.0);
  EXPECT_EQ(parse_duration("2h").value(), 7200.0);
}

TEST(ParseDuration, ListsTheUnitsWhenOneIsUnknown) {
  const Result<double> time = parse_duration("200 msec", {"", 1, 1});
  ASSERT_FALSE(time.ok());
  EXPECT_EQ(to_string(time.error()), "line 1:5: unknown unit 'msec' (use ns, us, ms, s, min or h)");
}

TEST(ExactSeconds, TellsDeadlinesApartThatTheRulesTellApart) {
  EXPECT_EQ(exact_seconds(0.5), "0.5 s");
  EXPECT_EQ(exact_seconds(12'945), "12945 s");
  EXPECT_NE(exact_seconds(0.0414982), exact_seconds(0.0414982 * (1 - 1e-8)));
}

// A shortest deadline that is copied from an answer must not be refused: the tolerance is 1e-9.
TEST(ExactSeconds, MeansTheSameWhenItIsReadAgain) {
  for (const double seconds : {1.0 / 3, 0.04149820301883239, 1.0000000004999, 751.8190000001234})
    EXPECT_NEAR(parse_duration(exact_seconds(seconds)).value(), seconds, 1e-9 * seconds);
}

}  // namespace
}  // namespace poet
