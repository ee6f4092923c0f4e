#include "poet/boards/board_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace poet {
namespace {

const std::string* text_of(const std::vector<EmittedFile>& files, const std::string& path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&path](const EmittedFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &found->text;
}

TEST(BoardFiles, HaveTheClockOfTheBoardAlone) {
  const std::vector<EmittedFile> files = board_files(*find_board("qemu-microbit"), 4096);
  EXPECT_NE(text_of(files, "poet/boards/firmware/clock_nrf51.c"), nullptr);
  EXPECT_EQ(text_of(files, "poet/boards/firmware/clock_cmsdk.c"), nullptr);
}

TEST(BoardFiles, HaveThePortOfABoardWithACardAtItsPins) {
  const EmulatedBoard board = *find_board("qemu-lm3s6965");
  const std::vector<EmittedFile> files = board_files(board, 4096);
  EXPECT_NE(text_of(files, "poet/boards/ports/sd_spi.c"), nullptr);
  EXPECT_NE(text_of(files, "poet/boards/firmware/card_port.c"), nullptr);
  EXPECT_EQ(text_of(files, "poet/boards/firmware/card_file.c"), nullptr);
  EXPECT_EQ(text_of(files, "port.mk"), nullptr);
  EXPECT_EQ(text_of(board_files(*find_board("qemu-m4"), 4096), "poet/boards/ports/sd_spi.c"),
            nullptr);
}

// QEMU takes a card whose size is a power of two.
TEST(BoardFiles, MakeACardAsLargeAsTheEmulatorWants) {
  EXPECT_EQ(card_bytes(*find_board("qemu-m4"), 3'000'000), 3'000'000);
  EXPECT_EQ(card_bytes(*find_board("qemu-lm3s6965"), 3'000'000), 4 << 20);
  EXPECT_EQ(card_bytes(*find_board("qemu-lm3s6965"), 4 << 20), 4 << 20);
  EXPECT_EQ(card_bytes(*find_board("qemu-lm3s6965"), 5), 1 << 20);
}

TEST(BoardFiles, FillInTheBoard) {
  for (const EmulatedBoard& board : board_table()) {
    const std::vector<EmittedFile> files = board_files(board, 123'456);
    const std::string* const script = text_of(files, "board.ld");
    const std::string* const make = text_of(files, "board.mk");
    ASSERT_NE(script, nullptr);
    ASSERT_NE(make, nullptr);
    EXPECT_NE(script->find("LENGTH = " + std::to_string(board.ram_bytes)), std::string::npos);
    EXPECT_NE(make->find(fmt::format("truncate -s {}", card_bytes(board, 123'456))),
              std::string::npos);
    EXPECT_NE(make->find("poet/boards/firmware/main.c"), std::string::npos);
    for (const EmittedFile& file : files)
      for (const char* word : {"@BOARD@", "@RAM_BYTES@", "@FIRMWARE@", "@MACHINE@", "@TITLE@",
                               "@DRIVE@", "@CARD_BYTES@"})
        EXPECT_EQ(file.text.find(word), std::string::npos) << file.path << word;
  }
}

}  // namespace
}  // namespace poet
