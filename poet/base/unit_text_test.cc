#include "poet/base/unit_text.h"

#include <gtest/gtest.h>

#include <string>

namespace poet {
namespace {

const std::vector<Unit> kPowers = {{"mW", 1e-3}, {"W", 1}};

std::string error_of(std::string_view text) {
  const Result<double> power = parse_quantity(text, kPowers, {"board.toml", 3, 7});
  return power.ok() ? "no error" : to_string(power.error());
}

TEST(ParseQuantity, ReadsANumberInTheBaseUnit) {
  EXPECT_EQ(parse_quantity("330 mW", kPowers).value(), 0.33);
  EXPECT_EQ(parse_quantity("0.15W", kPowers).value(), 0.15);
  EXPECT_EQ(parse_quantity("1.5e-3 W", kPowers).value(), 1.5e-3);
}

TEST(ParseQuantity, PointsAtTheUnknownUnit) {
  EXPECT_EQ(error_of("330 kW"), "board.toml:3:11: unknown unit 'kW' (use mW or W)");
  EXPECT_EQ(error_of("330 w"), "board.toml:3:11: unknown unit 'w'; did you mean 'W'?");
  EXPECT_EQ(error_of("330  W"), "board.toml:3:11: unknown unit ' W' (use mW or W)");
  EXPECT_EQ(error_of("1e W"), "board.toml:3:8: unknown unit 'e W' (use mW or W)");
}

TEST(ParseQuantity, AsksForTheUnit) {
  EXPECT_EQ(error_of("330"), "board.toml:3:10: the unit is missing (use mW or W)");
}

TEST(ParseQuantity, RefusesWhatIsNotANumber) {
  EXPECT_EQ(error_of("-1 W"),
            "board.toml:3:7: expected a number of at least 0 and its unit (mW or W), found '-1 W'");
  EXPECT_EQ(
      error_of("nan W"),
      "board.toml:3:7: expected a number of at least 0 and its unit (mW or W), found 'nan W'");
  EXPECT_EQ(
      error_of(""),
      "board.toml:3:7: expected a number of at least 0 and its unit (mW or W), found nothing");
}

TEST(ParseQuantity, RefusesNumbersThatADoubleCannotHold) {
  EXPECT_EQ(error_of("1e999 W"),
            "board.toml:3:7: number out of range: '1e999 W' (0, or from 1e-307 to 1e308)");
  EXPECT_FALSE(parse_quantity("1e308 GW", {{"GW", 1e9}}).ok());
}

}  // namespace
}  // namespace poet
