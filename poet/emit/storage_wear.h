#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/emit/storage_map.h"

namespace poet {

// What is known of how a storage wears out (docs/formats/device.md). What is not is never made up.
struct WearFacts {
  std::optional<double> cycles = {};  // that a block is rated to be erased
  std::optional<std::int64_t> erase_bytes = {};
  // Over how much of it writes are spread; 0: each wears the block that it writes.
  std::optional<std::int64_t> levelled_bytes = {};

  bool operator==(const WearFacts&) const = default;
};

// How a training is used.
struct DailyUse {
  double steps = 0;             // a day, above 0
  std::int64_t save_every = 0;  // a checkpoint after so many steps, above 0
};

// A transfer to storage, and how often a step has it.
struct StorageWrite {
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
  std::int64_t times = 1;
};

// Until the rated cycles are used up.
struct WearEstimate {
  DailyUse use = {};
  double bytes_per_day = 0;  // that the training writes, checkpoints included
  std::string unknown = {};  // which key the device file lacks; then there are no years
  // As long as it lasts where nothing is erased but to write this, and where each transfer erases
  // the whole of every block that it touches. The second wants to know how large a block is.
  std::optional<double> most_years = {};
  std::optional<double> least_years = {};
};

struct StorageWear {
  std::int64_t step_bytes = 0;        // written by a step, in whole blocks of the storage
  std::int64_t checkpoint_bytes = 0;  // by a checkpoint
  std::optional<WearEstimate> estimate = {};
};

// The formulas and what they assume: docs/decisions/0067-ports.md.
StorageWear storage_wear(const std::vector<StorageWrite>& step, const StorageMap& map,
                         const WearFacts& facts, const std::optional<DailyUse>& use);

// "61,862,400 bytes a day: 2.1 to 40 years", or what is not known.
std::string wear_text(const WearEstimate& estimate);

}  // namespace poet
