#pragma once

#include <cstdint>
#include <vector>

namespace poet {

// Bytes per stage, to which many stages at a time are added, and how much of them lies above a
// budget. What is added waits until it is settled: most of what a move adds it takes away again,
// and that costs nothing then. Stages are kept in blocks: one that lies wholly above or below takes
// one step.
class StageBytes {
 public:
  StageBytes(std::int32_t stages, std::int64_t budget_bytes);

  // To the stages [begin, end); may be negative.
  void add(std::int32_t begin, std::int32_t end, std::int64_t bytes);
  void settle();
  // As of the last time that it was settled.
  std::int64_t at(std::int32_t stage) const { return own_[stage] + blocks_[stage / kBlock].added; }
  // Sum over the stages.
  std::int64_t excess() const { return excess_; }

 private:
  static constexpr std::int32_t kBlock = 64;
  // Bounds on its stages are worked out when somebody needs them, or after so many additions to
  // some of them that they would leave 64 bits in the end: most additions are to one stage.
  struct Block {
    std::int64_t added = 0;        // to each of its stages
    std::int64_t least = 0;        // at most what its stages have, `added` left out
    std::int64_t most = 0;         // at least that
    std::int32_t since_exact = 0;  // additions
  };

  void note(std::int32_t stage, std::int64_t bytes);
  void add_to_stages(std::int32_t begin, std::int32_t end, std::int64_t bytes);
  void add_in_block(std::int32_t block, std::int32_t begin, std::int32_t end, std::int64_t bytes);
  void add_to_block(std::int32_t block, std::int64_t bytes);
  bool crosses_budget(const Block& b, std::int64_t bytes) const;
  void make_exact(std::int32_t block);
  std::int32_t end_of(std::int32_t block) const;

  std::int64_t budget_;
  std::vector<std::int64_t> own_;
  std::vector<Block> blocks_;
  std::int64_t excess_ = 0;
  // What waits: from this stage on there are so many bytes more.
  std::vector<std::int64_t> more_from_;
  std::vector<bool> is_noted_;
  std::vector<std::int32_t> noted_;
};

}  // namespace poet
