#include "poet/use/budget_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace poet {
namespace {

namespace fs = std::filesystem;

class BudgetWatchTest : public testing::Test {
 protected:
  BudgetWatchTest()
      : folder_(fs::path(testing::TempDir()) / ("budget_watch." + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    wishes_.control_path = (folder_ / "control").string();
    wishes_.files = {(folder_ / "proc").string(), (folder_ / "cgroup").string()};
    wishes_.clock_s = [this] { return now_s_; };
  }
  ~BudgetWatchTest() override { fs::remove_all(folder_); }

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text << "\n";
  }
  void set_pressure(const std::string& percent) const {
    put("proc/pressure/memory", "some avg10=" + percent + " avg60=0.00 avg300=0.00 total=0");
  }

  const std::vector<std::int64_t> levels_ = {4096, 2048, 1024};
  fs::path folder_;
  double now_s_ = 0;
  BudgetWishes wishes_;
};

TEST_F(BudgetWatchTest, TakesTheLargestWhereNobodyWantsLess) {
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 100), 0U);
}

TEST_F(BudgetWatchTest, FollowsTheControlFile) {
  BudgetWatch watch(wishes_);
  put("control", "3KiB");
  EXPECT_EQ(watch.level(levels_, 0), 1U);
  put("control", "10");
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  put("control", "1GiB");
  EXPECT_EQ(watch.level(levels_, 0), 0U);
  put("control", "2KiB");
  EXPECT_EQ(watch.level(levels_, 0), 1U);
  fs::remove(folder_ / "control");
  EXPECT_EQ(watch.level(levels_, 0), 0U);
  EXPECT_EQ(watch.take_notes().size(), 1U);  // of the 10 bytes
  put("control", "1KiB");
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  EXPECT_TRUE(watch.take_notes().empty());
}

TEST_F(BudgetWatchTest, SaysOnceThatLessThanTheLeastIsAskedFor) {
  BudgetWatch watch(wishes_);
  put("control", "1000");
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  EXPECT_EQ(watch.take_notes(),
            std::vector<std::string>{"'" + *wishes_.control_path +
                                     "' asks for 1,000 bytes, and the least of the budgets is "
                                     "1,024 bytes: the training goes on in that"});
  put("control", "10");
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  EXPECT_EQ(watch.take_notes().size(), 1U);
}

TEST_F(BudgetWatchTest, SaysOnceWhatIsNoSizeAndStaysWhereItIs) {
  BudgetWatch watch(wishes_);
  put("control", "1KiB");
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  put("control", "plenty");
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  EXPECT_EQ(watch.take_notes(),
            std::vector<std::string>{"'" + *wishes_.control_path +
                                     "' says 'plenty', which is not a size such as 512MiB: the "
                                     "budget stays"});
  std::ofstream(folder_ / "control");  // whoever writes it has only emptied it so far
  EXPECT_EQ(watch.level(levels_, 0), 2U);
}

TEST_F(BudgetWatchTest, LeavesRoomForTheProcessInALimit) {
  put("proc/self/cgroup", "0::/");
  put("cgroup/memory.max", "4096");
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 0), 0U);
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 1), 1U);
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 9999), 2U);
  wishes_.follows_limits = false;
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 9999), 0U);
}

TEST_F(BudgetWatchTest, TakesTheSmallestOfSeveralWishes) {
  wishes_.asked_level = [](std::size_t) { return std::size_t{1}; };
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 0), 1U);
  put("control", "1KiB");
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 0), 2U);
  wishes_.asked_level = [](std::size_t) { return std::size_t{7}; };
  EXPECT_EQ(BudgetWatch(wishes_).level(levels_, 0), 2U);
}

TEST_F(BudgetWatchTest, GivesWayToPressureStepByStepAndComesBackSlowly) {
  wishes_.pressure_percent = 10;
  BudgetWatch watch(wishes_);
  set_pressure("9.99");
  EXPECT_EQ(watch.level(levels_, 0), 0U);
  set_pressure("10.00");
  EXPECT_EQ(watch.level(levels_, 0), 1U);
  now_s_ = 9;
  EXPECT_EQ(watch.level(levels_, 0), 1U);
  now_s_ = 10;
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  now_s_ = 30;
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  set_pressure("0.00");
  now_s_ = 69;
  EXPECT_EQ(watch.level(levels_, 0), 2U);
  now_s_ = 70;
  EXPECT_EQ(watch.level(levels_, 0), 1U);
}

TEST(BudgetLevels, AreEachTheSamePartOfTheOneBefore) {
  EXPECT_EQ(budget_levels(1'000'000, 1'000, 4, 1),
            (std::vector<std::int64_t>{1'000'000, 100'000, 10'000, 1'000}));
}

TEST(BudgetLevels, KeepTheirEndsAndRoundWhatLiesBetween) {
  EXPECT_EQ(budget_levels(1'000'003, 1'001, 3, 4096),
            (std::vector<std::int64_t>{1'000'003, 28'672, 1'001}));
}

TEST(BudgetLevels, AreFewerWhereRoundingMakesTwoTheSame) {
  EXPECT_EQ(budget_levels(140, 100, 9, 64), (std::vector<std::int64_t>{140, 128, 100}));
  EXPECT_EQ(budget_levels(2, 1, 2, 64), (std::vector<std::int64_t>{2, 1}));
}

TEST(BudgetLevels, AreTakenAsFarAsThereIsRoom) {
  const std::vector<std::int64_t> levels = {400, 200, 100};
  EXPECT_EQ(level_within(levels, 1'000), 0U);
  EXPECT_EQ(level_within(levels, 400), 0U);
  EXPECT_EQ(level_within(levels, 399), 1U);
  EXPECT_EQ(level_within(levels, 100), 2U);
  EXPECT_EQ(level_within(levels, 1), 2U);
}

}  // namespace

}  // namespace poet
