#include "poet/problem/schedule_json.h"

#include <gtest/gtest.h>

#include "poet/base/text_file.h"
#include "tests/support/source_folder.h"

namespace poet {
namespace {

OperationId op(int v) {
  return OperationId{v};
}
TensorId t(int i) {
  return TensorId{i};
}

TEST(ScheduleJson, ReadsBackWhatItWrote) {
  const Schedule schedule{{Compute{op(0)}, PageOut{t(1)}, Drop{t(1)}, PageIn{t(1)}, Compute{op(0)}},
                          {t(4), t(2)}};
  const Result<Schedule> back = parse_schedule(schedule_text(schedule), "s.json");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_EQ(*back, schedule);
}

TEST(ScheduleJson, WritesActionsAsPairs) {
  EXPECT_EQ(schedule_text({{Compute{op(0)}, PageOut{t(1)}}, {t(2)}}), R"({
  "format": "poet-schedule",
  "version": 1,
  "resident": [2],
  "actions": [["compute", 0], ["page_out", 1]]
}
)");
}

TEST(ScheduleJson, PlacesAreWrittenWhereThereAreSome) {
  const Schedule schedule{.actions = {Compute{op(0)}},
                          .placed = {{t(2), {}, MemoryId{2}}, {t(1), 0, MemoryId{1}}}};
  const std::string text = schedule_text(schedule);
  EXPECT_EQ(text, R"({
  "format": "poet-schedule",
  "version": 1,
  "resident": [],
  "actions": [["compute", 0]],
  "placed": [{"tensor": 2, "memory": 2}, {"tensor": 1, "action": 0, "memory": 1}]
}
)");
  EXPECT_EQ(*parse_schedule(text, "s.json"), schedule);
}

std::string error_with(const std::string& actions) {
  const std::string header = R"({"format": "poet-schedule", "version": 1, "actions": )";
  const Result<Schedule> schedule = parse_schedule(header + "\n" + actions + "}", "s.json");
  return schedule.ok() ? "no error" : to_string(schedule.error());
}

TEST(ScheduleJson, PointsAtTheWrongAction) {
  EXPECT_EQ(error_with("[]"), "no error");
  EXPECT_EQ(
      error_with("[[\"compute\", 0], [\"dropp\", 1]]"),
      "s.json:2:19: 'action' must be compute, page_out, page_in or drop, found \"dropp\"; did "
      "you mean 'drop'?");
  EXPECT_EQ(error_with("[[\"compute\", -1]]"),
            "s.json:2:14: 'compute' must be a whole number from 0 to 2147483647, found -1");
  EXPECT_EQ(error_with("[3]"),
            "s.json:2:2: an action must be a pair such as [\"compute\", 3], found 3");
  EXPECT_EQ(error_with("[[\"drop\", 1, 2]]"),
            "s.json:2:2: an action must be a pair such as [\"compute\", 3], found a list of 3");
  EXPECT_EQ(error_with("[], \"x\": 1"), "s.json:2:5: the schedule has no field 'x'");
}

// docs/formats/schedule.md shows this file.
TEST(ScheduleJson, TheExampleOfTheDocumentationIsRead) {
  const std::string page = *read_text_file(testing::source_folder() + "/docs/formats/schedule.md");
  const std::string fence = "```json\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  const Result<Schedule> schedule = parse_schedule(example, "schedule.md");
  ASSERT_TRUE(schedule.ok()) << to_string(schedule.error());
  EXPECT_EQ(schedule_text(*schedule), example);
}

}  // namespace
}  // namespace poet
