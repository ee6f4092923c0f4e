// Whatever the bytes, a table of buffers is read or refused in one line; what is read and small is
// packed so that nothing lies on anything else, as a walk over all pairs says, and the table with
// its offsets reads back as the same buffers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/layout/pack.h"
#include "poet/layout/packing_table.h"

namespace {

constexpr std::size_t kMostPacked = 40;

void check_packing(const std::vector<poet::PackBlock>& blocks, const poet::Packing& packing) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const poet::PackPiece& a = blocks[i].pieces.front();
    POET_CHECK(packing.offsets[i] >= 0 && packing.offsets[i] + a.size <= packing.height);
    for (std::size_t j = i + 1; j < blocks.size(); ++j) {
      const poet::PackPiece& b = blocks[j].pieces.front();
      const bool together = std::max(a.lower, b.lower) < std::min(a.upper, b.upper);
      const bool overlap = packing.offsets[i] < packing.offsets[j] + b.size &&
                           packing.offsets[j] < packing.offsets[i] + a.size;
      POET_CHECK(!together || !overlap || a.size == 0 || b.size == 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<PackingTable> table = parse_packing_table(text, "fuzz.csv");
  if (!table.ok()) {
    const std::string message = to_string(table.error());
    POET_CHECK(message.starts_with("fuzz.csv") && message.find('\n') == std::string::npos);
    return 0;
  }
  if (table->blocks.size() > kMostPacked) return 0;
  const PackReport report = pack(table->blocks, {.max_nodes = 2'000});
  check_packing(table->blocks, report.packing);
  const Result<PackingTable> back =
      parse_packing_table(packing_table_text(*table, report.packing.offsets), "back.csv");
  POET_CHECK(back.ok() && back->blocks == table->blocks);
  return 0;
}
