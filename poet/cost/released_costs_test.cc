#include "poet/cost/formula_costs.h"

#include <gtest/gtest.h>

#include <limits>

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

// One operation of 2,048 FLOP that makes 32 bytes.
Outline graph() {
  Outline graph;
  graph.operations.push_back({.name = "relu_0",
                              .kind = LayerKind::Relu,
                              .inputs = {},
                              .outputs = {TensorId{0}},
                              .flop = 2048});
  graph.tensors.push_back({.name = "relu_0", .shape = {2, 4}});
  return graph;
}

std::string error_of(double memory_power_scale) {
  const Result<CostTable> costs = released_costs(graph(), device(), memory_power_scale);
  return costs.ok() ? "no error" : to_string(costs.error());
}

TEST(ReleasedCosts, ComputingCostsItsFlop) {
  const CostTable costs = released_costs(graph(), device(), 1).value();
  ASSERT_EQ(costs.operations.size(), 1u);
  EXPECT_EQ(costs.operations[0], (OperationCost{.compute_j = 0.5, .compute_s = 2}));
}

TEST(ReleasedCosts, TransfersCostTheTimeOfTheLinkAtItsPower) {
  const CostTable costs = released_costs(graph(), device(), 1).value();
  ASSERT_EQ(costs.tensors.size(), 1u);
  EXPECT_EQ(costs.tensors[0],
            (TensorCost{.page_in_j = 0.25, .page_in_s = 1, .page_out_j = 1, .page_out_s = 2}));
}

TEST(ReleasedCosts, TheMemoryPowerScaleIsAFactorOnTheEnergyOfTransfersAlone) {
  const CostTable costs = released_costs(graph(), device(), 4).value();
  EXPECT_EQ(costs.operations[0], (OperationCost{.compute_j = 0.5, .compute_s = 2}));
  EXPECT_EQ(costs.tensors[0],
            (TensorCost{.page_in_j = 1, .page_in_s = 1, .page_out_j = 4, .page_out_s = 2}));
}

TEST(TransferCost, IsThatOfWholeBlocks) {
  DeviceStorage storage = device().storage;
  storage.block_bytes = 32;
  EXPECT_EQ(transfer_cost(1, storage, 1), transfer_cost(32, device().storage, 1));
  EXPECT_EQ(transfer_cost(32, storage, 1), transfer_cost(32, device().storage, 1));
  EXPECT_EQ(transfer_cost(33, storage, 1), transfer_cost(64, device().storage, 1));
}

TEST(TransferCost, IsThatOfATensorOfThisSize) {
  EXPECT_EQ(transfer_cost(32, device().storage, 4),
            (TensorCost{.page_in_j = 1, .page_in_s = 1, .page_out_j = 4, .page_out_s = 2}));
}

TEST(ReleasedCosts, RefusesFactorsThatAreNone) {
  EXPECT_EQ(error_of(0), "no error");
  EXPECT_EQ(error_of(-0.5), "the memory power scale is -0.5; it is a factor of at least 0");
  EXPECT_EQ(error_of(std::numeric_limits<double>::quiet_NaN()),
            "the memory power scale is nan; it is a factor of at least 0");
  EXPECT_EQ(error_of(std::numeric_limits<double>::infinity()),
            "the memory power scale is inf; it is a factor of at least 0");
}

}  // namespace
}  // namespace poet
