#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "poet/device/boards.h"
#include "poet/device/device_file.h"

namespace poet {
namespace {

std::string error_of(const std::string& name_or_path) {
  const Result<Device> device = load_device(name_or_path);
  return device.ok() ? "no error" : to_string(device.error());
}

std::vector<std::string_view> builtin_names() {
  std::vector<std::string_view> names;
  for (const BuiltinDevice& row : builtin_device_table()) names.push_back(row.name);
  return names;
}

TEST(LoadDevice, KnowsTheReleasedPlatforms) {
  EXPECT_EQ(builtin_names(),
            (std::vector<std::string_view>{"m0", "m4", "a72", "a72nocache", "jetsontx2", "laptop",
                                           "pc", "esp32s3"}));
}

TEST(LoadDevice, EveryBuiltinDeviceReadsAndHasItsOwnName) {
  for (const std::string_view name : builtin_names()) {
    const Result<Device> device = load_device(std::string(name));
    ASSERT_TRUE(device.ok()) << to_string(device.error());
    EXPECT_EQ(device->name, name);
  }
}

TEST(LoadDevice, TheSmallBoardsHaveTheirRamAndWaitForTransfers) {
  const Device m0 = load_device("m0").value();
  EXPECT_EQ(m0.ram_bytes, 32 * 1024);
  EXPECT_EQ(m0.time_mode, TimeMode::Blocking);
  const Device m4 = load_device("m4").value();
  EXPECT_EQ(m4.ram_bytes, 256 * 1024);
  EXPECT_EQ(m4.time_mode, TimeMode::Blocking);
}

TEST(LoadDevice, TheLargeBoardsTransferWhileTheyCompute) {
  for (const char* name : {"a72", "a72nocache", "jetsontx2"})
    EXPECT_EQ(load_device(name).value().time_mode, TimeMode::Overlapped) << name;
}

// docs/decisions/0003-jetson-tx2-figures.md
TEST(LoadDevice, TheJetsonsEfficiencyIsItsRateAtItsCorePower) {
  const Device device = load_device("jetsontx2").value();
  EXPECT_DOUBLE_EQ(device.compute.flop_per_s, 16.2e9 * (2.0 / 12.0));
  EXPECT_DOUBLE_EQ(device.compute.flop_per_j, device.compute.flop_per_s / (0.995 - 0.229));
  EXPECT_DOUBLE_EQ(device.idle_w, 0.229);
}

// The released figures charge no idle power, so that stating one would change what they add up to.
TEST(LoadDevice, TheDevicesWithReleasedFiguresStateNoIdlePower) {
  for (const char* name : {"m0", "m4", "a72", "a72nocache"})
    EXPECT_EQ(load_device(name).value().idle_w, 0) << name;
}

TEST(LoadDevice, SuggestsTheNameThatWasMeant) {
  EXPECT_EQ(error_of("jetson"), "unknown platform 'jetson'; did you mean 'jetsontx2'?");
  EXPECT_EQ(load_device("jetson").error().code, ErrorCode::NotFound);
}

TEST(LoadDevice, ListsTheNamesWhenNoneIsNear) {
  EXPECT_EQ(error_of("toaster"),
            "unknown platform 'toaster'; use m0, m4, a72, a72nocache, jetsontx2, laptop, pc or "
            "esp32s3, or the path of a .toml file");
}

class DeviceFolder : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view text) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("poet_load_device_" +
       std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(DeviceFolder, AFileReadsAsItsTextDoes) {
  const BuiltinDevice& builtin = builtin_device_table()[1];
  const std::string path = write("mine.toml", builtin.text);
  EXPECT_EQ(load_device(path).value(), parse_device(builtin.text, "mine.toml").value());
}

TEST_F(DeviceFolder, ErrorsInAFileNameIt) {
  const std::string path = write("mine.toml", "format = 3\n");
  EXPECT_EQ(error_of(path), path +
                                ":1:10: 'format' must be text, found a whole number; for example "
                                "format = \"poet-device\"");
}

TEST_F(DeviceFolder, AFileThatIsNotThereIsNotFound) {
  const std::string path = (folder_ / "none.toml").string();
  const Result<Device> device = load_device(path);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().code, ErrorCode::NotFound);
}

TEST_F(DeviceFolder, AFolderIsNotADevice) {
  const Result<Device> device = load_device(folder_.string());
  ASSERT_FALSE(device.ok());
}

}  // namespace
}  // namespace poet
