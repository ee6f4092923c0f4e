#include "poet/device/datasheet.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

constexpr const char* kSheet = R"(format = "poet-datasheet"
version = 1
name = "mychip"
title = "My chip"

[core]
clock = { value = "100 MHz", source = "data sheet, page 1" }
cycles_per_instruction = { value = "1.5 cycles", source = "measured" }

[supply]
voltage = { value = "1800 mV", source = "data sheet, page 2" }

[current]
active_by_clock = { value = "50 uA/MHz", source = "data sheet, page 3" }
idle = { value = "1 mA", source = "data sheet, page 4" }

[storage]
read_rate = { value = "2 MB/s", source = "data sheet of the card" }
read_current = { value = "20 mA", source = "data sheet of the card" }
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string refusal(const std::string& text) {
  const Result<Datasheet> parsed = parse_datasheet(text, "chip.toml");
  return parsed.ok() ? "not refused" : to_string(parsed.error());
}

TEST(Datasheet, HasFiguresInSiUnits) {
  const Result<Datasheet> sheet = parse_datasheet(kSheet, "chip.toml");
  ASSERT_TRUE(sheet.ok()) << to_string(sheet.error());
  EXPECT_EQ(sheet->clock_hz, 100e6);
  EXPECT_EQ(sheet->cycles_per_instruction, 1.5);
  EXPECT_DOUBLE_EQ(sheet->supply_v, 1.8);
  EXPECT_DOUBLE_EQ(active_a(*sheet), 5e-3);
  EXPECT_EQ(sheet->idle_a, 1e-3);
  EXPECT_EQ(sheet->read.rate_bytes_per_s, 2e6);
  EXPECT_EQ(sheet->read.current_a, 20e-3);
  EXPECT_EQ(sheet->write, DatasheetLink{});
  EXPECT_EQ(find_figure(*sheet, "current.idle")->source, "data sheet, page 4");
  EXPECT_EQ(find_figure(*sheet, "current.active"), nullptr);
}

TEST(Datasheet, WantsOneActiveCurrent) {
  const char* const message =
      "chip.toml:13:1: what the core draws while it computes is one of 'current.active' (\"3.3 "
      "mA\" at the clock) and 'current.active_by_clock' (\"52 uA/MHz\")";
  EXPECT_EQ(refusal(replaced(kSheet, "active_by_clock", "active")),
            "chip.toml:14:24: 'current.active': unknown unit 'uA/MHz' (use nA, uA, mA or A)");
  EXPECT_EQ(
      refusal(replaced(kSheet, "idle =", "active = { value = \"3 mA\", source = \"x\" }\nidle =")),
      message);
  EXPECT_EQ(refusal(replaced(kSheet,
                             "active_by_clock = { value = \"50 uA/MHz\", source = \"data "
                             "sheet, page 3\" }",
                             "")),
            message);
}

TEST(Datasheet, RefusesAnIdleCurrentAboveTheActiveOne) {
  EXPECT_EQ(refusal(replaced(kSheet, "\"1 mA\"", "\"5 mA\"")),
            "chip.toml:13:1: the core draws 5 mA when it is idle, and 5 mA while it computes: "
            "these must be more");
}

// They come to joules that are not finite, or to none, which no device file may have.
TEST(Datasheet, RefusesWhatNoChipHas) {
  EXPECT_EQ(refusal(replaced(kSheet, "\"100 MHz\"", "\"1e-300 Hz\"")),
            "chip.toml:6:1: the clock is 1e-300 Hz: use 1 Hz to 1,000 GHz");
  EXPECT_EQ(refusal(replaced(kSheet, "\"1800 mV\"", "\"1e200 V\"")),
            "chip.toml:10:1: the supply is 1e+200 V: use at most 10,000 V");
  EXPECT_EQ(refusal(replaced(kSheet, "active_by_clock = { value = \"50 uA/MHz\"",
                             "active = { value = \"1e308 A\"")),
            "chip.toml:13:1: 1e+308 A are drawn: use at most 10,000 A");
  EXPECT_EQ(refusal(replaced(kSheet, "\"20 mA\"", "\"1e300 A\"")),
            "chip.toml:17:1: 1e+300 A are drawn: use at most 10,000 A");
}

TEST(Datasheet, RefusesOtherFormatsAndUnknownKeys) {
  EXPECT_EQ(refusal(replaced(kSheet, "poet-datasheet", "poet-device")),
            "chip.toml:1:11: the format is 'poet-device'; a file of a data sheet's figures has "
            "'poet-datasheet'");
  EXPECT_EQ(refusal(replaced(kSheet, "read_current", "read_curent")),
            "chip.toml:19:1: unknown key 'read_curent' in 'storage'; did you mean "
            "'read_current'?");
}

TEST(Datasheet, EveryBuiltinOneIsReadAndEachFigureHasItsSource) {
  for (const BuiltinDatasheet& row : builtin_datasheet_table()) {
    const Result<Datasheet> sheet = load_datasheet(std::string(row.name));
    ASSERT_TRUE(sheet.ok()) << to_string(sheet.error());
    EXPECT_EQ(sheet->name, row.name);
    for (const DeviceFigure& figure : sheet->figures) EXPECT_FALSE(figure.source.empty());
  }
}

TEST(Datasheet, SuggestsNames) {
  EXPECT_EQ(to_string(load_datasheet("nrf52841").error()),
            "there is no data sheet of 'nrf52841'; did you mean 'nrf52840'?");
}

}  // namespace
}  // namespace poet
