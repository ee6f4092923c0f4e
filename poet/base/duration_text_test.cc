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

}  // namespace
}  // namespace poet
