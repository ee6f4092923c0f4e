#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "poet/base/checked_math.h"
#include "poet/model/constant_folding.h"
#include "poet/model/onnx/operators.h"

// Dimensions in another order, values several times, in another type, or dropped.

namespace poet {
namespace {

std::vector<std::int64_t> read_permutation(NodeImport& node) {
  node.expect_inputs(1, 1);
  const std::int64_t rank = node.rank(0);
  std::vector<std::int64_t> permutation(static_cast<std::size_t>(rank));
  std::iota(permutation.rbegin(), permutation.rend(), 0);
  if (!node.has_attribute("perm")) return permutation;
  const std::vector<std::int64_t> given = node.wholes("perm");
  std::vector<std::int64_t> sorted = given;
  std::sort(sorted.begin(), sorted.end());
  std::sort(permutation.begin(), permutation.end());
  if (sorted == permutation) return given;
  node.refuse(fmt::format("perm {} does not name each dimension of {} once", to_text(given),
                          to_text(node.type(0))));
  return {};
}

void import_transpose(NodeImport& node) {
  const std::vector<std::int64_t> permutation = read_permutation(node);
  if (std::is_sorted(permutation.begin(), permutation.end())) return node.output_input(0, 0);
  node.output(0, node.transposed(node.tensor(0), permutation));
}

void fold_permuted(NodeImport& node) {
  const std::vector<std::int64_t> permutation = read_permutation(node);
  const KnownArray x = node.array(0);
  if (!node.failed()) node.output(0, fold_transpose(x, permutation));
}

// Where the input has more dimensions or larger extents, those win.
Shape read_expanded_shape(NodeImport& node) {
  node.expect_inputs(2, 2);
  const Shape given = node.known_wholes(1, "its shape");
  node.expect_extents(given);
  const Result<Shape> shape = folded_shape(node.shape(0), given);
  if (shape.ok()) return *shape;
  node.refuse(shape.error().message);
  return {};
}

void import_expand(NodeImport& node) {
  const Shape shape = read_expanded_shape(node);
  if (node.failed()) return;
  if (shape == node.shape(0)) return node.output_input(0, 0);
  node.output(0, node.add(Operator::Expand, ShapeAttributes{shape}, {node.tensor(0)}));
}

void fold_expanded(NodeImport& node) {
  const Shape shape = read_expanded_shape(node);
  const KnownArray x = node.array(0);
  if (node.failed()) return;
  const Result<KnownArray> result = fold_expand(x, shape);
  if (!result.ok()) return node.refuse(result.error().message);
  node.output(0, *result);
}

// Repeating a dimension is expanding a new one before it, and joining the two.
struct Tiling {
  Shape apart;
  Shape expanded;
  Shape joined;
};

Tiling read_tiling(NodeImport& node) {
  node.expect_inputs(2, 2);
  const Shape shape = node.shape(0);
  const std::vector<std::int64_t> repeats = node.known_wholes(1, "its repeats");
  if (!node.failed() && repeats.size() != shape.size())
    node.refuse(fmt::format("has {} repeats for {}", repeats.size(), to_text(shape)));
  Tiling tiling;
  for (std::size_t d = 0; d < shape.size() && !node.failed(); ++d) {
    const std::optional<std::int64_t> extent = checked_multiply(shape[d], repeats[d]);
    if (repeats[d] < 0 || !extent || *extent > kMaxValues)
      node.refuse(fmt::format("repeats dimension {} {} times", d, repeats[d]));
    if (repeats[d] != 1) {
      tiling.apart.push_back(1);
      tiling.expanded.push_back(repeats[d]);
    }
    tiling.apart.push_back(shape[d]);
    tiling.expanded.push_back(shape[d]);
    tiling.joined.push_back(extent.value_or(0));
  }
  return tiling;
}

void import_tile(NodeImport& node) {
  const Tiling tiling = read_tiling(node);
  if (node.failed()) return;
  if (tiling.joined == node.shape(0)) return node.output_input(0, 0);
  const TensorId apart = node.reshaped(node.tensor(0), tiling.apart);
  const TensorId expanded = node.add(Operator::Expand, ShapeAttributes{tiling.expanded}, {apart});
  node.output(0, node.reshaped(expanded, tiling.joined));
}

void fold_tiled(NodeImport& node) {
  const Tiling tiling = read_tiling(node);
  KnownArray x = node.array(0);
  if (node.failed()) return;
  x.type.shape = tiling.apart;
  Result<KnownArray> result = fold_expand(x, tiling.expanded);
  if (!result.ok()) return node.refuse(result.error().message);
  result->type.shape = tiling.joined;
  node.output(0, *result);
}

std::optional<ElementType> read_cast(NodeImport& node) {
  if (node.node().op_type == "CastLike") {
    node.expect_inputs(2, 2);
    node.ignore("saturate");
    node.ignore("round_mode");
    return node.type(1).element;
  }
  node.expect_inputs(1, 1);
  node.ignore("saturate");    // of types of 8 bits alone, which POET has not
  node.ignore("round_mode");  // likewise
  return node.element_attribute("to", 0);
}

void import_cast(NodeImport& node) {
  const std::optional<ElementType> to = read_cast(node);
  if (node.failed()) return;
  if (node.type(0).element == *to) return node.output_input(0, 0);
  node.output(0, node.add(Operator::Cast, CastAttributes{*to}, {node.tensor(0)}));
}

void fold_converted(NodeImport& node) {
  const std::optional<ElementType> to = read_cast(node);
  const KnownArray x = node.array(0);
  if (!node.failed()) node.output(0, fold_cast(x, *to));
}

// The probability to drop a value; 0 where the node does nothing. Exports for inference drop
// nothing; since opset 12 an input says whether the node was exported to train.
float dropped_probability(NodeImport& node) {
  if (node.opset() < 7) {
    node.ignore("is_test");
    node.ignore("consumed_inputs");
  }
  if (node.opset() < 12) {
    node.ignore("ratio");
    return 0;
  }
  node.ignore("seed");
  if (!node.has_input(2) || node.known_number(2, "its training_mode") == 0) return 0;
  return node.has_input(1) ? static_cast<float>(node.known_number(1, "its ratio")) : 0.5F;
}

void import_dropout(NodeImport& node) {
  node.expect_inputs(1, node.opset() < 12 ? 1 : 3);
  const float probability = dropped_probability(node);
  if (node.failed()) return;
  if (probability == 0) {
    node.output_input(0, 0);
    return node.output(1, Constant{{ElementType::Bool, node.shape(0)}, FilledWith{1}});
  }
  const DropoutAttributes attributes{.probability = probability,
                                     .number = node.new_dropout_number()};
  node.output(0, node.add(Operator::Dropout, attributes, {node.tensor(0), node.step()}));
}

// Extents of (N, C, H, W) around a block of size x size pixels.
struct Blocks {
  Shape shape;
  std::int64_t size = 1;
};

Blocks read_blocks(NodeImport& node) {
  node.expect_inputs(1, 1);
  Blocks blocks{node.shape(0), node.whole("blocksize", 0)};
  if (!node.failed() && (blocks.shape.size() != 4 || blocks.size < 1 || blocks.size > (1 << 15)))
    node.refuse(fmt::format("takes (N, C, H, W) and a blocksize from 1 on, not {} and {}",
                            to_text(blocks.shape), blocks.size));
  return blocks;
}

void import_depth_to_space(NodeImport& node) {
  const Blocks blocks = read_blocks(node);
  const std::string mode = node.text("mode", "DCR");
  if (!node.failed() && mode != "DCR" && mode != "CRD") node.refuse("mode must be DCR or CRD");
  if (node.failed()) return;
  const std::int64_t b = blocks.size;
  const Shape& shape = blocks.shape;
  if (shape[1] % (b * b) != 0)
    return node.refuse(fmt::format("blocks of {} do not divide {} channels", b * b, shape[1]));
  const std::int64_t channels = shape[1] / (b * b);
  const bool depth_first = mode == "DCR";
  const Shape apart = depth_first ? Shape{shape[0], b, b, channels, shape[2], shape[3]}
                                  : Shape{shape[0], channels, b, b, shape[2], shape[3]};
  const TensorId cut = node.reshaped(node.tensor(0), apart);
  const TensorId turned =
      node.transposed(cut, depth_first ? std::vector<std::int64_t>{0, 3, 4, 1, 5, 2}
                                       : std::vector<std::int64_t>{0, 1, 4, 2, 5, 3});
  node.output(0, node.reshaped(turned, {shape[0], channels, shape[2] * b, shape[3] * b}));
}

void import_space_to_depth(NodeImport& node) {
  const Blocks blocks = read_blocks(node);
  if (node.failed()) return;
  const std::int64_t b = blocks.size;
  const Shape& shape = blocks.shape;
  if (shape[2] % b != 0 || shape[3] % b != 0)
    return node.refuse(fmt::format("blocks of {} do not divide {}", b, to_text(shape)));
  const std::int64_t height = shape[2] / b;
  const std::int64_t width = shape[3] / b;
  const TensorId cut = node.reshaped(node.tensor(0), {shape[0], shape[1], height, b, width, b});
  const TensorId turned = node.transposed(cut, {0, 3, 5, 1, 2, 4});
  node.output(0, node.reshaped(turned, {shape[0], shape[1] * b * b, height, width}));
}

}  // namespace

std::vector<OnnxOperator> move_onnx_operators() {
  return {{"Transpose", import_transpose, fold_permuted},
          {"Expand", import_expand, fold_expanded},
          {"Tile", import_tile, fold_tiled},
          {"Cast", import_cast, fold_converted},
          {"CastLike", import_cast, fold_converted},
          {"Dropout", import_dropout},
          {"DepthToSpace", import_depth_to_space},
          {"SpaceToDepth", import_space_to_depth}};
}

}  // namespace poet
