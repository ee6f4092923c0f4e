#include "poet/base/closest_name.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

const std::vector<std::string_view> kNames = {"m0",       "m4",       "a72",  "jetsontx2",
                                              "resnet18", "resnet50", "vgg16"};

TEST(ClosestName, FindsSlips) {
  EXPECT_EQ(closest_name("m5", kNames), "m0");
  EXPECT_EQ(closest_name("jetsntx2", kNames), "jetsontx2");
  EXPECT_EQ(closest_name("a72x", kNames), "a72");
  EXPECT_EQ(closest_name("restne50", kNames), "resnet50");
  EXPECT_EQ(closest_name("vgg", kNames), "vgg16");
}

TEST(ClosestName, TakesUpperAndLowerCaseAlike) {
  EXPECT_EQ(closest_name("ResNet50", kNames), "resnet50");
  EXPECT_EQ(closest_name("M4", kNames), "m4");
}

TEST(ClosestName, TakesTheFirstOfSeveral) {
  EXPECT_EQ(closest_name("resnet", kNames), "resnet18");
}

TEST(ClosestName, CountsASwapAsOneSlip) {
  EXPECT_EQ(closest_name("ba", {"xy", "ab"}), "ab");
}

TEST(ClosestName, FindsNothingThatIsFarOff) {
  EXPECT_EQ(closest_name("lenet", kNames), std::nullopt);
  EXPECT_EQ(closest_name("xy", kNames), std::nullopt);
  EXPECT_EQ(closest_name("x", kNames), std::nullopt);
  EXPECT_EQ(closest_name("", kNames), std::nullopt);
  EXPECT_EQ(closest_name("m4", {}), std::nullopt);
}

TEST(Suggestion, IsTheEndOfAMessageOrNothing) {
  EXPECT_EQ(suggestion("jetsontx", kNames), "; did you mean 'jetsontx2'?");
  EXPECT_EQ(suggestion("lenet", kNames), "");
}

}  // namespace
}  // namespace poet
