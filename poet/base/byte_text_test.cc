#include "poet/base/byte_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

std::string error_of(std::string_view text) {
  const Result<std::int64_t> size = parse_bytes(text, {"board.toml", 3, 7});
  return size.ok() ? "no error" : to_string(size.error());
}

TEST(ParseBytes, ReadsEveryUnit) {
  EXPECT_EQ(parse_bytes("737719").value(), 737'719);
  EXPECT_EQ(parse_bytes("5B").value(), 5);
  EXPECT_EQ(parse_bytes("720KB").value(), 720'000);
  EXPECT_EQ(parse_bytes("256 KiB").value(), 262'144);
  EXPECT_EQ(parse_bytes("3MB").value(), 3'000'000);
  EXPECT_EQ(parse_bytes("3MiB").value(), 3'145'728);
  EXPECT_EQ(parse_bytes("2 GB").value(), 2'000'000'000);
  EXPECT_EQ(parse_bytes("8GiB").value(), 8'589'934'592);
}

TEST(ParseBytes, RoundsFractionsOfBytesDown) {
  EXPECT_EQ(parse_bytes("1.5KiB").value(), 1'536);
  EXPECT_EQ(parse_bytes("0.0009 KB").value(), 0);
  EXPECT_EQ(parse_bytes("1.999999999GiB").value(), 2'147'483'646);
}

TEST(ParseBytes, HoldsTheLargestSize) {
  EXPECT_EQ(parse_bytes("9223372036854775807").value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(error_of("9223372036854775808"), "board.toml:3:7: the size does not fit in 63 bits");
  EXPECT_EQ(error_of("8589934592GiB"), "board.toml:3:7: the size does not fit in 63 bits");
}

TEST(ParseBytes, PointsAtTheUnknownUnit) {
  EXPECT_EQ(error_of("64 Kb"), "board.toml:3:10: unknown unit 'Kb'; did you mean 'KB'?");
  EXPECT_EQ(error_of("64 "),
            "board.toml:3:10: unknown unit nothing (use B, KB, KiB, MB, MiB, GB or GiB)");
}

TEST(ParseBytes, RefusesWhatIsNotASize) {
  EXPECT_EQ(error_of(""), "board.toml:3:7: expected a size such as 256KiB, found nothing");
  EXPECT_EQ(error_of("-5KB"), "board.toml:3:7: expected a size such as 256KiB, found '-5KB'");
  EXPECT_EQ(error_of("big"), "board.toml:3:7: expected a size such as 256KiB, found 'big'");
}

TEST(ParseBytes, RefusesPointsWithoutDigitsAndTooManyDigits) {
  EXPECT_EQ(error_of("1.MB"),
            "board.toml:3:9: expected 1 to 9 digits after the point, found '1.MB'");
  EXPECT_EQ(error_of("1.0123456789MB"),
            "board.toml:3:9: expected 1 to 9 digits after the point, found '1.0123456789MB'");
}

TEST(FormatBytes, TakesTheLargestBinaryUnitThatKeepsItWhole) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(737'719), "737719 B");
  EXPECT_EQ(format_bytes(262'144), "256 KiB");
  EXPECT_EQ(format_bytes(31'457'280), "30 MiB");
  EXPECT_EQ(format_bytes(8'589'934'592), "8 GiB");
}

TEST(FormatBytes, IsReadBackByParseBytes) {
  for (int shift = 0; shift < 60; ++shift) {
    for (const std::int64_t odd : {1, 3, 7}) {
      const std::int64_t size = odd << shift;
      EXPECT_EQ(parse_bytes(format_bytes(size)).value(), size) << format_bytes(size);
    }
  }
}

}  // namespace
}  // namespace poet
