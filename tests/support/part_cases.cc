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

void add_norm_parts(Cases& cases) {
  const RowPartAttributes layer{
      .axis = 1, .begin = 2, .extent = 300, .continues = true, .epsilon = 0.0625F};
  const RowPartAttributes batch{
      .by_channel = true, .begin = 2, .extent = 6, .images = 3, .continues = true};
  RowPartAttributes begun = layer;
  begun.continues = false;
  const CaseInput x = constant(smooth({3, 290}));
  const CaseInput row = constant(positive({3}));
  const CaseInput column = constant(smooth({290}));
  const CaseInput state = constant(positive({3, 10}));
  const CaseInput states = constant(positive({3, 2, 10}));
  const CaseInput picture = constant(smooth({1, 3, 2, 2}));
  const auto add = [&](const std::string& name, Operator kind, const RowPartAttributes& attributes,
                       std::vector<CaseInput> inputs) {
    cases.push_back({name, kind, attributes, std::move(inputs)});
  };
  add("row sum, begun", Operator::RowSumPart, begun, {x});
  add("row sum, continued", Operator::RowSumPart, layer, {x, state});
  add("row sum of channels", Operator::RowSumPart, batch, {picture, state});
  add("row spread, begun", Operator::RowSpreadPart, begun, {x, row});
  add("row spread, continued", Operator::RowSpreadPart, layer, {x, row, state});
  add("row gradient sums, begun", Operator::RowGradientSumsPart, begun, {x, row, x});
  add("row gradient sums of channels", Operator::RowGradientSumsPart, batch,
      {picture, row, picture, states});
  add("layer norm gradient sums, begun", Operator::LayerNormGradientSumsPart, begun,
      {x, row, x, column});
  add("layer norm gradient sums, continued", Operator::LayerNormGradientSumsPart, layer,
      {x, row, x, column, states});
  add("row total", Operator::RowTotal, layer, {state});
  add("row mean", Operator::RowMean, layer, {state});
  add("row inverse std", Operator::RowInverseStd, layer, {state});
  add("layer norm, applied", Operator::LayerNormApply, layer, {x, row, row, column, column});
  add("layer norm without scale, applied", Operator::LayerNormApply, layer, {x, row, row});
  add("layer norm gradient factors", Operator::LayerNormGradientFactors, layer, {states, row});
  add("layer norm gradient, applied", Operator::LayerNormGradientApply, layer,
      {x, row, row, x, row, row, column});
  add("layer norm gradient without scale, applied", Operator::LayerNormGradientApply, layer,
      {x, row, row, x, row, row});
  add("layer norm scale gradient, begun", Operator::LayerNormScaleGradient, begun,
      {x, row, row, x});
  add("layer norm scale gradient, continued", Operator::LayerNormScaleGradient, layer,
      {x, row, row, x, column, column});
  cases.push_back({"layer norm gradient, continued",
                   Operator::LayerNormGradientContinued,
                   NormAttributes{.axis = 1},
                   {x, row, row, x, column, column, column}});
  add("batch norm, applied", Operator::BatchNormApply, batch, {picture, row, row, row, row});
  add("batch norm gradient factors", Operator::BatchNormGradientFactors, batch, {states, row});
  add("batch norm gradient, applied", Operator::BatchNormGradientApply, batch,
      {picture, row, row, picture, row, row, row});
}

void add_block_parts(Cases& cases) {
  const CaseInput x = constant(smooth({4, 3}));
  const CaseInput indices = whole(ElementType::Int64, {2, 3}, 9);
  const CaseInput narrow = whole(ElementType::Int32, {2, 3}, 9);
  const CaseInput table = constant(smooth({2, 4, 3}));
  const CaseInput picked = constant(smooth({2, 2, 3, 3}));
  const GatherPartAttributes block{.axis = 1, .begin = 3, .count = 4, .extent = 9};
  cases.insert(
      cases.end(),
      {{"broadcast sum, continued",
        Operator::BroadcastSumContinued,
        ScalarAttributes{.alpha = -1},
        {x, constant(smooth({3}))}},
       {"broadcast sum, ended",
        Operator::BroadcastSumContinued,
        ScalarAttributes{.alpha = 0.5F},
        {x, constant(smooth({4, 1}))}},
       {"reduce sum, continued",
        Operator::ReduceSumContinued,
        ReduceAttributes{.axes = {0}},
        {x, constant(smooth({1, 3}))}},
       {"reduce mean, ended",
        Operator::ReduceMeanContinued,
        ReducePartAttributes{.axes = {0}, .keeps_dimensions = false, .count = 9},
        {x, constant(smooth({3}))}},
       {"gather of a block", Operator::GatherBlock, block, {table, indices}},
       {"gather of a block, int32", Operator::GatherBlock, block, {table, narrow}},
       {"gather of another block", Operator::GatherBlock, block, {table, indices, picked}},
       {"gather gradient of a block", Operator::GatherGradientBlock, block, {indices, picked}},
       {"gather gradient of a block, continued",
        Operator::GatherGradientBlock,
        block,
        {narrow, picked, table}},
       {"dropout of a piece",
        Operator::DropoutPart,
        DropoutPartAttributes{.probability = 0.25F, .number = 3, .begin = {2, 1}, .whole = {7, 5}},
        {x, step()}}});
}

