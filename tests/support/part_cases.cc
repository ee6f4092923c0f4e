#include <string>
#include <utility>

#include "support/operator_case_parts.h"

// Parts of operations, each by itself.

namespace poet::testing {
namespace {

WindowAttributes cropping(std::int64_t groups) {
  return {.kernel = {3, 2},
          .stride = {2, 1},
          .padding_begin = {-1, 1},
          .padding_end = {0, 0},
          .dilation = {1, 2},
          .groups = groups};
}

void add_product_parts(Cases& cases) {
  const CaseInput picture = constant(smooth({2, 4, 6, 5}));
  const CaseInput places = constant(smooth({2, 2, 2, 5}));
  const CaseInput weights = constant(smooth({2, 2, 3, 2}));
  const WindowAttributes window = cropping(2);
  cases.insert(
      cases.end(),
      {{"matmul, continued",
        Operator::MatMulContinued,
        MatMulAttributes{},
        {constant(smooth({2, 3})), constant(smooth({3, 4})), constant(smooth({2, 4}))}},
       {"matmul, ended",
        Operator::MatMulContinued,
        MatMulAttributes{.transpose_b = true, .alpha = 0.5F, .beta = 2},
        {constant(smooth({2, 2, 3})), constant(smooth({4, 3})), constant(smooth({2, 2, 4})),
         constant(smooth({4}))}},
       {"matmul, continued in many rows",
        Operator::MatMulContinued,
        MatMulAttributes{},
        {constant(smooth({64, 5})), constant(smooth({5, 64})), constant(smooth({64, 64}))}},
       {"conv, continued", Operator::ConvContinued, window, {picture, weights, places}},
       {"conv, ended",
        Operator::ConvContinued,
        window,
        {picture, weights, places, constant(smooth({2}))}},
       {"conv input gradient, continued",
        Operator::ConvInputGradientContinued,
        window,
        {places, weights, picture}},
       {"conv weight gradient, continued",
        Operator::ConvWeightGradientContinued,
        window,
        {picture, places, weights}},
       {"conv bias gradient, continued",
        Operator::ConvBiasGradientContinued,
        window,
        {places, constant(smooth({2}))}},
       {"conv transpose, continued",
        Operator::ConvTransposeContinued,
        window,
        {places, weights, picture, constant(smooth({4}))}},
       {"conv transpose input gradient, continued",
        Operator::ConvTransposeInputGradientContinued,
        window,
        {picture, weights, places}},
       {"conv transpose weight gradient, continued",
        Operator::ConvTransposeWeightGradientContinued,
        window,
        {places, picture, weights}}});
}

}  // namespace

void add_part_cases(Cases& cases) {
  add_product_parts(cases);
}

}  // namespace poet::testing
