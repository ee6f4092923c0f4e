#include "poet/tell/progress_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace poet {
namespace {

ProgressRow read(const std::string& line) {
  const std::optional<ProgressRow> row = read_progress_row(line);
  EXPECT_TRUE(row) << line;
  return row.value_or(ProgressRow{});
}

// Of what is written nothing gets lost on its way.
TEST(ProgressRows, AreReadAsTheyWereWritten) {
  const std::vector<std::string> rows = {
      progress_row({.at_unix_s = 7, .model = "lenet5", .command = "poet train", .is_locked = true}),
      progress_row(1.5, PlannedLine{.first_step = 3, .steps = 9, .planned_with = "laptop"}),
      progress_row(2.0, StepsNews{.last = {.step = 4, .steps = 9}, .steps = 2, .mean_loss = 0.5}),
      progress_row(
          2.5,
          EvaluationLine{
              4,
              {.loss = 0.25, .accuracy = 0.5, .perplexity = 1.25, .error = 0.125, .examples = 10}}),
      progress_row(3.0, SavedLine{.step = 4, .is_best = true}),
      progress_row(3.5, MoveLine{.step = 4, .from_bytes = 2, .to_bytes = 1}),
      progress_row(4.0, ReplanLine{.step = 5, .event = ReplanEvent::Plans, .why = "because"}),
      progress_row(4.5, RunEnd{RunEndState::Failed, "no room"})};
  for (const std::string& row : rows) {
    JsonOut written = json_of_text(row);
    const ProgressRow again = read(row);
    EXPECT_EQ(again.event, written["event"]);
    written.erase("event");
    EXPECT_EQ(again.members, written) << row;
  }
}

TEST(ProgressRows, OfALossThatIsNoNumberIsNull) {
  const ProgressRow row = read(progress_row(1, StepsNews{.steps = 1, .mean_loss = NAN}));
  EXPECT_TRUE(row.members["loss"].is_null());
}

TEST(ProgressRows, PassOnNothingThatTheFormatHasNot) {
  const ProgressRow row = read(
      R"({"event": "saved", "step": -1, "at_s": "now", "best": 1, "script": "<b>", "x": {"y": []}})");
  EXPECT_EQ(row.members, (JsonOut{{"at_s", nullptr}, {"step", nullptr}, {"best", nullptr}}));
}

TEST(ProgressRows, CutTextsThatAreLong) {
  const ProgressRow row =
      read(progress_row(1, RunEnd{RunEndState::Failed, std::string(3000, 'x')}));
  EXPECT_EQ(row.members["why"].get<std::string>().size(), 1003U);
}

TEST(ProgressRows, AreNothingElse) {
  for (const std::string& line :
       {std::string(), std::string("{}"), std::string("[1]"), std::string("{\"event\": 3}"),
        std::string(R"({"event": "saved", "step": 1)"), std::string(R"({"event": "elsewhere"})"),
        std::string(R"({"event": "begin", "format": "poet-plan", "version": 1})"),
        std::string(R"({"event": "begin", "format": "poet-progress", "version": 2})"),
        std::string("{\"event\": \"saved\"\0}", 19), std::string(100, '['),
        R"({"event": "saved", "more": ")" + std::string(kLongestProgressRow, 'x') + "\"}"})
    EXPECT_FALSE(read_progress_row(line)) << line.substr(0, 80);
}

}  // namespace
}  // namespace poet
