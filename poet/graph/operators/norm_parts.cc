#include <fmt/format.h>

#include <cmath>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/layer_norm.h"
#include "poet/runtime/norm_parts.h"
#include "poet/runtime/row_parts.h"

// Norms in parts. Sums of rows that come piece by piece leave a state (rows..., 10), of gradients
// (rows..., 2, 10), that the next part takes up (poet/runtime/row_parts.h); of the states that are
// ended come means and the like (rows...), and with these each piece is normed by itself.

namespace poet {
namespace {

const RowPartAttributes& part_of(const OperationTypes& types) {
  return std::get<RowPartAttributes>(types.attributes);
}

TensorType float32(const Shape& shape) {
  return {ElementType::Float32, shape};
}

// A piece as images of rows of values.
struct Rows {
  std::int64_t images = 1;
  Shape rows = {};
  std::int64_t count = 1;  // values of each row in the piece
  Shape features = {};     // of a layer norm, the dimensions of a row
};

Rows rows_of(const OperationTypes& types) {
  const Shape& x = types.inputs[0].shape;
  if (part_of(types).by_channel) return {x[0], {x[1]}, value_count({x.begin() + 2, x.end()}), {}};
  const auto axis = x.begin() + part_of(types).axis;
  const Shape features(axis, x.end());
  return {1, {x.begin(), axis}, value_count(features), features};
}

Shape with(Shape shape, std::initializer_list<std::int64_t> more) {
  shape.insert(shape.end(), more);
  return shape;
}

Shape state_of(const Shape& rows) {
  return with(rows, {POET_ROW_STATE});
}

Shape gradient_state_of(const Shape& rows) {
  return with(rows, {2, POET_ROW_STATE});
}

// --- Rules

Failure check_numbers(const RowPartAttributes& part) {
  if (!(std::isfinite(part.epsilon) && part.epsilon >= 0))
    return bad_input(fmt::format("epsilon must be a number of at least 0, not {}", part.epsilon));
  if (part.extent < 1 || part.images < 1 || part.extent > kMaxValues / part.images)
    return bad_input(fmt::format("{} rows of {} values are more than {} or none", part.images,
                                 part.extent, kMaxValues));
  return std::nullopt;
}

Failure check_attributes(const OperationTypes& types) {
  if (!std::holds_alternative<RowPartAttributes>(types.attributes))
    return wrong_attributes("part of rows");
  if (Failure failure = demand_float32(types)) return failure;
  return check_numbers(part_of(types));
}

// Of a piece x, the first input.
Failure check_piece(const OperationTypes& types) {
  if (Failure failure = check_attributes(types)) return failure;
  const TensorType& x = types.inputs[0];
  const RowPartAttributes& part = part_of(types);
  if (part.by_channel && x.shape.size() < 2)
    return bad_input(fmt::format("takes (N, C, ...), not {}", to_text(x)));
  if (!part.by_channel && (part.axis < 0 || part.axis >= rank_of(x)))
    return bad_input(
        fmt::format("axis {} is not a dimension of the input {}", part.axis, to_text(x.shape)));
  return std::nullopt;
}

Failure check_place(const OperationTypes& types) {
  if (Failure failure = check_piece(types)) return failure;
  const RowPartAttributes& part = part_of(types);
  const Rows rows = rows_of(types);
  if (part.begin < 0 || part.begin > part.extent - rows.count)
    return bad_input(fmt::format("{} values from {} on do not lie in a row of {}", rows.count,
                                 part.begin, part.extent));
  if (rows.images > 1 && rows.count != part.extent)
    return bad_input(fmt::format("takes parts of rows of one image, not of {}", rows.images));
  if (rows.images > part.images)
    return bad_input(fmt::format("has {} images of {}", rows.images, part.images));
  return std::nullopt;
}

// The operation's inputs after `first` are of these types.
Failure require_inputs(const OperationTypes& types, std::size_t first,
                       const std::vector<std::pair<std::string_view, Shape>>& wanted) {
  if (types.inputs.size() != first + wanted.size())
    return bad_input(
        fmt::format("takes {} inputs, not {}", first + wanted.size(), types.inputs.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (Failure failure =
            require_type(types.inputs[first + i], float32(wanted[i].second), wanted[i].first))
      return failure;
  return std::nullopt;
}

using Inputs = std::vector<std::pair<std::string_view, Shape>>;

// x, and the state where the part continues.
OutputTypes sum_types(const OperationTypes& types) {
  if (Failure failure = check_place(types)) return *failure;
  const Shape state = state_of(rows_of(types).rows);
  Inputs wanted;
  if (part_of(types).continues) wanted.emplace_back("the state", state);
  if (Failure failure = require_inputs(types, 1, wanted)) return *failure;
  return std::vector<TensorType>{float32(state)};
}

// x, centre (rows), and the state where the part continues.
OutputTypes spread_types(const OperationTypes& types) {
  if (Failure failure = check_place(types)) return *failure;
  const Shape rows = rows_of(types).rows;
  Inputs wanted{{"the centre", rows}};
  if (part_of(types).continues) wanted.emplace_back("the state", state_of(rows));
  if (Failure failure = require_inputs(types, 1, wanted)) return *failure;
  return std::vector<TensorType>{float32(state_of(rows))};
}

bool is_scaled_sum(const OperationTypes& types) {
  return types.kind == Operator::LayerNormGradientSumsPart;
}

// x, mean (rows), dy; of a layer norm with a scale that (features); the state where the part
// continues.
OutputTypes gradient_sums_types(const OperationTypes& types) {
  if (Failure failure = check_place(types)) return *failure;
  if (is_scaled_sum(types) && part_of(types).by_channel)
    return bad_input("does not go by channels");
  const Rows rows = rows_of(types);
  const Shape state = gradient_state_of(rows.rows);
  Inputs wanted{{"the mean", rows.rows}, {"dy", types.inputs[0].shape}};
  if (is_scaled_sum(types)) wanted.emplace_back("the scale", rows.features);
  if (part_of(types).continues) wanted.emplace_back("the state", state);
  if (Failure failure = require_inputs(types, 1, wanted)) return *failure;
  return std::vector<TensorType>{float32(state)};
}

// The state (rows..., 10) to (rows...).
OutputTypes total_types(const OperationTypes& types) {
  if (Failure failure = check_attributes(types)) return *failure;
  const Shape& state = types.inputs[0].shape;
  if (state.empty() || state.back() != POET_ROW_STATE)
    return bad_input(
        fmt::format("takes a state (rows..., {}), not {}", POET_ROW_STATE, to_text(state)));
  return std::vector<TensorType>{float32({state.begin(), state.end() - 1})};
}

// The state (rows..., 2, 10), inverse_std (rows) to two of (rows).
OutputTypes factor_types(const OperationTypes& types) {
  if (Failure failure = check_attributes(types)) return *failure;
  const Shape& rows = types.inputs[1].shape;
  if (Failure failure =
          require_type(types.inputs[0], float32(gradient_state_of(rows)), "the state"))
    return *failure;
  return std::vector<TensorType>{float32(rows), float32(rows)};
}

Failure demand_norm(const OperationTypes& types, bool by_channel) {
  if (Failure failure = check_piece(types)) return failure;
  if (part_of(types).by_channel == by_channel) return std::nullopt;
  return bad_input(by_channel ? "goes by channels" : "does not go by channels");
}

// A layer norm may have a scale: then an operation has more inputs than without.
bool has_more(const OperationTypes& types, std::size_t without) {
  return types.inputs.size() > without;
}

// x, mean, inverse_std (rows), of which y is made; scale and bias (features), or neither.
OutputTypes layer_apply_types(const OperationTypes& types) {
  if (Failure failure = demand_norm(types, false)) return *failure;
  const Rows rows = rows_of(types);
  Inputs wanted{{"the mean", rows.rows}, {"inverse_std", rows.rows}};
  if (has_more(types, 3)) {
    wanted.emplace_back("the scale", rows.features);
    wanted.emplace_back("the bias", rows.features);
  }
  if (Failure failure = require_inputs(types, 1, wanted)) return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// x, mean, inverse_std, scale, bias.
OutputTypes batch_apply_types(const OperationTypes& types) {
  if (Failure failure = demand_norm(types, true)) return *failure;
  const Shape rows = rows_of(types).rows;
  if (Failure failure = require_inputs(
          types, 1,
          {{"the mean", rows}, {"inverse_std", rows}, {"the scale", rows}, {"the bias", rows}}))
    return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// x, mean, inverse_std, dy, shift, slope; the scale or not.
OutputTypes layer_gradient_types(const OperationTypes& types) {
  if (Failure failure = demand_norm(types, false)) return *failure;
  const Rows rows = rows_of(types);
  Inputs wanted{{"the mean", rows.rows},
                {"inverse_std", rows.rows},
                {"dy", types.inputs[0].shape},
                {"the shift", rows.rows},
                {"the slope", rows.rows}};
  if (has_more(types, 6)) wanted.emplace_back("the scale", rows.features);
  if (Failure failure = require_inputs(types, 1, wanted)) return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// x, mean, inverse_std, dy, scale, dscale, dbias.
OutputTypes batch_gradient_types(const OperationTypes& types) {
  if (Failure failure = demand_norm(types, true)) return *failure;
  const Shape rows = rows_of(types).rows;
  if (Failure failure = require_inputs(types, 1,
                                       {{"the mean", rows},
                                        {"inverse_std", rows},
                                        {"dy", types.inputs[0].shape},
                                        {"the scale", rows},
                                        {"dscale", rows},
                                        {"dbias", rows}}))
    return *failure;
  return std::vector<TensorType>{types.inputs[0]};
}

// x, mean, inverse_std, dy; where the part continues, the sums of dscale and of dbias.
OutputTypes scale_gradient_types(const OperationTypes& types) {
  if (Failure failure = demand_norm(types, false)) return *failure;
  const Rows rows = rows_of(types);
  Inputs wanted{{"the mean", rows.rows}, {"inverse_std", rows.rows}, {"dy", types.inputs[0].shape}};
  if (part_of(types).continues) {
    wanted.emplace_back("the sum of dscale", rows.features);
    wanted.emplace_back("the sum of dbias", rows.features);
  }
  if (Failure failure = require_inputs(types, 1, wanted)) return *failure;
  return std::vector<TensorType>{float32(rows.features), float32(rows.features)};
}

// --- FLOP: as the whole norms count them, each part what it does

std::int64_t values(const OperationTypes& types) {
  return value_count(types.inputs[0].shape);
}

template <int per_value>
std::int64_t flop_of_values(const OperationTypes& types) {
  return per_value * values(types);
}

template <int per_result>
std::int64_t flop_of_results(const OperationTypes& types) {
  return per_result * value_count(types.outputs[0].shape);
}

std::int64_t gradient_sums_flop(const OperationTypes& types) {
  return (is_scaled_sum(types) ? 5 : 4) * values(types);
}

std::int64_t layer_apply_flop(const OperationTypes& types) {
  return (has_more(types, 3) ? 4 : 2) * values(types);
}

std::int64_t batch_apply_flop(const OperationTypes& types) {
  return 3 * values(types) + value_count(types.inputs[1].shape);
}

std::int64_t layer_gradient_flop(const OperationTypes& types) {
  return (has_more(types, 6) ? 6 : 5) * values(types);
}

std::int64_t batch_gradient_flop(const OperationTypes& types) {
  return 5 * values(types) + 4 * value_count(types.inputs[1].shape);
}

// --- Kernels

// poet_row_part_shape (poet/runtime/row_parts.h).
std::vector<KernelWord> part_words(const OperationTypes& types) {
  const Rows rows = rows_of(types);
  return KernelWords()
      .integer("images", rows.images)
      .integer("rows", value_count(rows.rows))
      .integer("count", rows.count)
      .integer("begin", part_of(types).begin)
      .integer("extent", part_of(types).extent)
      .take();
}

// poet_row_state_shape.
std::vector<KernelWord> state_words(const OperationTypes& types) {
  return KernelWords()
      .integer("rows", value_count(types.outputs[0].shape))
      .integer("images", part_of(types).images)
      .integer("extent", part_of(types).extent)
      .real("epsilon", part_of(types).epsilon)
      .take();
}

// poet_norm_part_shape (poet/runtime/norm_parts.h).
std::vector<KernelWord> norm_words(const OperationTypes& types, const Rows& rows) {
  return KernelWords()
      .integer("images", rows.images)
      .integer("rows", value_count(rows.rows))
      .integer("count", rows.count)
      .integer("whole_images", part_of(types).images)
      .integer("whole_extent", part_of(types).extent)
      .take();
}

std::optional<int> last_if(const OperationTypes& types, bool is_there) {
  if (!is_there) return std::nullopt;
  return static_cast<int>(types.inputs.size()) - 1;
}

KernelCall sum_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_row_sum_part_f32),
          .shape = part_words(types),
          .inputs = {0, last_if(types, part_of(types).continues)},
          .outputs = {0}};
}

KernelCall spread_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_row_spread_part_f32),
          .shape = part_words(types),
          .inputs = {0, 1, last_if(types, part_of(types).continues)},
          .outputs = {0}};
}

KernelCall gradient_sums_call(const OperationTypes& types) {
  const std::optional<int> scale = is_scaled_sum(types) ? std::optional<int>{3} : std::nullopt;
  return {.function = POET_KERNEL(poet_row_gradient_sums_part_f32),
          .shape = part_words(types),
          .inputs = {0, scale, 1, 2, last_if(types, part_of(types).continues)},
          .outputs = {0}};
}

KernelCall total_call(const OperationTypes& types) {
  Kernel function = POET_KERNEL(poet_row_total_f32);
  if (types.kind == Operator::RowMean) function = POET_KERNEL(poet_row_mean_f32);
  if (types.kind == Operator::RowInverseStd) function = POET_KERNEL(poet_row_inverse_std_f32);
  return {.function = function, .shape = state_words(types), .inputs = {0}, .outputs = {0}};
}

KernelCall factor_call(const OperationTypes& types) {
  return {.function = types.kind == Operator::LayerNormGradientFactors
                          ? POET_KERNEL(poet_layer_norm_gradient_factors_f32)
                          : POET_KERNEL(poet_batch_norm_gradient_factors_f32),
          .shape = norm_words(types, {1, types.inputs[1].shape, 1, {}}),
          .inputs = {0, 1},
          .outputs = {0, 1}};
}

KernelCall layer_apply_call(const OperationTypes& types) {
  KernelCall call{.function = POET_KERNEL(poet_layer_norm_apply_f32),
                  .shape = norm_words(types, rows_of(types)),
                  .inputs = {0, 1, 2, std::nullopt, std::nullopt},
                  .outputs = {0}};
  if (has_more(types, 3)) call.inputs = {0, 1, 2, 3, 4};
  return call;
}

KernelCall batch_apply_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_batch_norm_apply_f32),
          .shape = norm_words(types, rows_of(types)),
          .inputs = {0, 1, 2, 3, 4},
          .outputs = {0}};
}

