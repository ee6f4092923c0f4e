#include "poet/model/onnx/operators.h"

#include <algorithm>

#include "poet/base/check.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

using Import = void (*)(NodeImport& node);

// Null where the operator table's name for it does not say all.
Import import_of(const OperatorEntry& entry) {
  if (entry.onnx->form == OnnxName::Form::Reduction) return import_reduction;
  if (entry.onnx->form != OnnxName::Form::Plain) return nullptr;
  return entry.most_inputs == 1 ? import_plain : entry.most_inputs == 2 ? import_pair : nullptr;
}

void add_operators_of_ours(std::vector<OnnxOperator>& rows) {
  for (const OperatorEntry& entry : operator_table()) {
    const Import import = import_of(entry);
    if (import == nullptr) continue;
    const auto known = std::find_if(rows.begin(), rows.end(), [&](const OnnxOperator& row) {
      return row.op_type == entry.onnx->name;
    });
    if (known == rows.end())
      rows.push_back({entry.onnx->name, import});
    else if (known->import == nullptr)
      known->import = import;
  }
}

std::vector<OnnxOperator> all_rows() {
  std::vector<OnnxOperator> rows;
  for (std::vector<OnnxOperator> (*family)() :
       {elementwise_onnx_operators, pair_onnx_operators, matrix_onnx_operators,
        window_onnx_operators, norm_onnx_operators, reduce_onnx_operators, shape_onnx_operators,
        move_onnx_operators, slice_onnx_operators, recurrent_onnx_operators, resize_onnx_operators,
        einsum_onnx_operators, pick_onnx_operators, choice_onnx_operators, attention_onnx_operators,
        composed_onnx_operators, loss_onnx_operators}) {
    const std::vector<OnnxOperator> of_family = family();
    rows.insert(rows.end(), of_family.begin(), of_family.end());
  }
  add_operators_of_ours(rows);
  std::sort(rows.begin(), rows.end(),
            [](const OnnxOperator& a, const OnnxOperator& b) { return a.op_type < b.op_type; });
  return rows;
}

}  // namespace

const std::vector<OnnxOperator>& onnx_operators() {
  static const std::vector<OnnxOperator> table = all_rows();
  return table;
}

Operator kind_named_in_onnx(const NodeImport& node) {
  for (const OperatorEntry& entry : operator_table())
    if (import_of(entry) != nullptr && entry.onnx->name == node.node().op_type) return entry.id;
  check_failed("the node is of an operator of the table", __FILE__, __LINE__);
}

const OnnxOperator* find_onnx_operator(std::string_view op_type) {
  const std::vector<OnnxOperator>& table = onnx_operators();
  const auto row = std::lower_bound(
      table.begin(), table.end(), op_type,
      [](const OnnxOperator& entry, std::string_view wanted) { return entry.op_type < wanted; });
  return row == table.end() || row->op_type != op_type ? nullptr : &*row;
}

}  // namespace poet
