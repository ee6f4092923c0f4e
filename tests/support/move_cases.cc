#include <string>

#include "support/operator_case_parts.h"

namespace poet::testing {
namespace {

void add_reductions(Cases& cases) {
  struct Row {
    std::string name;
    Operator kind;
    Draws draw;
  };
  const std::vector<Row> rows{{"sum", Operator::ReduceSum, smooth},
                              {"mean", Operator::ReduceMean, smooth},
                              {"max", Operator::ReduceMax, distinct},
                              {"min", Operator::ReduceMin, distinct},
                              {"product", Operator::ReduceProduct, smooth},
                              {"sum of squares", Operator::ReduceSumSquare, smooth},
                              {"l2", Operator::ReduceL2, positive},
                              {"log sum exp", Operator::ReduceLogSumExp, smooth}};
  const std::vector<ReduceAttributes> manners{{.axes = {1}, .keeps_dimensions = true},
                                              {.axes = {0, 2}, .keeps_dimensions = false},
                                              {.axes = {0, 1, 2}, .keeps_dimensions = false},
                                              {.axes = {}, .keeps_dimensions = true}};
  for (const Row& row : rows)
    for (const ReduceAttributes& manner : manners)
      cases.push_back(
          {row.name + " over " + to_text(manner.axes), row.kind, manner, {row.draw({2, 3, 4})}});
}

void add_moves(Cases& cases) {
  const PadAttributes margins{
      .begin = {1, 0}, .end = {0, 2}, .mode = PadMode::Constant, .value = 3};
  PadAttributes edge = margins;
  edge.mode = PadMode::Edge;
  PadAttributes reflected = margins;
  reflected.mode = PadMode::Reflect;
  PadAttributes cut = margins;
  cut.begin = {-1, 1};
  const AxisAttributes second{.axis = 1};
  cases.insert(
      cases.end(),
      {{"reshape", Operator::Reshape, ShapeAttributes{{3, 2}}, {smooth({2, 3})}},
       {"transpose", Operator::Transpose, TransposeAttributes{{2, 0, 1}}, {smooth({2, 3, 4})}},
       {"slice",
        Operator::Slice,
        SliceAttributes{.start = {1, 4}, .step = {1, -2}, .extent = {1, 3}},
        {smooth({3, 5})}},
       {"concat of two", Operator::Concat, second, {smooth({2, 1, 2}), smooth({2, 3, 2})}},
       {"concat of one", Operator::Concat, second, {smooth({2, 3})}},
       {"concat of three",
        Operator::Concat,
        second,
        {smooth({2, 1}), smooth({2, 2}), smooth({2, 3})}},
       {"pad", Operator::Pad, margins, {smooth({3, 4})}},
       {"pad, partly negative", Operator::Pad, cut, {smooth({3, 4})}},
       {"pad by edges", Operator::Pad, edge, {smooth({3, 4})}},
       {"pad by reflection", Operator::Pad, reflected, {smooth({3, 4})}},
       {"expand", Operator::Expand, ShapeAttributes{{2, 3, 4}}, {smooth({3, 1})}},
       {"gather",
        Operator::Gather,
        second,
        {smooth({2, 4, 3}), whole(ElementType::Int64, {2, 3}, 4)}},
       {"embedding",
        Operator::Gather,
        AxisAttributes{.axis = 0},
        {smooth({5, 2}), whole(ElementType::Int32, {6}, 5)}}});
}

void add_picks(Cases& cases) {
  for (const ElementType element : {ElementType::Int32, ElementType::Int64})
    for (const Operator kind : {Operator::ArgMax, Operator::ArgMin})
      cases.push_back({(kind == Operator::ArgMax ? "arg max of " : "arg min of ") +
                           std::string(name_of(kElementTypes, element)),
                       kind,
                       ArgAttributes{.axis = 1},
                       {whole(element, {2, 4, 3}, 9)}});
  const CaseInput places = whole(ElementType::Int64, {2, 5, 3}, 4);
  const CaseInput narrow = whole(ElementType::Int32, {5, 3}, 4);
  const ScatterAttributes puts{.axis = 1};
  const ScatterAttributes adds{.axis = 1, .adds = true};
  cases.insert(
      cases.end(),
      {{"top k", Operator::TopK, TopKAttributes{.axis = 1, .count = 3}, {distinct({2, 7, 3})}},
       {"top k, smallest",
        Operator::TopK,
        TopKAttributes{.axis = 0, .count = 2, .largest = false},
        {distinct({5, 2})}},
       {"arg max", Operator::ArgMax, ArgAttributes{.axis = 1}, {smooth({2, 5, 3})}},
       {"arg max, the last",
        Operator::ArgMax,
        ArgAttributes{.axis = 2, .last = true},
        {smooth({2, 3, 5})}},
       {"arg min", Operator::ArgMin, ArgAttributes{.axis = 1}, {smooth({3, 5})}},
       {"gather elements",
        Operator::GatherElements,
        AxisAttributes{.axis = 1},
        {smooth({2, 4, 3}), places}},
       {"gather elements, int32",
        Operator::GatherElements,
        AxisAttributes{.axis = 0},
        {smooth({4, 3}), narrow}},
       {"gather nd",
        Operator::GatherNd,
        GatherNdAttributes{},
        {smooth({3, 4, 2}), whole(ElementType::Int64, {5, 2}, 3)}},
       {"gather nd in a batch",
        Operator::GatherNd,
        GatherNdAttributes{.batch = 1},
        {smooth({2, 4, 3}), whole(ElementType::Int32, {2, 3, 1}, 4)}},
       {"scatter elements",
        Operator::ScatterElements,
        puts,
        {smooth({2, 4, 3}), places, smooth({2, 5, 3})}},
       {"scatter elements, int32",
        Operator::ScatterElements,
        ScatterAttributes{.axis = 0},
        {smooth({4, 3}), narrow, smooth({5, 3})}},
       {"scatter elements, added",
        Operator::ScatterElements,
        adds,
        {smooth({2, 4, 3}), places, smooth({2, 5, 3})}}});
}

void add_casts(Cases& cases) {
  const auto add = [&](const CaseInput& input, ElementType to) {
    cases.push_back(
        {"cast from " + to_text(input.type) + " to " + std::string(name_of(kElementTypes, to)),
         Operator::Cast,
         CastAttributes{to},
         {constant(input)}});
  };
  for (const ElementType to :
       {ElementType::Int32, ElementType::Int64, ElementType::Uint8, ElementType::Bool})
    add(positive({2, 3}), to);
  for (const ElementType from :
       {ElementType::Int32, ElementType::Int64, ElementType::Uint8, ElementType::Bool})
    add(whole(from, {2, 3}, 2), ElementType::Float32);
  add(whole(ElementType::Int32, {2, 3}, 100), ElementType::Int64);
  add(whole(ElementType::Int64, {2, 3}, 100), ElementType::Int32);
}

// Bytes below 100 have scales that are finite.
void add_blocks(Cases& cases) {
  const auto add = [&](const std::string& name, const WeightBlocks& blocks, Shape row,
                       Shape before) {
    const std::int64_t count = blocks_in_row(blocks, value_count(row));
    before.insert(before.end(), {count, block_bytes(blocks)});
    cases.push_back({name,
                     Operator::DecodeBlocks,
                     DecodeAttributes{blocks, std::move(row)},
                     {constant(whole(ElementType::Uint8, std::move(before), 100))}});
  };
  add("decode blocks of bytes", {.bits = 8, .values = 8}, {24}, {5});
  add("decode blocks of 4 bits", {.bits = 4, .values = 8}, {24}, {5});
  add("decode picked rows", {.bits = 4, .values = 16}, {32}, {2, 3});
  add("decode kernels", {.bits = 8, .values = 8}, {3, 2, 2}, {4});
}

}  // namespace

void add_move_cases(Cases& cases) {
  add_reductions(cases);
  add_moves(cases);
  add_picks(cases);
  add_casts(cases);
  add_blocks(cases);
}

}  // namespace poet::testing
