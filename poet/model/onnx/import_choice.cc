#include <fmt/format.h>

#include <cmath>

#include "poet/model/onnx/operators.h"

// Which values are largest or smallest, and places as rows of zeros and ones.

namespace poet {
namespace {

// An attribute before opset 10, and an input since.
std::int64_t count_to_choose(NodeImport& node) {
  if (node.opset() < 10) {
    node.expect_inputs(1, 1);
    return node.whole("k", 0);
  }
  node.expect_inputs(2, 2);
  const std::vector<std::int64_t> given = node.known_wholes(1, "its k");
  if (!node.failed() && given.size() != 1) node.refuse("its k must be one number");
  return node.failed() ? 0 : given[0];
}

// Values that need not be in order are in order, too.
void import_top_k(NodeImport& node) {
  node.ignore("sorted");
  const std::int64_t count = count_to_choose(node);
  const std::int64_t axis = node.axis(node.whole("axis", -1), node.rank(0));
  const TopKAttributes top{.axis = axis, .count = count, .largest = node.flag("largest", true)};
  const std::vector<TensorId> outputs = node.add_all(Operator::TopK, top, {node.tensor(0)});
  if (node.failed()) return;
  node.output(0, outputs[0]);
  node.output(1, outputs[1]);
}

template <Operator kKind>
void import_arg(NodeImport& node) {
  node.expect_inputs(1, 1);
  const std::int64_t axis = node.axis(node.whole("axis", 0), node.rank(0));
  const bool keeps_dimension = node.flag("keepdims", true);
  const ArgAttributes arg{.axis = axis, .last = node.flag("select_last_index", false)};
  const TensorId places = node.add(kKind, arg, {node.tensor(0)});
  if (node.failed()) return;
  Shape shape = node.shape_of(places);
  if (!keeps_dimension) shape.erase(shape.begin() + axis);
  node.output(0, node.reshaped(places, shape));
}

// --- Rows of zeros and ones

struct OneHot {
  std::int64_t depth = 1;
  std::int64_t axis = 0;
  TensorType type = {};  // of the two values, of which most are 0 and 1
  double off = 0;
  double on = 1;
};

double value_in(const KnownArray& array, std::size_t i) {
  return array.is_float() ? static_cast<double>(array.floats()[i])
                          : static_cast<double>(array.wholes()[i]);
}

OneHot read_one_hot(NodeImport& node) {
  node.expect_inputs(3, 3);
  OneHot hot;
  const double depth = node.known_number(1, "its depth");
  hot.axis = node.axis(node.whole("axis", -1), node.rank(0) + 1);
  const KnownArray values = node.array(2);
  if (node.failed()) return hot;
  if (!(depth >= 1 && depth <= static_cast<double>(kLargestKnownArray)) ||
      depth != std::floor(depth))
    node.refuse(fmt::format("its depth must be a whole number, 1 to {}", kLargestKnownArray));
  if (value_count(values.type.shape) != 2) node.refuse("its values must be two");
  if (node.failed()) return hot;
  hot.depth = static_cast<std::int64_t>(depth);
  hot.type = values.type;
  hot.off = value_in(values, 0);
  hot.on = value_in(values, 1);
  // They are chosen as float32, which holds these.
  constexpr double kExact = 1 << 24;
  if (!values.is_float() && (std::abs(hot.off) > kExact || std::abs(hot.on) > kExact))
    node.refuse(fmt::format("its values must be at most {} in size", 1 << 24),
                ErrorCode::Unsupported);
  return hot;
}

// depth places from `first` on, to be compared with indices that have a dimension for them.
TensorId places_from(NodeImport& node, const OneHot& hot, std::int64_t first) {
  Shape shape(static_cast<std::size_t>(node.rank(0) + 1 - hot.axis), 1);
  shape[0] = hot.depth;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < hot.depth; ++i) places.push_back(first + i);
  return node.known(constant_of({{ElementType::Int64, shape}, places}), "places");
}

// Negative indices count from the end.
void import_one_hot(NodeImport& node) {
  const OneHot hot = read_one_hot(node);
  TensorId indices = node.tensor(0);
  if (node.failed()) return;
  Shape shape = node.shape(0);
  if (node.type(0).element != ElementType::Int64)
    indices = node.add(Operator::Cast, CastAttributes{ElementType::Int64}, {indices});
  shape.insert(shape.begin() + hot.axis, 1);
  indices = node.reshaped(indices, shape);
  const TensorId from_begin = node.binary(Operator::Equal, indices, places_from(node, hot, 0));
  const TensorId from_end =
      node.binary(Operator::Equal, indices, places_from(node, hot, -hot.depth));
  const TensorId is_on = node.binary(Operator::Or, from_begin, from_end);
  TensorId y = node.add(
      Operator::Where, std::monostate{},
      {is_on, node.scalar(static_cast<float>(hot.on)), node.scalar(static_cast<float>(hot.off))});
  if (hot.type.element != ElementType::Float32)
    y = node.add(Operator::Cast, CastAttributes{hot.type.element}, {y});
  node.output(0, y);
}

}  // namespace

std::vector<OnnxOperator> choice_onnx_operators() {
  return {{"TopK", import_top_k},
          {"ArgMax", import_arg<Operator::ArgMax>},
          {"ArgMin", import_arg<Operator::ArgMin>},
          {"OneHot", import_one_hot}};
}

}  // namespace poet
