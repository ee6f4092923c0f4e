#include "poet/device/toml_text.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

std::string error_of(std::string_view text) {
  const Failure failure = check_toml_text(text, "board.toml");
  return failure ? to_string(*failure) : "no error";
}

TEST(CheckTomlText, LetsWhatIsWrittenProperlyPass) {
  EXPECT_EQ(error_of(""), "no error");
  EXPECT_EQ(error_of("# Zürich \"\n\xEF\xBB\xBF"),
            "board.toml:2:1: a character outside ASCII stands only in texts and comments");
  EXPECT_EQ(error_of("\xEF\xBB\xBFname = \"Zürich\" # ü\r\n[ram]\r\n [ x ]\n[[y]]\n['z']\n"),
            "no error");
}

TEST(CheckTomlText, KnowsWhereATextEnds) {
  EXPECT_EQ(error_of("a = \"\\\"ü\"\nb = \"\\\\\"\nc = '\\'\n"), "no error");
  EXPECT_EQ(error_of("a = 'ü\"' ü"),
            "board.toml:1:10: a character outside ASCII stands only in texts and comments");
}

TEST(CheckTomlText, PointsAtTheTextThatDoesNotEnd) {
  EXPECT_EQ(error_of("a = 1\nb = \"abc\nc = 2\n"),
            "board.toml:2:5: a quotation mark is missing: a text ends on its line");
  EXPECT_EQ(error_of("b = 'abc"),
            "board.toml:1:5: a quotation mark is missing: a text ends on its line");
  EXPECT_EQ(error_of("b = \"abc\\\""),
            "board.toml:1:5: a quotation mark is missing: a text ends on its line");
}

TEST(CheckTomlText, RefusesTextsInThreeQuotationMarks) {
  const std::string why = "a text in three quotation marks; a text has one and ends on its line";
  EXPECT_EQ(error_of("b = \"\"\"abc\ndef\"\"\"\n"), "board.toml:1:5: " + why);
  EXPECT_EQ(error_of("'''b''' = 1"), "board.toml:1:1: " + why);
  EXPECT_EQ(error_of("b = \"\"\nc = ''\n"), "no error");
}

TEST(CheckTomlText, WantsTheNameOfATable) {
  EXPECT_EQ(error_of("\n  [}]\n"), "board.toml:2:3: expected the name of a table after '['");
  EXPECT_EQ(error_of("[[=]]\n"), "board.toml:1:1: expected the name of a table after '['");
  EXPECT_EQ(error_of("[\nram]\n"), "board.toml:1:1: expected the name of a table after '['");
  EXPECT_EQ(error_of("["), "board.toml:1:1: expected the name of a table after '['");
}

TEST(CheckTomlText, RefusesLists) {
  EXPECT_EQ(error_of("[ram]\na = [1]\n"), "board.toml:2:5: a device file has no lists");
  EXPECT_EQ(error_of("[[[ram]]]\n"), "board.toml:1:1: expected the name of a table after '['");
  EXPECT_EQ(error_of("x[1] = 2\n"), "board.toml:1:2: a device file has no lists");
  EXPECT_EQ(error_of("[ram[x]]\n"), "board.toml:1:5: a device file has no lists");
}

// toml++ 3.3 asserts that what looks like a date, a space and a digit go on.
TEST(CheckTomlText, RefusesDates) {
  const std::string why = "a '-' inside a value; a device file has no dates";
  EXPECT_EQ(error_of("a = 4040-22-22 4\t"), "board.toml:1:9: " + why);
  EXPECT_EQ(error_of("a = 4@---- 2]"), "board.toml:1:7: " + why);
  EXPECT_EQ(error_of("a-1 = '4040-22-22' # 1-2\nb = -1\nc = 1e-3\n"), "no error");
}

// toml++ 3.3 reads on through all three while it looks for the end of a number.
TEST(CheckTomlText, RefusesTextsThatBeginInsideAValue) {
  EXPECT_EQ(error_of("a = 12\"ü\"\n"), "board.toml:1:7: a quotation mark where no text begins");
  EXPECT_EQ(error_of("a = 1=\"ü\"\n"), "board.toml:1:6: a second '=' behind the same key");
  EXPECT_EQ(error_of("a = 2{'ü'}\n"), "board.toml:1:6: a '{' where no value begins");
  EXPECT_EQ(error_of("'a' = { \"b\" = 'c', 'd' = 1 }\n[ 'e' ]\nf=\"g\"\n"), "no error");
}

TEST(CheckTomlText, RefusesControlCharacters) {
  EXPECT_EQ(error_of("a\t= 04\f"), "board.toml:1:7: a control character (code 12)");
  EXPECT_EQ(error_of("a = 1\rb = 2\n"), "board.toml:1:6: a control character (code 13)");
  EXPECT_EQ(error_of("\x7f"), "board.toml:1:1: a control character (code 127)");
}

// What U+FBEF does to toml++ 3.3 outside of a text.
TEST(CheckTomlText, RefusesCharactersOutsideAsciiElsewhere) {
  EXPECT_EQ(error_of("a\xEF\xAF\xAF = 1"),
            "board.toml:1:2: a character outside ASCII stands only in texts and comments");
}

TEST(CheckTomlText, RefusesKeysThatAreTooDeep) {
  const std::string why =
      "a key of more than 9 names; a device file has three at the most, such as ram.size.value";
  EXPECT_EQ(error_of("a.b.c.d.e.f.g.h.i = 1.5\n[a.b.c.d.e.f.g.h.i]\nx = { a.b = 1.5, c.d = 1.5 }"),
            "no error");
  EXPECT_EQ(error_of("x = 1\na.b.c.d.e.f.g.h.i.j = 1"), "board.toml:2:18: " + why);
  EXPECT_EQ(error_of("[a.b.c.d.e.f.g.h.i.j]"), "board.toml:1:19: " + why);
  EXPECT_EQ(error_of("x = { a.b.c.d.e.f.g.h.i . j = 1 }"), "board.toml:1:25: " + why);
}

}  // namespace
}  // namespace poet
