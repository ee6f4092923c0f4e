#include "poet/use/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace poet {
namespace {

namespace fs = std::filesystem;

// Folders such as Linux shows, with what a test puts there.
class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit()
      : folder_(fs::path(testing::TempDir()) / ("memory_limit." + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    files_ = {(folder_ / "proc").string(), (folder_ / "cgroup").string()};
  }
  ~MemoryLimit() override { fs::remove_all(folder_); }

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text << "\n";
  }

  fs::path folder_;
  MemoryFiles files_;
};

TEST_F(MemoryLimit, IsNoneWhereLinuxDoesNotSay) {
  EXPECT_EQ(memory_limit_bytes(files_), std::nullopt);
  put("proc/self/cgroup", "0::/");
  EXPECT_EQ(memory_limit_bytes(files_), std::nullopt);
  put("cgroup/memory.max", "max");
  EXPECT_EQ(memory_limit_bytes(files_), std::nullopt);
}

TEST_F(MemoryLimit, IsTheLeastOfTheGroupsAround) {
  put("proc/self/cgroup", "0::/a/b");
  put("cgroup/a/b/memory.max", "3000");
  put("cgroup/a/b/memory.high", "max");
  EXPECT_EQ(memory_limit_bytes(files_), 3000);
  put("cgroup/a/memory.high", "2000");
  EXPECT_EQ(memory_limit_bytes(files_), 2000);
}

TEST_F(MemoryLimit, OfVersion1IsHardOrSoft) {
  put("proc/self/cgroup", "5:devices:/x\n4:cpu,memory:/job\n0::/");
  put("cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712");
  put("cgroup/memory/job/memory.soft_limit_in_bytes", "4096");
  put("cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(memory_limit_bytes(files_), 4096);
}

TEST_F(MemoryLimit, OfAContainerThatSeesOnlyItsOwnRootIsThere) {
  put("proc/self/cgroup", "4:memory:/machine/container");
  put("cgroup/memory/memory.limit_in_bytes", "5000");
  EXPECT_EQ(memory_limit_bytes(files_), 5000);
}

TEST_F(MemoryLimit, PressureIsOfTheGroupOrOfTheMachine) {
  EXPECT_EQ(memory_pressure_percent(files_), std::nullopt);
  put("proc/pressure/memory",
      "some avg10=12.50 avg60=1.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00");
  EXPECT_EQ(memory_pressure_percent(files_), 12.5);
  put("proc/self/cgroup", "0::/a");
  put("cgroup/a/memory.pressure", "some avg10=0.25 avg60=0.00 avg300=0.00 total=5");
  EXPECT_EQ(memory_pressure_percent(files_), 0.25);
}

}  // namespace
}  // namespace poet
