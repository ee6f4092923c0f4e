#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/layout/packing.h"

namespace poet {

// Buffers to pack as a table (docs/formats/packing.md): the rows as they were written, and what
// they mean.
struct PackingTable {
  std::vector<std::string> columns = {};            // names as they were written
  std::vector<std::vector<std::string>> rows = {};  // one cell for each column
  std::vector<PackBlock> blocks = {};               // by row, one piece each
};

// Comma-separated rows under a heading with the columns `id`, `lower`, `upper` and `size`: a buffer
// of so many bytes lives in [lower, upper). Refuses, with its line, what is no such table.
Result<PackingTable> parse_packing_table(std::string_view text, const std::string& file);

// The same rows with the column `offset`, which is added last where there was none.
std::string packing_table_text(const PackingTable& table, const std::vector<std::int64_t>& offsets);

}  // namespace poet
