#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/exec/executor.h"
#include "poet/exec/packed_actions.h"
#include "poet/graph/element_type.h"
#include "poet/graph/tensor_type.h"
#include "poet/kernels/kernel_set.h"
#include "poet/runtime/row_update.h"

namespace poet {

// A program bound to memory and kernels, so that running it is a walk over its actions. What few of
// them have, and what is of any length, lies in lists (PreparedStep).

// A lookup of rows, straight from storage into its output.
struct ReadRows {
  std::int64_t table_offset_bytes = 0;  // in the store
  std::int64_t row_bytes = 0;
  std::int64_t table_rows = 0;
  ElementType index_type = ElementType::Int64;
  std::span<const std::byte> indices = {};
  std::span<std::byte> rows = {};
};

// The update of rows in storage: each that is picked is read, changed and written.
struct UpdateRows {
  std::int64_t table_offset_bytes = 0;  // in the store
  poet_row_update_shape shape = {};
  ElementType index_type = ElementType::Int64;
  const void* indices = nullptr;
  const float* gradient = nullptr;
  const poet_step_words* step = nullptr;
  std::span<std::byte> row = {};
  std::span<std::byte> row_gradient = {};
};

struct GivenOutput {
  TensorId tensor{};
  std::span<const std::byte> value = {};
};

// Where a tensor that outlives a step is at home.
struct HomePlace {
  TensorId tensor{};
  TensorType type = {};
  std::span<std::byte> memory = {};  // of residents
  std::int64_t offset_bytes = 0;     // of others, in the store
};

struct FreeSlot {
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

struct PreparedStep {
  // Operations of the graph that have the same types are one of these.
  std::vector<std::unique_ptr<ReadyOperation>> operations = {};
  std::vector<std::vector<std::size_t>> input_bytes = {};  // of each, as it has them
  PackedActions actions = {};
  std::vector<ReadRows> lookups = {};
  std::vector<UpdateRows> row_updates = {};
  std::vector<GivenOutput> given = {};
  std::vector<std::span<std::byte>> poisoned = {};
  std::int64_t transfers = 0;                   // with the store
  std::span<std::byte> step_words = {};         // empty: nothing reads them
  std::vector<ReadInput> resident_inputs = {};  // before the first action
  std::vector<HomePlace> kept = {};             // in order of tensor
  std::vector<std::span<std::byte>> free = {};  // of the arena, before the first action
  std::vector<FreeSlot> free_slots = {};        // of copies that the step writes before it reads
};

// Lowers the step, and binds its program. Of a step that check_step() is content with. Refuses
// memory that is too small, or not aligned as kernels and the layout need it, and a program that
// check_program() refuses.
Result<PreparedStep> prepare_step(const RunnableStep& step, const ExecutorMemory& memory,
                                  const KernelSet& kernels, Poison poison);

}  // namespace poet
