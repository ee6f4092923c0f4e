#include "poet/disk/extent_checksums.h"

#include <gtest/gtest.h>

#include <array>

#include "poet/disk/checksum.h"

namespace poet {
namespace {

// A file of 16 bytes, all of it in memory.
struct Pages {
  std::array<std::byte, 16> bytes{};
  ExtentChecksums checksums;

  explicit Pages(std::int64_t capacity) : checksums(capacity) {}

  Transfer part(Direction direction, std::int64_t begin, std::int64_t end) {
    return {direction, begin, bytes.data() + begin, end - begin};
  }
  bool write(std::int64_t begin, std::int64_t end) {
    const Transfer transfer = part(Direction::Write, begin, end);
    if (!checksums.forget(transfer)) return false;
    checksums.record(transfer,
                     checksum_of({transfer.memory, static_cast<std::size_t>(end - begin)}));
    return true;
  }
  std::int64_t checked(std::int64_t begin, std::int64_t end) {
    const ExtentChecksums::Check check = checksums.check(part(Direction::Read, begin, end));
    return check.damaged ? -1 - check.damaged->begin_bytes : check.checked_bytes;
  }
};

TEST(ExtentChecksums, CheckWhatWasWritten) {
  Pages pages(4);
  EXPECT_EQ(pages.checked(0, 16), 0);
  ASSERT_TRUE(pages.write(4, 8));
  EXPECT_EQ(pages.checked(4, 8), 4);
  pages.bytes[7] = std::byte{1};
  EXPECT_EQ(pages.checked(4, 8), -1 - 4);
}

TEST(ExtentChecksums, CheckEveryExtentThatLiesWithinTheRead) {
  Pages pages(4);
  ASSERT_TRUE(pages.write(8, 12));
  ASSERT_TRUE(pages.write(2, 8));
  EXPECT_EQ(pages.checked(0, 16), 10);
  EXPECT_EQ(pages.checked(3, 12), 4);
  EXPECT_EQ(pages.checked(2, 11), 6);
  EXPECT_EQ(pages.checked(3, 11), 0);
  pages.bytes[11] = std::byte{1};
  EXPECT_EQ(pages.checked(0, 16), -1 - 8);
  EXPECT_EQ(pages.checked(2, 8), 6);
}

TEST(ExtentChecksums, ForgetWhatAWriteOverlaps) {
  Pages pages(8);
  ASSERT_TRUE(pages.write(0, 4));
  ASSERT_TRUE(pages.write(4, 8));
  ASSERT_TRUE(pages.write(8, 12));
  ASSERT_TRUE(pages.write(12, 16));
  pages.bytes[7] = std::byte{1};
  ASSERT_TRUE(pages.write(7, 9));
  EXPECT_EQ(pages.checked(0, 16), 4 + 2 + 4);
  EXPECT_EQ(pages.checked(4, 8), 0);
}

TEST(ExtentChecksums, TakeNoMoreThanThereIsRoomFor) {
  Pages pages(2);
  ASSERT_TRUE(pages.write(0, 4));
  ASSERT_TRUE(pages.write(4, 8));
  EXPECT_FALSE(pages.write(8, 12));
  EXPECT_TRUE(pages.write(3, 6));
  EXPECT_EQ(pages.checked(0, 16), 3);
  EXPECT_TRUE(pages.write(8, 12));
  EXPECT_EQ(pages.checked(0, 16), 7);
}

}  // namespace
}  // namespace poet
