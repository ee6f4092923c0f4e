#include "poet/emit/arena_texts.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

EmitRequest with_memories(std::vector<EmittedMemory> further) {
  EmitRequest request;
  request.arena_bytes = 1024;
  request.further = std::move(further);
  return request;
}

TEST(ArenaTexts, OfTheRamAloneAreThatOfTheRam) {
  const EmitRequest request = with_memories({});
  EXPECT_EQ(arenas_text(request), "poet_arena_memory poet_arena POET_ARENA_PLACE;\n");
  EXPECT_EQ(further_sizes_text(request) + further_arenas_text(request) +
                further_rows_text(request) + further_guide(request),
            "");
}

TEST(ArenaTexts, NameEachMemoryAsCMay) {
  const EmitRequest request = with_memories({{"ps ram", 4096, 80}, {"PS*/RAM", 4096, 160}});
  EXPECT_EQ(arena_symbol(request, MemoryId{1}), "poet_arena_ps_ram");
  EXPECT_EQ(arena_symbol(request, MemoryId{2}), "poet_arena_ps__ram");
  EXPECT_EQ(further_sizes_text(request).find("*/RAM"), std::string::npos);
  const EmitRequest alike = with_memories({{"psram", 4096, 80}, {"PSRAM", 4096, 160}});
  EXPECT_EQ(arena_section(alike, MemoryId{1}), ".bss.poet_arena_psram");
  EXPECT_EQ(arena_section(alike, MemoryId{2}), ".bss.poet_arena_psram_2");
  EXPECT_EQ(arenas_text(alike),
            "poet_arena_memory poet_arena POET_ARENA_PLACE;\n"
            "poet_arena_psram_memory poet_arena_psram POET_ARENA_PSRAM_PLACE;\n"
            "poet_arena_psram_2_memory poet_arena_psram_2 POET_ARENA_PSRAM_2_PLACE;\n");
}

TEST(ArenaTexts, HaveNoArrayOfWhatThePlanDoesNotUse) {
  const EmitRequest request = with_memories({{"sram", 4096, 0}, {"psram", 8192, 160}});
  EXPECT_EQ(further_sizes_text(request),
            "#define POET_ARENA_PSRAM_BYTES 160 /* another, poet_arena_psram, of the 8192 bytes of "
            "psram */\n"
            "#if POET_ARENA_PSRAM_BYTES > 8192\n"
            "#error \"the arena in PSRAM takes more than it has\"\n#endif\n");
  EXPECT_EQ(further_arenas_text(request).find("SRAM_BYTES]"),
            further_arenas_text(request).find("PSRAM_BYTES]") + 1);
  ASSERT_EQ(coded_arenas(request).size(), 3) << "places count on over all of them";
  EXPECT_EQ(coded_arenas(request)[2].symbol, "poet_arena_psram");
}

}  // namespace
}  // namespace poet
