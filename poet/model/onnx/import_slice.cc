#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "poet/base/checked_math.h"
#include "poet/graph/operator_table.h"
#include "poet/model/constant_folding.h"
#include "poet/model/onnx/operators.h"

// Parts of tensors, and tensors put together.

namespace poet {
namespace {

SliceAttributes whole_of(const Shape& shape) {
  return {.start = std::vector<std::int64_t>(shape.size(), 0),
          .step = std::vector<std::int64_t>(shape.size(), 1),
          .extent = shape};
}

// As numpy reads start:end:step of a dimension: negative places count from the end, places outside
// are brought to the edge.
void cut(SliceAttributes& slice, std::size_t d, std::int64_t start, std::int64_t end,
         std::int64_t step) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const std::int64_t extent = slice.extent[d];
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t most = step > 0 ? extent : extent - 1;
  const auto place = [&](std::int64_t given) {
    if (given < 0) given = given < -extent ? -1 - extent : given + extent;
    return std::clamp(given, least, most);
  };
  const std::int64_t first = place(start);
  const std::int64_t distance = step > 0 ? place(end) - first : first - place(end);
  const std::int64_t stride = step > 0 ? step : -std::max(step, -kLargest);
  slice.start[d] = first;
  slice.step[d] = step;
  slice.extent[d] = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  if (slice.extent[d] <= 1) slice.step[d] = 1;
  if (slice.extent[d] == 0) slice.start[d] = 0;
}

// Attributes before opset 10, inputs since.
struct SliceLists {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> steps;
};

SliceLists read_lists(NodeImport& node) {
  SliceLists lists;
  const bool by_inputs = node.opset() >= 10;
  node.expect_inputs(by_inputs ? 3 : 1, by_inputs ? 5 : 1);
  lists.starts = by_inputs ? node.known_wholes(1, "its starts") : node.wholes("starts");
  lists.ends = by_inputs ? node.known_wholes(2, "its ends") : node.wholes("ends");
  if (by_inputs && node.has_input(3)) lists.axes = node.known_wholes(3, "its axes");
  if (!by_inputs) lists.axes = node.wholes("axes");
  if (by_inputs && node.has_input(4)) lists.steps = node.known_wholes(4, "its steps");
  if (lists.axes.empty()) {
    lists.axes.resize(lists.starts.size());
    std::iota(lists.axes.begin(), lists.axes.end(), 0);
  }
  if (lists.steps.empty()) lists.steps.assign(lists.starts.size(), 1);
  return lists;
}

SliceAttributes read_slice(NodeImport& node) {
  const SliceLists lists = read_lists(node);
  const std::size_t count = lists.starts.size();
  SliceAttributes slice = whole_of(node.shape(0));
  if (lists.ends.size() != count || lists.axes.size() != count || lists.steps.size() != count)
    node.refuse("its starts, ends, axes and steps are not as many");
  node.axes(lists.axes, static_cast<std::int64_t>(slice.extent.size()));
  if (std::find(lists.steps.begin(), lists.steps.end(), 0) != lists.steps.end())
    node.refuse("a step is 0");
  if (node.failed()) return slice;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis =
        node.axis(lists.axes[i], static_cast<std::int64_t>(slice.extent.size()));
    cut(slice, static_cast<std::size_t>(axis), lists.starts[i], lists.ends[i], lists.steps[i]);
  }
  return slice;
}

// Refuses what leaves nothing: a tensor of the graph has values.
void output_slice(NodeImport& node, int k, const SliceAttributes& slice) {
  if (node.failed()) return;
  if (slice == whole_of(node.shape(0))) return node.output_input(k, 0);
  if (std::find(slice.extent.begin(), slice.extent.end(), 0) != slice.extent.end())
    return node.refuse(fmt::format("leaves nothing of {}", to_text(node.type(0))));
  node.output(k, node.add(Operator::Slice, slice, {node.tensor(0)}));
}

void import_slice(NodeImport& node) {
  output_slice(node, 0, read_slice(node));
}

