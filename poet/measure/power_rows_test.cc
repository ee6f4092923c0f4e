#include "poet/measure/power_rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "poet/base/text_file.h"
#include "poet/measure/power_fit.h"
#include "poet/measure/power_log_for_tests.h"

namespace poet {
namespace {

// Operations A, B, C with C too short for a row, a read of two sizes, a write of one. 0: A, 1: B,
// 2: C, 3: bytes read, 4: reads, 5: bytes written.
LoggedBoard board() {
  LoggedBoard board;
  board.terms = {{2e-3, 30e-6},   {1e-3, 5e-6}, {30e-6, 0.4e-6},
                 {250e-9, 30e-9}, {1e-4, 1e-5}, {300e-9, 40e-9}};
  const LoggedAction a{{{0, 1}}};
  const LoggedAction b{{{1, 1}}};
  const LoggedAction c{{{2, 1}}};
  const LoggedAction small{{{3, 512}, {4, 1}}};
  const LoggedAction large{{{3, 4096}, {4, 1}}};
  const LoggedAction write{{{5, 2048}}};
  board.step = {a, c, b, small, a, write, large, c, c, a, b, {}};
  for (LoggedAction& action : board.step)
    if (!action.terms.empty()) action.expected_s = duration_s(board, action);
  return board;
}

class PowerRowsOfALog : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Result<PowerRows> align(const LoggedBoard& made, const AlignOptions& options) {
    write_power_log(made, path_);
    return options.pins > 0 ? align_by_pins(path_, made.step, options)
                            : align_by_durations(path_, made.step, options);
  }

  static AlignOptions options(int pins) { return {.log = {.supply_v = 3}, .pins = pins}; }

  std::string refusal(const LoggedBoard& made, const AlignOptions& options) {
    const Result<PowerRows> rows = align(made, options);
    if (rows.ok()) return "not refused";
    return rows.error().message;
  }

