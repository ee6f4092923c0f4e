#include "poet/runtime/gather_nd.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/picks.h"
#include "poet/graph/operators/shape_rules.h"

// Picks slices by lists of coordinates: the last dimension of the indices.

namespace poet {
namespace {

std::int64_t batch_of(const OperationTypes& types) {
  return std::get<GatherNdAttributes>(types.attributes).batch;
}

// Dimensions of x before what is picked whole.
std::int64_t depth_of(const OperationTypes& types, const TensorType& indices) {
  return batch_of(types) + indices.shape.back();
}

bool fits(const Shape& x, const Shape& indices, std::int64_t batch) {
  if (indices.empty() || batch < 0 || batch >= std::ssize(indices) || batch >= std::ssize(x))
    return false;
  return indices.back() <= std::ssize(x) - batch && indices.back() <= POET_MAX_COORDINATES &&
         std::equal(x.begin(), x.begin() + batch, indices.begin());
}

OutputTypes picked_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const TensorType& indices = types.inputs[1];
  const auto* const attributes = std::get_if<GatherNdAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("gather by coordinates");
  if (indices.element != ElementType::Int32 && indices.element != ElementType::Int64)
    return bad_input("the indices must be int32 or int64, not " + to_text(indices));
  if (!fits(x.shape, indices.shape, attributes->batch))
    return bad_input(fmt::format("the indices {} do not fit {} with {} dimensions in front",
                                 to_text(indices), to_text(x), attributes->batch));
  TensorType y{x.element, {indices.shape.begin(), indices.shape.end() - 1}};
  y.shape.insert(y.shape.end(), x.shape.begin() + depth_of(types, indices), x.shape.end());
  return std::vector<TensorType>{y};
}

// poet_gather_nd_shape (poet/runtime/gather_nd.h).
std::vector<KernelWord> words(const OperationTypes& types, const TensorType& x,
                              const TensorType& indices) {
  const auto after_batch = x.shape.begin() + batch_of(types);
  const auto after_all = x.shape.begin() + depth_of(types, indices);
  return KernelWords()
      .integer("element_bytes", byte_size(x.element))
      .integer("index_bytes", byte_size(indices.element))
      .integer("batch", value_count({x.shape.begin(), after_batch}))
      .integer("picks",
               value_count({indices.shape.begin() + batch_of(types), indices.shape.end() - 1}))
      .integer("width", indices.shape.back())
      .integer("inner", value_count({after_all, x.shape.end()}))
      .array("extents", {after_batch, after_all}, 1)
      .take();
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_gather_nd_forward),
          .shape = words(types, types.inputs[0], types.inputs[1]),
          .inputs = {0, 1},
          .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_gather_nd_gradient_f32),
          .shape = words(types, types.outputs[0], types.inputs[0]),
          .inputs = {0, 1},
          .outputs = {0}};
}

struct BatchSteps {
  std::int64_t x_bytes = 0;
  std::int64_t indices_bytes = 0;
  std::int64_t picked_bytes = 0;
};

BatchSteps batch_steps(const KernelCall& call) {
  const std::int64_t slice = whole_in(call, "element_bytes") * whole_in(call, "inner");
  const std::int64_t width = whole_in(call, "width");
  const std::int64_t picks = whole_in(call, "picks");
  return {.x_bytes = slice * product_in(call, "extents", 0, width),
          .indices_bytes = whole_in(call, "index_bytes") * picks * width,
          .picked_bytes = slice * picks};
}

Division divides_forward(const KernelCall& call) {
  const BatchSteps steps = batch_steps(call);
  return {.along = "batch",
          .input_steps_bytes = {steps.x_bytes, steps.indices_bytes},
          .output_steps_bytes = {steps.picked_bytes}};
}

Division divides_gradient(const KernelCall& call) {
  const BatchSteps steps = batch_steps(call);
  return {.along = "batch",
          .input_steps_bytes = {steps.indices_bytes, steps.picked_bytes},
          .output_steps_bytes = {steps.x_bytes}};
}

// The least of those that coordinates stay below.
std::int64_t least_extent(const OperationTypes& types, const TensorType& x,
                          const TensorType& indices) {
  return *std::min_element(x.shape.begin() + batch_of(types),
                           x.shape.begin() + depth_of(types, indices));
}

// The batch, and what is picked whole; forward the picks too, which the gradient adds up.
Axes coordinate_axes(const OperationTypes& types) {
  const bool is_gradient = types.kind == Operator::GatherNdGradient;
  const TensorType& x = is_gradient ? types.outputs[0] : types.inputs[0];
  const TensorType& indices = types.inputs[is_gradient ? 0 : 1];
  const auto batch = static_cast<std::size_t>(batch_of(types));
  const auto depth = static_cast<std::size_t>(depth_of(types, indices));
  const std::size_t picked = indices.shape.size() - 1;
  Axes axes;
  const auto add = [&](std::int64_t extent, std::optional<Follows> in_x,
                       std::optional<Follows> in_indices, std::size_t in_picked) {
    PartAxis axis = axis_of(types, extent);
    (is_gradient ? axis.outputs[0] : axis.inputs[0]) = in_x;
    axis.inputs[is_gradient ? 0 : 1] = in_indices;
    (is_gradient ? axis.inputs[1] : axis.outputs[0]) = dimension(in_picked);
    axes.push_back(std::move(axis));
  };
  for (std::size_t d = 0; d < batch; ++d) add(x.shape[d], dimension(d), dimension(d), d);
  for (std::size_t d = batch; d < picked && !is_gradient; ++d)
    add(indices.shape[d], std::nullopt, dimension(d), d);
  for (std::size_t d = depth; d < x.shape.size(); ++d)
    add(x.shape[d], dimension(d), std::nullopt, picked + d - depth);
  return axes;
}

}  // namespace

std::vector<OperatorEntry> gather_nd_operators() {
  return {pick_entry({.id = Operator::GatherNd,
                      .name = "gather_nd",
                      .roles = kPlainInputs,
                      .kernel = forward_call,
                      .divides = divides_forward,
                      .parts = InParts{coordinate_axes},
                      .domain = InputDomain{.index_extent = picked_extent<least_extent>}},
                     picked_type, picked_gradient<Operator::GatherNdGradient>,
                     special_in_onnx("GatherND", 11)),
          pick_gradient_entry(
              {.id = Operator::GatherNdGradient,
               .name = "gather_nd_gradient",
               .roles = kPlainInputs,
               .kernel = gradient_call,
               .divides = divides_gradient,
               .parts = InParts{coordinate_axes},
               .domain = InputDomain{.index_extent = picked_gradient_extent<least_extent>}})};
}

}  // namespace poet
