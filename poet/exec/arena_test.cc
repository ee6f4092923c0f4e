#include "poet/exec/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

TEST(Arena, IsAlignedMemory) {
  const Result<Arena> arena = Arena::create(1'000, 64);
  ASSERT_TRUE(arena.ok());
  EXPECT_EQ(arena->bytes().size(), 1'000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena->bytes().data()) % 64, 0U);
}

TEST(Arena, IsAFileThatNobodySees) {
  const testing::TemporaryFolder folder;
  const Result<Arena> arena = Arena::create_in_folder(folder.path(), 100'000, 64);
  ASSERT_TRUE(arena.ok()) << arena.error().message;
  const std::span<std::byte> bytes = arena->bytes();
  ASSERT_EQ(bytes.size(), 100'000U);
  EXPECT_TRUE(
      std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; }));
  std::fill(bytes.begin(), bytes.end(), std::byte{7});
  EXPECT_EQ(bytes.back(), std::byte{7});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Arena, OfNothingNeedsNoFile) {
  const Result<Arena> arena = Arena::create_in_folder("/nowhere", 0, 64);
  ASSERT_TRUE(arena.ok());
  EXPECT_TRUE(arena->bytes().empty());
}

TEST(Arena, SaysWhereNoFileCanBe) {
  const Result<Arena> arena = Arena::create_in_folder("/nowhere", 5, 1);
  ASSERT_FALSE(arena.ok());
  EXPECT_EQ(arena.error().message,
            "no file of 5 bytes can be made in '/nowhere' for an arena: No such file or directory");
}

// A write to memory cannot be refused, so the disk has to have it all from the start.
TEST(Arena, IsNotLargerThanTheDisk) {
  const testing::TemporaryFolder folder;
  const Result<Arena> arena = Arena::create_in_folder(folder.path(), std::int64_t{1} << 60, 64);
  ASSERT_FALSE(arena.ok());
  EXPECT_EQ(arena.error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace poet
