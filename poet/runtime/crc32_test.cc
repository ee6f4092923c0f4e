#include "poet/runtime/crc32.h"

#include <gtest/gtest.h>

#include <string_view>

namespace poet {
namespace {

std::uint32_t crc_of(std::string_view text, std::uint32_t before = 0) {
  return poet_crc32(before, text.data(), static_cast<std::uint32_t>(text.size()));
}

// The value that catalogues of checksums give for these nine digits.
TEST(Crc32, IsThatOfEthernet) {
  EXPECT_EQ(crc_of("123456789"), 0xCBF43926U);
}

TEST(Crc32, GoesOnFromPieceToPiece) {
  EXPECT_EQ(crc_of("56789", crc_of("1234")), crc_of("123456789"));
  EXPECT_EQ(crc_of(""), 0U);
}

}  // namespace
}  // namespace poet