KernelCall layer_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_layer_norm_gradient_apply_f32),
          .shape = norm_words(types, rows_of(types)),
          .inputs = {0, last_if(types, has_more(types, 6)), 1, 2, 3, 4, 5},
          .outputs = {0}};
}

KernelCall batch_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_batch_norm_gradient_apply_f32),
          .shape = norm_words(types, rows_of(types)),
          .inputs = {0, 4, 1, 2, 3, 5, 6},
          .outputs = {0}};
}

KernelCall scale_gradient_call(const OperationTypes& types) {
  KernelCall call{.function = POET_KERNEL(poet_layer_norm_scale_gradient_f32),
                  .shape = norm_words(types, rows_of(types)),
                  .inputs = {0, 1, 2, 3, std::nullopt, std::nullopt},
                  .outputs = {0, 1}};
  if (part_of(types).continues) call.inputs = {0, 1, 2, 3, 4, 5};
  return call;
}

// --- The gradient of a layer norm by blocks of rows: x, mean, inverse_std, dy and scale as the
// whole gradient has them, and the sums of dscale and dbias

OperationTypes of_rows(const OperationTypes& types) {
  OperationTypes rows = types;
  rows.kind = Operator::LayerNormGradient;
  rows.inputs.resize(5);
  return rows;
}

