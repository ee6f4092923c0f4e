#include "poet/measure/energy_counters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace poet {
namespace {

namespace fs = std::filesystem;

// A folder as the kernel shows it, of the test's own.
class Counters : public ::testing::Test {
 protected:
  Counters()
      : folder_(fs::path(::testing::TempDir()) /
                ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Counters() override { fs::remove_all(folder_); }

  void put(const std::string& zone, const std::string& file, const std::string& text) const {
    fs::create_directories(folder_ / zone);
    std::ofstream(folder_ / zone / file) << text << '\n';
  }
  void zone(const std::string& zone, const std::string& name, std::int64_t energy_uj) const {
    put(zone, "name", name);
    put(zone, "max_energy_range_uj", "1000000000");
    put(zone, "energy_uj", std::to_string(energy_uj));
  }
  Result<EnergyCounters> find() const { return EnergyCounters::find(folder_.string()); }

  const fs::path folder_;
};

TEST_F(Counters, AddPackagesAndMemoryButNotTheirParts) {
  zone("intel-rapl:0", "package-0", 500);
  zone("intel-rapl:0:0", "core", 500);
  zone("intel-rapl:0:1", "dram", 500);
  zone("intel-rapl:1", "psys", 500);
  Result<EnergyCounters> counters = find();
  ASSERT_TRUE(counters.ok()) << counters.error().message;
  EXPECT_EQ(counters->names(), "package-0 and dram");
  EXPECT_EQ(counters->total_j(), 0);
  zone("intel-rapl:0", "package-0", 3'000'500);
  zone("intel-rapl:0:0", "core", 2'000'500);
  zone("intel-rapl:0:1", "dram", 1'000'500);
  zone("intel-rapl:1", "psys", 9'000'500);
  EXPECT_EQ(counters->total_j(), 4);
}

TEST_F(Counters, GoOnWhenOneBeginsAgain) {
  zone("intel-rapl:0", "package-0", 999'000'000);
  Result<EnergyCounters> counters = find();
  ASSERT_TRUE(counters.ok());
  zone("intel-rapl:0", "package-0", 2'000'000);
  EXPECT_EQ(counters->total_j(), 3);
}

TEST_F(Counters, AreRefusedWhereThereAreNone) {
  EXPECT_EQ(find().error().message, "there are no energy counters in '" + folder_.string() + "'");
  fs::remove_all(folder_);
  EXPECT_EQ(find().error().message, "there are no energy counters in '" + folder_.string() + "'");
}

TEST_F(Counters, AreRefusedWhenTheyCannotBeRead) {
  put("intel-rapl:0", "name", "package-0");
  EXPECT_EQ(find().error().message,
            "the energy counters in '" + folder_.string() + "' may not be read");
}

TEST_F(Counters, HaveNoTotalWhenOneIsGone) {
  zone("intel-rapl:0", "package-0", 0);
  Result<EnergyCounters> counters = find();
  ASSERT_TRUE(counters.ok());
  fs::remove(folder_ / "intel-rapl:0" / "energy_uj");
  EXPECT_FALSE(counters->total_j().has_value());
}

}  // namespace
}  // namespace poet
