#pragma once

#include <cstdint>
#include <vector>

#include "poet/layout/packing.h"

namespace poet {

// Blocks with time cut into sections: stretches in which the same blocks live. Only sections count
// that no other contains (blocks and sizes): a layout that is right there is right everywhere.
// Sizes are rounded up to the alignment and counted in `unit_bytes`, which divides them all.
struct SectionPiece {
  std::int32_t first = 0;  // sections [first, last)
  std::int32_t last = 0;
  std::int64_t size = 0;  // in units, > 0

  bool operator==(const SectionPiece&) const = default;
};

struct SectionBlock {
  std::int32_t first = 0;  // sections [first, last)
  std::int32_t last = 0;
  std::int32_t piece_begin = 0;  // in Sections::pieces
  std::int32_t piece_end = 0;
  std::int64_t height = 0;  // the largest size of its pieces
  std::int64_t source = 0;  // its place in the list of blocks that was given

  bool operator==(const SectionBlock&) const = default;
};

struct Sections {
  std::int32_t count = 0;
  std::vector<SectionBlock> blocks = {};  // blocks of no size are left out
  std::vector<SectionPiece> pieces = {};
  std::vector<std::int64_t> load = {};  // by section: sum of the sizes that live there
  std::int64_t unit_bytes = 1;

  std::int64_t lower_bound() const;  // in units: the largest load
};

Sections cut_into_sections(const std::vector<PackBlock>& blocks, std::int64_t alignment);

}  // namespace poet
