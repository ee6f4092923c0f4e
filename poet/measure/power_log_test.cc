#include "poet/measure/power_rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "poet/base/text_file.h"

namespace poet {
namespace {

class PowerLog : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Result<PowerLogSummary> read(const std::string& text, std::optional<double> supply_v = {}) {
    EXPECT_FALSE(write_text_file(path_, text));
    samples_.clear();
    return read_power_log(path_, {supply_v}, [this](const PowerSample& sample) {
      samples_.push_back(sample);
      return Failure();
    });
  }

  std::string refusal(const std::string& text, std::optional<double> supply_v = {}) {
    const Result<PowerLogSummary> log = read(text, supply_v);
    if (log.ok()) return "not refused";
    const std::string message = to_string(log.error());
    return message.starts_with(path_) ? "log.csv" + message.substr(path_.size()) : message;
  }

  std::string path_ = ::testing::TempDir() + "power_log_test" + std::to_string(getpid()) + ".csv";
  std::vector<PowerSample> samples_;
};

TEST_F(PowerLog, ReadsAnExportOfAPowerProfilerKit) {
  const Result<PowerLogSummary> log = read(
      "Timestamp(ms),Current(uA),D0,D1,D2,D3,D4,D5,D6,D7\r\n"
      "0.01,1000.000,0,0,0,0,0,0,0,0\r\n0.02,2000.000,1,0,0,0,0,0,0,1\r\n\r\n",
      3.0);
  ASSERT_TRUE(log.ok()) << to_string(log.error());
  EXPECT_EQ(log->samples, 2);
  EXPECT_TRUE(log->has_pins);
  EXPECT_EQ(log->pin_changes, (std::array<std::int64_t, 8>{1, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(log->sample_s(), 1e-5);
  EXPECT_DOUBLE_EQ(samples_[1].power_w, 0.006);
  EXPECT_DOUBLE_EQ(samples_[1].time_s, 2e-5);
  EXPECT_EQ(samples_[1].pins, 0x81);
  EXPECT_EQ(samples_[1].line, 3);
}

TEST_F(PowerLog, ReadsDigitsOfAllChannelsAsOneColumn) {
  ASSERT_TRUE(read("Timestamp(ms),Current(uA),D0-D7\n1,5,00000000\n2,5,10000000\n", 1.0).ok());
  EXPECT_EQ(samples_[1].pins, 1);
}

TEST_F(PowerLog, ReadsPowersWithAMarkQuotesAndOtherColumns) {
  const Result<PowerLogSummary> log =
      read("\xEF\xBB\xBF\"note\", \"Time_s\" ,\"power_mW\"\nx,-1,2.5\ny,1.5e0,-1\n");
  ASSERT_TRUE(log.ok()) << to_string(log.error());
  EXPECT_FALSE(log->has_pins);
  EXPECT_DOUBLE_EQ(samples_[0].power_w, 2.5e-3);
  EXPECT_DOUBLE_EQ(samples_[1].power_w, -1e-3);
  EXPECT_DOUBLE_EQ(samples_[1].time_s, 1.5);
}

TEST_F(PowerLog, RefusesWhatIsNoLog) {
  const std::string names =
      "the first line names the columns, and one of a time and one of a current or power are among "
      "them: such as 'Timestamp(ms),Current(uA),D0,D1,D2,D3,D4,D5,D6,D7' or 'time_s,power_w'";
  EXPECT_EQ(refusal(""), "log.csv: the log has 0 samples, and two or more make one");
  EXPECT_EQ(refusal("1,2\n3,4\n"), "log.csv:1: " + names);
  EXPECT_EQ(refusal("\n\ntime_s,volts\n3,4\n"), "log.csv:3: " + names);
  EXPECT_EQ(refusal("Timestamp(ms),Current(uA)\n1,2\n2,2\n"),
            "log.csv:1: the log has currents: --supply-v says at which voltage");
  EXPECT_EQ(refusal("time_s,power_w\n1,2\n"),
            "log.csv: the log has 1 sample, and two or more make one");
}

TEST_F(PowerLog, RefusesBadLinesWithTheirPlace) {
  const std::string head = "time_s,power_w,D0\n1,2,0\n";
  EXPECT_EQ(refusal(head + "2,nan,0\n"), "log.csv:3: 'nan' is not a finite number");
  EXPECT_EQ(refusal(head + "2,,0\n"), "log.csv:3: nothing is not a finite number");
  EXPECT_EQ(refusal(head + "2,1e300,0\n"), "log.csv:3: '1e300' is too large to be measured");
  EXPECT_EQ(refusal(head + "1,2,0\n"),
            "log.csv:3: the time '1' does not come after that of the line before");
  EXPECT_EQ(refusal(head + "2,2\n"), "log.csv:3: the line has 2 columns, and the first one 3");
  EXPECT_EQ(refusal(head + "2,2,7\n"),
            "log.csv:3: the digital channels are '7', and should be a 0 or 1 for each");
  EXPECT_EQ(refusal(head + std::string(1 << 17, '1') + "\n"),
            "log.csv:3: the line has more than 65536 bytes");
  EXPECT_EQ(refusal("time_s,power_w,D0-D7\n1,2,0101\n"),
            "log.csv:2: the digital channels are '0101', and should be a 0 or 1 for each");
}

}  // namespace
}  // namespace poet
