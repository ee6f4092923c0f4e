#pragma once

#include "poet/graph/graph.h"
#include "poet/problem/problem.h"

namespace poet {

// Whether an operation looks up rows of a table that lies in storage and reads just those, from
// there: a Gather along the first axis, of which the problem (`planned`) does not count the table
// as an input.
bool reads_rows_of_storage(const Graph& graph, const GraphOperation& operation,
                           const Operation& planned);

// Whether it updates the rows of such a table where they lie: a RowUpdate, of which the problem
// counts bytes that it writes by itself.
bool updates_rows_of_storage(const Graph& graph, const GraphOperation& operation,
                             const Operation& planned);

// What it works with in RAM then: a row, and its gradient.
std::int64_t row_update_workspace_bytes(const Graph& graph, const GraphOperation& operation);

}  // namespace poet
