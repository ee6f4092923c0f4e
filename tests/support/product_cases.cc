#include <string>
#include <utility>

#include "support/operator_case_parts.h"

namespace poet::testing {
namespace {

// Named by how the operands lie and what they are.
void add_products(Cases& cases) {
  constexpr Operator kMatMul = Operator::MatMul;
  cases.insert(
      cases.end(),
      {{"matmul", kMatMul, MatMulAttributes{}, {smooth({2, 3}), smooth({3, 4})}},
       {"matmul, first transposed",
        kMatMul,
        MatMulAttributes{.transpose_a = true, .alpha = 0.5F},
        {smooth({3, 2}), smooth({3, 4})}},
       {"matmul, second transposed",
        kMatMul,
        MatMulAttributes{.transpose_b = true},
        {smooth({2, 3}), smooth({4, 3})}},
       {"matmul, both transposed",
        kMatMul,
        MatMulAttributes{.transpose_a = true, .transpose_b = true, .alpha = 2},
        {smooth({3, 2}), smooth({4, 3})}},
       {"matmul, first transposed in batches",
        kMatMul,
        MatMulAttributes{.transpose_a = true},
        {smooth({2, 3, 2}), smooth({3, 4})}},
       {"matmul, second in batches",
        kMatMul,
        MatMulAttributes{.transpose_b = true},
        {smooth({2, 3}), smooth({2, 3, 4, 3})}},
       {"matmul of rows",
        kMatMul,
        MatMulAttributes{},
        {smooth({2, 2, 1, 3}), smooth({2, 1, 3, 2})}},
       {"matmul, batches", kMatMul, MatMulAttributes{}, {smooth({2, 2, 3}), smooth({2, 3, 2})}},
       {"matmul, both broadcast",
        kMatMul,
        MatMulAttributes{},
        {smooth({2, 1, 2, 3}), smooth({3, 3, 2})}},
       {"matmul, both broadcast and transposed",
        kMatMul,
        MatMulAttributes{.transpose_a = true, .transpose_b = true},
        {smooth({2, 1, 3, 2}), smooth({3, 2, 3})}},
       {"linear", kMatMul, MatMulAttributes{}, {smooth({2, 3, 4}), smooth({4, 2}), smooth({2})}},
       {"linear, weights transposed",
        kMatMul,
        MatMulAttributes{.transpose_b = true},
        {smooth({2, 3, 4}), smooth({2, 4}), smooth({2})}},
       {"gemm, bias by rows",
        kMatMul,
        MatMulAttributes{.alpha = 0.5F, .beta = 2},
        {smooth({2, 3}), smooth({3, 4}), smooth({2, 1})}},
       {"gemm, bias of the whole matrix",
        kMatMul,
        MatMulAttributes{.beta = 0.25F},
        {smooth({2, 3}), smooth({3, 4}), smooth({2, 4})}},
       {"gemm, bias of one value for a batch",
        kMatMul,
        MatMulAttributes{},
        {smooth({2, 2, 3}), smooth({3, 2}), smooth({1})}},
       {"gemm, bias by rows for a batch",
        kMatMul,
        MatMulAttributes{},
        {smooth({2, 2, 3}), smooth({3, 2}), smooth({2, 1})}},
       {"matmul, summed",
        kMatMul,
        MatMulAttributes{.sum_to = Shape{2, 1}},
        {constant(smooth({2, 3, 2, 3})), constant(smooth({3, 3, 2}))}}});
}

WindowAttributes window(std::vector<std::int64_t> kernel, std::vector<std::int64_t> stride,
                        std::vector<std::int64_t> begin, std::vector<std::int64_t> end) {
  const std::size_t dimensions = kernel.size();
  return {.kernel = std::move(kernel),
          .stride = std::move(stride),
          .padding_begin = std::move(begin),
          .padding_end = std::move(end),
          .dilation = std::vector<std::int64_t>(dimensions, 1)};
}

WindowAttributes dilated(WindowAttributes attributes, std::vector<std::int64_t> dilation) {
  attributes.dilation = std::move(dilation);
  return attributes;
}

WindowAttributes grouped(WindowAttributes attributes, std::int64_t groups) {
  attributes.groups = groups;
  return attributes;
}

WindowAttributes output_padded(WindowAttributes attributes, std::vector<std::int64_t> padding) {
  attributes.output_padding = std::move(padding);
  return attributes;
}

WindowAttributes rounded_up(WindowAttributes attributes) {
  attributes.round_up = true;
  return attributes;
}

WindowAttributes counting(WindowAttributes attributes) {
  attributes.counts_padding = true;
  return attributes;
}

void add_convolutions(Cases& cases) {
  const WindowAttributes plain = window({3, 2}, {1, 1}, {0, 0}, {0, 0});
  const WindowAttributes odd = window({3, 2}, {2, 1}, {1, 0}, {0, 1});
  cases.insert(
      cases.end(),
      {{"conv", Operator::Conv, plain, {smooth({2, 2, 4, 3}), smooth({3, 2, 3, 2}), smooth({3})}},
       {"conv, strided, dilated, in groups",
        Operator::Conv,
        grouped(dilated(odd, {1, 2}), 2),
        {smooth({2, 4, 6, 5}), smooth({2, 2, 3, 2}), smooth({2})}},
       {"conv, depthwise",
        Operator::Conv,
        grouped(window({3, 3}, {1, 1}, {1, 1}, {1, 1}), 3),
        {smooth({1, 3, 4, 4}), smooth({3, 1, 3, 3})}},
       {"conv, pointwise",
        Operator::Conv,
        window({1, 1}, {1, 1}, {0, 0}, {0, 0}),
        {smooth({2, 3, 2, 2}), smooth({4, 3, 1, 1}), smooth({4})}},
       {"conv of signals",
        Operator::Conv,
        window({3}, {2}, {2}, {1}),
        {smooth({2, 2, 6}), smooth({2, 2, 3})}},
       {"conv of volumes",
        Operator::Conv,
        window({2, 1, 2}, {1, 1, 2}, {0, 0, 1}, {1, 0, 0}),
        {smooth({1, 2, 3, 2, 3}), smooth({2, 2, 2, 1, 2}), smooth({2})}},
       {"conv with a stride that leaves values out",
        Operator::Conv,
        window({1, 1}, {3, 2}, {0, 0}, {0, 0}),
        {smooth({1, 2, 5, 4}), smooth({2, 2, 1, 1})}},
       {"conv transpose",
        Operator::ConvTranspose,
        plain,
        {smooth({2, 3, 3, 3}), smooth({3, 2, 3, 2}), smooth({2})}},
       {"conv transpose, strided, dilated, in groups",
        Operator::ConvTranspose,
        output_padded(grouped(dilated(odd, {1, 2}), 2), {1, 1}),
        {smooth({1, 4, 3, 3}), smooth({4, 1, 3, 2}), smooth({2})}},
       {"conv transpose of signals",
        Operator::ConvTranspose,
        window({3}, {3}, {0}, {0}),
        {smooth({2, 2, 3}), smooth({2, 3, 3})}}});
}

void add_pools(Cases& cases) {
  const WindowAttributes stem = window({3, 3}, {2, 2}, {1, 1}, {1, 1});
  const WindowAttributes uneven = window({2, 3}, {2, 2}, {0, 1}, {1, 0});
  const WindowAttributes global = window({3, 4}, {1, 1}, {0, 0}, {0, 0});
  cases.insert(
      cases.end(),
      {{"max pool", Operator::MaxPool, stem, {distinct({1, 2, 5, 4})}},
       {"max pool, rounded up", Operator::MaxPool, rounded_up(uneven), {distinct({1, 1, 5, 6})}},
       {"max pool, dilated",
        Operator::MaxPool,
        dilated(window({2}, {1}, {1}, {1}), {2}),
        {distinct({2, 2, 6})}},
       {"average pool", Operator::AveragePool, stem, {smooth({1, 2, 5, 4})}},
       {"average pool, padding counted",
        Operator::AveragePool,
        counting(stem),
        {smooth({1, 2, 5, 4})}},
       {"average pool, rounded up",
        Operator::AveragePool,
        counting(rounded_up(uneven)),
        {smooth({1, 1, 5, 6})}},
       {"average pool, global", Operator::AveragePool, global, {smooth({2, 2, 3, 4})}},
       {"average pool of volumes",
        Operator::AveragePool,
        window({2, 2, 1}, {2, 1, 1}, {0, 0, 0}, {0, 0, 0}),
        {smooth({1, 2, 4, 3, 2})}}});
}

void add_norms(Cases& cases) {
  const NormAttributes norm{.epsilon = 0.0625F};
  const NormAttributes rows{.epsilon = 0.0625F, .axis = 1};
  const NormAttributes groups{.epsilon = 0.0625F, .groups = 2};
  const CaseInput x = smooth({3, 4, 2, 2});
  const CaseInput channels = smooth({4});
  const CaseInput mean = constant(smooth({4}));
  const CaseInput variance = constant(positive({4}));
  cases.insert(cases.end(),
               {{"batch norm", Operator::BatchNorm, norm, {x, channels, channels}},
                {"batch norm of features",
                 Operator::BatchNorm,
                 norm,
                 {smooth({6, 3}), smooth({3}), smooth({3})}},
                {"batch norm by running statistics",
                 Operator::BatchNormInference,
                 norm,
                 {x, channels, channels, mean, variance}},
                {"running statistics",
                 Operator::RunningStatistics,
                 RunningAttributes{.rate = 0.25F, .epsilon = 0.0625F, .count = 12},
                 {mean, variance, mean, variance}},
                {"layer norm",
                 Operator::LayerNorm,
                 rows,
                 {smooth({3, 4, 2}), smooth({4, 2}), smooth({4, 2})}},
                {"layer norm without scale", Operator::LayerNorm, rows, {smooth({3, 6})}},
                {"layer norm of everything",
                 Operator::LayerNorm,
                 norm,
                 {smooth({6}), smooth({6}), smooth({6})}},
                {"group norm", Operator::GroupNorm, groups, {x, channels, channels}},
                {"group norm without scale", Operator::GroupNorm, groups, {x}},
                {"instance norm",
                 Operator::GroupNorm,
                 NormAttributes{.epsilon = 0.0625F, .groups = 4},
                 {x, channels, channels}}});
  for (const std::int64_t axis : {0, 1, 2}) {
    const AxisAttributes along{.axis = axis};
    const std::string name = " along " + std::to_string(axis);
    cases.push_back({"softmax" + name, Operator::Softmax, along, {smooth({2, 3, 4})}});
    cases.push_back({"log softmax" + name, Operator::LogSoftmax, along, {smooth({2, 3, 4})}});
  }
}

}  // namespace

void add_product_cases(Cases& cases) {
  add_products(cases);
  add_convolutions(cases);
  add_pools(cases);
  add_norms(cases);
}

}  // namespace poet::testing
