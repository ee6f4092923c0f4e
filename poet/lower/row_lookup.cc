#include "poet/lower/row_lookup.h"

#include <algorithm>
#include <variant>

namespace poet {

bool reads_rows_of_storage(const Graph& graph, const GraphOperation& operation,
                           const Operation& planned) {
  if (operation.kind != Operator::Gather) return false;
  const TensorId table = operation.inputs[0];
  return at(graph.tensors, table).home == Home::Storage &&
         std::get<AxisAttributes>(operation.attributes).axis == 0 &&
         std::count(planned.inputs.begin(), planned.inputs.end(), table) == 0;
}

}  // namespace poet
