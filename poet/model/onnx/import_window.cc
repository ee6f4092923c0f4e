#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "poet/base/checked_math.h"
#include "poet/model/onnx/operators.h"

// Convolutions and pools. A window has one value for each spatial dimension.

namespace poet {
namespace {

using Extents = std::vector<std::int64_t>;

// The attribute, or `otherwise` in every dimension.
Extents spatial(NodeImport& node, std::string_view name, std::size_t count,
                std::int64_t otherwise) {
  if (!node.has_attribute(name)) return Extents(count, otherwise);
  Extents values = node.wholes(name);
  if (values.size() == count) return values;
  node.refuse(fmt::format("the attribute {} has {} values for {} spatial dimensions", name,
                          values.size(), count));
  return Extents(count, otherwise);
}

// Of what must stay small for sums and products with it not to overflow.
bool all_countable(const Extents& values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t value) { return value >= 1 && value <= kMaxValues; });
}

// Half of the padding on each side; the odd one where the name says.
void split_padding(WindowAttributes& window, std::size_t d, std::int64_t total,
                   const std::string& auto_pad) {
  const std::int64_t half = total / 2;
  window.padding_begin[d] = auto_pad == "SAME_LOWER" ? total - half : half;
  window.padding_end[d] = total - window.padding_begin[d];
}

std::int64_t reach(const WindowAttributes& window, std::size_t d) {
  return (window.kernel[d] - 1) * window.dilation[d] + 1;
}

// auto_pad, or pads: all begins, then all ends.
void read_padding(NodeImport& node, WindowAttributes& window, const Extents& picture) {
  const std::size_t count = picture.size();
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  window.padding_begin.assign(count, 0);
  window.padding_end.assign(count, 0);
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    node.ignore("pads");
    for (std::size_t d = 0; d < count; ++d) {
      const std::int64_t places = (picture[d] - 1) / window.stride[d] + 1;
      const std::int64_t wanted = (places - 1) * window.stride[d] + reach(window, d);
      split_padding(window, d, std::max<std::int64_t>(wanted - picture[d], 0), auto_pad);
    }
    return;
  }
  if (auto_pad == "VALID") return node.ignore("pads");
  if (auto_pad != "NOTSET" && !auto_pad.empty())
    return node.refuse("auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  const Extents pads = spatial(node, "pads", 2 * count, 0);
  window.padding_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(count));
  window.padding_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(count), pads.end());
}

// What all of them have. `picture` has the extents of the input's spatial dimensions.
WindowAttributes read_window(NodeImport& node, const Extents& picture, Extents kernel) {
  WindowAttributes window;
  window.kernel = std::move(kernel);
  window.stride = spatial(node, "strides", picture.size(), 1);
  window.dilation = spatial(node, "dilations", picture.size(), 1);
  if (!all_countable(window.kernel) || !all_countable(window.stride) ||
      !all_countable(window.dilation))
    node.refuse("kernel, strides and dilations must be at least 1 and fit in 31 bits");
  return window;
}

// The spatial extents of an input (N, C, ...); refuses what has none.
Extents picture_of(NodeImport& node, int input) {
  const Shape shape = node.shape(input);
  if (!node.failed() && shape.size() < 3)
    node.refuse(fmt::format("takes (N, C) and spatial dimensions, not {}", to_text(shape)));
  return node.failed() ? Extents{} : Extents(shape.begin() + 2, shape.end());
}

Extents kernel_of_weights(NodeImport& node, const Extents& picture) {
  const Shape weights = node.shape(1);
  if (!node.failed() && weights.size() != picture.size() + 2)
    node.refuse(fmt::format("the weights must have as many dimensions as the input, not {}",
                            to_text(weights)));
  if (node.failed()) return {};
  const Extents kernel(weights.begin() + 2, weights.end());
  if (spatial(node, "kernel_shape", picture.size(), 0) != kernel &&
      node.has_attribute("kernel_shape"))
    node.refuse(fmt::format("kernel_shape is not that of the weights {}", to_text(weights)));
  return kernel;
}

std::vector<TensorId> picture_weights_bias(NodeImport& node) {
  std::vector<TensorId> inputs{node.tensor(0), node.weight(1)};
  if (node.has_input(2)) inputs.push_back(node.weight(2));
  return inputs;
}

void import_conv(NodeImport& node) {
  node.expect_inputs(2, 3);
  const Extents picture = picture_of(node, 0);
  WindowAttributes window = read_window(node, picture, kernel_of_weights(node, picture));
  window.groups = node.whole("group", 1);
  if (node.failed()) return;
  read_padding(node, window, picture);
  node.output(0, node.add(Operator::Conv, window, picture_weights_bias(node)));
}

// The padding that makes the output as large as output_shape says, or as stride times the input;
// what is still missing then is output padding.
void pad_to(NodeImport& node, WindowAttributes& window, const Extents& picture,
            const Extents& output) {
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  node.ignore("pads");
  if (!all_countable(output)) return node.refuse("the output's extents must fit in 31 bits");
  for (std::size_t d = 0; d < picture.size(); ++d) {
    const std::int64_t full = window.stride[d] * (picture[d] - 1) + reach(window, d);
    const std::int64_t total = full + window.output_padding[d] - output[d];
    if (total < 0) window.output_padding[d] -= total;
    // The other way round than for a convolution: this is its gradient.
    split_padding(window, d, std::max<std::int64_t>(total, 0),
                  auto_pad == "SAME_UPPER" ? "" : "SAME_LOWER");
  }
}

