#include "poet/model/onnx/operators.h"

#include <algorithm>

namespace poet {
namespace {

std::vector<OnnxOperator> all_rows() {
  std::vector<OnnxOperator> rows;
  for (std::vector<OnnxOperator> (*family)() :
       {elementwise_onnx_operators, pair_onnx_operators, matrix_onnx_operators,
        window_onnx_operators, norm_onnx_operators, reduce_onnx_operators, shape_onnx_operators,
        move_onnx_operators, slice_onnx_operators, loss_onnx_operators}) {
    const std::vector<OnnxOperator> of_family = family();
    rows.insert(rows.end(), of_family.begin(), of_family.end());
  }
  std::sort(rows.begin(), rows.end(),
            [](const OnnxOperator& a, const OnnxOperator& b) { return a.op_type < b.op_type; });
  return rows;
}

}  // namespace

const std::vector<OnnxOperator>& onnx_operators() {
  static const std::vector<OnnxOperator> table = all_rows();
  return table;
}

const OnnxOperator* find_onnx_operator(std::string_view op_type) {
  const std::vector<OnnxOperator>& table = onnx_operators();
  const auto row = std::lower_bound(
      table.begin(), table.end(), op_type,
      [](const OnnxOperator& entry, std::string_view wanted) { return entry.op_type < wanted; });
  return row == table.end() || row->op_type != op_type ? nullptr : &*row;
}

}  // namespace poet
