#include "poet/report/markup.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(EscapeMarkup, ReplacesWhatMarkupIsMadeOf) {
  EXPECT_EQ(escape_markup("<a href='x'>\"&\"</a>"),
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
}

TEST(EscapeMarkup, KeepsOtherLetters) {
  EXPECT_EQ(escape_markup("µ × 層 🙂"), "µ × 層 🙂");
}

TEST(EscapeMarkup, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(escape_markup(std::string_view("a\0b\x1b", 4)), "a\uFFFDb\uFFFD");
}

TEST(EscapeMarkup, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(escape_markup("\xff"), "\uFFFD");
  EXPECT_EQ(escape_markup("\xc3"), "\uFFFD");                      // cut short
  EXPECT_EQ(escape_markup("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(escape_markup("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(escape_markup("\xc3<"), "\uFFFD&lt;");
}

TEST(ScriptString, CannotEndTheScript) {
  EXPECT_EQ(script_string("</script>\"\\\n&"),
            "\"\\u003c/script\\u003e\\u0022\\u005c\\u000a\\u0026\"");
}

TEST(Coordinate, HasAtMostTwoDecimals) {
  EXPECT_EQ(coordinate(1.0 / 3), "0.33");
}

}  // namespace
}  // namespace poet