OutputTypes rows_types(const OperationTypes& types) {
  if (!std::holds_alternative<NormAttributes>(types.attributes)) return wrong_attributes("norm");
  const TensorType& x = types.inputs[0];
  const OutputTypes forward = entry_of(Operator::LayerNorm)
                                  .output_types({.kind = Operator::LayerNorm,
                                                 .attributes = types.attributes,
                                                 .inputs = {x, types.inputs[4], types.inputs[4]}});
  if (!forward.ok()) return forward.error();
  const TensorType wanted[] = {
      x, (*forward)[1], (*forward)[2], x, types.inputs[4], types.inputs[4], types.inputs[4]};
  constexpr std::string_view kNames[] = {"x",         "the mean",          "inverse_std",     "dy",
                                         "the scale", "the sum of dscale", "the sum of dbias"};
  for (std::size_t i = 0; i < types.inputs.size(); ++i)
    if (Failure failure = require_type(types.inputs[i], wanted[i], kNames[i])) return *failure;
  return std::vector<TensorType>{x, types.inputs[4], types.inputs[4]};
}

std::int64_t rows_flop(const OperationTypes& types) {
  return entry_of(Operator::LayerNormGradient).flop(of_rows(types));
}

KernelCall rows_call(const OperationTypes& types) {
  KernelCall call = entry_of(Operator::LayerNormGradient).kernel(of_rows(types));
  call.function = POET_KERNEL(poet_layer_norm_gradient_continued_f32);
  call.inputs.insert(call.inputs.end(), {5, 6});
  return call;
}