void fold_part(NodeImport& node) {
  const SliceAttributes slice = read_slice(node);
  const KnownArray x = node.array(0);
  if (!node.failed()) node.output(0, fold_slice(x, slice.start, slice.step, slice.extent));
}

// The axis and the extents of the parts: an attribute before opset 13 and an input since; equal
// parts where there is neither.
struct Parts {
  std::int64_t axis = 0;
  std::vector<std::int64_t> extents;
};

// Since opset 18 the number of parts is an attribute, and the last part is smaller where it does
// not divide the extent.
std::vector<std::int64_t> even_parts(NodeImport& node, std::int64_t extent, std::int64_t count) {
  const bool is_stated = node.opset() >= 18 && node.has_attribute("num_outputs");
  if (is_stated && node.whole("num_outputs", 0) != count)
    node.refuse(fmt::format("num_outputs is not the number of its outputs, {}", count));
  if (extent % count != 0 && !is_stated) return {};
  const std::int64_t part = (extent + count - 1) / count;
  std::vector<std::int64_t> extents(static_cast<std::size_t>(count), part);
  extents.back() = extent - part * (count - 1);
  return extents;
}

Parts read_parts(NodeImport& node) {
  node.expect_inputs(1, node.opset() < 13 ? 1 : 2);
  Parts parts;
  const Shape shape = node.shape(0);
  parts.axis = node.axis(node.whole("axis", 0), static_cast<std::int64_t>(shape.size()));
  parts.extents = node.has_input(1) ? node.known_wholes(1, "its split") : node.wholes("split");
  if (node.failed()) return {};
  const std::int64_t extent = shape[static_cast<std::size_t>(parts.axis)];
  const std::int64_t count = node.output_count();
  if (parts.extents.empty() && count > 0) parts.extents = even_parts(node, extent, count);
  std::optional<std::int64_t> sum = 0;
  for (const std::int64_t part : parts.extents) {
    if (part < 0) sum.reset();
    if (sum) sum = checked_add(*sum, part);
  }
  if (sum != extent || static_cast<std::int64_t>(parts.extents.size()) != count)
    node.refuse(fmt::format("does not split {} values in {} parts {}", extent, count,
                            to_text(parts.extents)));
  return parts;
}

template <typename Output>
void for_each_part(NodeImport& node, Output output) {
  const Parts parts = read_parts(node);
  if (node.failed()) return;
  std::int64_t start = 0;
  for (int k = 0; k < node.output_count(); ++k) {
    const auto d = static_cast<std::size_t>(parts.axis);
    SliceAttributes slice = whole_of(node.shape(0));
    slice.start[d] = start;
    slice.extent[d] = parts.extents[static_cast<std::size_t>(k)];
    start += slice.extent[d];
    output(k, slice);
  }
}

void import_split(NodeImport& node) {
  for_each_part(node, [&node](int k, const SliceAttributes& slice) {
    if (node.is_needed(k)) output_slice(node, k, slice);
  });
}

void fold_split(NodeImport& node) {
  const KnownArray x = node.array(0);
  for_each_part(node, [&](int k, const SliceAttributes& slice) {
    node.output(k, fold_slice(x, slice.start, slice.step, slice.extent));
  });
}

std::int64_t read_concat_axis(NodeImport& node) {
  if (node.input_count() < 1) node.expect_inputs(1, 1 << 20);
  if (node.opset() >= 4 && !node.has_attribute("axis")) node.refuse("has no axis");
  return node.axis(node.whole("axis", 1), node.rank(0));
}

// Any number of tensors, as many at a time as the operator takes.
void import_concat(NodeImport& node) {
  const std::int64_t axis = read_concat_axis(node);
  if (node.input_count() == 1) return node.output_input(0, 0);
  const auto most = static_cast<std::size_t>(entry_of(Operator::Concat).most_inputs);
  std::vector<TensorId> parts;
  for (int i = 0; i < node.input_count() && !node.failed(); ++i) {
    if (parts.size() == most) parts = {node.add(Operator::Concat, AxisAttributes{axis}, parts)};
    parts.push_back(node.tensor(i));
  }
  node.output(0, node.add(Operator::Concat, AxisAttributes{axis}, parts));
}

