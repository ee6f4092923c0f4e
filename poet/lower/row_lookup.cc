#include "poet/lower/row_lookup.h"

#include <algorithm>

#include "poet/graph/operator.h"
#include "poet/graph/stored_rows.h"

namespace poet {
namespace {

bool reads_table(const GraphOperation& operation, const Operation& planned) {
  return std::count(planned.inputs.begin(), planned.inputs.end(), operation.inputs[0]) > 0;
}

}  // namespace

bool reads_rows_of_storage(const Graph& graph, const GraphOperation& operation,
                           const Operation& planned) {
  return reads_stored_rows(graph, operation) && !reads_table(operation, planned);
}

bool updates_rows_of_storage(const Graph& graph, const GraphOperation& operation,
                             const Operation& planned) {
  return operation.kind == Operator::RowUpdate && planned.written_bytes > 0 &&
         at(graph.tensors, operation.inputs[0]).home == Home::Storage &&
         !reads_table(operation, planned);
}

std::int64_t row_update_workspace_bytes(const Graph& graph, const GraphOperation& operation) {
  return 2 * table_row_bytes(graph, operation);
}

}  // namespace poet
