// Every operator's axes: an operation and the parts that part_operation() makes of it, along all of
// its axes at random cuts, have the same bits.

#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <map>

#include "poet/graph/part_axes.h"
#include "poet/kernels/evaluate.h"
#include "support/operator_cases.h"
#include "support/random_cases.h"
#include "support/tensor_pieces.h"

namespace poet {
namespace {

using testing::draw;
using testing::Random;
using testing::random_cases;

using Region = std::vector<poet::Range>;
using Values = std::vector<TensorValue>;

// Between a tensor and what it has at a region.
enum class Way { Out, In };
void move_region(Way way, const Region& region, TensorValue& whole, TensorValue& part) {
  const std::int64_t size = byte_size(whole.type.element);
  for_each_run(whole.type.shape, region, [&](const RunOfValues& run) {
    std::byte* const in_whole = whole.bytes.data() + run.in_whole * size;
    std::byte* const in_part = part.bytes.data() + run.in_piece * size;
    const auto bytes = static_cast<std::size_t>(run.count * size);
    if (way == Way::Out)
      std::memcpy(in_part, in_whole, bytes);
    else
      std::memcpy(in_whole, in_part, bytes);
  });
}

TensorValue zeros_of(const TensorType& type) {
  return {.type = type,
          .bytes = std::vector<std::byte>(static_cast<std::size_t>(size_bytes(type)))};
}

TensorType type_of(const Region& region, ElementType element) {
  TensorType type{.element = element};
  for (const poet::Range& range : region) type.shape.push_back(range.extent());
  return type;
}

TensorValue at_region(TensorValue whole, const Region& region) {
  TensorValue part = zeros_of(type_of(region, whole.type.element));
  move_region(Way::Out, region, whole, part);
  return part;
}

Values executed(Operator kind, const Attributes& attributes, const Values& inputs,
                const std::vector<TensorType>& outputs) {
  Graph graph{.name = "one"};
  std::map<TensorId, TensorView> given;
  GraphOperation operation{.name = "one", .kind = kind, .attributes = attributes};
  for (const TensorValue& input : inputs) {
    const auto id = static_cast<TensorId>(graph.tensors.size());
    graph.tensors.push_back({.name = "x" + std::to_string(graph.tensors.size()),
                             .type = input.type,
                             .role = TensorRole::Input,
                             .home = Home::Storage});
    given[id] = view_of(input);
    operation.inputs.push_back(id);
  }
  for (const TensorType& type : outputs) {
    operation.outputs.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.push_back({.name = "y" + std::to_string(graph.tensors.size()), .type = type});
  }
  graph.outputs = operation.outputs;
  graph.operations.push_back(operation);
  const Failure broken = check_graph(graph);
  EXPECT_FALSE(broken) << broken->message;
  const Result<Values> made = evaluate(graph, given, operation.outputs);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? *made : Values{};
}

std::vector<poet::Range> cuts_of_axis(Random& random, const PartAxis& axis, bool by_place) {
  std::vector<poet::Range> cuts;
  for (std::int64_t begin = 0; begin < axis.extent;) {
    const std::int64_t steps = by_place ? 1 : draw(random, 1, 1 + axis.extent / axis.multiple);
    const std::int64_t end = std::min(axis.extent, begin + steps * axis.multiple);
    cuts.push_back({begin, end});
    begin = end;
  }
  return cuts;
}

// Of sums along several axes the outer ones go place by place where an inner one is cut.
std::vector<std::vector<poet::Range>> random_blocks(Random& random,
                                                    const std::vector<PartAxis>& axes) {
  std::vector<std::vector<poet::Range>> blocks(axes.size());
  bool is_cut_inside = false;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const bool is_summed = axes[k].kind == AxisKind::Continued;
    const bool whole = draw(random, 0, 2) == 0 && !(is_summed && is_cut_inside);
    blocks[k] = whole ? std::vector<poet::Range>{{0, axes[k].extent}}
                      : cuts_of_axis(random, axes[k], is_summed && is_cut_inside);
    is_cut_inside = is_cut_inside || (is_summed && blocks[k].size() > 1);
  }
  return blocks;
}

template <typename Visit>
void for_each_combination(const std::vector<std::vector<poet::Range>>& lists,
                          const std::vector<std::size_t>& which, std::vector<poet::Range>& ranges,
                          const Visit& visit, std::size_t k = 0) {
  if (k == which.size()) return visit();
  for (const poet::Range& range : lists[which[k]]) {
    ranges[which[k]] = range;
    for_each_combination(lists, which, ranges, visit, k + 1);
  }
}

// The outputs of an operation that is made part by part.
Values in_parts(const OperationTypes& types, const Values& inputs,
                const std::vector<std::vector<poet::Range>>& blocks) {
  const std::vector<PartAxis> axes = part_axes(types);
  std::vector<std::size_t> outside;
  std::vector<std::size_t> inside;
  std::size_t in_sum = 1;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool is_summed = axes[k].kind == AxisKind::Continued;
    (is_summed ? inside : outside).push_back(k);
    if (is_summed) in_sum *= blocks[k].size();
  }
  Values whole;
  for (const TensorType& type : types.outputs) whole.push_back(zeros_of(type));
  std::vector<poet::Range> ranges(axes.size());
  for_each_combination(blocks, outside, ranges, [&] {
    Values sums;
    std::size_t done = 0;
    for_each_combination(blocks, inside, ranges, [&] {
      const bool last = ++done == in_sum;
      const PartOperation part = part_operation(types, axes, ranges, done == 1, last);
      Values operands;
      for (std::size_t k = 0; k <= part.inputs.size(); ++k) {
        if (part.inputs_before_sum && static_cast<int>(k) == *part.inputs_before_sum)
          operands.insert(operands.end(), sums.begin(), sums.end());
        if (k == part.inputs.size()) break;
        const auto i = static_cast<std::size_t>(part.inputs[k]);
        operands.push_back(at_region(inputs[i], part_of_input(types, axes, ranges, i)));
      }
      std::vector<Region> regions;
      std::vector<TensorType> made;
      for (std::size_t o = 0; o < types.outputs.size(); ++o) {
        regions.push_back(part_of_output(types, axes, ranges, o));
        made.push_back(type_of(regions.back(), types.outputs[o].element));
      }
      sums = executed(part.kind, part.attributes, operands, made);
      if (sums.size() != made.size()) return;
      for (std::size_t o = 0; o < made.size() && last; ++o)
        move_region(Way::In, regions[o], whole[o], sums[o]);
    });
  });
  return whole;
}

