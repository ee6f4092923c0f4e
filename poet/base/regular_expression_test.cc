#include "poet/base/regular_expression.h"

#include <gtest/gtest.h>

#include <string>

namespace poet {
namespace {

std::string error_of(std::string_view pattern) {
  const Result<RegularExpression> expression = RegularExpression::parse(pattern);
  return expression.ok() ? "none" : to_string(expression.error());
}

bool is_found(std::string_view pattern, std::string_view text) {
  return RegularExpression::parse(pattern)->is_found_in(text);
}

TEST(RegularExpression, IsFoundAnywhereInTheText) {
  EXPECT_TRUE(is_found("^fc[12]\\.w", "fc1.weight"));
  EXPECT_TRUE(is_found("weight$", "fc1.weight"));
  EXPECT_TRUE(is_found("", "anything"));
  EXPECT_FALSE(is_found("^weight", "fc1.weight"));
}

TEST(RegularExpression, SaysWhatIsWrongInOneSentence) {
  EXPECT_EQ(error_of("("), "'(' is not a regular expression: missing ): (");
  EXPECT_EQ(error_of("a**"), "'a**' is not a regular expression: bad repetition operator: **");
  EXPECT_EQ(error_of("(?!conv)"),
            "'(?!conv)' is not a regular expression: it has '(?!', but look-around and "
            "back-references are not supported");
  EXPECT_EQ(error_of("(a)\\1"),
            "'(a)\\1' is not a regular expression: it has '\\1', but look-around and "
            "back-references are not supported");
  EXPECT_EQ(error_of("((a{1000}){1000}){1000}"),
            "'((a{1000}){1000}){1000}' is not a regular expression: invalid repetition size: "
            "{1000}");
  EXPECT_EQ(error_of("\xff"), "'\xff' is not a regular expression: invalid UTF-8");
}

// std::regex ended in a crash here: it recursed once for each letter.
TEST(RegularExpression, ReadsATextOfAMillionLetters) {
  const std::string text(1'000'000, 'a');
  EXPECT_TRUE(is_found("(a|b)*$", text));
  EXPECT_FALSE(is_found("(a|b)*c", text));
}

// And did not end here.
TEST(RegularExpression, TakesTimeInProportionToTheTextWhateverThePattern) {
  EXPECT_FALSE(is_found("^(a+)+$", std::string(100'000, 'a') + "b"));
  EXPECT_FALSE(is_found("(x+x+)+y", std::string(100'000, 'x')));
}

TEST(RegularExpression, MayBeNestedDeeply) {
  const std::string deep = std::string(100'000, '(') + "a" + std::string(100'000, ')');
  EXPECT_TRUE(is_found(deep, "banana"));
}

TEST(RegularExpression, ForNamesTakesNoLongTime) {
  const std::string pattern(10'000, 'a');
  EXPECT_TRUE(RegularExpression::parse_for_names(pattern, 100'000).ok());
  EXPECT_EQ(RegularExpression::parse_for_names(pattern, 100'001).error().message,
            "a regular expression of 10,000 bytes would take too long on names of 100,001 bytes "
            "together: give a shorter one");
}

// Few bytes may stand for many.
TEST(RegularExpression, ForNamesRepeatsNotTooOften) {
  EXPECT_TRUE(RegularExpression::parse_for_names("(a|b){1,999}c", 50'000).ok());
  for (const char* const pattern : {"(\\pL|.){1,999}b", "(a|b){1,999}c", ".{999}b"}) {
    const auto refused = RegularExpression::parse_for_names(pattern, 1'000'000);
    ASSERT_FALSE(refused.ok()) << pattern;
    EXPECT_TRUE(refused.error().message.ends_with(
        " would take too long on names of 1,000,000 bytes together: give a simpler one, or one "
        "that repeats less"))
        << refused.error().message;
  }
}

TEST(RegularExpression, FindsEveryMatchWithItsGroups) {
  const std::string text = "one=1, two, three=3";
  const auto matches = RegularExpression::parse("([a-z]+)(?:=([0-9]))?")->matches_in(text);
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0].begin, 0u);
  EXPECT_EQ(matches[0].end, 5u);
  EXPECT_EQ(matches[1].groups[0], "two");
  EXPECT_EQ(matches[1].groups[1], "");
  EXPECT_EQ(matches[2].groups[1], "3");
  EXPECT_EQ(RegularExpression::parse("x*")->matches_in("ab").size(), 3u);
}

}  // namespace
}  // namespace poet
