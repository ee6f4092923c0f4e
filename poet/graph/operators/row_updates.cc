#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/row_update.h"

// What a lookup's gradient and SGD without decay do together: of a table only the rows that were
// picked change.

namespace poet {
namespace {

// The table, the indices, the gradient of what they picked, and the step.
OutputTypes output_types(const OperationTypes& types) {
  const TensorType& table = types.inputs[0];
  const TensorType& indices = types.inputs[1];
  if (Failure failure = require_element(table, ElementType::Float32, "the table")) return *failure;
  if (rank_of(table) < 1) return bad_input("the table must have rows, and is one number");
  if (indices.element != ElementType::Int32 && indices.element != ElementType::Int64)
    return bad_input("the indices must be int32 or int64, not " + to_text(indices));
  TensorType picked = table;
  picked.shape.erase(picked.shape.begin());
  picked.shape.insert(picked.shape.begin(), indices.shape.begin(), indices.shape.end());
  if (Failure failure = require_type(types.inputs[2], picked, "the gradient")) return *failure;
  if (Failure failure = require_type(types.inputs[3], step_type(), "the step")) return *failure;
  return std::vector<TensorType>{table};
}

// An addition for each value of the gradient, and a multiply-add for each value of a row: as many
// rows as there are indices.
std::int64_t flop(const OperationTypes& types) {
  return 3 * value_count(types.inputs[2].shape);
}

// Of the table only what was picked is read and written.
std::int64_t moved_bytes(const OperationTypes& types) {
  return size_bytes(types.inputs[1]) + 3 * size_bytes(types.inputs[2]);
}

KernelCall kernel_call(const OperationTypes& types) {
  const Shape& table = types.inputs[0].shape;
  const std::int64_t inner = value_count({table.begin() + 1, table.end()});
  return {.function = types.inputs[1].element == ElementType::Int32
                          ? POET_KERNEL(poet_row_update_f32_i32)
                          : POET_KERNEL(poet_row_update_f32_i64),
          .shape = KernelWords()
                       .integer("rows", table[0])
                       .integer("inner", inner)
                       .integer("count", value_count(types.inputs[1].shape))
                       .take(),
          .inputs = {0, 1, 2, 3},
          .outputs = {0},
          .workspace_bytes = inner * byte_size(ElementType::Float32)};
}

std::optional<std::int64_t> index_extent(const OperationTypes& types, std::size_t position) {
  if (position != 1) return std::nullopt;
  return types.inputs[0].shape[0];
}

}  // namespace

std::vector<OperatorEntry> row_update_operators() {
  return {{.id = Operator::RowUpdate,
           .name = "row_update",
           .least_inputs = 4,
           .most_inputs = 4,
           .roles = kPlainInputs,
           .output_types = output_types,
           .flop = flop,
           .moved_bytes = moved_bytes,
           .gradient = nullptr,
           .kernel = kernel_call,
           .divides = nullptr,
           .parts = InParts{row_update_axes},
           .domain = InputDomain{.index_extent = index_extent, .takes_step = true},
           .onnx = kNotInOnnx,
           .once = true,
           .updates = {{0, 0}}}};
}

}  // namespace poet
