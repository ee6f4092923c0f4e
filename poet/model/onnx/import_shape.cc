#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "poet/base/checked_math.h"
#include "poet/model/constant_folding.h"
#include "poet/model/onnx/operators.h"

// Values under another shape, shapes as values, and constants.

namespace poet {
namespace {

// Input 0 under another shape of as many values: a constant stays one.
void output_view(NodeImport& node, const Shape& shape) {
  if (node.failed()) return;
  const TensorType type = node.type(0);
  if (type.shape == shape) return node.output_input(0, 0);
  const Constant* const known = node.is_trainable(0) ? nullptr : node.constant(0);
  if (known == nullptr) return node.output(0, node.reshaped(node.tensor(0), shape));
  node.output(0, Constant{{type.element, shape}, known->values});
}

std::optional<std::int64_t> product(const Shape& shape) {
  std::optional<std::int64_t> count = 1;
  for (const std::int64_t extent : shape) {
    if (count) count = checked_multiply(*count, extent);
  }
  return count;
}

// 0 stands for the extent that was there, and one -1 for what is left.
std::optional<Shape> wanted_shape(const Shape& given, const Shape& from, bool zero_is_zero) {
  Shape shape = given;
  std::int64_t* open = nullptr;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && !zero_is_zero) {
      if (d >= from.size()) return std::nullopt;
      shape[d] = from[d];
    }
    if (shape[d] < -1 || (shape[d] == -1 && open != nullptr)) return std::nullopt;
    if (shape[d] == -1) open = &shape[d];
  }
  const std::int64_t count = value_count(from);
  if (open != nullptr) {
    *open = 1;
    const std::optional<std::int64_t> others = product(shape);
    if (!others || *others == 0 || count % *others != 0) return std::nullopt;
    *open = count / *others;
  }
  return product(shape) == count ? std::optional(shape) : std::nullopt;
}

void import_reshape(NodeImport& node) {
  node.expect_inputs(2, 2);
  const bool zero_is_zero = node.flag("allowzero", false);
  const Shape from = node.shape(0);
  const Shape given = node.known_wholes(1, "its shape");
  if (node.failed()) return;
  const std::optional<Shape> shape = wanted_shape(given, from, zero_is_zero);
  if (!shape)
    return node.refuse(
        fmt::format("{} cannot take the shape {}", to_text(node.type(0)), to_text(given)));
  output_view(node, *shape);
}

void import_flatten(NodeImport& node) {
  node.expect_inputs(1, 1);
  const Shape shape = node.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = node.whole("axis", 1);
  // One past the last dimension is an axis too.
  if (axis != rank) axis = node.axis(axis, rank);
  if (node.failed()) return;
  output_view(node, {value_count(Shape(shape.begin(), shape.begin() + axis)),
                     value_count(Shape(shape.begin() + axis, shape.end()))});
}

// Axes are an attribute before opset 13 and an input since.
std::vector<std::int64_t> given_axes(NodeImport& node) {
  node.expect_inputs(1, 2);
  return node.has_input(1) ? node.known_wholes(1, "its axes") : node.wholes("axes");
}

void import_squeeze(NodeImport& node) {
  const Shape shape = node.shape(0);
  const std::vector<std::int64_t> given = given_axes(node);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::vector<std::int64_t> axes = node.axes(given, rank);
  Shape squeezed;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t extent = shape[static_cast<std::size_t>(d)];
    const bool named = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (named && extent != 1)
      return node.refuse(fmt::format("dimension {} of {} is not 1", d, to_text(shape)));
    if (!named && (!given.empty() || extent != 1)) squeezed.push_back(extent);
  }
  output_view(node, squeezed);
}

void import_unsqueeze(NodeImport& node) {
  Shape shape = node.shape(0);
  const std::vector<std::int64_t> given = given_axes(node);
  if (given.size() > 64) return node.refuse("adds more than 64 dimensions");
  const std::vector<std::int64_t> axes =
      node.axes(given, static_cast<std::int64_t>(shape.size() + given.size()));
  if (node.failed()) return;
  for (const std::int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
  output_view(node, shape);
}

void import_identity(NodeImport& node) {
  node.expect_inputs(1, 1);
  node.output_input(0, 0);
}

// Since opset 15 of the dimensions from `start` to `end` only.
void import_shape(NodeImport& node) {
  node.expect_inputs(1, 1);
  const Shape shape = node.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [rank](std::int64_t given) {
    return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const std::int64_t start = place(node.whole("start", 0));
  const std::int64_t end = std::max(start, place(node.whole("end", rank)));
  if (node.failed()) return;
  node.output(0, whole_array({shape.begin() + start, shape.begin() + end}));
}

void import_size(NodeImport& node) {
  node.expect_inputs(1, 1);
  node.output(0, whole_scalar(value_count(node.shape(0))));
}

void import_constant(NodeImport& node) {
  node.expect_inputs(0, 0);
  if (std::optional<Constant> value = node.tensor_attribute("value"))
    return node.output(0, *std::move(value));
  if (node.has_attribute("value_int"))
    return node.output(0, whole_scalar(node.whole("value_int", 0)));
  if (node.has_attribute("value_ints"))
    return node.output(0, whole_array(node.wholes("value_ints")));
  if (node.has_attribute("value_float"))
    return node.output(
        0, Constant{{ElementType::Float32, {}}, FilledWith{node.number("value_float", 0)}});
  if (node.has_attribute("value_floats")) {
    std::vector<float> values = node.numbers("value_floats");
    const auto count = static_cast<std::int64_t>(values.size());
    return node.output(0, KnownArray{{ElementType::Float32, {count}}, std::move(values)});
  }
  node.refuse("has no value that POET reads");
}

void import_constant_of_shape(NodeImport& node) {
  node.expect_inputs(1, 1);
  const Shape shape = node.known_wholes(0, "its shape");
  const Constant value =
      node.tensor_attribute("value").value_or(Constant{{ElementType::Float32, {1}}, FilledWith{0}});
  const std::optional<double> number = single_value(value);
  if (!number) return node.refuse("its value must be one number");
  if (value.type.element == ElementType::Int64 &&
      array_of({value.type, FilledWith{*number}}) != array_of(value))
    return node.refuse("POET fills a tensor with whole numbers of up to 53 bits only",
                       ErrorCode::Unsupported);
  node.expect_extents(shape);
  if (node.failed()) return;
  node.output(0, Constant{{value.type.element, shape}, FilledWith{*number}});
}

void fold_count(NodeImport& node) {
  node.expect_inputs(3, 3);
  const KnownArray start = node.array(0);
  const KnownArray end = node.array(1);
  const KnownArray step = node.array(2);
  if (node.failed()) return;
  const Result<KnownArray> result = fold_range(start, end, step);
  if (!result.ok()) return node.refuse(result.error().message);
  node.output(0, *result);
}

}  // namespace

std::vector<OnnxOperator> shape_onnx_operators() {
  return {{"Reshape", import_reshape},
          {"Flatten", import_flatten},
          {"Squeeze", import_squeeze},
          {"Unsqueeze", import_unsqueeze},
          {"Identity", import_identity},
          {"Shape", import_shape},
          {"Size", import_size},
          {"Constant", import_constant},
          {"ConstantOfShape", import_constant_of_shape},
          {"Range", nullptr, fold_count}};
}

}  // namespace poet
