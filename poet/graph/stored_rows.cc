#include "poet/graph/stored_rows.h"

#include <variant>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {

bool reads_stored_rows(const Graph& graph, const GraphOperation& operation) {
  if (operation.kind != Operator::Gather) return false;
  return at(graph.tensors, operation.inputs[0]).home == Home::Storage &&
         std::get<AxisAttributes>(operation.attributes).axis == 0;
}

std::vector<bool> updates_of_stored_rows(const Graph& graph) {
  std::vector<bool> is_read_otherwise(graph.tensors.size());
  for (const GraphOperation& operation : graph.operations)
    for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
      const bool of_rows =
          i == 0 && (operation.kind == Operator::RowUpdate || reads_stored_rows(graph, operation));
      if (!of_rows) is_read_otherwise[static_cast<std::size_t>(operation.inputs[i])] = true;
    }
  std::vector<bool> updates;
  for (const GraphOperation& operation : graph.operations)
    updates.push_back(operation.kind == Operator::RowUpdate &&
                      at(graph.tensors, operation.inputs[0]).home == Home::Storage &&
                      !is_read_otherwise[static_cast<std::size_t>(operation.inputs[0])]);
  return updates;
}

std::int64_t table_row_bytes(const Graph& graph, const GraphOperation& operation) {
  const TensorType& table = at(graph.tensors, operation.inputs[0]).type;
  return size_bytes(table) / table.shape[0];
}

std::int64_t most_rows_met(const Graph& graph, const GraphOperation& operation) {
  return value_count(at(graph.tensors, operation.inputs[1]).type.shape);
}

}  // namespace poet
