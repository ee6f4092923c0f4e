#include "poet/runtime/weight_blocks.h"

#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"

// Weights in blocks of few bits: (..., blocks of a row, bytes of a block) to (..., row).

namespace poet {
namespace {

const DecodeAttributes& decoding(const OperationTypes& types) {
  return std::get<DecodeAttributes>(types.attributes);
}

OutputTypes decoded_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const attributes = std::get_if<DecodeAttributes>(&types.attributes);
  if (attributes == nullptr || !are_known(attributes->blocks))
    return wrong_attributes("decoding of blocks");
  if (Failure failure = require_element(x, ElementType::Uint8, "what is decoded")) return *failure;
  if (attributes->row.empty()) return bad_input("a row that is decoded has no dimensions");
  if (Failure failure = check_shape(attributes->row, "a row that is decoded")) return *failure;
  const Shape wanted = {blocks_in_row(attributes->blocks, value_count(attributes->row)),
                        block_bytes(attributes->blocks)};
  if (rank_of(x) < 2 || !std::equal(wanted.begin(), wanted.end(), x.shape.end() - 2))
    return bad_input(fmt::format("{} does not end with {}: {} values in blocks of {}, of {} bits",
                                 to_text(x), to_text(wanted), to_text(attributes->row),
                                 attributes->blocks.values, attributes->blocks.bits));
  Shape shape(x.shape.begin(), x.shape.end() - 2);
  shape.insert(shape.end(), attributes->row.begin(), attributes->row.end());
  return std::vector<TensorType>{{ElementType::Float32, shape}};
}

std::int64_t decode_flop(const OperationTypes& types) {
  return value_count(types.outputs[0].shape);
}

KernelCall decode_call(const OperationTypes& types) {
  const DecodeAttributes& attributes = decoding(types);
  const std::int64_t columns = value_count(attributes.row);
  return {.function = attributes.blocks.bits == 8 ? POET_KERNEL(poet_decode_blocks_i8)
                                                  : POET_KERNEL(poet_decode_blocks_i4),
          .shape = KernelWords()
                       .integer("rows", value_count(types.outputs[0].shape) / columns)
                       .integer("columns", columns)
                       .integer("block", attributes.blocks.values)
                       .integer("row_bytes", blocks_in_row(attributes.blocks, columns) *
                                                 block_bytes(attributes.blocks))
                       .take(),
          .inputs = {0},
          .outputs = {0}};
}

Division along_rows(const KernelCall& call) {
  return {.along = "rows",
          .input_steps_bytes = {whole_in(call, "row_bytes")},
          .output_steps_bytes = {whole_in(call, "columns") * kFloatBytes}};
}

}  // namespace

// Along the dimensions before the row, and along the row where its blocks are whole and in one.
Axes decode_axes(const OperationTypes& types) {
  const DecodeAttributes& attributes = decoding(types);
  const std::size_t before = types.inputs[0].shape.size() - 2;
  Axes axes;
  for (std::size_t d = 0; d <= before; ++d) {
    const bool is_row = d == before;
    if (is_row && (attributes.row.size() != 1 || attributes.row[0] % attributes.blocks.values != 0))
      break;
    PartAxis axis = axis_of(types, types.inputs[0].shape[d]);
    axis.inputs[0] = dimension(d);
    axis.outputs[0] = dimension(d);
    if (is_row) axis.outputs[0]->scale = attributes.blocks.values;
    axes.push_back(std::move(axis));
  }
  return axes;
}

PartOperation decode_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges) {
  DecodeAttributes attributes = decoding(types);
  const Shape part = extents_of(part_region(types.outputs[0].shape, axes, ranges, false, 0));
  attributes.row.assign(part.end() - static_cast<std::ptrdiff_t>(attributes.row.size()),
                        part.end());
  return on_all_inputs(types, attributes);
}

std::vector<OperatorEntry> weight_block_operators() {
  return {{.id = Operator::DecodeBlocks,
           .name = "decode_blocks",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = decoded_type,
           .flop = decode_flop,
           .gradient = nullptr,
           .kernel = decode_call,
           .divides = along_rows,
           .parts = InParts{.axes = decode_axes, .part = decode_part},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx}};
}

}  // namespace poet
