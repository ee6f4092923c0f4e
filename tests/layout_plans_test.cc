// Plans of networks get addresses: in arenas as high as what is in use at the worst moment, or as
// high as is proved least.
#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/layout/layout.h"

namespace poet {
namespace {

PlanRequest request(const std::string& model, double part, TimeMode io) {
  PlanRequest request;
  request.model = model;
  request.graph = GraphKind::Released;
  request.platform = "m4";
  request.ram_budget = RamOnTheWay{part};
  request.io = io;
  request.solve.gap_ratio = 0.05;
  return request;
}

void expect_packed(const PlanReport& report, std::int64_t alignment) {
  const Result<Layout> layout = make_layout(*report.plan, {.alignment_bytes = alignment});
  ASSERT_TRUE(layout.ok());
  const Failure broken = check_layout(*report.plan, *layout);
  ASSERT_FALSE(broken) << broken->message;
  EXPECT_TRUE(layout->arena_proved);
  EXPECT_TRUE(alignment > 1 || layout->arena_bytes == report.replay.peak_ram_bytes);
}

TEST(Layout, PlansOfNetworksArePackedToTheirPeak) {
  for (const char* const model : {"linear", "vgg16_cifar", "resnet18_cifar"})
    for (const double part : {0.2, 0.6})
      for (const TimeMode io : {TimeMode::Blocking, TimeMode::Overlapped}) {
        SCOPED_TRACE(std::string(model) + " " + std::to_string(part) + " " +
                     std::string(name_of(kTimeModes, io)));
        const Result<PlanReport> report = make_plan(asked(request(model, part, io)), {}, {});
        ASSERT_TRUE(report.ok());
        if (!report->plan) continue;
        expect_packed(*report, 1);
        expect_packed(*report, 64);
      }
}

}  // namespace
}  // namespace poet
