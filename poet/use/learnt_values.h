#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/model/low_rank_adapters.h"
#include "poet/model/model.h"
#include "poet/train/checkpoint.h"

namespace poet {

// Parameters and statistics: what a training changes.
bool is_learnt(TensorRole role);

// What a checkpoint holds of a network, by name, for networks that are written to files: what was
// learnt, or where there is none what the network begins with.
class LearntValues {
 public:
  // Of `question`'s network. Refuses a checkpoint of another one, and of other adapters or another
  // base than it has. Without one, everything is as the network begins.
  static Result<LearntValues> open(const std::optional<std::string>& path, const Question& question,
                                   const Model& model);

  std::int64_t step() const { return checkpoint_.state.step; }
  bool has(const std::string& name) const { return by_name_.count(name) > 0; }

  // A part of a value, from a multiple of kInitialStepBytes on; and all of it.
  Failure read(const Model& model, TensorId id, std::int64_t offset_bytes,
               std::span<std::byte> into) const;
  Result<StoredBytes> value(const Model& model, TensorId id) const;

 private:
  Failure check(const std::string& path, const Model& model) const;

  Checkpoint checkpoint_ = {};
  std::map<std::string, const CheckpointValue*> by_name_ = {};  // into checkpoint_.values
};

// What becomes of adapters.
enum class WrittenAdapters {
  Beside,  // products of their own, as they are trained
  Merged,  // W + (alpha / rank) A' B' in the place of each weight: the network as it was before
};

// What is written in the place of a network's tensors: what was learnt, and in the place of adapted
// weights what they are with their adapters merged.
class WrittenValues {
 public:
  WrittenValues(const Model& trained, const LearntValues& learnt, WrittenAdapters adapters);

  // Whether it is anything else than what the network begins with.
  bool changes(TensorId id) const;

  // A part of a value, from a multiple of kInitialStepBytes on; and all of it.
  Failure read(TensorId id, std::int64_t offset_bytes, std::span<std::byte> into) const;
  Result<StoredBytes> value(TensorId id) const;

 private:
  Failure merge(const Adapter& adapter) const;

  const Model& trained_;
  const LearntValues& learnt_;
  std::map<TensorId, Adapter> adapters_ = {};  // to be merged, by their weight
  // The weight that was asked for last: whoever reads in parts asks for one after the other.
  mutable std::optional<TensorId> merged_id_ = {};
  mutable std::vector<float> merged_ = {};
};

}  // namespace poet