// Of every tensor of a case.
std::vector<TensorValue> all_values(const testing::OperatorCase& one,
                                    const testing::CaseGraph& made) {
  Values values(made.graph.tensors.size());
  const Values given = testing::values_of(one);
  std::map<TensorId, TensorView> views;
  for (std::size_t i = 0; i < given.size(); ++i)
    values[static_cast<std::size_t>(index_of(made.inputs[i]))] = given[i];
  Random random(7);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (at(made.graph.tensors, static_cast<TensorId>(i)).home == Home::Made) continue;
    if (values[i].bytes.empty())
      values[i] = testing::random_floats(random, made.graph.tensors[i].type.shape);
    views[static_cast<TensorId>(i)] = view_of(values[i]);
  }
  std::vector<TensorId> wanted;
  for (const GraphOperation& operation : made.graph.operations)
    wanted.insert(wanted.end(), operation.outputs.begin(), operation.outputs.end());
  const Result<Values> results = evaluate(made.graph, views, wanted);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().message);
  for (std::size_t k = 0; results.ok() && k < wanted.size(); ++k)
    values[static_cast<std::size_t>(index_of(wanted[k]))] = (*results)[k];
  return values;
}

class PartAxes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PartAxes, HaveTheBitsOfTheWholeForAnyCuts) {
  const testing::OperatorCase& one = testing::operator_cases()[GetParam()];
  const testing::CaseGraph made = testing::graph_of(one);
  const Values values = all_values(one, made);
  for (const GraphOperation& operation : made.graph.operations) {
    const OperationTypes types = types_of(made.graph, operation);
    Values inputs;
    for (const TensorId input : operation.inputs)
      inputs.push_back(values[static_cast<std::size_t>(index_of(input))]);
    Random random(GetParam() + 1);
    for (int i = 0; i < random_cases(12); ++i) {
      const auto blocks = random_blocks(random, part_axes(types));
      const Values parts = in_parts(types, inputs, blocks);
      for (std::size_t o = 0; o < parts.size(); ++o)
        ASSERT_EQ(testing::difference(
                      parts[o], values[static_cast<std::size_t>(index_of(operation.outputs[o]))]),
                  "")
            << one.name << ", " << operation.name << ", cuts " << i;
    }
  }
}

std::string name_of_case(const ::testing::TestParamInfo<std::size_t>& one) {
  std::string name = std::to_string(one.param);
  for (const char letter : testing::operator_cases()[one.param].name)
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Operators, PartAxes,
                         ::testing::Range(std::size_t{0}, testing::operator_cases().size()),
                         name_of_case);

}  // namespace
}  // namespace poet
