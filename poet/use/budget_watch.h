#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/use/memory_limit.h"

namespace poet {

// RAM budgets that a training can move between from step to step, the largest first: `levels` of
// them (at least 2) from `most_bytes` to `least_bytes`, each the same part of the one before, in
// whole pieces of `piece_bytes`; fewer where rounding makes two the same. least_bytes < most_bytes.
std::vector<std::int64_t> budget_levels(std::int64_t most_bytes, std::int64_t least_bytes,
                                        std::int64_t levels, std::int64_t piece_bytes);

// The first level that needs no more than this; the last where none does.
std::size_t level_within(std::span<const std::int64_t> levels, std::int64_t bytes);

// Who may say between two steps how much RAM a training is to have. Of several wishes the smallest
// budget counts.
struct BudgetWishes {
  std::optional<std::string> control_path = {};  // a file that holds a size, such as "512MiB"
  bool follows_limits = true;                    // of control groups
  // Where some process waited for memory in so much of the last 10 s, one level less.
  std::optional<double> pressure_percent = {};
  std::function<std::size_t(std::size_t levels)> asked_level = {};  // 0: the largest; may be empty
  std::function<double()> clock_s = {};                             // for the pressure
  MemoryFiles files = {};
};

// Looks between steps for the level that a training should be at.
class BudgetWatch {
 public:
  explicit BudgetWatch(BudgetWishes wishes) : wishes_(std::move(wishes)) {}

  // The place among `levels` (budget_levels()) of the largest budget that nobody wants to be
  // smaller, and that fits into the limits of control groups with what the process needs beside the
  // arena; the last where none does.
  std::size_t level(std::span<const std::int64_t> levels, std::int64_t overhead_bytes);

  // What the user should know of wishes that could not be read, each once.
  std::vector<std::string> take_notes();

 private:
  void read_control();
  void tell_below_least(std::int64_t least_bytes);
  std::size_t pressure_level(std::size_t levels);

  BudgetWishes wishes_;
  std::optional<std::int64_t> control_bytes_ = {};
  std::optional<std::int64_t> told_below_ = {};
  std::string bad_control_ = {};  // what it said last that is no size
  std::size_t pressure_level_ = 0;
  std::optional<double> pressure_moved_s_ = {};
  std::vector<std::string> notes_ = {};
};

}  // namespace poet
