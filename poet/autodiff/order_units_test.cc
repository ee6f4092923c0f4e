#include "poet/autodiff/order_units.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

using List = std::vector<std::int32_t>;

// Operation 0 makes buffer 0; 1 and 2 are a unit and make 1 and 2, of 0 and 1, and of 1 and 3;
// operation 3 reads 2.
StepMemory four_operations() {
  StepMemory memory{.bytes = {1, 10, 100, 1000}, .resident_bytes = 7};
  memory.operations = {{.makes = {0}},
                       {.reads = {0}, .makes = {1}, .workspace_bytes = 5},
                       {.reads = {1, 3}, .makes = {2}, .follows = true},
                       {.reads = {2}}};
  memory.before = {{}, {0}, {1}, {2}};
  return memory;
}

TEST(OrderUnits, AreWhatFollowsDirectly) {
  EXPECT_EQ(order_units(four_operations()).members, (std::vector<List>{{0}, {1, 2}, {3}}));
}

TEST(OrderUnits, ReadWhatTheyDoNotMakeAndMakeWhatAnyMemberMakes) {
  const OrderUnits units = order_units(four_operations());
  EXPECT_EQ(units.memory.operations[1], (MemoryUse{.reads = {0, 3}, .makes = {1, 2}}));
  EXPECT_EQ(units.memory.before, (std::vector<List>{{}, {0}, {1}}));
  EXPECT_EQ(units.memory.bytes, four_operations().bytes);
  EXPECT_EQ(units.memory.resident_bytes, 7);
}

TEST(OrderUnits, AreOperationsAgainInAnOrder) {
  const OrderUnits units = order_units(four_operations());
  EXPECT_EQ(operations_of(units, {1, 2, 0}), (Order{1, 2, 3, 0}));
}

TEST(OrderUnits, UseAsMuchAsTheirWorstMember) {
  const StepMemory memory = four_operations();
  EXPECT_EQ(bytes_in_use(memory, {0, 1, 2, 3}),
            (std::vector<std::int64_t>{7 + 1, 7 + 1 + 10 + 5, 7 + 10 + 1000 + 100, 7 + 100}));
  EXPECT_EQ(bytes_in_use(order_units(memory), memory, {0, 1, 2}),
            (std::vector<std::int64_t>{7 + 1, 7 + 10 + 1000 + 100, 7 + 100}));
}

}  // namespace
}  // namespace poet
