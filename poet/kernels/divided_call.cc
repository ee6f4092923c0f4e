#include "poet/kernels/divided_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

#include "poet/kernels/shape_words.h"
#include "poet/runtime/batch_norm.h"
#include "poet/runtime/broadcast.h"
#include "poet/runtime/broadcast_sum.h"
#include "poet/runtime/conv.h"
#include "poet/runtime/dropout.h"
#include "poet/runtime/layer_norm.h"
#include "poet/runtime/matmul.h"
#include "poet/runtime/pool.h"
#include "poet/runtime/softmax.h"
#include "poet/runtime/strided_copy.h"

namespace poet {
namespace {

constexpr std::int64_t kFloat = sizeof(float);

// Below this, waking a thread takes longer than the work.
constexpr std::int64_t kLeastBytesOfPart = std::int64_t{16} << 10;

// A dimension to divide along: its extent, where that stands in the shape, and how far apart its
// places lie in every array; 0 for an array that all parts read.
struct Cut {
  std::int64_t extent = 0;
  std::int64_t multiple = 1;  // parts begin at multiples of it
  std::int64_t repeats = 1;   // so often the bytes of a step are worked on
  std::size_t extent_word = 0;
  std::optional<std::size_t> begin_word = {};  // where the shape says where a part begins
  std::optional<std::size_t> rest_word = {};   // where it says how many places other parts have
  std::vector<std::int64_t> input_steps_bytes = {};
  std::vector<std::int64_t> output_steps_bytes = {};
};

std::int64_t product(const std::int32_t (&extents)[3]) {
  return std::int64_t{extents[0]} * extents[1] * extents[2];
}

std::int64_t product_after_first(const std::int32_t* extents, std::int32_t rank) {
  std::int64_t values = 1;
  for (std::int32_t d = 1; d < rank; ++d) values *= extents[d];
  return values;
}

// --- One rule for each kind of shape

// The shape begins with the number of values, and every array has as many.
Cut cut_values(const PreparedCall& call) {
  return {.extent = call.shape[0],
          .input_steps_bytes = std::vector(call.inputs.size(), kFloat),
          .output_steps_bytes = std::vector(call.outputs.size(), kFloat)};
}

// The same, but that the last inputs are the step and the factor of clipped gradients.
template <std::size_t rest>
Cut cut_update(const PreparedCall& call) {
  Cut cut = cut_values(call);
  std::fill(cut.input_steps_bytes.end() - rest, cut.input_steps_bytes.end(), 0);
  return cut;
}

// Random words come in blocks of four.
Cut cut_dropout(const PreparedCall& call) {
  static_assert(offsetof(poet_dropout_shape, first) == 3 * sizeof(std::uint32_t));
  Cut cut = cut_update<1>(call);
  cut.multiple = 4;
  cut.begin_word = 3;
  return cut;
}

Cut cut_broadcast(const PreparedCall& call) {
  const auto shape = shape_of<poet_broadcast_shape>(call.shape);
  return {.extent = shape.extents[0],
          .extent_word = 1,
          .input_steps_bytes = {kFloat * shape.a_strides[0], kFloat * shape.b_strides[0]},
          .output_steps_bytes = {kFloat * product_after_first(shape.extents, shape.rank)}};
}

// Of dy alone: places of the operand are summed each by itself.
template <typename Shape>
Cut cut_broadcast_sum(const PreparedCall& call) {
  const auto shape = shape_of<Shape>(call.shape);
  if (shape.kept_rank == 0) return {};
  std::int64_t summed = 1;
  for (std::int32_t d = 0; d < shape.summed_rank; ++d) summed *= shape.summed_extents[d];
  return {
      .extent = shape.kept_extents[0],
      .repeats = summed,
      .extent_word = 2,
      .input_steps_bytes = {kFloat * shape.dy_kept_strides[0]},
      .output_steps_bytes = {kFloat * product_after_first(shape.kept_extents, shape.kept_rank)}};
}

Cut cut_copy(const PreparedCall& call) {
  const auto shape = shape_of<poet_strided_copy_shape>(call.shape);
  if (shape.rank == 0) return {};
  const std::int64_t row = product_after_first(shape.extents, shape.rank);
  return {.extent = shape.extents[0],
          .extent_word = 2,
          .input_steps_bytes = {std::int64_t{shape.element_bytes} * shape.x_strides[0]},
          .output_steps_bytes = {shape.element_bytes * row}};
}

Cut cut_matmul(const PreparedCall& call) {
  const auto shape = shape_of<poet_matmul_shape>(call.shape);
  return {.extent = shape.rows,
          .input_steps_bytes = {kFloat * shape.a_row_stride, 0, kFloat * shape.bias_row_stride},
          .output_steps_bytes = {kFloat * shape.columns}};
}

// Forward, and the gradient by the input: one sample after the other.
template <typename First, typename Last>
Cut cut_samples(const poet_conv_shape& shape, First from, Last to) {
  return {.extent = shape.batch,
          .input_steps_bytes = {kFloat * from(shape), 0, 0},
          .output_steps_bytes = {kFloat * to(shape)}};
}

std::int64_t values_of_x(const poet_conv_shape& shape) {
  return shape.in_channels * product(shape.input);
}

std::int64_t values_of_y(const poet_conv_shape& shape) {
  return shape.out_channels * product(shape.output);
}

Cut cut_conv(const PreparedCall& call) {
  return cut_samples(shape_of<poet_conv_shape>(call.shape), values_of_x, values_of_y);
}

Cut cut_conv_input_gradient(const PreparedCall& call) {
  return cut_samples(shape_of<poet_conv_shape>(call.shape), values_of_y, values_of_x);
}

Cut cut_pool(const PreparedCall& call) {
  const auto shape = shape_of<poet_pool_shape>(call.shape);
  return {.extent = shape.planes,
          .input_steps_bytes = {kFloat * product(shape.input)},
          .output_steps_bytes = {kFloat * product(shape.output)}};
}

Cut cut_max_pool_gradient(const PreparedCall& call) {
  const auto shape = shape_of<poet_pool_shape>(call.shape);
  const std::int64_t x_step_bytes = kFloat * product(shape.input);
  return {.extent = shape.planes,
          .input_steps_bytes = {x_step_bytes, kFloat * product(shape.output)},
          .output_steps_bytes = {x_step_bytes}};
}

Cut cut_average_pool_gradient(const PreparedCall& call) {
  Cut cut = cut_pool(call);
  std::swap(cut.input_steps_bytes, cut.output_steps_bytes);
  return cut;
}

// Arrays of pictures have all values, the others one for each channel.
Cut cut_channels(const PreparedCall& call, const std::vector<bool>& input_is_picture) {
  static_assert(offsetof(poet_batch_norm_shape, channels) == sizeof(std::uint32_t));
  static_assert(offsetof(poet_batch_norm_shape, others) == 6 * sizeof(std::uint32_t));
  const auto shape = shape_of<poet_batch_norm_shape>(call.shape);
  const std::int64_t picture_bytes = kFloat * shape.pixels;  // from one channel to the next
  Cut cut{.extent = shape.channels, .repeats = shape.batch, .extent_word = 1, .rest_word = 6};
  for (const bool is_picture : input_is_picture)
    cut.input_steps_bytes.push_back(is_picture ? picture_bytes : kFloat);
  cut.output_steps_bytes = {picture_bytes, kFloat, kFloat};
  cut.output_steps_bytes.resize(call.outputs.size());
  return cut;
}

Cut cut_batch_norm(const PreparedCall& call) {
  std::vector<bool> is_picture(call.inputs.size(), false);
  is_picture[0] = true;
  return cut_channels(call, is_picture);
}

Cut cut_batch_norm_gradient(const PreparedCall& call) {
  return cut_channels(call, {true, false, false, false, true});
}

Cut cut_layer_norm(const PreparedCall& call) {
  const auto shape = shape_of<poet_layer_norm_shape>(call.shape);
  const std::int64_t row_bytes = kFloat * shape.features;
  return {.extent = shape.rows,
          .input_steps_bytes = {row_bytes, 0, 0},
          .output_steps_bytes = {row_bytes, kFloat, kFloat}};
}

Cut cut_softmax(const PreparedCall& call) {
  const auto shape = shape_of<poet_softmax_shape>(call.shape);
  const std::int64_t step_bytes = kFloat * shape.axis * shape.inner;
  return {.extent = shape.outer,
          .input_steps_bytes = std::vector(call.inputs.size(), step_bytes),
          .output_steps_bytes = {step_bytes}};
}

// --- Which kernel has which rule

struct Row {
  std::string_view function;
  Cut (*cut)(const PreparedCall& call);
};

constexpr Row kRows[] = {
    {"poet_accumulate_forward_f32", cut_values},
    {"poet_adam_update_f32", cut_update<1>},
    {"poet_add_gradient_f32", cut_broadcast_sum<poet_broadcast_gradient_shape>},
    {"poet_average_pool_forward_f32", cut_pool},
    {"poet_average_pool_gradient_f32", cut_average_pool_gradient},
    {"poet_batch_norm_forward_f32", cut_batch_norm},
    {"poet_batch_norm_gradient_f32", cut_batch_norm_gradient},
    {"poet_batch_norm_inference_forward_f32", cut_batch_norm},
    {"poet_batch_norm_inference_gradient_f32", cut_batch_norm_gradient},
    {"poet_broadcast_sum_forward_f32", cut_broadcast_sum<poet_broadcast_sum_shape>},
    {"poet_conv_forward_f32", cut_conv},
    {"poet_conv_input_gradient_f32", cut_conv_input_gradient},
    {"poet_dropout_forward_f32", cut_dropout},
    {"poet_dropout_gradient_f32", cut_dropout},
    {"poet_first_moment_update_f32", cut_update<1>},
    {"poet_layer_norm_forward_f32", cut_layer_norm},
    {"poet_log_softmax_forward_f32", cut_softmax},
    {"poet_log_softmax_gradient_f32", cut_softmax},
    {"poet_matmul_forward_f32", cut_matmul},
    {"poet_max_pool_forward_f32", cut_pool},
    {"poet_max_pool_gradient_f32", cut_max_pool_gradient},
    {"poet_nesterov_update_f32", cut_update<2>},
    {"poet_second_moment_update_f32", cut_update<1>},
    {"poet_sgd_update_f32", cut_update<2>},
    {"poet_sub_b_gradient_f32", cut_broadcast_sum<poet_broadcast_gradient_shape>},
    {"poet_softmax_forward_f32", cut_softmax},
    {"poet_softmax_gradient_f32", cut_softmax},
    {"poet_strided_copy_forward", cut_copy},
    {"poet_velocity_update_f32", cut_update<2>},
};

constexpr std::string_view kOfEveryValue[] = {
    "abs",       "clip",         "cos",        "elu",        "erf",      "exp",  "gelu_erf",
    "gelu_tanh", "hard_sigmoid", "hard_swish", "leaky_relu", "log",      "neg",  "reciprocal",
    "relu",      "sigmoid",      "silu",       "sin",        "softplus", "sqrt", "tanh"};

constexpr std::string_view kOfTwo[] = {"add", "div", "max", "min", "mul", "pow", "sub"};

bool is_one_of(std::span<const std::string_view> stems, std::string_view function,
               std::string_view ending) {
  constexpr std::string_view kPrefix = "poet_";
  if (!function.starts_with(kPrefix) || !function.ends_with(ending)) return false;
  const std::string_view stem =
      function.substr(kPrefix.size(), function.size() - kPrefix.size() - ending.size());
  return std::find(stems.begin(), stems.end(), stem) != stems.end();
}

std::optional<Cut> cut_of(const PreparedCall& call) {
  const std::string_view function = call.kernel->name;
  for (const Row& row : kRows)
    if (row.function == function) return row.cut(call);
  if (is_one_of(kOfEveryValue, function, "_forward_f32") ||
      is_one_of(kOfEveryValue, function, "_gradient_f32"))
    return cut_values(call);
  if (is_one_of(kOfTwo, function, "_forward_f32")) return cut_broadcast(call);
  return std::nullopt;
}

// --- Dividing

std::int64_t parts_worth_making(const Cut& cut, int most_parts) {
  std::int64_t step_bytes = 0;
  for (const std::int64_t step : cut.input_steps_bytes) step_bytes += std::abs(step);
  for (const std::int64_t step : cut.output_steps_bytes) step_bytes += std::abs(step);
  const std::int64_t by_size = cut.extent * cut.repeats * step_bytes / kLeastBytesOfPart;
  return std::clamp<std::int64_t>(std::min(by_size, cut.extent), 1, most_parts);
}

// Of part `k` of `count`; the last one ends where the extent does.
std::int64_t beginning(const Cut& cut, std::int64_t k, std::int64_t count) {
  return k == count ? cut.extent : cut.extent * k / count / cut.multiple * cut.multiple;
}

std::vector<std::int64_t> offsets(const std::vector<std::int64_t>& steps_bytes,
                                  std::int64_t begin) {
  std::vector<std::int64_t> result;
  for (const std::int64_t step : steps_bytes) result.push_back(begin * step);
  return result;
}

CallPart whole(const PreparedCall& call) {
  return {.shape = call.shape,
          .input_offsets_bytes = std::vector<std::int64_t>(call.inputs.size()),
          .output_offsets_bytes = std::vector<std::int64_t>(call.outputs.size())};
}

}  // namespace

std::vector<CallPart> divided(const PreparedCall& call, int most_parts) {
  // Parts would share a workspace.
  if (most_parts == 1 || call.workspace_bytes > 0) return {whole(call)};
  const std::optional<Cut> cut = cut_of(call);
  const std::int64_t count = cut ? parts_worth_making(*cut, most_parts) : 1;
  if (count == 1) return {whole(call)};
  std::vector<CallPart> parts;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t begin = beginning(*cut, k, count);
    const std::int64_t end = beginning(*cut, k + 1, count);
    CallPart part{.shape = call.shape,
                  .input_offsets_bytes = offsets(cut->input_steps_bytes, begin),
                  .output_offsets_bytes = offsets(cut->output_steps_bytes, begin)};
    part.shape[cut->extent_word] = static_cast<std::uint32_t>(end - begin);
    if (cut->begin_word) part.shape[*cut->begin_word] = static_cast<std::uint32_t>(begin);
    if (cut->rest_word)
      part.shape[*cut->rest_word] = static_cast<std::uint32_t>(cut->extent - (end - begin));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace poet
