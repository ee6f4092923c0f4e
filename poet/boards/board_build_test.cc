#include "poet/boards/board_build.h"

#include <gtest/gtest.h>

#include <string>

namespace poet {
namespace {

const std::string kMap = R"(Discarded input sections

 .bss.poet_arena
                0x00000000       0x99 other.o

Linker script and memory map

.text           0x00000000     0xe00
 *(.text .text.*)
 .text.conv     0x00000100       0x40 build/conv.o

.board_stack    0x20000000     0x2000
                0x20000000                board_stack_begin = .

.data           0x20002000       0x10 load address 0x00000e00
 .data.card     0x20002000       0x10 card.o

.bss            0x20002010      0x428
 .bss.poet_arena
                0x20002010      0x400 build/libpoet_train.a(poet_plan.o)
 .bss.card      0x20002410       0x28 card.o
)";

TEST(LinkerMap, TellsArenaStackAndData) {
  const Result<LinkedMemory> memory = read_linker_map(kMap);
  ASSERT_TRUE(memory.ok()) << memory.error().message;
  EXPECT_EQ(memory->flash_bytes, 0xe10);
  EXPECT_EQ(memory->stack_bytes, 0x2000);
  EXPECT_EQ(memory->arena_bytes, 0x400);
  EXPECT_EQ(memory->data_bytes, 0x10 + 0x28);
  EXPECT_EQ(memory->ram_bytes(), 0x2000 + 0x400 + 0x38);
}

TEST(LinkerMap, MustHaveTheArena) {
  std::string map = kMap;
  map.replace(map.rfind(".bss.poet_arena"), 15, ".bss.some_other");
  const Result<LinkedMemory> memory = read_linker_map(map);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().message, "the linker's map has no section .bss.poet_arena");
}

TEST(LinkerMap, SaysByHowMuchTheFlashIsTooSmall) {
  EXPECT_EQ(flash_overflow_bytes("arm-none-eabi-ld: board.elf section `.text' will not fit in "
                                 "region `FLASH'\n"
                                 "arm-none-eabi-ld: region `FLASH' overflowed by 7688 bytes\n"),
            7688);
  EXPECT_EQ(flash_overflow_bytes("arm-none-eabi-ld: region `RAM' overflowed by 16 bytes\n"),
            std::nullopt);
  EXPECT_EQ(flash_overflow_bytes(""), std::nullopt);
}

}  // namespace
}  // namespace poet
