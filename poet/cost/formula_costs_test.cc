#include "poet/cost/formula_costs.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

// Every figure a power of two, so that the costs below are exact.
Device device() {
  Device device;
  device.compute = {.flop_per_s = 1024, .flop_per_j = 4096};
  device.storage.read = {.latency_s = 0.5, .rate_bytes_per_s = 64, .active_power_w = 0.25};
  device.storage.write = {.latency_s = 1, .rate_bytes_per_s = 32, .active_power_w = 0.5};
  return device;
}

// A ReLU of 512 values: 512 FLOP, 4,096 bytes moved.
Graph graph() {
  Graph graph;
  const TensorId x = add_tensor(graph, {.name = "x",
                                        .type = {ElementType::Float32, {2, 256}},
                                        .role = TensorRole::Input,
                                        .home = Home::Storage});
  (void)*add_operation(graph, {.name = "relu", .kind = Operator::Relu, .inputs = {x}});
  return graph;
}

CostTable costs_on(const Device& device) {
  return *formula_costs(graph(), device, 1);
}

TEST(FormulaCosts, ComputingTakesItsArithmeticWhereRamIsFast) {
  EXPECT_EQ(costs_on(device()).operations[0],
            (OperationCost{.compute_j = 0.125, .compute_s = 0.5}));
  Device fast = device();
  fast.ram_bytes_per_s = 16384;  // 0.25 s
  EXPECT_EQ(costs_on(fast).operations[0], (OperationCost{.compute_j = 0.125, .compute_s = 0.5}));
}

TEST(FormulaCosts, ComputingWaitsForSlowRamAtTheSamePower) {
  Device slow = device();
  slow.ram_bytes_per_s = 2048;  // 2 s, in which 2,048 FLOP could be done
  EXPECT_EQ(costs_on(slow).operations[0], (OperationCost{.compute_j = 0.5, .compute_s = 2}));
}

TEST(FormulaCosts, TransfersTakeLatencyAndStream) {
  const TensorCost cost = costs_on(device()).tensors[1];
  EXPECT_EQ(cost.page_in_s, 0.5 + 2048.0 / 64);
  EXPECT_EQ(cost.page_out_s, 1 + 2048.0 / 32);
  EXPECT_EQ(cost.page_in_j, cost.page_in_s * 0.25);
}

TEST(FormulaCosts, SingleRowsPayTheLatencyEach) {
  const TensorCost rows = row_transfer_cost(3, 64, device().storage, 2);
  EXPECT_EQ(rows.page_in_s, 3 * 1.5);
  EXPECT_EQ(rows.page_in_j, 3 * 1.5 * 0.25 * 2);
  EXPECT_EQ(rows.page_out_s, 3 * 3);
  EXPECT_EQ(rows.page_out_j, 3 * row_transfer_cost(1, 64, device().storage, 2).page_out_j);
  EXPECT_GT(rows.page_out_j, 0);
}

TEST(FormulaCosts, RefusesAFactorThatIsNone) {
  EXPECT_FALSE(formula_costs(graph(), device(), -1).ok());
}

}  // namespace
}  // namespace poet