void add_softmax_parts(Cases& cases) {
  const CaseInput x = constant(smooth({2, 3, 4}));
  const CaseInput place = constant(positive({2, 4}));
  const AxisAttributes along{1};
  cases.insert(
      cases.end(),
      {{"softmax largest, begun", Operator::SoftmaxLargestPart, along, {x}},
       {"softmax largest, continued", Operator::SoftmaxLargestPart, along, {x, place}},
       {"softmax sum, begun", Operator::SoftmaxSumPart, along, {x, place}},
       {"softmax sum, continued", Operator::SoftmaxSumPart, along, {x, place, place}},
       {"softmax, applied", Operator::SoftmaxApply, along, {x, place, place}},
       {"log softmax, applied", Operator::LogSoftmaxApply, along, {x, place, place}},
       {"softmax gradient sum", Operator::SoftmaxGradientSumPart, along, {x, x, place}},
       {"log softmax gradient sum", Operator::LogSoftmaxGradientSumPart, along, {x, place}},
       {"softmax gradient, applied", Operator::SoftmaxGradientApply, along, {x, x, place}},
       {"log softmax gradient, applied", Operator::LogSoftmaxGradientApply, along, {x, x, place}}});
}

void add_loss_parts(Cases& cases) {
  const CaseInput scores = constant(smooth({2, 3, 2}));
  const CaseInput place = constant(positive({2, 2}));
  const CaseInput number = constant(positive({}));
  const CaseInput weights = constant(positive({3}));
  const LossAttributes sum{.reduction = Reduction::Sum};
  const ClassPartAttributes plain{.ignored_label = 1, .begin = 4, .classes = 7};
  const ClassPartAttributes each{.reduction = Reduction::None, .begin = 4, .classes = 7};
  const ClassPartAttributes smoothed{
      .label_smoothing = 0.125F, .begin = 4, .classes = 7, .continues = true};
  for (const ElementType element : {ElementType::Int32, ElementType::Int64}) {
    const std::string of = ", " + std::string(name_of(kElementTypes, element));
    const CaseInput labels = whole(element, {2, 2}, 7);
    const CaseInput few = whole(element, {2, 2}, 3);
    cases.insert(cases.end(),
                 {{"cross-entropy, continued" + of,
                   Operator::SoftmaxCrossEntropyContinued,
                   sum,
                   {scores, few, number, weights}},
                  {"likelihood, continued" + of,
                   Operator::NegativeLogLikelihoodContinued,
                   sum,
                   {scores, few, number}},
                  {"label count" + of,
                   Operator::LabelCount,
                   ClassPartAttributes{.classes = 3},
                   {few, weights}},
                  {"label count, continued" + of,
                   Operator::LabelCount,
                   ClassPartAttributes{.classes = 3, .continues = true},
                   {few, weights, number}},
                  {"label scores" + of, Operator::LabelScorePart, plain, {scores, labels, place}},
                  {"cross-entropy, ended" + of,
                   Operator::SoftmaxCrossEntropyEnd,
                   smoothed,
                   {place, place, place, labels, place, number}},
                  {"cross-entropy of each, ended" + of,
                   Operator::SoftmaxCrossEntropyEnd,
                   each,
                   {place, place, place, labels}},
                  {"cross-entropy gradient of a block" + of,
                   Operator::SoftmaxCrossEntropyGradientBlock,
                   plain,
                   {scores, place, place, labels, number}}});
  }
  cases.insert(
      cases.end(),
      {{"loss mean", Operator::LossMean, {}, {number, number}},
       {"loss mean gradient", Operator::LossMeanGradient, {}, {number, number}},
       {"class score sum", Operator::ClassScoreSumPart, plain, {scores, place, place, place}}});
}

}  // namespace

void add_part_cases(Cases& cases) {
  add_product_parts(cases);
  add_norm_parts(cases);
  add_block_parts(cases);
  add_softmax_parts(cases);
  add_loss_parts(cases);
}

}  // namespace poet::testing
