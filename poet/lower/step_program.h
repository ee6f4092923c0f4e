#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/time_mode.h"
#include "poet/graph/element_type.h"
#include "poet/graph/operator_id.h"

namespace poet {

// A step with every place settled, as plain values: what is called and moved, in which order, where
// each of it lies, and what it must wait for. Who runs it on this machine binds places to memory,
// and who writes it as C prints them; neither looks at the plan again
// (docs/decisions/0033-one-lowering.md).

// An arena, storage, or what never changes: constants and frozen parameters, one behind the other.
enum class AddressSpace { Arena, Storage, Rom };

struct BytePlace {
  AddressSpace space = AddressSpace::Arena;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
  MemoryId memory = kFastRam;  // whose arena it is

  std::int64_t end_bytes() const { return offset_bytes + size_bytes; }
  bool operator==(const BytePlace&) const = default;
};

// Whether they have a byte in common.
constexpr bool overlap(const BytePlace& a, const BytePlace& b) {
  return a.space == b.space && a.memory == b.memory &&
         a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes && a.size_bytes > 0 && b.size_bytes > 0;
}

struct TensorPlace {
  TensorId tensor{};
  BytePlace place = {};

  bool operator==(const TensorPlace&) const = default;
};

// --- What an instruction does

// The execution of an operation that is no view. Places are those of its tensors in its own order;
// a view of a tensor is where that is.
struct OperationCall {
  OperationId operation{};
  Operator kind = {};
  std::vector<BytePlace> inputs = {};
  std::vector<BytePlace> outputs = {};
  std::optional<BytePlace> workspace = {};

  bool operator==(const OperationCall&) const = default;
};

// A lookup of rows, straight from storage into its output.
struct RowLookup {
  OperationId operation{};
  BytePlace table = {};
  std::int64_t row_bytes = 0;
  std::int64_t table_rows = 0;
  ElementType index_type = ElementType::Int64;
  BytePlace indices = {};
  BytePlace rows = {};

  bool operator==(const RowLookup&) const = default;
};

// The update of the rows of a table that were looked up, in storage: each is read, changed and
// written. `workspace` holds two of them.
struct StoredRowUpdate {
  OperationId operation{};
  BytePlace table = {};
  std::int64_t row_bytes = 0;
  std::int64_t table_rows = 0;
  ElementType index_type = ElementType::Int64;
  BytePlace indices = {};
  BytePlace gradient = {};  // of the rows that were picked
  BytePlace step = {};
  BytePlace workspace = {};

  bool operator==(const StoredRowUpdate&) const = default;
};

// This step's value of an input, from whoever has the examples.
struct InputFeed {
  TensorId tensor{};
  BytePlace value = {};

  bool operator==(const InputFeed&) const = default;
};

// This step's poet_step_words (poet/runtime/step.h).
struct StepWordsFeed {
  BytePlace value = {};

  bool operator==(const StepWordsFeed&) const = default;
};

// Copies between storage and the arena, of one size.
struct PageRead {
  TensorId tensor{};
  BytePlace storage = {};
  BytePlace memory = {};

  bool operator==(const PageRead&) const = default;
};

struct PageWrite {
  TensorId tensor{};
  BytePlace storage = {};
  BytePlace memory = {};

  bool operator==(const PageWrite&) const = default;
};

// A view, a Drop, or a PageOut of an input, which its source knows.
struct NoWork {
  bool operator==(const NoWork&) const = default;
};

using StepWork = std::variant<NoWork, OperationCall, RowLookup, StoredRowUpdate, InputFeed,
                              StepWordsFeed, PageRead, PageWrite>;

// An action of the schedule. In overlapped time PageRead and PageWrite only begin a transfer;
// transfers count from 0 in order of issue and end in that order, so who waits for one has waited
// for all before it.
struct StepInstruction {
  std::optional<std::int64_t> wait_for = {};  // a transfer, which must have ended
  StepWork work = {};
  bool again = false;                     // an operation that was executed before
  std::vector<TensorPlace> outputs = {};  // of the graph, for whoever wants them, afterwards
  std::vector<BytePlace> freed = {};      // afterwards; with FreeMemory::Filled

  bool operator==(const StepInstruction&) const = default;
};

// One instruction for each action of the schedule, in its order.
struct StepProgram {
  TimeMode time_mode = TimeMode::Blocking;
  std::int64_t alignment_bytes = 1;  // of the arena's offsets and the storage's
  std::int64_t arena_bytes = 0;
  std::vector<std::int64_t> further_arena_bytes = {};  // of memories 1, 2, ...
  std::int64_t storage_bytes = 0;
  std::int64_t rom_bytes = 0;
  std::vector<StepWork> begin = {};  // before the first: StepWordsFeed and InputFeed only
  std::vector<StepInstruction> instructions = {};
  std::int64_t transfers = 0;  // that are waited for: 0 in blocking time
  // What outlives the step and is neither an input nor the step's words, in order of tensor. New
  // values are where the old ones were.
  std::vector<TensorPlace> kept = {};
  std::vector<TensorPlace> rom = {};  // in order of tensor, each at a multiple of alignment_bytes
  // Of the arena and of storage: what holds nothing when the step begins and is used by it; with
  // FreeMemory::Filled.
  std::vector<BytePlace> free = {};

  bool operator==(const StepProgram&) const = default;
};

}  // namespace poet
