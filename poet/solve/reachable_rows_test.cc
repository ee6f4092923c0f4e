#include "poet/solve/reachable_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "poet/solve/detour_for_tests.h"
#include "poet/solve/window_model.h"

namespace poet {
namespace {

double memory_at(const WindowModel& model, std::int32_t window) {
  for (std::size_t n = 0; n < model.row_names.size(); ++n)
    if (model.row_names[n] == WindowRowName{WindowRowKind::Memory, {window}})
      return model.linear.rows[n].upper * model.byte_unit;
  return -1;
}

TEST(ReachableRows, OfAKeyDoNotAllowWhatNoSizesFill) {
  const Step step = make_step(detour());
  // While c is made, 3 bytes are left: a has 6.
  const WindowModel loose = make_window_model(step, {.stages = {2}});
  const WindowModel tight = make_window_model(step, {.stages = {2}}, {.reachable_sums = true});
  EXPECT_EQ(memory_at(loose, 1), 3);
  EXPECT_EQ(memory_at(tight, 1), 0);
}

TEST(ReachableRows, AllowWhatOneMoreByteFills) {
  Problem problem = detour();
  problem.ram_budget_bytes = 14;
  problem.tensors[0].size_bytes = 5;
  problem.tensors.push_back({.name = "e", .size_bytes = 2, .page_in_j = 1, .page_out_j = 1});
  problem.operations[0].outputs.push_back(TensorId{4});
  problem.operations[3].inputs.push_back(TensorId{4});
  const WindowModel tight =
      make_window_model(make_step(problem), {.stages = {2}}, {.reachable_sums = true});
  EXPECT_EQ(memory_at(tight, 1), 5);  // 14 - 9: a alone
  problem.ram_budget_bytes = 13;
  const WindowModel tighter =
      make_window_model(make_step(problem), {.stages = {2}}, {.reachable_sums = true});
  EXPECT_EQ(memory_at(tighter, 1), 2);  // e alone
}

TEST(ReachableRows, StayAsTheyAreWhereRamIsWhatIsAskedFor) {
  const Step step = make_step(detour());
  const WindowModelOptions options{.objective = EventObjective::RamBudget};
  WindowModel model = make_window_model(step, {.stages = {2}}, options);
  const double before = memory_at(model, 1);
  lower_to_reachable_sums(model);
  EXPECT_EQ(memory_at(model, 1), before);
}

std::map<Event, double> memory_by_event(const EventSet& events, const EventModel& model) {
  std::map<Event, double> allowed;
  for (std::size_t n = 0; n < model.row_tags.size(); ++n)
    if (model.row_tags[n].kind == RowKind::Memory)
      allowed[events.events()[model.row_tags[n].event]] =
          model.linear.rows[n].upper * model.byte_unit;
  return allowed;
}

TEST(ReachableRows, OfEventsCountAChainOnceAndInputsSurely) {
  const Step step = make_step(detour());
  const EventSet events = every_event(step);
  EventModel model = make_event_model(step, events, {}, {});
  const std::map<Event, double> loose = memory_by_event(events, model);
  lower_to_reachable_sums(step, events, model);
  const std::map<Event, double> tight = memory_by_event(events, model);
  // The output of a certain event is a constant of its row. Beside c and its input b there are 3
  // bytes, and a has 6: b alone.
  EXPECT_EQ(loose.at({2, 2}), 12 - 5);
  EXPECT_EQ(tight.at({2, 2}), 4);
}

TEST(ReachableRows, KeepEverySchedule) {
  const Step step = make_step(detour());
  const EventSet events = every_event(step);
  EventModel model = make_event_model(step, events, {}, {});
  lower_to_reachable_sums(step, events, model);
  for (const EventChoice& choice : {paged(), repeated()}) {
    const auto values = values_of(step, events, model, choice);
    ASSERT_TRUE(values);
    for (const LinearRow& row : model.linear.rows) {
      double sum = 0;
      for (const LinearTerm& term : row.terms) sum += term.coefficient * (*values)[term.column];
      EXPECT_LE(sum, row.upper + 1e-9);
      EXPECT_GE(sum, row.lower - 1e-9);
    }
  }
}

TEST(ReachableSums, IsTheLimitWhereASumMeetsIt) {
  EXPECT_EQ(largest_reachable_sum({3, 5, 8}, 11), 11);
}

TEST(ReachableSums, IsTheNearestSumBelow) {
  EXPECT_EQ(largest_reachable_sum({4, 4, 4, 10}, 13), 12);
  EXPECT_EQ(largest_reachable_sum({4, 4, 4, 10}, 11), 10);
  EXPECT_EQ(largest_reachable_sum({6, 6, 6}, 17), 12);
}

TEST(ReachableSums, TakesEachSizeOnce) {
  EXPECT_EQ(largest_reachable_sum({5, 7}, 10), 7);
}

TEST(ReachableSums, IsEverythingWhereEverythingFits) {
  EXPECT_EQ(largest_reachable_sum({5, 7}, 100), 12);
}

TEST(ReachableSums, IsNothingWhereNothingFits) {
  EXPECT_EQ(largest_reachable_sum({5, 7}, 4), 0);
  EXPECT_EQ(largest_reachable_sum({}, 4), 0);
  EXPECT_EQ(largest_reachable_sum({0, 0}, 0), 0);
}

TEST(ReachableSums, CopesWithManyOfFewSizes) {
  std::vector<std::int64_t> sizes(5'000, 262'144);
  sizes.insert(sizes.end(), 5'000, 65'536);
  sizes.insert(sizes.end(), 3, 40);
  EXPECT_EQ(largest_reachable_sum(sizes, 500'000'000), 7'629 * 65'536 + 120);
}

TEST(ReachableSums, GivesUpAtTheLimitWhereThereAreTooManySums) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> sizes;
  for (int n = 0; n < 60; ++n)
    sizes.push_back(2 * static_cast<std::int64_t>(random() % 1'000'000'000));
  EXPECT_EQ(largest_reachable_sum(sizes, 15'000'000'001), 15'000'000'001);
}

// Every subset, one by one.
std::int64_t largest_by_trying(const std::vector<std::int64_t>& sizes, std::int64_t limit) {
  std::int64_t best = 0;
  for (std::uint32_t subset = 0; subset < (1U << sizes.size()); ++subset) {
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < sizes.size(); ++n)
      if ((subset >> n & 1U) != 0) sum += sizes[n];
    if (sum <= limit) best = std::max(best, sum);
  }
  return best;
}

TEST(ReachableSums, AgreesWithTryingEverySubset) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> sizes;
    const std::uint64_t largest = 1 + random() % 40;
    for (std::uint64_t count = random() % 10; count > 0; --count)
      sizes.push_back(static_cast<std::int64_t>(random() % largest * (1 + random() % 3)));
    const auto limit = static_cast<std::int64_t>(random() % 200);
    ASSERT_EQ(largest_reachable_sum(sizes, limit), largest_by_trying(sizes, limit));
  }
}

}  // namespace

}  // namespace poet
