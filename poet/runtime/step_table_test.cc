#include "poet/runtime/step_table.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace poet {
namespace {

constexpr std::array<poet_step_work, 2> kWorks = {
    {{nullptr, 5, POET_WORK_CALL, 2}, {nullptr, 1025, POET_WORK_READ, 1}}};

class StepTable : public ::testing::Test {
 protected:
  void read(const std::vector<unsigned char>& codes) {
    reader_.codes = codes.data();
    poet_step_next(&reader_, &action_);
    EXPECT_EQ(reader_.codes, codes.data() + codes.size());
  }

  std::ptrdiff_t place(std::size_t k) const {
    return static_cast<const unsigned char*>(at_[k]) - arena_.data();
  }

  std::array<unsigned char, 1> arena_{};
  std::array<unsigned char, 1> slow_{};
  std::array<poet_step_arena, 2> arenas_ = {{{arena_.data(), 99'000}, {slow_.data(), 1'000}}};
  int constant_ = 0;
  std::array<void*, 1> constants_ = {&constant_};
  poet_step_plan plan_ = {kWorks.data(), arenas_.data(), constants_.data(), 2, 512};
  poet_step_reader reader_ = {&plan_, nullptr, 10};
  std::array<void*, 2> at_{};
  poet_step_action action_ = {nullptr, 0, at_.data()};
};

TEST_F(StepTable, SaysWhatACallWorksOn) {
  read({0, 0x01, 0x02, 0xDF, 0xFF});
  EXPECT_EQ(action_.work, &kWorks[0]);
  EXPECT_EQ(action_.offset, 0U);
  EXPECT_EQ(place(0), 8 * 0x102);
  EXPECT_EQ(place(1), 8 * 0xDFFF);
}

TEST_F(StepTable, HasLongerNamesForFarPlaces) {
  read({0, 0xE3, 0x81, 0x0E, 0xE0, 0xB5, 0x18});
  EXPECT_EQ(place(0), 8 * (3 + 32 * (1 + 128 * 14)));
  EXPECT_EQ(at_[1], &constant_) << "32 * (0x35 + 128 * 0x18) is 100,000";
}

TEST_F(StepTable, CountsOnFromOneMemoryToTheNext) {
  read({0, 0xF7, 0x95, 0x18, 0xF8, 0x95, 0x18});
  EXPECT_EQ(place(0), 8 * 98'999);
  EXPECT_EQ(static_cast<const unsigned char*>(at_[1]) - slow_.data(), 0);
  read({0, 0xF9, 0x95, 0x18, 0xFF, 0xB4, 0x18});
  EXPECT_EQ(static_cast<const unsigned char*>(at_[0]) - slow_.data(), 8);
  EXPECT_EQ(static_cast<const unsigned char*>(at_[1]) - slow_.data(), 8 * 999);
}

TEST_F(StepTable, CountsBlocksFromTheEndOfTheLastTransfer) {
  read({1, 0, 0, 0});
  EXPECT_EQ(action_.offset, 10U * 512);
  EXPECT_EQ(reader_.block, 13U) << "of 1,025 bytes";
  read({1, 4, 0, 0});
  EXPECT_EQ(action_.offset, 15U * 512);
  read({1, 35, 0, 0});
  EXPECT_EQ(action_.offset, 0U);
}

}  // namespace
}  // namespace poet
