#include "poet/boards/board.h"

#include <gtest/gtest.h>

#include "poet/device/boards.h"

namespace poet {
namespace {

TEST(Boards, AreFoundByName) {
  ASSERT_TRUE(find_board("qemu-m4").ok());
  EXPECT_EQ(find_board("qemu-m4")->ram_bytes, 256 << 10);
  const Result<EmulatedBoard> unknown = find_board("qemu-m5");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "there is no board 'qemu-m5'; did you mean 'qemu-m4'?");
  const std::string message = find_board("foo").error().message;
  EXPECT_TRUE(message.starts_with("there is no board 'foo'; use ")) << message;
  for (const EmulatedBoard& board : board_table())
    EXPECT_NE(message.find(board.name), message.npos) << message;
}

TEST(Boards, GoByTheFiguresOfADeviceThatIsBuiltIn) {
  for (const EmulatedBoard& board : board_table())
    EXPECT_TRUE(load_device(std::string(board.platform)).ok()) << board.name;
}

TEST(Boards, LeaveRoomForStackAndData) {
  for (const EmulatedBoard& board : board_table()) {
    EXPECT_GT(arena_budget_bytes(board), board.ram_bytes / 2) << board.name;
    EXPECT_LT(arena_budget_bytes(board), board.ram_bytes - board.stack_bytes) << board.name;
  }
}

// 25 MHz for 64 ns is 1.6 ticks.
TEST(Boards, CountInstructionsByTheirTimer) {
  EXPECT_DOUBLE_EQ(instructions_of(*find_board("qemu-m4"), 1'600'000), 1e6);
  EXPECT_DOUBLE_EQ(instructions_of(*find_board("qemu-microbit"), 1'024'000), 1e6);
}

}  // namespace
}  // namespace poet
