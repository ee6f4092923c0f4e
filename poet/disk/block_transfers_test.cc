#include "poet/disk/transfer_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace poet {
namespace {

constexpr std::int64_t kBlock = 8;
constexpr std::int64_t kFileBytes = 64;

// A file in memory that takes whole, aligned blocks only.
class BlockFile final : public TransferEngine {
 public:
  BlockFile() : bytes(kFileBytes) {}

  std::optional<TransferFault> move(const Transfer& transfer) override {
    EXPECT_EQ(transfer.offset_bytes % kBlock, 0);
    EXPECT_EQ(transfer.size_bytes % kBlock, 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(transfer.memory) % kBlock, 0U);  // NOLINT
    EXPECT_LE(transfer.offset_bytes + transfer.size_bytes, kFileBytes);
    if (++moves == failing_move) return fault_of(transfer, EIO);
    const auto size = static_cast<std::size_t>(transfer.size_bytes);
    std::byte* const here = bytes.data() + transfer.offset_bytes;
    if (transfer.direction == Direction::Read)
      std::memcpy(transfer.memory, here, size);
    else
      std::memcpy(here, transfer.memory, size);
    return std::nullopt;
  }

  std::vector<std::byte> bytes;
  int moves = 0;
  int failing_move = 0;
};

// Memory that begins `misalignment` behind a multiple of the block.
struct Memory {
  alignas(64) std::byte bytes[2 * kFileBytes] = {};
};

std::vector<std::byte> counting(std::int64_t count, int first) {
  std::vector<std::byte> bytes;
  for (std::int64_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(first + i));
  return bytes;
}

TEST(BlockTransfers, EveryOffsetSizeAndAlignmentMovesTheRightBytes) {
  for (std::int64_t offset = 0; offset <= 2 * kBlock; ++offset) {
    for (std::int64_t size = 1; offset + size <= kFileBytes; ++size) {
      for (std::int64_t misalignment = 0; misalignment < kBlock; misalignment += 3) {
        SCOPED_TRACE(::testing::Message() << offset << ' ' << size << ' ' << misalignment);
        BlockFile file;
        std::vector<std::byte> expected = file.bytes = counting(kFileBytes, 1);
        BlockTransfers blocks(file, kBlock, 2 * kBlock);
        Memory memory;
        std::byte* const at = memory.bytes + misalignment;

        const std::vector<std::byte> fresh = counting(size, 100);
        std::copy(fresh.begin(), fresh.end(), at);
        ASSERT_FALSE(blocks.move({Direction::Write, offset, at, size}));
        std::copy(fresh.begin(), fresh.end(), expected.begin() + offset);
        ASSERT_EQ(file.bytes, expected);

        Memory in;
        ASSERT_FALSE(blocks.move({Direction::Read, offset, in.bytes + misalignment, size}));
        std::vector<std::byte> around(2 * kFileBytes);
        std::copy(fresh.begin(), fresh.end(), around.begin() + misalignment);
        ASSERT_TRUE(std::equal(around.begin(), around.end(), in.bytes));
      }
    }
  }
}

TEST(BlockTransfers, WhatIsAlignedGoesStraight) {
  BlockFile file;
  BlockTransfers blocks(file, kBlock, kBlock);
  Memory memory;
  ASSERT_FALSE(blocks.move({Direction::Write, kBlock, memory.bytes, 4 * kBlock}));
  EXPECT_EQ(file.moves, 1);
  EXPECT_EQ(blocks.bounced_bytes(), 0);
}

TEST(BlockTransfers, EveryMoveMayFail) {
  for (int k = 1; k <= 6; ++k) {
    BlockFile file;
    file.failing_move = k;
    BlockTransfers blocks(file, kBlock, kBlock);
    Memory memory;
    // A head and a tail, each read and written, and a body of two bounced pieces.
    const auto fault = blocks.move({Direction::Write, 5, memory.bytes + 1, 3 + 2 * kBlock + 2});
    ASSERT_TRUE(fault) << k;
    EXPECT_EQ(fault->error_number, EIO);
    EXPECT_EQ(file.moves, k);
  }
}

TEST(BlockTransfers, HaveNoBufferForBlocksOfOneByte) {
  BlockFile file;
  EXPECT_EQ(BlockTransfers(file, 1, 4096).bounce_bytes(), 0);
  EXPECT_EQ(BlockTransfers(file, 512, 4097).bounce_bytes(), 9 * 512);
}

}  // namespace
}  // namespace poet
