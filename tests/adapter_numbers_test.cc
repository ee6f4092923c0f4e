// What networks with adapters compute: at first what they did before, and merged what they do
// unmerged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "poet/model/low_rank_adapters.h"
#include "poet/model/network_builder.h"
#include "poet/model/real_networks.h"
#include "support/model_run.h"

namespace poet {
namespace {

// Of one input of numbers or of tokens.
std::vector<float> outputs_of(const Model& model) {
  std::vector<TensorValue> values;
  std::map<std::string, TensorView> inputs;
  values.reserve(model.inputs.size());
  for (const NamedTensor& input : model.inputs) {
    const TensorType& type = at(model.graph.tensors, input.tensor).type;
    if (type.element == ElementType::Int64) {
      std::vector<std::int64_t> words(static_cast<std::size_t>(value_count(type.shape)));
      for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = input.name == "input_ids" ? static_cast<std::int64_t>(i * 37 % 101) : 0;
      values.push_back(int64_tensor(type.shape, words));
    } else {
      values.push_back({type, initial_bytes(UniformDraw{1, 5}, type)});
    }
    inputs[input.name] = view_of(values.back());
  }
  const Result<std::vector<TensorValue>> made = testing::run_forward(model, inputs);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made.ok() ? floats_of(made->front()) : std::vector<float>();
}

struct Case {
  std::string network = {};
  NetworkOptions sizes = {};
};

std::vector<Case> cases() {
  return {{"llama-tiny", {.batch_size = 2, .sequence_length = 6}},
          {"bert-tiny", {.batch_size = 2, .sequence_length = 6, .dropout_probability = 0.0F}},
          {"lstm-small", {.batch_size = 2, .sequence_length = 3}},
          {"lenet5", {.batch_size = 2}}};
}

Model adapted(const Case& of) {
  const Model base = *real_network(of.network, of.sizes);
  return *with_adapters(base, {.rank = 2, .alpha = 4, .targets = "all"}, 3);
}

// Adding zero changes no number.
TEST(AdaptedNetwork, ComputesWhatItDidBefore) {
  for (const Case& one : cases()) {
    const std::vector<float> before = outputs_of(*real_network(one.network, one.sizes));
    ASSERT_FALSE(before.empty());
    EXPECT_EQ(outputs_of(adapted(one)), before) << one.network;
  }
}

// As after a training: B is not zero.
void draw_what_was_learnt(Model& model) {
  std::uint64_t seed = 100;
  for (const Adapter& adapter : model.adapters)
    model.initial[adapter.up] = UniformDraw{0.5F, seed++};
}

std::vector<float> floats_at(const Model& model, TensorId id) {
  const TensorType& type = at(model.graph.tensors, id).type;
  return floats_of({type, initial_bytes(model.initial.at(id), type)});
}

TEST(AdaptedNetwork, IsTheSameWithItsAdaptersMerged) {
  for (const Case& one : cases()) {
    Model unmerged = adapted(one);
    draw_what_was_learnt(unmerged);
    Model base = *real_network(one.network, one.sizes);
    const std::vector<float> without = outputs_of(base);
    for (const Adapter& adapter : unmerged.adapters) {
      const std::vector<float> weight = floats_at(unmerged, adapter.weight);
      const std::vector<float> down = floats_at(unmerged, adapter.down);
      const std::vector<float> up = floats_at(unmerged, adapter.up);
      const std::vector<float> sums = merged(unmerged, adapter, {weight, down, up});
      const auto bytes = std::as_bytes(std::span(sums));
      base.initial[adapter.weight] = store({bytes.begin(), bytes.end()});
    }
    const std::vector<float> beside = outputs_of(unmerged);
    const std::vector<float> together = outputs_of(base);
    ASSERT_EQ(beside.size(), together.size());
    double largest = 0;
    double difference = 0;
    double change = 0;
    for (std::size_t i = 0; i < beside.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(beside[i])));
      difference = std::max(difference, std::abs(static_cast<double>(beside[i]) - together[i]));
      change = std::max(change, std::abs(static_cast<double>(beside[i]) - without[i]));
    }
    EXPECT_LT(difference, 1e-5 * largest) << one.network;
    EXPECT_GT(change, 1e-2 * largest) << one.network;
  }
}

}  // namespace
}  // namespace poet
