#include "poet/base/number_text.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(ReadWhole, ReadsWholeNumbersFromTheLeast) {
  EXPECT_EQ(read_whole("1", 1).value(), 1);
  EXPECT_EQ(read_whole("9223372036854775807", 0).value(), 9'223'372'036'854'775'807);
  for (const std::string text : {"0", "-1", "1.5", "x", "", " 1", "-9223372036854775809"})
    EXPECT_EQ(read_whole(text, 1).error().message,
              "expected a whole number of at least 1, found " +
                  (text.empty() ? std::string("nothing") : "'" + text + "'"));
}

TEST(ReadWhole, SaysThatANumberIsTooLarge) {
  EXPECT_EQ(read_whole("99999999999999999999", 1).error().message,
            "'99999999999999999999' is too large; the largest that works is 9223372036854775807");
  EXPECT_EQ(read_whole("9", 1, 8).error().message, "'9' is too large; the largest that works is 8");
}

TEST(ReadNumber, SaysThatANumberIsOutOfRange) {
  for (const std::string text : {"1e400", "1e-400"})
    EXPECT_EQ(read_number(text, Zero::Allowed).error().message,
              "'" + text + "' is out of range: 0, or from 1e-307 to 1e308");
}

TEST(ReadNumber, ReadsFiniteNumbers) {
  EXPECT_EQ(read_number("1e100", Zero::Refused).value(), 1e100);
  EXPECT_EQ(read_number("0", Zero::Allowed).value(), 0);
  EXPECT_EQ(read_number("0", Zero::Refused).error().message,
            "expected a number above 0, found '0'");
  for (const std::string text : {"-1", "nan", "inf", "-1e999", "2 s", "-0"})
    EXPECT_EQ(read_number(text, Zero::Allowed).error().message,
              "expected a number of at least 0, found '" + text + "'");
}

TEST(ReadPart, ReadsRatiosAndPercents) {
  EXPECT_EQ(read_part("1e-4").value(), 1e-4);
  EXPECT_EQ(read_part("0").value(), 0);
  EXPECT_EQ(read_part("5%").value(), 0.05);
  for (const std::string text : {"1", "100%", "-1%", "x", "nan"})
    EXPECT_EQ(read_part(text).error().message,
              "expected a part such as 1e-4 or 0.01%, from 0 to less than 1, found '" + text + "'");
}

}  // namespace
}  // namespace poet
