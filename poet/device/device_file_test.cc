#include "poet/device/device_file.h"

#include <gtest/gtest.h>

#include "poet/device/device_figures.h"

namespace poet {
namespace {

// Line by line, so that the tests below can name lines.
constexpr std::string_view kBoard = R"(format = "poet-device"
version = 1
name = "myboard"
title = "My board"
time_mode = "blocking"
[ram]
size = { value = "256 KiB", source = "data sheet" }
[compute]
rate = { value = "6.4 MFLOP/s", source = "measured" }
efficiency = { value = "580 MFLOP/J", source = "measured" }
[storage]
capacity = { value = "1 GB", source = "printed on the card" }
read_latency = { value = "0.5 ms", source = "measured" }
read_rate = { value = "4 MB/s", source = "measured" }
read_power = { value = "330 mW", source = "measured" }
write_latency = { value = "1 ms", source = "measured" }
write_rate = { value = "2 MB/s", source = "measured" }
write_power = { value = "0.4 W", source = "measured" }
[power]
idle = { value = "10 mW", source = "measured" }
)";

std::string board_with(std::string_view before, std::string_view after) {
  std::string text(kBoard);
  const std::size_t begin = text.find(before);
  EXPECT_NE(begin, std::string::npos) << before;
  return text.replace(begin, before.size(), after);
}

std::string error_of(std::string_view text) {
  const Result<Device> device = parse_device(text, "board.toml");
  return device.ok() ? "no error" : to_string(device.error());
}

std::string error_with(std::string_view before, std::string_view after) {
  return error_of(board_with(before, after));
}

TEST(ParseDevice, ReadsEveryFigureInItsUnit) {
  const Result<Device> read = parse_device(kBoard, "board.toml");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  Device expected;
  expected.name = "myboard";
  expected.title = "My board";
  expected.ram_bytes = 262'144;
  expected.compute = {.flop_per_s = 6.4 * 1e6, .flop_per_j = 580 * 1e6};
  expected.storage.read = {
      .latency_s = 0.5 * 1e-3, .rate_bytes_per_s = 4e6, .active_power_w = 330 * 1e-3};
  expected.storage.write = {.latency_s = 1e-3, .rate_bytes_per_s = 2e6, .active_power_w = 0.4};
  expected.storage.capacity_bytes = 1'000'000'000;
  expected.idle_w = 10 * 1e-3;
  expected.time_mode = TimeMode::Blocking;
  expected.figures = read->figures;
  EXPECT_EQ(*read, expected);
}

constexpr std::string_view kTwoMemories = R"([memory.sdram]
size = { value = "32 MB", source = "data sheet" }
read_rate = { value = "100 MB/s", source = "measured" }
read_power = { value = "50 mW", source = "measured" }
write_rate = { value = "50 MB/s", source = "measured" }
write_power = { value = "60 mW", source = "measured" }
[memory.extra]
size = { value = "8 MB", source = "data sheet" }
read_rate = { value = "10 MB/s", source = "measured" }
read_power = { value = "0 W", source = "measured" }
write_rate = { value = "20 MB/s", source = "measured" }
write_power = { value = "0 W", source = "measured" }
)";

TEST(ParseDevice, ReadsMemoriesInTheOrderOfTheFile) {
  const Result<Device> read = parse_device(std::string(kBoard).append(kTwoMemories), "board.toml");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->memories, (std::vector<DeviceMemory>{{"sdram", 32'000'000, 1e8, 5e7, 0.05, 0.06},
                                                       {"extra", 8'000'000, 1e7, 2e7, 0, 0}}));
  EXPECT_EQ(read->figures.back(), (DeviceFigure{"memory.extra.write_power", "0 W", "measured"}));
}

