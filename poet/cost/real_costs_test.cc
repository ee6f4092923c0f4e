#include "poet/cost/real_costs.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

// Every figure a power of two, so that the costs below are exact.
Device device() {
  Device device;
  device.compute = {.flop_per_s = 64, .flop_per_j = 256};
  device.storage.read = {.latency_s = 0.5, .rate_bytes_per_s = 64, .active_power_w = 0.25};
  device.storage.write = {.latency_s = 1, .rate_bytes_per_s = 32, .active_power_w = 0.5};
  return device;
}

// x (4, 4) times w (4, 4), turned over, seen as (16), in a row.
Graph graph() {
  Graph graph;
  const TensorType square{ElementType::Float32, {4, 4}};
  const TensorId x = add_tensor(graph, {.name = "x", .type = square, .home = Home::Storage});
  const TensorId w = add_tensor(graph, {.name = "w", .type = square, .home = Home::Storage});
  TensorId y = add_operation(graph, {.name = "product",
                                     .kind = Operator::MatMul,
                                     .attributes = MatMulAttributes{},
                                     .inputs = {x, w}})
                   ->front();
  y = add_operation(graph, {.name = "turned",
                            .kind = Operator::Transpose,
                            .attributes = TransposeAttributes{{1, 0}},
                            .inputs = {y}})
          ->front();
  graph.outputs = *add_operation(graph, {.name = "row",
                                         .kind = Operator::Reshape,
                                         .attributes = ShapeAttributes{{16}},
                                         .inputs = {y}});
  return graph;
}

TEST(RealCosts, CountArithmeticOrElseMovedValues) {
  const CostTable costs = real_costs(graph(), device(), 1).value();
  ASSERT_EQ(costs.operations.size(), 3U);
  EXPECT_EQ(costs.operations[0], (OperationCost{.compute_j = 0.5, .compute_s = 2}));  // 128 FLOP
  EXPECT_EQ(costs.operations[1],
            (OperationCost{.compute_j = 0.125, .compute_s = 0.5}));  // 32 values
  EXPECT_EQ(costs.operations[2], OperationCost{});
}

TEST(RealCosts, TransfersCostTheTimeOfTheLinkAtItsPower) {
  const CostTable costs = real_costs(graph(), device(), 2).value();
  ASSERT_EQ(costs.tensors.size(), 5U);
  EXPECT_EQ(costs.tensors[0],
            (TensorCost{.page_in_j = 0.75, .page_in_s = 1.5, .page_out_j = 3, .page_out_s = 3}));
}

TEST(RealCosts, RefusesFactorsThatAreNone) {
  const Result<CostTable> costs =
      real_costs(graph(), device(), std::numeric_limits<double>::infinity());
  ASSERT_FALSE(costs.ok());
  EXPECT_EQ(costs.error().message, "the memory power scale is inf; it is a factor of at least 0");
}

}  // namespace
}  // namespace poet
