#include "poet/boards/board_run.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(ConsoleLine, HasNumbersByName) {
  const std::optional<ConsoleLine> line =
      read_console_line("step number 0000002a ticks 000000010000000f\r");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->what, "step");
  EXPECT_EQ(line->number("number"), 42u);
  EXPECT_EQ(line->number("ticks"), (std::uint64_t{1} << 32) + 15);
  EXPECT_EQ(line->number("loss"), 0u);
}

TEST(ConsoleLine, MayBeOneWord) {
  ASSERT_TRUE(read_console_line("fault").has_value());
  EXPECT_EQ(read_console_line("fault")->what, "fault");
}

TEST(ConsoleLine, IsNotAnyText) {
  EXPECT_FALSE(read_console_line("").has_value());
  EXPECT_FALSE(read_console_line("step number").has_value());
  EXPECT_FALSE(read_console_line("missing files were seen").has_value());
}

}  // namespace
}  // namespace poet
