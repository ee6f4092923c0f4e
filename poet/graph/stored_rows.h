#pragma once

#include <cstdint>
#include <vector>

#include "poet/graph/graph.h"

namespace poet {

// Tables in storage of which only single rows are read and written, where they lie.

// Whether an operation can look up its rows in storage, without the table in RAM: a Gather along
// the first axis of a table that is at home there.
bool reads_stored_rows(const Graph& graph, const GraphOperation& operation);

// Of each operation, whether it can update rows in storage: a RowUpdate of a table that is at home
// there, and of which nothing but such lookups reads anything.
std::vector<bool> updates_of_stored_rows(const Graph& graph);

// Of the table of such a lookup or update, its first input.
std::int64_t table_row_bytes(const Graph& graph, const GraphOperation& operation);

// How many rows it reads, and an update writes, at the most: one for each index, its second input.
std::int64_t most_rows_met(const Graph& graph, const GraphOperation& operation);

}  // namespace poet
