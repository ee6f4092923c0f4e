#include "poet/device/device_text.h"

#include <gtest/gtest.h>

#include "poet/device/boards.h"
#include "poet/device/device_file.h"

namespace poet {
namespace {

TEST(DeviceText, ReadsBackAsEveryBuiltinDevice) {
  for (const BuiltinDevice& row : builtin_device_table()) {
    const Result<Device> device = load_device(std::string(row.name));
    ASSERT_TRUE(device.ok());
    const Result<Device> again = parse_device(device_text(*device), "again.toml");
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_EQ(*again, *device);
  }
}

TEST(DeviceText, KeepsQuotesAndBackslashesInTexts) {
  Device device = *load_device("m4");
  device.title = R"(a "board" of C:\boards)";
  const Result<Device> again = parse_device(device_text(device), "again.toml");
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(again->title, device.title);
}

TEST(DeviceText, StaysOneLineForEachText) {
  Device device = *load_device("m4");
  device.title = "two\nlines";
  EXPECT_EQ(parse_device(device_text(device), "again.toml")->title, "two lines");
}

TEST(DeviceText, MemoriesReadBackTheSame) {
  const Device device = *load_device("esp32s3");
  ASSERT_EQ(device.memories.size(), 1);
  EXPECT_EQ(*parse_device(device_text(device), "again.toml"), device);
}

TEST(DeviceText, CommentsStandAboveAndStayComments) {
  const Device device = *load_device("m4");
  const std::string text = device_text(device, {"a = 1", "", "two\nlines"});
  EXPECT_TRUE(text.starts_with("# a = 1\n#\n# two lines\nformat = ")) << text;
  EXPECT_EQ(*parse_device(text, "again.toml"), device);
}

}  // namespace
}  // namespace poet
