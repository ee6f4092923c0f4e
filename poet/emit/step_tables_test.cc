#include "poet/emit/step_tables.h"

#include <gtest/gtest.h>

#include <array>

#include "poet/runtime/step_table.h"

namespace poet {
namespace {

TEST(StepCodes, AreReadAsTheyWereWritten) {
  constexpr std::int64_t kArenaPlaces = 1 << 20;
  std::array<unsigned char, 8> arena{};
  int constant = 0;
  void* const constants[] = {&constant};
  const std::array<poet_step_work, 3> works = {{{nullptr, 7, POET_WORK_CALL, 3},
                                                {nullptr, 1000, POET_WORK_READ, 1},
                                                {nullptr, 512, POET_WORK_WRITE, 1}}};
  const std::array<std::int64_t, 3> places = {0, 0xDFFF, 0xE000};
  StepCodes codes;
  codes.add_number(0);
  for (const std::int64_t place : places) codes.add_place(place);
  codes.add_number(1);
  codes.add_transfer(70000, 2);
  codes.add_place(kArenaPlaces - 1);
  codes.add_number(2);
  codes.add_transfer(70002, 1);
  codes.add_place(kArenaPlaces);
  codes.add_number(1);
  codes.add_transfer(3, 2);
  codes.add_place(1);

  const poet_step_arena arenas[] = {{arena.data(), kArenaPlaces}};
  const poet_step_plan plan = {works.data(), arenas, constants, 1, 512};
  poet_step_reader reader = {&plan, codes.bytes().data(), 0};
  std::array<void*, 3> at{};
  poet_step_action action = {nullptr, 0, at.data()};
  const auto place_of = [&](std::size_t k) {
    return static_cast<const unsigned char*>(at[k]) - arena.data();
  };
  poet_step_next(&reader, &action);
  EXPECT_EQ(action.work, &works[0]);
  for (std::size_t k = 0; k < places.size(); ++k) EXPECT_EQ(place_of(k), 8 * places[k]);
  poet_step_next(&reader, &action);
  EXPECT_EQ(action.work, &works[1]);
  EXPECT_EQ(action.offset, 70000U * 512);
  EXPECT_EQ(place_of(0), 8 * (kArenaPlaces - 1));
  poet_step_next(&reader, &action);
  EXPECT_EQ(action.offset, 70002U * 512);
  EXPECT_EQ(at[0], &constant);
  poet_step_next(&reader, &action);
  EXPECT_EQ(action.offset, 3U * 512);
  EXPECT_EQ(reader.codes, codes.bytes().data() + codes.bytes().size());
}

TEST(StepTables, IssueTransfersAndWaitForThemBesideTheProcessor) {
  StepTables tables({{.symbol = "poet_arena", .size_bytes = 1024}}, 512, false, true);
  tables.begin_form("whole");
  tables.add({.work = {.kind = POET_WORK_READ, .call = 600, .places = 1},
              .block = 4,
              .places = {{false, 2}},
              .comment = "read"});
  tables.add({.work = {.kind = POET_WORK_WAIT, .call = 3}, .comment = "wait"});
  tables.begin_form("prediction");
  const std::string text = tables.text({});
  EXPECT_NE(text.find("    {NULL, 3u, POET_WORK_WAIT, 0},\n"), text.npos);
  EXPECT_NE(text.find("return poet_transfers_issue(run->transfers, &transfer);"), text.npos);
  EXPECT_EQ(text.find("poet_storage_read"), text.npos);
  // A wait is no action: the next form's count from behind one.
  EXPECT_NE(text.find("run_prediction(poet_run* run) {\n  run->action = 1u;"), text.npos);
}

TEST(StepTables, GiveWhatIsDoneMostTheShortestNumbers) {
  StepTables tables({{.symbol = "poet_arena", .size_bytes = 1024}}, 512);
  tables.begin_form("whole");
  const std::int64_t words = tables.call_of("memcpy(at[0], &run->words, sizeof run->words);");
  tables.add({.work = {.kind = POET_WORK_STEP, .call = words, .places = 1},
              .places = {{false, 1}},
              .comment = "words"});
  for (int k = 0; k < 2; ++k)
    tables.add({.work = {.kind = POET_WORK_READ, .call = 600, .places = 1},
                .block = 4 + 2 * k,
                .places = {{true, 2}},
                .comment = "read */"});
  const std::string text = tables.text({"a", "b", "c"});
  EXPECT_NE(
      text.find("void* const poet_constants[] = {\n    (void*)a,\n    (void*)b,\n    (void*)c,\n"
                "};\n"),
      text.npos);
  EXPECT_NE(text.find("works[] = {\n    {NULL, 600u, POET_WORK_READ, 1},\n"
                      "    {NULL, 0u, POET_WORK_STEP, 1},\n};\n"),
            text.npos);
  EXPECT_NE(text.find("    case 0u:\n      memcpy(at[0], &run->words, sizeof run->words);\n"
                      "      break;\n"),
            text.npos);
  EXPECT_NE(
      text.find("whole_codes[] = {\n    /* words */ 1, 0, 1,\n    /* read *_ */ 0, 8, 0, 130,\n"
                "    /* read *_ */ 0, 0, 0, 130,\n};\n"),
      text.npos)
      << text;
  EXPECT_EQ(text.find("poet_calls_hook"), text.npos);
}

TEST(StepTables, CountOnFromOneMemoryToTheNext) {
  StepTables tables({{.symbol = "poet_arena", .size_bytes = 1020},
                     {.symbol = "poet_arena_sram", .size_bytes = 0},
                     {.symbol = "poet_arena_psram", .size_bytes = 4096}},
                    512);
  EXPECT_EQ(tables.place_of(kFastRam, 1016), 127);
  EXPECT_EQ(tables.place_of(MemoryId{2}, 0), 128);
  EXPECT_EQ(tables.place_of(MemoryId{2}, 4088), 639);
  tables.begin_form("whole");
  tables.add({.work = {.kind = POET_WORK_READ, .call = 600, .places = 1},
              .places = {{true, 2}},
              .comment = "read"});
  const std::string text = tables.text({"a", "b", "c"});
  EXPECT_NE(text.find("arenas[] = {\n    {poet_arena.bytes, 128u},\n"
                      "    {poet_arena_psram.bytes, 512u},\n};\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("poet_steps = {works, arenas, poet_constants, 2u, "), text.npos);
  EXPECT_NE(text.find("/* read */ 0, 0, 2, 130,\n"), text.npos) << "640 and two constants";
}

TEST(StepTables, AskWhetherToPauseBeforeAnActionAndNotWhereTheyGoOn) {
  StepTables tables({{.symbol = "poet_arena", .size_bytes = 1024}}, 512, true);
  tables.begin_form("whole");
  tables.add({.work = {.kind = POET_WORK_READ, .call = 600, .places = 1},
              .block = 4,
              .places = {{false, 2}},
              .comment = "read"});
  const std::string text = tables.text({});
  EXPECT_NE(text.find("    reader.codes = paused;\n    reader.block = run->block;\n"), text.npos);
  EXPECT_NE(text.find("    const poet_step_reader before = reader;\n"
                      "    poet_step_next(&reader, &action);\n"
                      "    if (action.work->kind != POET_WORK_STEP) {\n"
                      "      if (before.codes != paused && poet_calls_hook(run->action) != 0 && "
                      "run->may_pause) {\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("  if (run->codes == NULL) run->action = 0u;\n"), text.npos);
}

}  // namespace
}  // namespace poet