struct PartRow {
  Operator id{};
  std::string_view name = {};
  int least = 1;
  int most = 1;
  OutputTypes (*output_types)(const OperationTypes&) = nullptr;
  std::int64_t (*flop)(const OperationTypes&) = nullptr;
  KernelCall (*kernel)(const OperationTypes&) = nullptr;
  Stated<InParts> parts;
  std::vector<SharedPlace> in_place = {};
};

// A state may take the place of the one before it, which stands last.
std::vector<PartRow> part_rows() {
  return {
      {Operator::RowSumPart,
       "row_sum_part",
       1,
       2,
       sum_types,
       flop_of_values<1>,
       sum_call,
       InParts{.axes = row_part_axes, .continued = Operator::RowSumPart, .part = row_part},
       {{1, 0}}},
      {Operator::RowSpreadPart,
       "row_spread_part",
       2,
       3,
       spread_types,
       flop_of_values<3>,
       spread_call,
       InParts{.axes = row_part_axes, .continued = Operator::RowSpreadPart, .part = row_part},
       {{2, 0}}},
      {Operator::RowGradientSumsPart,
       "row_gradient_sums_part",
       3,
       4,
       gradient_sums_types,
       gradient_sums_flop,
       gradient_sums_call,
       InParts{.axes = row_part_axes, .continued = Operator::RowGradientSumsPart, .part = row_part},
       {{3, 0}}},
      {Operator::LayerNormGradientSumsPart,
       "layer_norm_gradient_sums_part",
       4,
       5,
       gradient_sums_types,
       gradient_sums_flop,
       gradient_sums_call,
       InParts{.axes = row_part_axes,
               .continued = Operator::LayerNormGradientSumsPart,
               .part = row_part},
       {{4, 0}}},
      {Operator::RowTotal, "row_total", 1, 1, total_types, flop_of_results<0>, total_call,
       InParts{row_result_axes}},
      {Operator::RowMean, "row_mean", 1, 1, total_types, flop_of_results<1>, total_call,
       InParts{row_result_axes}},
      {Operator::RowInverseStd, "row_inverse_std", 1, 1, total_types, flop_of_results<4>,
       total_call, InParts{row_result_axes}},
      {Operator::LayerNormApply,
       "layer_norm_apply",
       3,
       5,
       layer_apply_types,
       layer_apply_flop,
       layer_apply_call,
       InParts{row_part_axes},
       {{0, 0}}},
      {Operator::LayerNormGradientFactors, "layer_norm_gradient_factors", 2, 2, factor_types,
       flop_of_results<4>, factor_call, InParts{row_result_axes}},
      {Operator::LayerNormGradientApply,
       "layer_norm_gradient_apply",
       6,
       7,
       layer_gradient_types,
       layer_gradient_flop,
       layer_gradient_call,
       InParts{row_part_axes},
       {{3, 0}, {0, 0}}},
      {Operator::LayerNormScaleGradient,
       "layer_norm_scale_gradient",
       4,
       6,
       scale_gradient_types,
       flop_of_values<5>,
       scale_gradient_call,
       InParts{row_part_axes, Operator::LayerNormScaleGradient},
       {{4, 0}, {5, 1}}},
      {Operator::LayerNormGradientContinued,
       "layer_norm_gradient_continued",
       7,
       7,
       rows_types,
       rows_flop,
       rows_call,
       kDoneWhole,
       {{3, 0}, {0, 0}, {5, 1}, {6, 2}}},
      {Operator::BatchNormApply,
       "batch_norm_apply",
       5,
       5,
       batch_apply_types,
       batch_apply_flop,
       batch_apply_call,
       InParts{row_part_axes},
       {{0, 0}}},
      {Operator::BatchNormGradientFactors, "batch_norm_gradient_factors", 2, 2, factor_types,
       flop_of_results<1>, factor_call, InParts{row_result_axes}},
      {Operator::BatchNormGradientApply,
       "batch_norm_gradient_apply",
       7,
       7,
       batch_gradient_types,
       batch_gradient_flop,
       batch_gradient_call,
       InParts{row_part_axes},
       {{3, 0}, {0, 0}}},
  };
}

}  // namespace

std::vector<OperatorEntry> norm_part_operators() {
  std::vector<OperatorEntry> rows;
  for (const PartRow& row : part_rows())
    rows.push_back({.id = row.id,
                    .name = row.name,
                    .least_inputs = row.least,
                    .most_inputs = row.most,
                    .roles = kPlainInputs,
                    .output_types = row.output_types,
                    .flop = row.flop,
                    .gradient = nullptr,
                    .kernel = row.kernel,
                    .divides = nullptr,
                    .parts = row.parts,
                    .domain = kPositiveNumbers,
                    .onnx = kNotInOnnx,
                    .in_place = row.in_place});
  return rows;
}

}  // namespace poet
