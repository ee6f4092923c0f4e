#include "poet/onednn/sequence_table.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

TensorType f32(const Shape& shape) {
  return {ElementType::Float32, shape};
}

bool has_sequence(OperationTypes types) {
  if (types.outputs.empty()) types.outputs = *entry_of(types.kind).output_types(types);
  return onednn_sequence(prepared(types), OnednnDevice()).has_value();
}

struct ConvWindow {
  std::int64_t stride = 1;
  std::int64_t padding = 1;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};

WindowAttributes window(const ConvWindow& conv) {
  const auto twice = [](std::int64_t value) { return std::vector<std::int64_t>{value, value}; };
  return {.kernel = twice(3),
          .stride = twice(conv.stride),
          .padding_begin = twice(conv.padding),
          .padding_end = twice(conv.padding),
          .dilation = twice(conv.dilation),
          .groups = conv.groups};
}

// Otherwise everything would go to the reference kernels, and every comparison with them be well.
TEST(OnednnChains, AreThereForConvolutions) {
  const TensorType x = f32({2, 16, 9, 9});
  for (const ConvWindow& conv :
       {ConvWindow{}, ConvWindow{.stride = 2}, ConvWindow{.padding = 0},
        ConvWindow{.padding = 2, .dilation = 2}, ConvWindow{.groups = 4}}) {
    const TensorType weights = f32({32, 16 / conv.groups, 3, 3});
    OperationTypes types{
        .kind = Operator::Conv, .attributes = window(conv), .inputs = {x, weights, f32({32})}};
    types.outputs = *entry_of(types.kind).output_types(types);
    EXPECT_TRUE(has_sequence(types));
    const TensorType y = types.outputs[0];
    EXPECT_TRUE(has_sequence({.kind = Operator::ConvInputGradient,
                              .attributes = window(conv),
                              .inputs = {y, weights},
                              .outputs = {x}}));
    EXPECT_TRUE(has_sequence({.kind = Operator::ConvWeightGradient,
                              .attributes = window(conv),
                              .inputs = {x, y},
                              .outputs = {weights}}));
  }
}

OperationTypes product(const MatMulAttributes& how, std::vector<TensorType> inputs) {
  return {.kind = Operator::MatMul, .attributes = how, .inputs = std::move(inputs)};
}

TEST(OnednnChains, AreThereForProducts) {
  EXPECT_TRUE(
      has_sequence(product({.transpose_b = true}, {f32({8, 4, 6}), f32({5, 6}), f32({5})})));
  EXPECT_TRUE(has_sequence(product({.transpose_a = true}, {f32({2, 3, 4, 6}), f32({2, 3, 4, 5})})));
  EXPECT_TRUE(has_sequence(product({.alpha = 0.125F}, {f32({2, 3, 4, 6}), f32({6, 5})})));
  EXPECT_TRUE(has_sequence(
      product({.transpose_a = true, .sum_to = Shape{}}, {f32({8, 4, 6}), f32({8, 4, 5})})));
}

TEST(OnednnChains, AreThereForNormsAndFunctions) {
  const TensorType x = f32({4, 48});
  const TensorType features = f32({48});
  const TensorType rows = f32({4});
  EXPECT_TRUE(has_sequence({.kind = Operator::LayerNorm,
                            .attributes = NormAttributes{.axis = 1},
                            .inputs = {x, features, features}}));
  EXPECT_TRUE(has_sequence({.kind = Operator::LayerNormGradient,
                            .attributes = NormAttributes{.axis = 1},
                            .inputs = {x, rows, rows, x, features},
                            .outputs = {x, features, features}}));
  for (const Operator kind : {Operator::Softmax, Operator::LogSoftmax})
    EXPECT_TRUE(has_sequence({.kind = kind, .attributes = AxisAttributes{1}, .inputs = {x}}));
  for (const Operator kind : {Operator::SoftmaxGradient, Operator::LogSoftmaxGradient})
    EXPECT_TRUE(has_sequence(
        {.kind = kind, .attributes = AxisAttributes{1}, .inputs = {x, x}, .outputs = {x}}));
  for (const Operator kind :
       {Operator::GeluErf, Operator::GeluTanh, Operator::Tanh, Operator::Sigmoid, Operator::Silu})
    EXPECT_TRUE(has_sequence({.kind = kind, .inputs = {x}}));
  for (const Operator kind :
       {Operator::GeluErfGradient, Operator::GeluTanhGradient, Operator::TanhGradient,
        Operator::SigmoidGradient, Operator::SiluGradient})
    EXPECT_TRUE(has_sequence({.kind = kind, .inputs = {x, x}, .outputs = {x}}));
}

TEST(OnednnChains, AreNotThereForWhatTheReferenceKernelDoes) {
  EXPECT_FALSE(has_sequence({.kind = Operator::Relu, .inputs = {f32({4})}}));
  EXPECT_FALSE(has_sequence(product({.beta = 0.5F}, {f32({4, 6}), f32({6, 5}), f32({5})})));
}

}  // namespace
}  // namespace poet
