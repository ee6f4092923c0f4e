#include "poet/cost/measured_costs_json.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

MeasuredCosts costs() {
  return {.machine = "a machine",
          .measured = "2026-01-02, 15 samples",
          .complete = false,
          .active_power_w = 2.5,
          .power_source = "assumed",
          .operations = {{.key = "relu (float32 (8)) -> (float32 (8))",
                          .kernels = "reference",
                          .seconds = 1.25e-7,
                          .spread_s = 1e-9,
                          .samples = 15,
                          .executions = 30000,
                          .uses = 3},
                         {.key = "tanh (float32 (8)) -> (float32 (8))",
                          .kernels = "reference",
                          .seconds = 0.1,
                          .joules = 0.25,
                          .samples = 3,
                          .executions = 3,
                          .uses = 1}},
          .examples = {{.key = "float32 (8)", .kernels = "examples", .seconds = 0.5}}};
}

std::string refusal(const std::string& text) {
  const Result<MeasuredCosts> parsed = parse_measured_costs(text, "my.costs.json");
  return parsed.ok() ? "not refused" : to_string(parsed.error());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(MeasuredCostsJson, ReadsWhatItWrites) {
  const Result<MeasuredCosts> parsed = parse_measured_costs(measured_costs_text(costs()), "file");
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(*parsed, costs());
}

TEST(MeasuredCostsJson, DoesWithoutExamples) {
  MeasuredCosts without = costs();
  without.examples.clear();
  const std::string text = measured_costs_text(without);
  EXPECT_EQ(text.find("\"examples\""), std::string::npos);
  const Result<MeasuredCosts> parsed = parse_measured_costs(text, "file");
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(*parsed, without);
}

TEST(MeasuredCostsJson, RefusesAnotherFormat) {
  EXPECT_EQ(refusal(R"({"format": "poet-plan", "version": 1})"),
            "my.costs.json:1:12: 'format' must be \"poet-costs\", found \"poet-plan\"");
}

TEST(MeasuredCostsJson, RefusesAKeyThatStandsThereTwice) {
  MeasuredCosts twice = costs();
  twice.operations[1].key = twice.operations[0].key;
  EXPECT_NE(refusal(measured_costs_text(twice))
                .find("the operation 'relu (float32 (8)) -> (float32 (8))' with 'reference' "
                      "kernels stands here twice"),
            std::string::npos);
}

TEST(MeasuredCostsJson, RefusesNegativeTimes) {
  EXPECT_NE(refusal(replaced(measured_costs_text(costs()), "\"seconds\": 0.1", "\"seconds\": -0.1"))
                .find("'seconds'"),
            std::string::npos);
}

TEST(MeasuredCostsJson, RefusesUnknownFields) {
  EXPECT_NE(
      refusal(replaced(measured_costs_text(costs()), "\"uses\": 1", "\"uses\": 1, \"used\": 2"))
          .find("used"),
      std::string::npos);
}

}  // namespace
}  // namespace poet
