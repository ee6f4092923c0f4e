#include "poet/emit/c_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace poet {
namespace {

TEST(CFloat, ReadsBackToTheSameBits) {
  for (const float value : {0.1F, -0.0F, 3.0e-45F, 3.4028235e38F, 1.0F}) {
    const std::string text = c_float(value);
    ASSERT_TRUE(text.ends_with("f")) << text;
    const float read = std::strtof(text.c_str(), nullptr);
    EXPECT_EQ(read, value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
  }
  EXPECT_EQ(c_float(-std::numeric_limits<float>::infinity()), "-INFINITY");
}

TEST(CComment, CannotEndOrContinueBeyondItsLine) {
  EXPECT_EQ(c_comment("layer*/1\n?\?/ \\"), "layer*_1___/ _");
  EXPECT_EQ(c_comment("a/*b"), "a/_b");
}

TEST(CMacroName, HasLettersDigitsAndUnderscores) {
  EXPECT_EQ(c_macro_name("input.1/ids"), "INPUT_1_IDS");
}

TEST(FilledIn, ReplacesEveryName) {
  EXPECT_EQ(filled_in("@A@ + @B@ = @A@@B@", {{"A", "1"}, {"B", "@"}}), "1 + @ = 1@");
}

TEST(FilledIn, LeavesOtherSignsAlone) {
  EXPECT_EQ(filled_in("\t@echo $@ @A@ a@b", {{"A", "1"}}), "\t@echo $@ 1 a@b");
}

}  // namespace
}  // namespace poet
