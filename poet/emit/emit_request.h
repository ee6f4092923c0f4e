#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poet/autodiff/learning_rate.h"
#include "poet/base/ids.h"
#include "poet/data/dataset.h"
#include "poet/data/part_place.h"
#include "poet/emit/project_kind.h"
#include "poet/emit/storage_wear.h"
#include "poet/graph/attributes.h"
#include "poet/graph/tensor_piece.h"
#include "poet/lower/runnable_step.h"
#include "poet/model/initial.h"

namespace poet {

// One form of a step, as it is to become C. What it points to outlives it.
struct EmittedForm {
  std::string name = {};               // "whole", or "first", "middle", "last"; or "prediction"
  const RunnableStep* step = nullptr;  // share_homes() has lined up those of one step
  std::vector<PartPlace> inputs = {};
  const std::map<TensorId, Initial>* initial = nullptr;
  // Of a step in parts: what its tensors are pieces of.
  const std::map<TensorId, TensorPiece>* pieces = nullptr;
  // The forward pass that predicts: what it gives is an output, and no loss.
  bool predicts = false;
  std::int64_t times = 1;  // in a step
};

// Larger than the pages of flash chips and of most cards' flash; a board with smaller ones can say
// so, to save storage.
inline constexpr std::int64_t kStorageEraseBytes = 64 << 10;

// poet_predict(), where a project has it.
struct EmittedPrediction {
  std::int64_t batch_size = 1;
  std::int64_t outputs = 0;  // floats of an example
};

// What a project is made for, apart from the plan.
struct EmittedBoard {
  std::string name = {};                 // of the device
  std::int64_t ram_bytes = 0;            // that the training has of the device, stack and all
  std::int64_t reserved_bytes = 0;       // that others have of it
  std::int64_t stack_bytes = 0;          // of these, kept for the stack
  std::int64_t storage_block_bytes = 1;  // what storage is written in: a power of two
  // What a power cut during a write may damage, whole: a power of two. Less than a block is a
  // block.
  std::int64_t storage_erase_bytes = kStorageEraseBytes;
  WearFacts wear = {};
};

// A memory behind the RAM.
struct EmittedMemory {
  std::string name = {};  // of the device
  std::int64_t size_bytes = 0;
  std::int64_t arena_bytes = 0;  // of the plan; 0: it uses none of it
};

// The storage that a project has for one chip, beside its C files.
struct EmittedPort {
  std::string name = {};
  std::string title = {};
  std::string compiler = {};  // its name
  // Of what it has for transfers beside the processor; empty: nothing.
  std::string channel_header = {};
};

// A training, ready to become a project of C.
struct EmitRequest {
  std::string model = {};
  std::string command = {};  // the command line that asked for it
  EmittedBoard board = {};
  std::vector<EmittedForm> forms = {};
  std::int64_t arena_bytes = 0;
  std::vector<EmittedMemory> further = {};  // memories 1, 2, ...
  std::vector<ExamplePart> parts = {};
  std::int64_t micro_batches = 1;
  std::int64_t micro_batch_size = 1;
  std::uint64_t seed = 1;
  LearningRate learning_rate = {};
  UpdateAttributes constants = {};  // Adam's beta1 and beta2
  // What else decides the numbers: a card of another training is not gone on from.
  std::string settings = {};
  bool calls_hook = false;  // poet_set_hook(), and steps that can pause
  // The last form is its, then.
  std::optional<EmittedPrediction> prediction = {};
  ProjectKind kind = ProjectKind::Make;
  std::optional<EmittedPort> port = {};
  std::optional<DailyUse> daily_use = {};  // for how long its storage lasts
  std::int64_t example_steps = 1;          // so many steps' examples are written beside it
};

}  // namespace poet
