#include "poet/solve/lift.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "poet/solve/detour_for_tests.h"
#include "poet/solve/no_multipliers_for_tests.h"
#include "poet/solve/tensor_walk.h"

namespace poet {
namespace {

// A step without paging and the certain events, with 1 J per byte while c is made and `use_j` for
// having `chain` while d is.
struct Relaxed {
  Relaxed(Problem problem, std::int32_t slot, double use_j) : step(step_of(std::move(problem))) {
    multipliers = no_multipliers(step, events);
    multipliers.memory[2] = 1;
    multipliers.uses[3][slot] = use_j;
  }
  static Step step_of(Problem problem) {
    problem.paging_allowed = false;
    return make_step(problem);
  }

  std::vector<PayingEvent> lifted() {
    return lift_missing_events(step, events, {}, multipliers, EventObjective::Cost, 1e-9);
  }
  std::vector<PayingEvent> paying() const {
    return paying_events(step, events, {}, multipliers, EventObjective::Cost, 1e-9);
  }
  double bound() const {
    return walk_bound(step, events, {}, multipliers, EventObjective::Cost).bound;
  }
  // The missing events whose inputs are charged.
  std::vector<Event> charged() const {
    std::vector<Event> found;
    const EventSet every = every_event(step);
    for (const Event& event : every.events())
      if (!event.certain() && multipliers.other_uses.sum(event) != 0) found.push_back(event);
    return found;
  }

  Step step;
  EventSet events = EventSet(4);
  Multipliers multipliers;
};

// a stays through c for 6 and earns 4 for d: it does not pay. Made again for d it costs 3.
TEST(Lift, AnEventWithoutInputsCannotBeCharged) {
  Relaxed relaxed(detour(), 0, 4);
  for (const std::vector<PayingEvent>& paying : {relaxed.paying(), relaxed.lifted()}) {
    ASSERT_EQ(paying.size(), 1u);
    EXPECT_EQ(paying[0].event, (Event{3, 0}));
    EXPECT_EQ(paying[0].gain, 4 - 3);
  }
  EXPECT_TRUE(relaxed.charged().empty());
}

TEST(Lift, NothingToDoWhereNoMissingEventPays) {
  Relaxed relaxed(detour(), 0, 3);
  EXPECT_TRUE(relaxed.paying().empty());
  EXPECT_TRUE(relaxed.lifted().empty());
  EXPECT_TRUE(relaxed.charged().empty());
}

// b stays through c for 4 and earns 4: 0, as when it leaves. Made again for d it costs 1 and gains
// 3, because the a that it needs is there for nothing; a can bear these 3, because staying costs it
// 4 and being made again 3.
TEST(Lift, ChargesTheInputsOfAMissingEvent) {
  Relaxed relaxed(deep_detour(), 0, 4);
  const std::vector<PayingEvent> paying = relaxed.paying();
  ASSERT_EQ(paying.size(), 1u);
  EXPECT_EQ(paying[0].event, (Event{3, 1}));
  EXPECT_EQ(paying[0].gain, 3);
  // b loses 3; c pays 3 + 2 for its room, d 4 for having b, and the budget takes 8 off.
  EXPECT_NEAR(relaxed.bound(), -3 + 5 + 4 - 8, 1e-10);
  EXPECT_TRUE(relaxed.lifted().empty());
  EXPECT_EQ(relaxed.charged(), (std::vector<Event>{{3, 1}}));
  EXPECT_EQ(relaxed.multipliers.other_uses.at({3, 1}, 0), 3);
  EXPECT_NEAR(relaxed.bound(), 0 + 5 + 4 - 8, 1e-10);
}

TEST(Lift, FindingPayingEventsChargesNothing) {
  const Relaxed relaxed(deep_detour(), 0, 4);
  relaxed.paying();
  EXPECT_TRUE(relaxed.charged().empty());
}

// An a of 2 bytes stays for 2, which is all that it can be charged; less than the 3 that b gains.
TEST(Lift, ReportsWhatItsInputsCannotPayFor) {
  Problem problem = deep_detour();
  problem.tensors[0].size_bytes = 2;
  Relaxed relaxed(problem, 0, 4);
  const std::vector<PayingEvent> paying = relaxed.lifted();
  ASSERT_EQ(paying.size(), 1u);
  EXPECT_EQ(paying[0].event, (Event{3, 1}));
  EXPECT_EQ(paying[0].gain, 3);
  EXPECT_TRUE(relaxed.charged().empty());
}

// What a is charged at (3, 1), 3.5, is passed on: made again for 3 it would gain.
TEST(Lift, PassesChargesOnToWhatMakesTheInput) {
  Problem problem = deep_detour();
  problem.operations[1].compute_j = 0.5;
  Relaxed relaxed(problem, 0, 4);
  const std::vector<PayingEvent> paying = relaxed.lifted();
  EXPECT_EQ(relaxed.charged(), (std::vector<Event>{{3, 1}}));
  EXPECT_EQ(relaxed.multipliers.other_uses.at({3, 1}, 0), 3.5);
  ASSERT_EQ(paying.size(), 1u);
  EXPECT_EQ(paying[0].event, (Event{3, 0}));
  EXPECT_EQ(paying[0].gain, 3.5 - 3);
}

// Two inputs of 4 and 2 bytes share a charge of 3 by what each can bear: 3 (no more than the
// deficit) and 2.
TEST(Lift, InputsShareByWhatEachCanBear) {
  Problem problem = deep_detour();
  problem.tensors.insert(problem.tensors.begin(), {.size_bytes = 2});
  for (Operation& operation : problem.operations) {
    for (TensorId& input : operation.inputs) input = TensorId{index_of(input) + 1};
    for (TensorId& output : operation.outputs) output = TensorId{index_of(output) + 1};
  }
  problem.operations[0].outputs.push_back(TensorId{0});
  problem.operations[1].inputs.push_back(TensorId{0});
  Relaxed relaxed(problem, 0, 4);
  relaxed.lifted();
  EXPECT_DOUBLE_EQ(relaxed.multipliers.other_uses.at({3, 1}, 0), 3 * 3 / 5.0);
  EXPECT_DOUBLE_EQ(relaxed.multipliers.other_uses.at({3, 1}, 1), 3 * 2 / 5.0);
}

}  // namespace
}  // namespace poet
