#include "poet/boards/board_files.h"

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

TEST(BoardFiles, FillInTheBoard) {
  for (const EmulatedBoard& board : board_table()) {
    const std::vector<EmittedFile> files = board_files(board, 123'456);
    const std::string* const script = text_of(files, "board.ld");
    const std::string* const make = text_of(files, "board.mk");
    ASSERT_NE(script, nullptr);
    ASSERT_NE(make, nullptr);
    EXPECT_NE(script->find("LENGTH = " + std::to_string(board.ram_bytes)), std::string::npos);
    EXPECT_NE(make->find("truncate -s 123456"), std::string::npos);
    EXPECT_NE(make->find("poet/boards/firmware/main.c"), std::string::npos);
    for (const EmittedFile& file : files)
      for (const char* word : {"@BOARD@", "@RAM_BYTES@", "@FIRMWARE@", "@MACHINE@", "@TITLE@"})
        EXPECT_EQ(file.text.find(word), std::string::npos) << file.path << word;
  }
}

}  // namespace
}  // namespace poet