TEST(ParseDevice, PointsAtMistakesInMemories) {
  const auto error = [](std::string_view before, std::string_view after) {
    std::string text(kTwoMemories);
    text.replace(text.find(before), before.size(), after);
    return error_of(std::string(kBoard) + text);
  };
  EXPECT_EQ(error("\"32 MB\"", "\"0 B\""),
            "board.toml:22:19: 'memory.sdram.size' is 0; it must be greater than 0");
  EXPECT_EQ(
      error("read_rate = { value = \"100 MB/s\", source = \"measured\" }\n", ""),
      "board.toml:21:1: missing key 'memory.sdram.read_rate'; for example read_rate = { value "
      "= \"4.4 MB/s\", source = \"data sheet\" }");
  EXPECT_EQ(error("[memory.extra]\n", "[memory.extra]\nsiz = 3\n"),
            "board.toml:28:1: unknown key 'siz' in 'memory.extra'; did you mean 'size'?");
  EXPECT_EQ(error_of(std::string(kBoard) + "[memory]\npsram = \"8 MiB\"\n"),
            "board.toml:22:9: 'memory.psram' must be a table [psram], found text");
}

TEST(ParseDevice, KeepsEveryFigureAsWrittenWithItsSource) {
  std::string text = board_with(
      "[compute]\n", "rate = { value = \"256 MB/s\", source = \"derived\" }\n[compute]\n");
  text.insert(text.find("read_latency"),
              "block = { value = \"512 B\", source = \"card\" }\n"
              "erase = { value = \"4 KiB\", source = \"data sheet\" }\n"
              "cycles = { value = \"100000 cycles\", source = \"data sheet\" }\n"
              "levelled = { value = \"0 B\", source = \"bare flash\" }\n");
  const Device device = parse_device(text, "board.toml").value();
  ASSERT_EQ(device.figures.size(), figure_table().size());
  EXPECT_EQ(device.ram_bytes_per_s, 256e6);
  EXPECT_EQ(device.storage.block_bytes, 512);
  EXPECT_EQ(device.storage.erase_bytes, 4096);
  EXPECT_EQ(device.storage.rated_cycles, 100'000);
  EXPECT_EQ(device.storage.levelled_bytes, 0);
  EXPECT_EQ(device.figures.front(), (DeviceFigure{"ram.size", "256 KiB", "data sheet"}));
  EXPECT_EQ(device.figures.back(), (DeviceFigure{"power.idle", "10 mW", "measured"}));
}

TEST(ParseDevice, CapacityBlockIdlePowerAndTheRateOfRamMayBeLeftOut) {
  std::string text =
      board_with("capacity = { value = \"1 GB\", source = \"printed on the card\" }\n", "");
  text.erase(text.find("[power]"));
  const Result<Device> device = parse_device(text, "board.toml");
  ASSERT_TRUE(device.ok()) << to_string(device.error());
  EXPECT_EQ(device->storage.capacity_bytes, std::nullopt);
  EXPECT_EQ(device->storage.block_bytes, 1);
  EXPECT_EQ(device->storage.erase_bytes, std::nullopt);
  EXPECT_EQ(device->storage.rated_cycles, std::nullopt);
  EXPECT_EQ(device->storage.levelled_bytes, std::nullopt);
  EXPECT_EQ(device->idle_w, 0);
  EXPECT_EQ(device->ram_bytes_per_s, std::nullopt);
}

TEST(ParseDevice, SectionsMayBeWrittenAsTomlAllows) {
  const std::string text =
      board_with("[ram]\nsize = { value = \"256 KiB\", source = \"data sheet\" }",
                 "[ram.size]\nvalue = '256 KiB'\nsource = 'data sheet'");
  EXPECT_EQ(parse_device(text, "").value(), parse_device(kBoard, "").value());
}

TEST(ParseDevice, SaysWhatIsNotToml) {
  EXPECT_EQ(error_of("format = "),
            "board.toml:1:10: this is not TOML: key-value pair: encountered end-of-file");
  EXPECT_EQ(error_of("format = 'poet-device'\nformat = 'poet-device'\n"),
            "board.toml:2:10: this is not TOML: key-value pair: cannot redefine existing string "
            "'format'");
  EXPECT_EQ(error_with("\"data sheet\"", "\"data sheet"),
            "board.toml:7:38: a quotation mark is missing: a text ends on its line");
  EXPECT_EQ(error_of("version = n\n"),
            "board.toml:1:12: this is not TOML: floating-point: expected 'nan', saw 'n?'");
  EXPECT_EQ(error_of("name = \"\xff\""),
            "board.toml:1:8: this is not TOML: Encountered invalid utf-8 sequence");
}

TEST(ParseDevice, AsksForTheFormatFirst) {
  EXPECT_EQ(error_of(""), "board.toml: missing key 'format'; for example format = \"poet-device\"");
  EXPECT_EQ(error_of("[package]\nname = \"x\"\n"),
            "board.toml: missing key 'format'; for example format = \"poet-device\"");
  EXPECT_EQ(error_with("poet-device", "poet-plan"),
            "board.toml:1:11: the format is 'poet-plan'; a device file has 'poet-device'");
}

TEST(ParseDevice, RefusesOtherVersions) {
  EXPECT_EQ(error_with("version = 1", "version = 2"),
            "board.toml:2:11: version 2 is not known; this program reads version 1");
  EXPECT_EQ(error_with("version = 1", "version = \"1\""),
            "board.toml:2:11: 'version' must be a whole number, found text; for example version = "
            "1");
  EXPECT_EQ(error_with("version = 1\n", ""),
            "board.toml: missing key 'version'; for example version = 1");
}

TEST(ParseDevice, SuggestsTheKeyThatWasMeant) {
  EXPECT_EQ(error_with("title", "titel"),
            "board.toml:4:1: unknown key 'titel'; did you mean 'title'?");
  EXPECT_EQ(error_with("read_rate", "read_rat"),
            "board.toml:14:1: unknown key 'read_rat' in 'storage'; did you mean 'read_rate'?");
  EXPECT_EQ(error_with("source = \"data", "sources = \"data"),
            "board.toml:7:29: unknown key 'sources' in 'ram.size'; did you mean 'source'?");
}

TEST(ParseDevice, ListsTheKeysWhenNoneIsNear) {
  EXPECT_EQ(error_with("[ram]\n", "[ram]\ncolour = 3\n"),
            "board.toml:7:1: unknown key 'colour' in 'ram'; the keys there are size or rate");
}

TEST(ParseDevice, NamesTheFirstOfSeveralUnknownKeys) {
  EXPECT_EQ(error_of("format = \"poet-device\"\nversion = 1\nzebra = 1\nadder = 2\n"),
            "board.toml:3:1: unknown key 'zebra'; the keys there are format, version, name, title, "
            "time_mode, memory, ram, compute, storage or power");
}

TEST(ParseDevice, NamesTheMissingFigureAndHowToWriteIt) {
  EXPECT_EQ(error_with("write_rate = { value = \"2 MB/s\", source = \"measured\" }\n", ""),
            "board.toml:11:1: missing key 'storage.write_rate'; for example write_rate = { value = "
            "\"4.4 MB/s\", source = \"data sheet\" }");
  EXPECT_EQ(error_with("[ram]\nsize = { value = \"256 KiB\", source = \"data sheet\" }\n", ""),
            "board.toml: missing key 'ram.size'; for example ram.size = { value = \"256 KiB\", "
            "source = \"data sheet\" }");
  EXPECT_EQ(error_with("name = \"myboard\"\n", ""),
            "board.toml: missing key 'name'; for example name = \"myboard\"");
}

TEST(ParseDevice, WantsASourceForEveryFigure) {
  EXPECT_EQ(
      error_with(", source = \"data sheet\"", ""),
      "board.toml:7:8: missing key 'ram.size.source'; for example source = \"data sheet, page "
      "3\"");
  EXPECT_EQ(error_with("\"data sheet\"", "\"\""),
            "board.toml:7:38: 'ram.size.source' is empty; for example source = \"data sheet, page "
            "3\"");
}

TEST(ParseDevice, SaysWhichTypeAKeyMustHave) {
  EXPECT_EQ(error_with("\"256 KiB\"", "262144"),
            "board.toml:7:18: 'ram.size.value' must be text, found a whole number; for example "
            "value = \"256 KiB\"");
  EXPECT_EQ(error_with("{ value = \"256 KiB\", source = \"data sheet\" }", "\"256 KiB\""),
            "board.toml:7:8: 'ram.size' must be a table such as { value = \"256 KiB\", source = "
            "\"data sheet\" }, found text");
  EXPECT_EQ(
      error_with("[power]\nidle = { value = \"10 mW\", source = \"measured\" }\n", "[[power]]\n"),
      "board.toml:19:1: 'power' must be a table [power], found a list");
  EXPECT_EQ(error_with("\"My board\"", "true"),
            "board.toml:4:9: 'title' must be text, found true or false; for example title = \"My "
            "board (Cortex-M7) with an SD card\"");
}

TEST(ParseDevice, PointsAtTheUnknownUnit) {
  EXPECT_EQ(error_with("4 MB/s", "4 MBps"),
            "board.toml:14:26: 'storage.read_rate': unknown unit 'MBps' (use B/s, KB/s, KiB/s, "
            "MB/s, MiB/s, GB/s or "
            "GiB/s)");
  EXPECT_EQ(error_with("256 KiB", "256 kib"),
            "board.toml:7:23: 'ram.size': unknown unit 'kib'; did you mean 'KiB'?");
  EXPECT_EQ(error_with("0.5 ms", "0.5"),
            "board.toml:13:30: 'storage.read_latency': the unit is missing (use ns, us, ms, s, min "
            "or h)");
}

TEST(ParseDevice, RefusesNumbersThatMakeNoSense) {
  EXPECT_EQ(error_with("330 mW", "-330 mW"),
            "board.toml:15:25: 'storage.read_power': expected a number of at least 0 and its unit "
            "(uW, mW or W), found "
            "'-330 mW'");
  EXPECT_EQ(error_with("330 mW", "nan mW"),
            "board.toml:15:25: 'storage.read_power': expected a number of at least 0 and its unit "
            "(uW, mW or W), found "
            "'nan mW'");
  EXPECT_EQ(error_with("330 mW", "1e999 mW"),
            "board.toml:15:25: 'storage.read_power': number out of range: '1e999 mW' (0, or from "
            "1e-307 to 1e308)");
  EXPECT_EQ(error_with("256 KiB", "99999999999 GiB"),
            "board.toml:7:19: 'ram.size': the size does not fit in 63 bits");
}

TEST(ParseDevice, RatesAndRamMustBeMoreThanZero) {
  EXPECT_EQ(error_with("2 MB/s", "0 MB/s"),
            "board.toml:17:25: 'storage.write_rate' is 0; it must be greater than 0");
  EXPECT_EQ(error_with("256 KiB", "0 B"),
            "board.toml:7:19: 'ram.size' is 0; it must be greater than 0");
}

TEST(ParseDevice, LatenciesAndPowersMayBeZero) {
  std::string text = board_with("0.5 ms", "0 ms");
  text.replace(text.find("330 mW"), 6, "0 mW");
  EXPECT_EQ(error_of(text), "no error");
}

TEST(ParseDevice, ListsTheTimeModes) {
  EXPECT_EQ(error_with("\"blocking\"", "\"parallel\""),
            "board.toml:5:14: unknown time mode 'parallel' (use free, blocking or overlapped)");
  EXPECT_EQ(error_with("\"blocking\"", "\"bloking\""),
            "board.toml:5:14: unknown time mode 'bloking'; did you mean 'blocking'?");
}

// toml++ makes a table of every name, and takes them apart by recursion.
TEST(ParseDevice, RefusesAKeyOfFiftyThousandNames) {
  std::string key = "a";
  for (int k = 0; k < 50'000; ++k) key += ".a";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "x = { " + key + " = 1 }\n"}) {
    const Result<Device> device = parse_device(text, "board.toml");
    ASSERT_FALSE(device.ok());
    EXPECT_NE(device.error().message.find("a key of more than 9 names"), std::string::npos)
        << device.error().message;
  }
}

}  // namespace
}  // namespace poet