void fold_joined(NodeImport& node) {
  const std::int64_t axis = read_concat_axis(node);
  std::vector<KnownArray> parts;
  for (int i = 0; i < node.input_count(); ++i) parts.push_back(node.array(i));
  if (node.failed()) return;
  const Result<KnownArray> result = fold_concat(parts, axis);
  if (!result.ok()) return node.refuse(result.error().message);
  node.output(0, *result);
}

void import_gather(NodeImport& node) {
  node.expect_inputs(2, 2);
  const std::int64_t axis = node.axis(node.whole("axis", 0), node.rank(0));
  node.output(0,
              node.add(Operator::Gather, AxisAttributes{axis}, {node.tensor(0), node.tensor(1)}));
}

void fold_picked(NodeImport& node) {
  node.expect_inputs(2, 2);
  const std::int64_t axis = node.axis(node.whole("axis", 0), node.rank(0));
  const KnownArray x = node.array(0);
  const KnownArray indices = node.array(1);
  if (node.failed()) return;
  const Result<KnownArray> result = fold_gather(x, indices, axis);
  if (!result.ok()) return node.refuse(result.error().message);
  node.output(0, *result);
}

// Since opset 18 the pads may be those of some dimensions.
std::vector<std::int64_t> pads_of_all(NodeImport& node, const std::vector<std::int64_t>& given) {
  const std::int64_t rank = node.rank(0);
  const std::vector<std::int64_t> axes = node.known_wholes(3, "its axes");
  node.axes(axes, rank);
  if (!node.failed() && given.size() != 2 * axes.size())
    node.refuse(fmt::format("has {} pads for {} axes", given.size(), axes.size()));
  if (node.failed()) return {};
  std::vector<std::int64_t> pads(static_cast<std::size_t>(2 * rank));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = node.axis(axes[i], rank);
    pads[static_cast<std::size_t>(axis)] = given[i];
    pads[static_cast<std::size_t>(axis + rank)] = given[i + axes.size()];
  }
  return pads;
}

// Attributes before opset 11, inputs since.
void import_pad(NodeImport& node) {
  const bool by_inputs = node.opset() >= 11;
  node.expect_inputs(by_inputs ? 2 : 1, node.opset() >= 18 ? 4 : by_inputs ? 3 : 1);
  const std::string mode = node.text("mode", "constant");
  PadAttributes pad;
  pad.mode = value_of(kPadModes, mode).value_or(PadMode::Constant);
  if (!value_of(kPadModes, mode))
    node.refuse("its mode must be constant, edge or reflect", ErrorCode::Unsupported);
  std::vector<std::int64_t> pads =
      by_inputs ? node.known_wholes(1, "its pads") : node.wholes("pads");
  if (node.has_input(3)) pads = pads_of_all(node, pads);
  if (!by_inputs) pad.value = node.number("value", 0);
  if (by_inputs && node.has_input(2))
    pad.value = static_cast<float>(node.known_number(2, "its value"));
  const auto rank = static_cast<std::size_t>(node.rank(0));
  if (!node.failed() && pads.size() != 2 * rank)
    node.refuse(fmt::format("has {} pads for {}", pads.size(), to_text(node.type(0))));
  if (node.failed()) return;
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  pad.begin.assign(pads.begin(), half);
  pad.end.assign(half, pads.end());
  node.output(0, node.add(Operator::Pad, pad, {node.tensor(0)}));
}

}  // namespace

std::vector<OnnxOperator> slice_onnx_operators() {
  return {{"Slice", import_slice, fold_part},
          {"Split", import_split, fold_split},
          {"Concat", import_concat, fold_joined},
          {"Gather", import_gather, fold_picked},
          {"Pad", import_pad}};
}

}  // namespace poet
