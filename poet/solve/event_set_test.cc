#include "poet/solve/event_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/problem/problem.h"

namespace poet {
namespace {

// a -> b -> c, where c is the backward pass if there is one.
Step chain(const std::vector<bool>& backward) {
  Problem problem;
  for (std::int32_t i = 0; i < 3; ++i) {
    problem.tensors.push_back({.size_bytes = 1});
    problem.operations.push_back({.outputs = {TensorId{i}}});
    if (i > 0) problem.operations[i].inputs = {TensorId{i - 1}};
  }
  problem.operations[2].backward = backward[2];
  return make_step(problem);
}
Step forward_chain() {
  return chain({false, false, false});
}
Step chain_with_backward() {
  return chain({false, false, true});
}

using Events = std::vector<Event>;

TEST(EventSet, HoldsEveryCertainEvent) {
  EXPECT_EQ(EventSet(3).events(), (Events{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(EventSet, StaysSortedAndTakesNothingTwice) {
  EventSet set(3);
  set.insert({{2, 1}, {1, 0}, {2, 1}, {1, 1}});
  EXPECT_EQ(set.events(), (Events{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}}));
  EXPECT_EQ(set.begin(1), 1);
  EXPECT_EQ(set.begin(2), 3);
  EXPECT_EQ(set.begin(3), 5);
}

TEST(EventSet, FindsEventsAndWhereTheyWouldBe) {
  EventSet set(3);
  set.insert({{2, 1}});
  EXPECT_EQ(set.find({2, 1}), 2);
  EXPECT_EQ(set.find({2, 0}), std::nullopt);
  EXPECT_EQ(set.lower_bound({2, 0}), 2);
  EXPECT_EQ(set.lower_bound({1, 0}), 1);
}

TEST(EveryEvent, IsEveryRepetitionThatSomethingMayRead) {
  EXPECT_EQ(every_event(forward_chain()).events(),
            (Events{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}));
}

TEST(ShallowEvents, AreAncestorsWithinSomeEdges) {
  const Step step = forward_chain();
  EXPECT_EQ(shallow_events(step, 0).events(), EventSet(3).events());
  EXPECT_EQ(shallow_events(step, 1).events(), (Events{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}}));
  EXPECT_EQ(shallow_events(step, 2).events(), every_event(step).events());
}

TEST(ShallowEvents, ComeBeforeBackwardStagesWhereThereAreAny) {
  EXPECT_EQ(shallow_events(chain_with_backward(), 1).events(),
            (Events{{0, 0}, {1, 1}, {2, 1}, {2, 2}}));
}

}  // namespace
}  // namespace poet