  std::string path_ = ::testing::TempDir() + "power_rows_test" + std::to_string(getpid()) + ".csv";
};

void expect_near_truth(const LoggedBoard& made, const PowerFit& fit, double part) {
  ASSERT_EQ(fit.terms.size(), made.terms.size());
  for (std::size_t t = 0; t < fit.terms.size(); ++t) {
    EXPECT_EQ(fit.terms[t].together, 0) << t;
    EXPECT_NEAR(fit.terms[t].joules.value, made.terms[t].joules, part * made.terms[t].joules) << t;
    EXPECT_NEAR(fit.terms[t].seconds.value, made.terms[t].seconds, part * made.terms[t].seconds)
        << t;
  }
}

std::vector<ExpectedTerm> nothing_expected(const LoggedBoard& made) {
  return std::vector<ExpectedTerm>(made.terms.size());
}

TEST_F(PowerRowsOfALog, FindWhatTheBoardTookByItsPin) {
  const LoggedBoard made = board();
  const Result<PowerRows> rows = align(made, options(1));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  EXPECT_EQ(rows->all_steps(), 8);
  EXPECT_EQ(rows->left_out, 0);
  EXPECT_NEAR(rows->idle_w, made.idle_w, 1e-6 * made.idle_w);
  EXPECT_NEAR(rows->stretch, 1, 1e-3);
  const PowerFit fit = fit_power(made.step, *rows, nothing_expected(made));
  EXPECT_TRUE(fit.converged);
  expect_near_truth(made, fit, 0.15);
  // What is long is known well.
  EXPECT_NEAR(fit.terms[0].joules.value, 30e-6, 0.01 * 30e-6);
  EXPECT_NEAR(fit.terms[1].joules.value, 5e-6, 0.02 * 5e-6);
  EXPECT_NEAR(fit.terms[5].joules.value, 40e-9, 0.02 * 40e-9);
  EXPECT_LT(fit.joules_residual_ratio, 0.01);
}

TEST_F(PowerRowsOfALog, StateAnErrorThatHoldsUnderNoise) {
  LoggedBoard made = board();
  made.noise_w = 5e-3;
  made.steps = 24;
  made.start_s = 12.5;
  const Result<PowerRows> rows = align(made, options(1));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  const PowerFit fit = fit_power(made.step, *rows, nothing_expected(made));
  for (std::size_t t = 0; t < fit.terms.size(); ++t) {
    const TermFigure& joules = fit.terms[t].joules;
    ASSERT_TRUE(joules.error) << t;
    EXPECT_GT(*joules.error, 0) << t;
    // Four standard errors, and what the edges of a sample make of a short one.
    EXPECT_NEAR(joules.value, made.terms[t].joules, 4 * *joules.error + 0.02 * joules.value) << t;
  }
}

TEST_F(PowerRowsOfALog, UnderstandEitherOrderOfTheChannels) {
  LoggedBoard made = board();
  made.lowest_is_last = true;
  made.pins = 3;
  const Result<PowerRows> rows = align(made, options(3));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  expect_near_truth(made, fit_power(made.step, *rows, nothing_expected(made)), 0.15);
}

TEST_F(PowerRowsOfALog, KeepCountOfActionsBetweenTwoSamplesOnMorePins) {
  LoggedBoard made = board();
  made.terms[2] = {1e-6, 2e-9};  // a tenth of a sample
  made.pins = 2;
  const Result<PowerRows> rows = align(made, options(2));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  const PowerFit fit = fit_power(made.step, *rows, nothing_expected(made));
  EXPECT_NEAR(fit.terms[0].joules.value, 30e-6, 0.01 * 30e-6);
  EXPECT_NEAR(fit.terms[4].joules.value, 1e-5, 0.1e-5);
}

TEST_F(PowerRowsOfALog, RefuseALogWhoseAnnouncementsWereSkipped) {
  LoggedBoard made = board();
  made.terms[2] = {1e-6, 2e-9};
  EXPECT_EQ(refusal(made, options(1)).substr(0, 28), "a step has 12 announcements,");
}

TEST_F(PowerRowsOfALog, RefuseAnotherStep) {
  LoggedBoard made = board();
  write_power_log(made, path_);
  made.step.insert(made.step.begin(), made.step.front());
  const Result<PowerRows> rows = align_by_pins(path_, made.step, options(1));
  ASSERT_FALSE(rows.ok());
  EXPECT_GT(rows.error().where.line, 1);
  EXPECT_EQ(rows.error().message.substr(0, 28), "a step has 13 announcements,");
}

TEST_F(PowerRowsOfALog, RefuseChannelsThatNeverChange) {
  LoggedBoard made = board();
  made.pins = 0;
  EXPECT_EQ(refusal(made, options(1)),
            "the digital channels never change: the board's poet_trace() counts on D0, and it is "
            "exported with the log");
  EXPECT_EQ(refusal(board(), options(2)),
            "D1 never changes, and --pins says that the board counts on 2 channels");
}

TEST_F(PowerRowsOfALog, LeaveOutAStepThatTheLogEndsIn) {
  LoggedBoard made = board();
  made.steps = 3;
  write_power_log(made, path_);
  const std::string text = *read_text_file(path_);
  // In the last step, whose pause and second half are cut off.
  ASSERT_FALSE(write_text_file(path_, text.substr(0, text.rfind('\n', text.size() * 96 / 100))));
  const Result<PowerRows> all = align_by_pins(path_, made.step, options(1));
  ASSERT_TRUE(all.ok()) << to_string(all.error());
  EXPECT_EQ(all->all_steps(), 3);
  std::size_t cut = text.size();
  for (std::int64_t lines = 0; lines < 15'700; ++lines) cut = text.rfind('\n', cut - 1);
  ASSERT_FALSE(write_text_file(path_, text.substr(0, cut + 1)));
  const Result<PowerRows> rows = align_by_pins(path_, made.step, options(1));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  EXPECT_EQ(rows->all_steps(), 2);
  EXPECT_EQ(rows->left_out, 1);
}

TEST_F(PowerRowsOfALog, LeaveOutAStepWithAHole) {
  LoggedBoard made = board();
  made.steps = 3;
  write_power_log(made, path_);
  std::string text = *read_text_file(path_);
  // A hundred samples are missing from the middle of the first step, and as many from the pause
  // before it.
  const auto begin_of_line = [&text](int number) {
    std::size_t place = 0;
    for (int k = 0; k < number; ++k) place = text.find('\n', place) + 1;
    return place;
  };
  text.erase(begin_of_line(13'800), begin_of_line(13'900) - begin_of_line(13'800));
  text.erase(begin_of_line(1'000), begin_of_line(1'100) - begin_of_line(1'000));
  ASSERT_FALSE(write_text_file(path_, text));
  const Result<PowerRows> rows = align_by_pins(path_, made.step, options(1));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  EXPECT_EQ(rows->all_steps(), 2);
  EXPECT_EQ(rows->left_out, 1);
}

TEST_F(PowerRowsOfALog, SayWhatCannotBeToldApart) {
  LoggedBoard made = board();
  // B always follows D, and both are shorter than a row.
  made.terms = {{2e-3, 30e-6}, {40e-6, 1e-6}, {40e-6, 3e-6}};
  made.step = {{{{0, 1}}}, {{{1, 1}}}, {{{2, 1}}}, {{{0, 1}}}, {{{1, 1}}}, {{{2, 1}}}, {}};
  const Result<PowerRows> rows = align(made, options(1));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  const PowerFit unknown = fit_power(made.step, *rows, {{}, {}, {}});
  EXPECT_TRUE(unknown.terms[0].is_known());
  EXPECT_EQ(unknown.terms[1].together, unknown.terms[2].together);
  EXPECT_FALSE(unknown.terms[1].is_known());
  const PowerFit divided = fit_power(made.step, *rows, {{2e-3}, {60e-6}, {20e-6}});
  EXPECT_TRUE(divided.terms[1].is_known());
  EXPECT_NEAR(divided.terms[1].joules.value, 3e-6, 0.15e-6);
  EXPECT_NEAR(divided.terms[2].joules.value, 1e-6, 0.05e-6);
}

TEST_F(PowerRowsOfALog, AlignByDurationsWithoutAnyPin) {
  LoggedBoard made = board();
  made.pins = 0;
  made.noise_w = 5e-4;
  // The board takes a tenth longer than it was expected to.
  for (LoggedAction& action : made.step) action.expected_s /= 1.1;
  const Result<PowerRows> rows = align(made, options(0));
  ASSERT_TRUE(rows.ok()) << to_string(rows.error());
  EXPECT_EQ(rows->how, LogAlignment::Durations);
  EXPECT_EQ(rows->all_steps(), 8);
  EXPECT_NEAR(rows->stretch, 1.1, 0.01);
  std::vector<ExpectedTerm> expected;
  for (const TrueTerm& term : made.terms) expected.push_back({term.seconds / 1.1});
  const PowerFit fit = fit_power(made.step, *rows, expected);
  EXPECT_NEAR(fit.terms[0].joules.value, 30e-6, 0.03 * 30e-6);
  EXPECT_NEAR(fit.terms[1].joules.value, 5e-6, 0.2 * 5e-6);
  EXPECT_NEAR(fit.terms[5].joules.value, 40e-9, 0.05 * 40e-9);
}

TEST_F(PowerRowsOfALog, RefuseALogWithoutAStepOfThatLength) {
  LoggedBoard made = board();
  made.pins = 0;
  for (LoggedAction& action : made.step) action.expected_s *= 4;
  EXPECT_EQ(refusal(made, options(0)).substr(0, 47),
            "the log has no step: it would take about 0.0402");
  for (TrueTerm& term : made.terms) term.joules = 0;
  EXPECT_EQ(refusal(made, options(0)),
            "nothing in the log stands out from its first 100 ms, in which the board must be idle");
}

}  // namespace
}  // namespace poet
