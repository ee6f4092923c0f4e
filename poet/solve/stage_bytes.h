#pragma once

#include <cstdint>
#include <vector>

namespace poet {

// Bytes per stage, to which many stages at a time are added, and how much of them lies above a
// budget. Stages are kept in blocks: one that lies wholly above or below takes one step.
class StageBytes {
 public:
  StageBytes(std::int32_t stages, std::int64_t budget_bytes);

  // To the stages [begin, end); may be negative.
  void add(std::int32_t begin, std::int32_t end, std::int64_t bytes);
  std::int64_t at(std::int32_t stage) const { return own_[stage] + blocks_[stage / kBlock].added; }
  // Sum over the stages.
  std::int64_t excess() const { return excess_; }

 private:
  static constexpr std::int32_t kBlock = 64;
  struct Block {
    std::int64_t added = 0;  // to each of its stages
    std::int64_t least = 0;  // of its stages, `added` left out
    std::int64_t most = 0;
  };

  void add_in_block(std::int32_t block, std::int32_t begin, std::int32_t end, std::int64_t bytes);
  void add_to_block(std::int32_t block, std::int64_t bytes);
  std::int32_t end_of(std::int32_t block) const;

  std::int64_t budget_;
  std::vector<std::int64_t> own_;
  std::vector<Block> blocks_;
  std::int64_t excess_ = 0;
};

}  // namespace poet
