#include "poet/layout/sections.h"

#include <algorithm>
#include <numeric>

namespace poet {
namespace {

std::int64_t rounded_up(std::int64_t size, std::int64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// What changes at one moment.
struct Change {
  std::int64_t time = 0;
  bool grows = false;  // a piece begins that is larger than what its block had before
};

void add_changes(const PackBlock& block, std::vector<Change>& changes) {
  std::int64_t before = 0;
  for (const PackPiece& piece : block.pieces) {
    if (piece.size != before) changes.push_back({piece.lower, piece.size > before});
    before = piece.size;
  }
  if (before > 0) changes.push_back({block.pieces.back().upper, false});
}

// The moments at which sections that count end: something shrinks there, and something has grown
// since the last of them.
std::vector<std::int64_t> section_ends(const std::vector<PackBlock>& blocks) {
  std::vector<Change> changes;
  for (const PackBlock& block : blocks) add_changes(block, changes);
  // At one moment things shrink first.
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.time != b.time ? a.time < b.time : a.grows < b.grows;
  });
  std::vector<std::int64_t> ends;
  bool grown = false;
  for (const Change& change : changes) {
    if (!change.grows && grown) ends.push_back(change.time);
    grown = change.grows;
  }
  return ends;
}

// The first section whose end is later than `time`.
std::int32_t section_after(const std::vector<std::int64_t>& ends, std::int64_t time) {
  return static_cast<std::int32_t>(std::upper_bound(ends.begin(), ends.end(), time) - ends.begin());
}

void add_block(const PackBlock& block, std::int64_t source, std::int64_t alignment,
               const std::vector<std::int64_t>& ends, Sections& out) {
  SectionBlock added{.piece_begin = static_cast<std::int32_t>(out.pieces.size()), .source = source};
  for (const PackPiece& given : block.pieces) {
    // A section counts as the moment just before its end.
    const SectionPiece piece = {.first = section_after(ends, given.lower),
                                .last = section_after(ends, given.upper),
                                .size = rounded_up(given.size, alignment)};
    if (piece.first < piece.last && piece.size > 0) out.pieces.push_back(piece);
  }
  added.piece_end = static_cast<std::int32_t>(out.pieces.size());
  if (added.piece_begin == added.piece_end) return;
  added.first = out.pieces[static_cast<std::size_t>(added.piece_begin)].first;
  added.last = out.pieces.back().last;
  for (auto p = static_cast<std::size_t>(added.piece_begin); p < out.pieces.size(); ++p)
    added.height = std::max(added.height, out.pieces[p].size);
  out.blocks.push_back(added);
}

}  // namespace

std::int64_t Sections::lower_bound() const {
  return load.empty() ? 0 : *std::max_element(load.begin(), load.end());
}

Sections cut_into_sections(const std::vector<PackBlock>& blocks, std::int64_t alignment) {
  Sections sections;
  const std::vector<std::int64_t> ends = section_ends(blocks);
  sections.count = static_cast<std::int32_t>(ends.size());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    add_block(blocks[i], static_cast<std::int64_t>(i), alignment, ends, sections);

  std::int64_t unit = 0;
  for (const SectionPiece& piece : sections.pieces) unit = std::gcd(unit, piece.size);
  sections.unit_bytes = std::max<std::int64_t>(unit, 1);
  sections.load.resize(ends.size(), 0);
  for (SectionPiece& piece : sections.pieces) {
    piece.size /= sections.unit_bytes;
    for (std::int32_t s = piece.first; s < piece.last; ++s)
      sections.load[static_cast<std::size_t>(s)] += piece.size;
  }
  for (SectionBlock& block : sections.blocks) block.height /= sections.unit_bytes;
  return sections;
}

}  // namespace poet
