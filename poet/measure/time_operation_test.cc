#include "poet/measure/time_operation.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

OperationTypes relu() {
  const TensorType type{ElementType::Float32, {4}};
  return {.kind = Operator::Relu, .inputs = {type}, .outputs = {type}};
}

// A clock that is a quarter of a second later whenever it is looked at.
Stop ticking(double& now_s) {
  return {.token = {}, .elapsed_s = [&now_s] { return now_s += 0.25; }};
}

TEST(TimeOperation, TakesSamplesUntilThereAreEnough) {
  double now_s = 0;
  const auto timing = time_operation(relu(), {.target_s = 1000, .samples = 7}, {}, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->samples, 7);
  EXPECT_EQ(timing->executions, 7);  // one execution is longer than the shortest sample
  EXPECT_EQ(timing->seconds, (Quartiles{0.25, 0.25, 0.25}));
  EXPECT_FALSE(timing->joules.has_value());
}

TEST(TimeOperation, ExecutesUntilASampleIsLongEnough) {
  double now_s = 0;
  // Only after eight executions does the clock show the shortest sample.
  int looks = 0;
  const Stop stop{.token = {}, .elapsed_s = [&] {
                    // Each doubling looks at the clock three times: whether to stop, begin, end.
                    return now_s += ++looks < 10 ? 1e-6 : 0.25;
                  }};
  const auto timing =
      time_operation(relu(), {.sample_s = 0.1, .target_s = 1000, .samples = 3}, {}, stop);
  ASSERT_TRUE(timing.has_value());
  EXPECT_GT(timing->executions, timing->samples);
  EXPECT_EQ(timing->executions % timing->samples, 0);
  EXPECT_EQ(timing->seconds.median, 0.25 * 3 / static_cast<double>(timing->executions));
}

TEST(TimeOperation, StopsAfterTheTargetWithTheFewestSamples) {
  double now_s = 0;
  const auto timing = time_operation(relu(), {.target_s = 0.1, .fewest = 3}, {}, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->samples, 3);
}

TEST(TimeOperation, HasNoAnswerWhenItWasStoppedBefore) {
  double now_s = 0;
  Stop stop = ticking(now_s);
  stop.limit_s = 1;
  EXPECT_FALSE(time_operation(relu(), {}, {}, stop).has_value());
}

TEST(TimeOperation, TakesWhatIsDrawnAtRestFromTheEnergy) {
  double now_s = 0;
  int readings = 0;
  // 12 J between the two readings, which lie 0.25 s and no look at the clock apart: 2 W at rest.
  const Instruments instruments{.energy_j = [&readings] { return 12.0 * readings++; }};
  const auto timing = time_operation(relu(), {.samples = 3, .energy_s = 0.5, .idle_w = 2},
                                     instruments, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->joules, (12 - 2 * 0.25) / 2);  // two executions of 0.25 s
}

TEST(TimeOperation, CountsWorkByTheClockOfWorkWhereThereIsOne) {
  double now_s = 0;
  double worked_s = 0;
  const Instruments instruments{.work_s = [&worked_s] { return worked_s += 0.125; }};
  const auto timing = time_operation(relu(), {.samples = 3}, instruments, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->seconds.median, 0.125);
}

TEST(TimeOperation, HasNoEnergyWhenTheCounterFails) {
  double now_s = 0;
  const Instruments instruments{.energy_j = [] { return std::optional<double>(); }};
  const auto timing = time_operation(relu(), {.samples = 3}, instruments, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_FALSE(timing->joules.has_value());
}

}  // namespace
}  // namespace poet
