#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/picks.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/gather.h"

// Picks slices along an axis by a list of indices. Over the rows of a table it is an embedding.

namespace poet {
namespace {

OutputTypes gathered_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const TensorType& indices = types.inputs[1];
  const auto* const attributes = std::get_if<AxisAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("gather");
  if (indices.element != ElementType::Int32 && indices.element != ElementType::Int64)
    return bad_input("the indices must be int32 or int64, not " + to_text(indices));
  if (attributes->axis < 0 || attributes->axis >= rank_of(x))
    return bad_input(fmt::format("axis {} is out of range for {}", attributes->axis, to_text(x)));
  TensorType y = x;
  const auto axis = y.shape.erase(y.shape.begin() + attributes->axis);
  y.shape.insert(axis, indices.shape.begin(), indices.shape.end());
  return std::vector<TensorType>{y};
}

// poet_gather_shape (poet/runtime/gather.h).
std::vector<KernelWord> gather_words(const TensorType& x, const TensorType& indices,
                                     const AxisAttributes& attributes) {
  const auto axis = x.shape.begin() + attributes.axis;
  return KernelWords()
      .integer("element_bytes", byte_size(x.element))
      .integer("outer", value_count({x.shape.begin(), axis}))
      .integer("axis", *axis)
      .integer("inner", value_count({axis + 1, x.shape.end()}))
      .integer("count", value_count(indices.shape))
      .take();
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = types.inputs[1].element == ElementType::Int32
                          ? POET_KERNEL(poet_gather_forward_i32)
                          : POET_KERNEL(poet_gather_forward_i64),
          .shape = gather_words(types.inputs[0], types.inputs[1],
                                std::get<AxisAttributes>(types.attributes)),
          .inputs = {0, 1},
          .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  return {.function = types.inputs[0].element == ElementType::Int32
                          ? POET_KERNEL(poet_gather_gradient_f32_i32)
                          : POET_KERNEL(poet_gather_gradient_f32_i64),
          .shape = gather_words(types.outputs[0], types.inputs[0],
                                std::get<AxisAttributes>(types.attributes)),
          .inputs = {0, 1},
          .outputs = {0}};
}

// Indices stay below the extent of the table's axis.
std::int64_t axis_extent(const OperationTypes& types, const TensorType& table, const TensorType&) {
  return table.shape[static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis)];
}

// --- A block of the table

const GatherPartAttributes& part_of(const OperationTypes& types) {
  return std::get<GatherPartAttributes>(types.attributes);
}

Failure check_part(const OperationTypes& types, const TensorType& indices) {
  const auto* const part = std::get_if<GatherPartAttributes>(&types.attributes);
  if (part == nullptr) return wrong_attributes("block of a table");
  if (indices.element != ElementType::Int32 && indices.element != ElementType::Int64)
    return bad_input("the indices must be int32 or int64, not " + to_text(indices));
  if (part->extent < 1 || part->extent > kMaxValues || part->count < 1 || part->begin < 0 ||
      part->begin > part->extent - part->count)
    return bad_input(fmt::format("{} places from {} on are no block of {}", part->count,
                                 part->begin, part->extent));
  return std::nullopt;
}

// The block, indices, and what is gathered so far.
OutputTypes block_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  if (Failure failure = check_part(types, types.inputs[1])) return *failure;
  const GatherPartAttributes& part = part_of(types);
  const OutputTypes y = gathered_type({.kind = Operator::Gather,
                                       .attributes = AxisAttributes{part.axis},
                                       .inputs = {x, types.inputs[1]}});
  if (!y.ok()) return y;
  if (x.shape[static_cast<std::size_t>(part.axis)] != part.count)
    return bad_input(fmt::format("the block {} has not {} places along dimension {}",
                                 to_text(x.shape), part.count, part.axis));
  if (types.inputs.size() == 3)
    if (Failure failure = require_type(types.inputs[2], y->front(), "what was gathered"))
      return *failure;
  return y;
}

