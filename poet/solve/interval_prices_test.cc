#include "poet/solve/interval_prices.h"

#include <gtest/gtest.h>

#include "poet/solve/detour_for_tests.h"
#include "poet/solve/interval_packing.h"
#include "poet/solve/interval_program.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/linear_model.h"

namespace poet {
namespace {

// At 12 bytes, a (6 bytes) cannot stay while c is made from b: 3 bytes are missing.
TEST(IntervalPrices, WithoutPricesBoundNothing) {
  const Step step = make_step(detour());
  IntervalPrices none;
  none.byte.assign(4, 0.0);
  EXPECT_EQ(interval_bound(step, keep_intervals(step), none), 0);
}

TEST(IntervalPrices, AddUpWhatIsCheapest) {
  const Step step = make_step(detour());
  IntervalPrices prices;
  prices.byte = {0, 0, 0.5, 0};
  // a costs 6 * 0.5 to keep, or 1 + 1.5 to move, or 3 to make; 3 bytes are free beside b and c.
  EXPECT_EQ(interval_bound(step, keep_intervals(step), prices), 2.5 - 0.5 * 3);
}

TEST(IntervalPrices, FindTheRelaxationsOptimum) {
  const Step step = make_step(detour());
  const PricedIntervals priced = price_intervals(step, keep_intervals(step), 2.5, 1000, {});
  // Half of a may stay: half of its transfers, at 2.5 / 6 a byte.
  EXPECT_NEAR(priced.bound, 1.25, 1e-3);
  EXPECT_LE(priced.bound, 1.25);
}

TEST(IntervalPrices, OfTheProgramAreTheBest) {
  const Step step = make_step(detour());
  const auto backend = open_backend("cbc");
  ASSERT_TRUE(backend.ok());
  const auto priced = price_by_program(step, keep_intervals(step), **backend, {});
  ASSERT_TRUE(priced);
  EXPECT_NEAR(priced->bound, 1.25, 1e-9);
  EXPECT_EQ(priced->bound, interval_bound(step, keep_intervals(step), priced->prices));
}

TEST(IntervalPrices, EndWhenTheyAreStopped) {
  const Step step = make_step(detour());
  Stop stop;
  stop.effort_limit = 0;
  EXPECT_EQ(price_intervals(step, keep_intervals(step), 2.5, 1000, stop).bound, 0);
}

TEST(PackIntervals, ReadsBackWhatDoesNotFit) {
  const Step step = make_step(detour());
  const KeepIntervals intervals = keep_intervals(step);
  const PricedIntervals priced = price_intervals(step, intervals, 2.5, 100, {});
  EXPECT_EQ(pack_intervals(step, intervals, priced.prices), paged());
}

TEST(PackIntervals, KeepsWhatFits) {
  Problem problem = detour();
  problem.ram_budget_bytes = 15;
  const Step step = make_step(problem);
  const KeepIntervals intervals = keep_intervals(step);
  const PricedIntervals priced = price_intervals(step, intervals, kInfinity, 100, {});
  EXPECT_EQ(pack_intervals(step, intervals, priced.prices), kept());
}

TEST(PackIntervals, GivesUpWhereWhatDoesNotFitCannotBeRead) {
  Problem problem = detour();
  problem.paging_allowed = false;
  const Step step = make_step(problem);
  const KeepIntervals intervals = keep_intervals(step);
  IntervalPrices prices;
  prices.byte.assign(4, 1.0);
  EXPECT_EQ(pack_intervals(step, intervals, prices), std::nullopt);
}

// What stays for the whole step is neither read nor written.
TEST(PackIntervals, MakesResidentWhatIsWorthIt) {
  Problem problem;
  problem.tensors = {{.size_bytes = 4,
                      .home = Home::Storage,
                      .may_be_resident = true,
                      .page_in_j = 1,
                      .page_in_s = 0},
                     {.size_bytes = 4, .updates = TensorId{0}, .page_out_j = 2},
                     {.size_bytes = 2}};
  problem.operations = {{.inputs = {TensorId{0}}, .outputs = {TensorId{2}}, .compute_j = 1},
                        {.inputs = {TensorId{0}, TensorId{2}},
                         .outputs = {TensorId{1}},
                         .compute_j = 1,
                         .once = true}};
  problem.ram_budget_bytes = 100;
  problem.time_mode = TimeMode::Free;
  const Step step = make_step(problem);
  IntervalPrices prices;
  prices.byte.assign(2, 0.0);
  const auto choice = pack_intervals(step, keep_intervals(step), prices);
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->resident[0]);
  EXPECT_EQ(figures_of(step, *choice).cost, 2);
}

}  // namespace
}  // namespace poet