void import_conv_transpose(NodeImport& node) {
  node.expect_inputs(2, 3);
  const Extents picture = picture_of(node, 0);
  WindowAttributes window = read_window(node, picture, kernel_of_weights(node, picture));
  window.groups = node.whole("group", 1);
  window.output_padding = spatial(node, "output_padding", picture.size(), 0);
  if (!std::all_of(window.output_padding.begin(), window.output_padding.end(),
                   [](std::int64_t value) { return value >= 0 && value <= kMaxValues; }))
    node.refuse("output_padding must be at least 0");
  if (node.failed()) return;
  window.padding_begin.assign(picture.size(), 0);
  window.padding_end.assign(picture.size(), 0);
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  Extents output;
  for (std::size_t d = 0; d < picture.size(); ++d) output.push_back(picture[d] * window.stride[d]);
  if (node.has_attribute("output_shape"))
    pad_to(node, window, picture, spatial(node, "output_shape", picture.size(), 0));
  else if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER")
    pad_to(node, window, picture, output);
  else
    read_padding(node, window, picture);
  const bool none = std::all_of(window.output_padding.begin(), window.output_padding.end(),
                                [](std::int64_t value) { return value == 0; });
  if (none) window.output_padding.clear();
  node.output(0, node.add(Operator::ConvTranspose, window, picture_weights_bias(node)));
}

WindowAttributes read_pool(NodeImport& node) {
  node.expect_inputs(1, 1);
  const Extents picture = picture_of(node, 0);
  WindowAttributes window =
      read_window(node, picture, spatial(node, "kernel_shape", picture.size(), 0));
  window.round_up = node.flag("ceil_mode", false);
  if (!node.failed()) read_padding(node, window, picture);
  return window;
}

void import_max_pool(NodeImport& node) {
  const WindowAttributes window = read_pool(node);
  if (!node.wants_output(1)) node.ignore("storage_order");
  node.output(0, node.add(Operator::MaxPool, window, {node.tensor(0)}));
}

void import_average_pool(NodeImport& node) {
  WindowAttributes window = read_pool(node);
  window.counts_padding = node.flag("count_include_pad", false);
  node.output(0, node.add(Operator::AveragePool, window, {node.tensor(0)}));
}

// Over all spatial dimensions, which stay with extent 1.
template <Operator kKind>
void import_global_pool(NodeImport& node) {
  node.expect_inputs(1, 1);
  ReduceAttributes attributes{.axes = Extents(picture_of(node, 0).size())};
  std::iota(attributes.axes.begin(), attributes.axes.end(), 2);
  node.output(0, node.add(kKind, attributes, {node.tensor(0)}));
}

// y = x / (bias + alpha / size * sum of the squares of `size` channels around)^beta: the mean of
// the squares is an average pool over the channels as one spatial dimension, padding counted.
void import_local_response(NodeImport& node) {
  node.expect_inputs(1, 1);
  const Shape shape = node.shape(0);
  const std::int64_t size = node.whole("size", 1);
  const float alpha = node.number("alpha", 1e-4F);
  const float beta = node.number("beta", 0.75F);
  const float bias = node.number("bias", 1);
  if (!node.failed() && (shape.size() < 2 || size < 1 || size > kMaxValues))
    node.refuse(fmt::format("takes (N, C, ...) and a size of at least 1, not {} and {}",
                            to_text(shape), size));
  if (node.failed()) return;
  const TensorId x = node.tensor(0);
  const TensorId squares = node.add(Operator::Mul, std::monostate{}, {x, x});
  const std::int64_t pixels = value_count(Shape(shape.begin() + 2, shape.end()));
  const TensorId flat = node.reshaped(squares, {shape[0], 1, shape[1], pixels});
  const TensorId mean = node.add(Operator::AveragePool,
                                 WindowAttributes{.kernel = {size, 1},
                                                  .stride = {1, 1},
                                                  .padding_begin = {(size - 1) / 2, 0},
                                                  .padding_end = {size / 2, 0},
                                                  .dilation = {1, 1},
                                                  .counts_padding = true},
                                 {flat});
  const TensorId spread = node.reshaped(mean, shape);
  const TensorId scaled = node.add(Operator::Mul, std::monostate{}, {spread, node.scalar(alpha)});
  const TensorId base = node.add(Operator::Add, std::monostate{}, {scaled, node.scalar(bias)});
  const TensorId power = node.add(Operator::Pow, std::monostate{}, {base, node.scalar(beta)});
  node.output(0, node.add(Operator::Div, std::monostate{}, {x, power}));
}

}  // namespace

std::vector<OnnxOperator> window_onnx_operators() {
  return {{"Conv", import_conv},
          {"ConvTranspose", import_conv_transpose},
          {"MaxPool", import_max_pool},
          {"AveragePool", import_average_pool},
          {"GlobalAveragePool", import_global_pool<Operator::ReduceMean>},
          {"GlobalMaxPool", import_global_pool<Operator::ReduceMax>},
          {"LRN", import_local_response}};
}

}  // namespace poet