// Indices, dy, and the sum that is continued.
OutputTypes gradient_block_type(const OperationTypes& types) {
  const TensorType& indices = types.inputs[0];
  const TensorType& dy = types.inputs[1];
  if (Failure failure = check_part(types, indices)) return *failure;
  const GatherPartAttributes& part = part_of(types);
  if (Failure failure = require_element(dy, ElementType::Float32, "dy")) return *failure;
  if (part.axis < 0 || part.axis + rank_of(indices) > rank_of(dy))
    return bad_input(fmt::format("axis {} is out of range for {}", part.axis, to_text(dy)));
  TensorType dx = dy;
  const auto first = dx.shape.begin() + part.axis;
  const Shape picked(first, first + rank_of(indices));
  if (picked != indices.shape)
    return bad_input(fmt::format("dy {} has not the dimensions of the indices, {}, from {} on",
                                 to_text(dy.shape), to_text(indices.shape), part.axis));
  dx.shape.insert(dx.shape.erase(first, first + rank_of(indices)), part.count);
  if (types.inputs.size() == 3)
    if (Failure failure = require_type(types.inputs[2], dx, "the sum")) return *failure;
  return std::vector<TensorType>{dx};
}

std::vector<KernelWord> block_words(const OperationTypes& types, const TensorType& x,
                                    const TensorType& indices) {
  std::vector<KernelWord> words = gather_words(x, indices, AxisAttributes{part_of(types).axis});
  for (const KernelWord& word : KernelWords()
                                    .integer("begin", part_of(types).begin)
                                    .integer("extent", part_of(types).extent)
                                    .take())
    words.push_back(word);
  return words;
}

std::optional<int> third_input(const OperationTypes& types) {
  return types.inputs.size() == 3 ? std::optional<int>{2} : std::nullopt;
}

KernelCall block_call(const OperationTypes& types) {
  return {.function = types.inputs[1].element == ElementType::Int32
                          ? POET_KERNEL(poet_gather_block_i32)
                          : POET_KERNEL(poet_gather_block_i64),
          .shape = block_words(types, types.inputs[0], types.inputs[1]),
          .inputs = {0, 1, third_input(types)},
          .outputs = {0}};
}

KernelCall gradient_block_call(const OperationTypes& types) {
  return {.function = types.inputs[0].element == ElementType::Int32
                          ? POET_KERNEL(poet_gather_gradient_block_f32_i32)
                          : POET_KERNEL(poet_gather_gradient_block_f32_i64),
          .shape = block_words(types, types.outputs[0], types.inputs[0]),
          .inputs = {0, 1, third_input(types)},
          .outputs = {0}};
}

std::int64_t whole_extent(const OperationTypes& types, const TensorType&, const TensorType&) {
  return part_of(types).extent;
}

}  // namespace

std::vector<OperatorEntry> gather_operators() {
  const InParts parts{.axes = gather_axes, .part = gather_part};
  OperatorEntry forward = pick_entry(
      {.id = Operator::Gather,
       .name = "gather",
       .roles = kTableIsFirst,
       .kernel = forward_call,
       .divides = nullptr,
       .parts = parts,
       .domain = InputDomain{.index_extent = picked_extent<axis_extent>}},
      gathered_type, picked_gradient<Operator::GatherGradient>, special_in_onnx("Gather", 1));
  forward.drawn = DrawnAs::Layer;
  return {forward,
          pick_gradient_entry(
              {.id = Operator::GatherGradient,
               .name = "gather_gradient",
               .roles = kPlainInputs,
               .kernel = gradient_call,
               .divides = nullptr,
               .parts = parts,
               .domain = InputDomain{.index_extent = picked_gradient_extent<axis_extent>}}),
          {.id = Operator::GatherBlock,
           .name = "gather_block",
           .least_inputs = 2,
           .most_inputs = 3,
           .roles = kTableIsFirst,
           .output_types = block_type,
           .flop = no_flop,
           .moved_bytes = picked_bytes,
           .gradient = nullptr,
           .kernel = block_call,
           .divides = nullptr,
           .parts = InParts{.continued = Operator::GatherBlock},
           .domain = InputDomain{.index_extent = picked_extent<whole_extent>},
           .onnx = kNotInOnnx,
           .in_place = {{2, 0}}},
          {.id = Operator::GatherGradientBlock,
           .name = "gather_gradient_block",
           .least_inputs = 2,
           .most_inputs = 3,
           .roles = kPlainInputs,
           .output_types = gradient_block_type,
           .flop = picked_gradient_flop,
           .gradient = nullptr,
           .kernel = gradient_block_call,
           .divides = nullptr,
           .parts = InParts{.continued = Operator::GatherGradientBlock},
           .domain = InputDomain{.index_extent = picked_gradient_extent<whole_extent>},
           .onnx = kNotInOnnx,
           .in_place = {{2, 0}}}};
}

}  // namespace poet
