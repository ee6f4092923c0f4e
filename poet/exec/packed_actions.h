#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "poet/base/ids.h"

namespace poet {

// What a step does, action by action, bound to memory. Steps in parts have a hundred thousand
// actions, and all of them lie beside an arena that is small. So they are kept as bytes, about ten
// of each, and one at a time is unpacked while the step runs: the same thought as the tables of
// exported C (poet/runtime/step_table.h), for any addresses.

// Places of a list, one behind the other.
struct ListPlaces {
  std::int32_t first = 0;
  std::int32_t count = 0;

  template <typename Value>
  std::span<const Value> of(const std::vector<Value>& list) const {
    return std::span(list).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(count));
  }

  bool operator==(const ListPlaces&) const = default;
};

// The execution of an operation on tensors in the operation's order.
struct CallKernel {
  std::int32_t operation = 0;  // in PreparedStep::operations
  std::span<const void* const> inputs = {};
  std::span<void* const> outputs = {};
  std::byte* workspace = nullptr;  // null: it needs none
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

// An instruction of the program.
struct PreparedAction {
  std::optional<std::int64_t> wait_for = {};  // a transfer, by number, that must have ended
  PreparedWork work = {};
  bool again = false;        // a Compute that is not the first of its operation
  ListPlaces gives = {};     // to StepExchange::take_output
  ListPlaces poisoned = {};  // afterwards; with Poison::On
};

//   action   a byte: the kind of its work, and which of the following there are |
//            wait | places given | places poisoned | the work
//   wait     a number: of how many transfers before this action it is the first
//   call     operation | inputs and outputs, how many and where | workspace
//   input    tensor | where and how many bytes
//   storage  where in it, from the end of the last transfer | where in memory and how many bytes
//   number   7 bits a byte, the low ones first; the highest bit says that more follow
//   where    a number: 2n forward, 2n - 1 back; of memory, from the first byte of the arena
class PackedActions {
 public:
  // `arena` is where addresses count from; others may lie anywhere.
  explicit PackedActions(const std::byte* arena) : arena_(arena) {}
  PackedActions() = default;

  // What is given and poisoned follows what the actions before have of these lists, and what is
  // waited for was begun by one of them.
  void append(const PreparedAction& action);
  void shrink_to_fit() { bytes_.shrink_to_fit(); }

  std::int64_t size() const { return count_; }
  std::int64_t size_bytes() const { return static_cast<std::int64_t>(bytes_.size()); }

 private:
  friend class ActionReader;

  void append_number(std::uint64_t number);
  void append_distance(std::int64_t distance);
  void append_address(const void* address);
  void append_memory(std::span<const std::byte> memory);
  void append_storage(std::int64_t offset_bytes, std::span<const std::byte> memory);

  void append_work(const DoNothing&) {}
  void append_work(const CallKernel& call);
  void append_work(LookupNumber number);
  void append_work(RowUpdateNumber number);
  void append_work(const ReadInput& input);
  void append_work(const ReadStore& read) { append_storage(read.offset_bytes, read.memory); }
  void append_work(const WriteStore& write) { append_storage(write.offset_bytes, write.memory); }

  const std::byte* arena_ = nullptr;
  std::vector<std::uint8_t> bytes_ = {};
  std::int64_t count_ = 0;
  std::size_t most_tensors_ = 0;    // of a call
  std::int64_t transfers_ = 0;      // so far
  std::int64_t storage_bytes_ = 0;  // where the last one ended
  std::int32_t given_ = 0;
  std::int32_t poisoned_ = 0;
};

// Unpacks them in their order, again and again. Allocates nothing after it was made.
class ActionReader {
 public:
  // Keeps no copy of them.
  explicit ActionReader(const PackedActions& actions);

  // From the first on.
  void rewind();
  // The next one; what it points to is good until the one after it.
  const PreparedAction& next();

 private:
  std::uint64_t number();
  std::int64_t distance();
  std::byte* address();
  std::span<std::byte> memory();
  ListPlaces list(std::int32_t& end);

  CallKernel call();
  ReadStore transfer();
  PreparedWork work(std::uint8_t kind);

  const PackedActions* actions_;
  std::vector<const void*> inputs_ = {};
  std::vector<void*> outputs_ = {};
  PreparedAction action_ = {};
  std::size_t at_ = 0;
  std::int64_t transfers_ = 0;
  std::int64_t storage_bytes_ = 0;
  std::int32_t given_ = 0;
  std::int32_t poisoned_ = 0;
};

}  // namespace poet
