#include "poet/graph/operator_table.h"

#include <algorithm>
#include <iterator>

#include "poet/base/check.h"
#include "poet/graph/operators/families.h"

namespace poet {
namespace {

std::vector<OperatorEntry> all_rows() {
  std::vector<OperatorEntry> rows;
  for (std::vector<OperatorEntry> (*family)() : {
           unary_operators,           broadcast_operators,    compare_operators,
           reduce_operators,          move_operators,         pad_operators,
           gather_operators,          dropout_operators,      loss_operators,
           gradient_norm_operators,   update_operators,       weight_update_operators,
           row_update_operators,      matmul_operators,       conv_operators,
           conv_part_operators,       pool_operators,         norm_operators,
           norm_part_operators,       softmax_operators,      softmax_part_operators,
           loss_part_operators,       weight_block_operators, top_k_operators,
           gather_elements_operators, gather_nd_operators,    scatter_operators,
       }) {
    std::vector<OperatorEntry> of_family = family();
    std::move(of_family.begin(), of_family.end(), std::back_inserter(rows));
  }
  std::sort(rows.begin(), rows.end(),
            [](const OperatorEntry& a, const OperatorEntry& b) { return a.id < b.id; });
  return rows;
}

}  // namespace

OperationTypes types_of(const Graph& graph, const GraphOperation& operation) {
  OperationTypes types{.kind = operation.kind, .attributes = operation.attributes};
  for (const TensorId id : operation.inputs) types.inputs.push_back(at(graph.tensors, id).type);
  for (const TensorId id : operation.outputs) types.outputs.push_back(at(graph.tensors, id).type);
  return types;
}

const std::vector<OperatorEntry>& operator_table() {
  static const std::vector<OperatorEntry> table = all_rows();
  return table;
}

const OperatorEntry& entry_of(Operator id) {
  const std::vector<OperatorEntry>& table = operator_table();
  const auto row = std::lower_bound(
      table.begin(), table.end(), id,
      [](const OperatorEntry& entry, Operator wanted) { return entry.id < wanted; });
  POET_CHECK(row != table.end() && row->id == id);
  return *row;
}

}  // namespace poet
