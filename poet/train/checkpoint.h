#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/base/atomic_file.h"
#include "poet/base/result.h"
#include "poet/data/data_file.h"
#include "poet/train/held_values.h"

namespace poet {

// One of what decides the numbers of a training, as a user knows it: "batch size", "32".
struct CheckpointSetting {
  std::string name = {};
  std::string value = {};

  bool operator==(const CheckpointSetting&) const = default;
};

// The best evaluation so far, and how many have come since then; of step 0 where none gave a loss
// that is a number.
struct BestEvaluation {
  double loss = 0;
  std::int64_t step = 0;
  std::int64_t since = 0;

  bool operator==(const BestEvaluation&) const = default;
};

// Where a run stands between two steps.
struct CheckpointState {
  std::string model = {};
  // A run goes on to the same bits only with the same. None in a file of version 1, which has a
  // hash of too few of them: what was learnt is of use, and no run goes on from it.
  std::vector<CheckpointSetting> settings = {};
  std::int64_t step = 0;      // steps done
  std::int64_t examples = 0;  // seen so far, over all epochs
  std::uint64_t seed = 1;
  std::optional<BestEvaluation> best = {};  // where the run looks for it

  bool operator==(const CheckpointState&) const = default;
};

// A value in a checkpoint.
struct CheckpointValue {
  std::string name = {};
  TensorType type = {};
  TensorRole role = TensorRole::Parameter;
  std::int64_t offset_bytes = 0;  // from the file's begin

  bool operator==(const CheckpointValue&) const = default;
};

// What writes a checkpoint (docs/formats/checkpoint.md) into a new file, with all values that can
// be written back, which must outlive it, piece by piece: no more than `buffer` is in memory at a
// time.
std::function<Failure(FileWriter&)> checkpoint_file(const CheckpointState& state,
                                                    const std::vector<HeldValue>& values,
                                                    std::span<std::byte> buffer);

// Writes one. Killed at any moment, it leaves the old file or the new one.
Failure save_checkpoint(const std::string& path, const CheckpointState& state,
                        const std::vector<HeldValue>& values, std::span<std::byte> buffer);

// A checkpoint that was opened: its values are read where they lie.
struct Checkpoint {
  CheckpointState state = {};
  std::vector<CheckpointValue> values = {};
  std::shared_ptr<const DataFile> file = {};
};

// Reads versions 1 and 2. Refuses files that are no checkpoints, are cut off, or whose contents are
// not what was written.
Result<Checkpoint> open_checkpoint(const std::string& path, std::span<std::byte> buffer);

// Which values must be there.
enum class Needed {
  All,         // to go on training
  Parameters,  // and statistics: to use what was learnt
};

// Writes the checkpoint's values into those of the same name. Refuses a checkpoint that lacks one
// that is needed, or has it with another type.
Failure restore(const Checkpoint& checkpoint, const std::vector<HeldValue>& values, Needed needed,
                std::span<std::byte> buffer);

}  // namespace poet
