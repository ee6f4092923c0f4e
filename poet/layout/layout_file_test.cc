#include "poet/layout/layout_file.h"

#include <gtest/gtest.h>

#include "poet/base/json_out.h"
#include "poet/layout/plan_for_tests.h"
#include "poet/plan/plan_file.h"

namespace poet {
namespace {

using testing::paged_plan;

TEST(LayoutFile, APlanIsReadBackWithItsAddresses) {
  const Plan plan = paged_plan();
  const Layout layout = *make_layout(plan, {.alignment_bytes = 8});
  const std::string text = laid_out_plan_text(plan, layout);
  const Result<LaidOutPlan> read = parse_laid_out_plan(text, "plan.json");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(*read, (LaidOutPlan{plan, layout}));
  const Result<Plan> alone = parse_plan(text, "plan.json");
  ASSERT_TRUE(alone.ok()) << to_string(alone.error());
  EXPECT_EQ(*alone, plan);
}

TEST(LayoutFile, AnOffsetThatIsNotThereIsMinusOne) {
  const Plan plan = paged_plan();
  const JsonOut out = layout_to_json(*make_layout(plan, {}));
  EXPECT_EQ(json_line(out["slot_offset_bytes"]), "[0, 10, -1, -1, 16, 0, -1]");
}

TEST(LayoutFile, APlanNeedsNoLayout) {
  const Result<LaidOutPlan> read = parse_laid_out_plan(plan_text(paged_plan()), "plan.json");
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->layout);
}

TEST(LayoutFile, ALayoutThatDoesNotHoldIsRefused) {
  const Plan plan = paged_plan();
  Layout wrong = *make_layout(plan, {});
  wrong.arena_bytes -= 1;
  const Result<LaidOutPlan> read =
      parse_laid_out_plan(laid_out_plan_text(plan, wrong), "plan.json");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("the layout does not hold: "), std::string::npos);
}

}  // namespace
}  // namespace poet
