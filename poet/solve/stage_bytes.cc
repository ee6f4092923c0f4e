// Bytes in RAM for each stage, added to many stages at a time (docs/model/search.md §2.2).
#include "poet/solve/stage_bytes.h"

#include <algorithm>

namespace poet {

StageBytes::StageBytes(std::int32_t stages, std::int64_t budget_bytes)
    : budget_(budget_bytes),
      own_(stages, 0),
      blocks_((stages + kBlock - 1) / kBlock),
      more_from_(stages + 1, 0),
      is_noted_(stages + 1, false) {
  excess_ = stages * std::max<std::int64_t>(0, -budget_);
}

void StageBytes::add(std::int32_t begin, std::int32_t end, std::int64_t bytes) {
  if (begin >= end || bytes == 0) return;
  note(begin, bytes);
  note(end, -bytes);
}

void StageBytes::note(std::int32_t stage, std::int64_t bytes) {
  more_from_[stage] += bytes;
  if (is_noted_[stage]) return;
  is_noted_[stage] = true;
  noted_.push_back(stage);
}

void StageBytes::settle() {
  std::sort(noted_.begin(), noted_.end());
  std::int64_t bytes = 0;
  std::int32_t begin = 0;
  for (const std::int32_t stage : noted_) {
    if (more_from_[stage] != 0) {
      add_to_stages(begin, stage, bytes);
      begin = stage;
      bytes += more_from_[stage];
    }
    more_from_[stage] = 0;
    is_noted_[stage] = false;
  }
  noted_.clear();
}

void StageBytes::add_to_stages(std::int32_t begin, std::int32_t end, std::int64_t bytes) {
  if (bytes == 0) return;
  for (std::int32_t block = begin / kBlock; block * kBlock < end; ++block) {
    const std::int32_t first = std::max(begin, block * kBlock);
    const std::int32_t last = std::min(end, end_of(block));
    const bool is_whole = first == block * kBlock && last == end_of(block);
    if (is_whole)
      add_to_block(block, bytes);
    else
      add_in_block(block, first, last, bytes);
  }
}

std::int32_t StageBytes::end_of(std::int32_t block) const {
  return std::min((block + 1) * kBlock, static_cast<std::int32_t>(own_.size()));
}

void StageBytes::add_to_block(std::int32_t block, std::int64_t bytes) {
  Block& b = blocks_[block];
  if (b.since_exact > 0 && crosses_budget(b, bytes)) make_exact(block);
  if (crosses_budget(b, bytes)) {
    const Block before = b;  // exact
    add_in_block(block, block * kBlock, end_of(block), bytes);
    b = {before.added, before.least + bytes, before.most + bytes};
    return;
  }
  if (b.added + b.least + std::min<std::int64_t>(0, bytes) >= budget_)
    excess_ += bytes * (end_of(block) - block * kBlock);
  b.added += bytes;
}

// Whether some of its stages, before or after, may be above the budget and others below.
bool StageBytes::crosses_budget(const Block& b, std::int64_t bytes) const {
  const std::int64_t least = b.added + b.least + std::min<std::int64_t>(0, bytes);
  const std::int64_t most = b.added + b.most + std::max<std::int64_t>(0, bytes);
  return least < budget_ && most > budget_;
}

void StageBytes::make_exact(std::int32_t block) {
  Block& b = blocks_[block];
  const auto [least, most] =
      std::minmax_element(own_.begin() + block * kBlock, own_.begin() + end_of(block));
  b.least = *least;
  b.most = *most;
  b.since_exact = 0;
}

void StageBytes::add_in_block(std::int32_t block, std::int32_t begin, std::int32_t end,
                              std::int64_t bytes) {
  Block& b = blocks_[block];
  const std::int64_t room = budget_ - b.added;
  std::int64_t excess = 0;
  for (std::int32_t t = begin; t < end; ++t) {
    excess -= std::max<std::int64_t>(0, own_[t] - room);
    own_[t] += bytes;
    excess += std::max<std::int64_t>(0, own_[t] - room);
  }
  excess_ += excess;
  b.least += std::min<std::int64_t>(0, bytes);
  b.most += std::max<std::int64_t>(0, bytes);
  if (++b.since_exact == kBlock) make_exact(block);
}

}  // namespace poet
