// Phases of a search end by counted effort: under any clock, however slow or uneven, the answer is
// the same as long as the caller's limit does not end the search.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/base/json_out.h"
#include "poet/tell/report_json.h"

namespace poet::testing {
namespace {

constexpr double kLimit_s = 0.4;

// A clock that goes on by so much with each look, and never reaches the limit.
Stop under_a_clock(double seconds_per_look, double limit_s = kLimit_s) {
  const auto now_s = std::make_shared<double>(0);
  return {.elapsed_s =
              [now_s, seconds_per_look, limit_s] {
                return *now_s = std::min(*now_s + seconds_per_look, 0.999 * limit_s);
              },
          .limit_s = limit_s};
}

// The phases of the event search have parts of the limit, which is far less than they would take.
JsonOut answer_under(const Stop& stop, bool looks_at_parts = true) {
  PlanRequest request{.model = "resnet8", .platform = "m4", .ram_budget = RamOnTheWay{0.4}};
  request.training.parts_by_budget = looks_at_parts;
  request.solve.gap_ratio = 0;
  request.solve.max_nodes = 1;
  request.solve.techniques.windows = false;
  request.solve.max_iterations = 500;
  const Result<PlanReport> report = make_plan(asked(request), stop, {}, {});
  EXPECT_TRUE(report.ok());
  if (!report.ok()) return {};
  EXPECT_FALSE(report->timing.ended_by_clock);
  EXPECT_GT(report->timing.effort_s, 0);
  JsonOut answer = report_to_json(*report);
  answer["effort_s"] = report->timing.effort_s;
  answer.erase("timing");
  answer.erase("solve_s");
  return answer;
}

TEST(CountedEffort, MakesAnswersThatNoClockShapes) {
  const std::string still = json_text(answer_under(under_a_clock(0)));
  EXPECT_EQ(json_text(answer_under(under_a_clock(1e-6))), still);
  EXPECT_EQ(json_text(answer_under(under_a_clock(1))), still);
}

// Or the test above would say nothing: it is the limit that ends this search's phases. What it
// takes to cut a step into parts does not depend on it.
TEST(CountedEffort, GrowsWithTheLimit) {
  const auto effort_s = [](double limit_s) {
    return answer_under(under_a_clock(0, limit_s), false)["effort_s"].get<double>();
  };
  EXPECT_GT(effort_s(2 * kLimit_s), 1.5 * effort_s(kLimit_s));
}

}  // namespace
}  // namespace poet::testing
