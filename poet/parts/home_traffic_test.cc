#include "poet/parts/home_traffic.h"

#include <gtest/gtest.h>

#include "poet/autodiff/joined_updates.h"
#include "poet/graph/operator.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

TrainingGraph step_of(std::string_view network, NetworkOptions sizes, TrainingOptions options) {
  const Result<Model> model = real_network(network, sizes);
  EXPECT_TRUE(model.ok());
  options.updates = Updates::Separate;
  return *training_graph(*model, options);
}

std::int64_t trained_bytes(const TrainingGraph& step) {
  std::int64_t bytes = 0;
  for (const TrainedParameter& trained : step.trained)
    bytes += size_bytes(at(step.graph.tensors, trained.parameter).type);
  return bytes;
}

// All weights are met by the sum over the classes, and examples by gradients of weights, too.
TEST(HomeTraffic, OfANetworkReadsNearlyAllThatItTrainsTwice) {
  for (const std::string_view network : {"mlp", "lenet5"}) {
    const TrainingGraph step = step_of(network, {.batch_size = 4}, {});
    const HomeTraffic traffic = home_traffic(step);
    EXPECT_GT(traffic.read_again_bytes, trained_bytes(step) / 1000 * 999) << network;
    EXPECT_LE(traffic.read_again_bytes, traffic.read_bytes) << network;
    EXPECT_EQ(traffic.written_bytes, trained_bytes(step)) << network;
    EXPECT_GT(traffic.read_bytes, trained_bytes(step)) << network;
    EXPECT_EQ(traffic.may_stay_bytes, 0) << network;
  }
}

// h = x w (2 x 6), of which `count` columns are read by y = h[:, :count] v, where the backward pass
// begins: it reads v again, and w by way of all columns of y u.
HomeTraffic of_slice(std::int64_t count) {
  TrainingGraph step;
  const auto tensor = [&](Shape shape, Home home) {
    step.graph.tensors.push_back({.name = "tensor " + std::to_string(step.graph.tensors.size()),
                                  .type = {ElementType::Float32, std::move(shape)},
                                  .home = home});
    return static_cast<TensorId>(step.graph.tensors.size() - 1);
  };
  const auto run = [&](Operator kind, Attributes attributes, std::vector<TensorId> inputs,
                       Shape shape, bool backward) {
    const TensorId output = tensor(std::move(shape), Home::Made);
    step.graph.operations.push_back({.name = "operation",
                                     .kind = kind,
                                     .attributes = std::move(attributes),
                                     .inputs = std::move(inputs),
                                     .outputs = {output},
                                     .backward = backward});
    return output;
  };
  const MatMulAttributes plain{};
  const MatMulAttributes turned{.transpose_b = true};
  const TensorId x = tensor({2, 4}, Home::Storage);
  const TensorId w = tensor({4, 6}, Home::Storage);
  const TensorId v = tensor({count, 3}, Home::Storage);
  const TensorId u = tensor({3, 6}, Home::Storage);
  const TensorId h = run(Operator::MatMul, plain, {x, w}, {2, 6}, false);
  const TensorId some =
      run(Operator::Slice, SliceAttributes{{0, 0}, {1, 1}, {2, count}}, {h}, {2, count}, false);
  const TensorId y = run(Operator::MatMul, plain, {some, v}, {2, 3}, true);
  run(Operator::MatMul, turned, {y, v}, {2, count}, true);
  const TensorId wide = run(Operator::MatMul, plain, {y, u}, {2, 6}, true);
  run(Operator::MatMul, turned, {wide, w}, {2, 4}, true);
  return home_traffic(step);
}

TEST(HomeTraffic, CountsOnlyWhatIsNeededOnBothSides) {
  // The first value of y needs a column of v, and so many columns of w; what waits for it reads
  // that column, and all of w.
  EXPECT_EQ(of_slice(2).read_again_bytes, (2 + 4 * 2) * 4);
  EXPECT_EQ(of_slice(6).read_again_bytes, (6 + 4 * 6) * 4);
  EXPECT_EQ(of_slice(6).read_bytes, (2 * 4 + 4 * 6 + 6 * 3 + 3 * 6) * 4);
}

TEST(HomeTraffic, LeavesRowsThatAreLookedUpOut) {
  const NetworkOptions sizes{.batch_size = 1, .sequence_length = 16};
  const TrainingGraph separate = step_of("bert-tiny", sizes, {});
  const TrainingGraph by_rows = with_row_updates(separate);
  const HomeTraffic traffic = home_traffic(by_rows);
  EXPECT_LE(traffic.written_bytes, home_traffic(separate).written_bytes);
  EXPECT_LT(traffic.read_again_bytes, traffic.read_bytes);
  EXPECT_LT(traffic.read_bytes, trained_bytes(by_rows));
  EXPECT_GT(traffic.read_again_bytes, traffic.read_bytes / 2);
}

TEST(HomeTraffic, IsLessByWhatMayStay) {
  const TrainingGraph step =
      step_of("mlp", {.batch_size = 4}, {.parameters = ParameterPlace::Chosen});
  const HomeTraffic traffic = home_traffic(step);
  EXPECT_EQ(least_written_bytes(traffic, 1000), traffic.written_bytes - 1000);
  EXPECT_EQ(least_read_bytes(traffic, 1000),
            traffic.read_bytes + traffic.read_again_bytes - 2 * 1000);
  EXPECT_EQ(least_written_bytes(traffic, traffic.written_bytes + 1), 0);
  EXPECT_EQ(least_read_bytes(traffic, std::int64_t{1} << 40), 0);
}

}  // namespace
}  // namespace poet
