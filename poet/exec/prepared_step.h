#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/exec/executor.h"
#include "poet/graph/element_type.h"
#include "poet/graph/tensor_type.h"
#include "poet/kernels/kernel_set.h"
#include "poet/runtime/row_update.h"

namespace poet {

// A program bound to memory and kernels, so that running it is a walk over a list. Steps in parts
// have a hundred thousand actions, and all of this lies beside an arena that is small: what few
// actions have, and what is of any length, lies in lists of its own (PreparedStep).

// Places of one of those lists, one behind the other.
struct ListPlaces {
  std::int32_t first = 0;
  std::int32_t count = 0;

  template <typename Value>
  std::span<const Value> of(const std::vector<Value>& list) const {
    return std::span(list).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(count));
  }
};

// The execution of an operation on tensors in the operation's order.
struct CallKernel {
  std::int32_t operation = 0;  // in PreparedStep::operations
  ListPlaces inputs = {};
  ListPlaces outputs = {};
  std::byte* workspace = nullptr;  // null: it needs none
};

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

struct ReadInput {
  TensorId tensor{};
  std::span<std::byte> value = {};
};

struct ReadStore {
  std::int64_t offset_bytes = 0;
  std::span<std::byte> memory = {};
};

struct WriteStore {
  std::int64_t offset_bytes = 0;
  std::span<const std::byte> memory = {};
};

struct DoNothing {};

// By their number in the list of them: they are large, and few.
enum class LookupNumber : std::int32_t {};
enum class RowUpdateNumber : std::int32_t {};

using PreparedWork = std::variant<DoNothing, CallKernel, LookupNumber, RowUpdateNumber, ReadInput,
                                  ReadStore, WriteStore>;

struct GivenOutput {
  TensorId tensor{};
  std::span<const std::byte> value = {};
};

// An instruction of the program.
struct PreparedAction {
  std::optional<std::int64_t> wait_for = {};  // a transfer, by number, that must have ended
  PreparedWork work = {};
  bool again = false;        // a Compute that is not the first of its operation
  ListPlaces gives = {};     // to StepExchange::take_output
  ListPlaces poisoned = {};  // afterwards; with Poison::On
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
  std::vector<PreparedAction> actions = {};
  std::vector<const void*> call_inputs = {};
  std::vector<void*> call_outputs = {};
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
