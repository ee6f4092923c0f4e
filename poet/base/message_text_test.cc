#include "poet/base/message_text.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(InQuotes, ShowsShortTextWhole) {
  EXPECT_EQ(in_quotes("m5"), "'m5'");
}

TEST(InQuotes, CutsLongText) {
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(InQuotes, CutsBetweenCharacters) {
  EXPECT_EQ(in_quotes(std::string(39, 'x') + "\xc3\xa9y"), "'" + std::string(39, 'x') + "...'");
}

TEST(InQuotes, StaysOneReadableLine) {
  EXPECT_EQ(in_quotes("a\nb\x7f"), "'a?b?'");
}

TEST(InQuotes, TurnsNoLineAround) {
  EXPECT_EQ(in_quotes("a\u202Eb\u2066c\u200Fd\u0085e"), "'a?b?c?d?e'");
  EXPECT_EQ(in_quotes("\u00E9\u2013\u20AC"), "'\u00E9\u2013\u20AC'");
  EXPECT_EQ(in_quotes("cut\xE2\x80"), "'cut\xE2\x80'");
}

TEST(InQuotes, NamesTheAbsenceOfText) {
  EXPECT_EQ(in_quotes(""), "nothing");
}

TEST(OneLine, KeepsASentenceOfALibraryOnItsLine) {
  EXPECT_EQ(one_line("saw '\n'"), "saw '?'");
  EXPECT_EQ(one_line(std::string(201, 'x')), std::string(200, 'x') + "...");
}

TEST(GroupedDigits, GroupsByThousands) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(2'465'832), "2,465,832");
  EXPECT_EQ(grouped_digits(-123'456), "-123,456");
}

TEST(BytesText, CountsThem) {
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(2'465'832), "2,465,832 bytes");
}

TEST(Alternatives, JoinsWithCommasAndOr) {
  EXPECT_EQ(alternatives({"ns", "us", "ms"}), "ns, us or ms");
  EXPECT_EQ(alternatives({"ns", "us"}), "ns or us");
  EXPECT_EQ(alternatives({"ns"}), "ns");
}

}  // namespace
}  // namespace poet
