#include "poet/report/curve_look.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace poet {
namespace {

TEST(CurveLook, NoTwoOfFortyMethodsAreAlike) {
  std::vector<std::string> methods = {"poet"};
  for (int i = 0; i < 40; ++i) methods.push_back("m" + std::to_string(i));
  std::set<std::string> looks;
  for (const std::string& method : methods) {
    const CurveLook look = curve_look(methods, method);
    std::string attributes = look_attributes(look);
    attributes.resize(attributes.find(" data-method"));
    EXPECT_TRUE(looks.insert(attributes + curve_mark(look, MarkSize::Full, 0, 0, "", "")).second)
        << method;
  }
}

// Without colours: dashes and shapes alone tell 40 apart.
TEST(CurveLook, NoTwoAreAlikeInBlackAndWhite) {
  std::set<std::string> looks;
  for (std::size_t i = 0; i < 40; ++i) {
    const CurveLook look{i, false};
    const std::string attributes = look_attributes(look);
    const std::size_t dash = attributes.find("dash-");
    EXPECT_TRUE(
        looks.insert(attributes.substr(dash, 6) + curve_mark(look, MarkSize::Full, 0, 0, "", ""))
            .second)
        << i;
  }
}

TEST(CurveLook, OnlyPoetIsForemost) {
  EXPECT_EQ(curve_look({"a", "poet"}, "poet"), (CurveLook{1, true}));
  EXPECT_EQ(curve_look({"a", "poet"}, "a"), (CurveLook{0, false}));
}

}  // namespace
}  // namespace poet
