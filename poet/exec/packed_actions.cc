#include "poet/exec/packed_actions.h"

#include <algorithm>
#include <type_traits>

#include "poet/base/check.h"

namespace poet {
namespace {

// In the order of PreparedWork.
enum class WorkKind : std::uint8_t { Nothing, Call, Lookup, RowUpdate, Input, Read, Write };
template <WorkKind kind>
using WorkOf = std::variant_alternative_t<static_cast<std::size_t>(kind), PreparedWork>;
static_assert(std::is_same_v<WorkOf<WorkKind::Call>, CallKernel>);
static_assert(std::is_same_v<WorkOf<WorkKind::Lookup>, LookupNumber>);
static_assert(std::is_same_v<WorkOf<WorkKind::RowUpdate>, RowUpdateNumber>);
static_assert(std::is_same_v<WorkOf<WorkKind::Input>, ReadInput>);
static_assert(std::is_same_v<WorkOf<WorkKind::Read>, ReadStore>);
static_assert(std::is_same_v<WorkOf<WorkKind::Write>, WriteStore>);

// Of an action's first byte, above the kind of its work.
constexpr std::uint8_t kKindBits = 0x0F;
constexpr std::uint8_t kAgain = 0x10;
constexpr std::uint8_t kWaits = 0x20;
constexpr std::uint8_t kGives = 0x40;
constexpr std::uint8_t kPoisons = 0x80;

constexpr std::uint8_t kMoreFollows = 0x80;
constexpr unsigned kNumberBits = 7;

bool is_transfer(const PreparedWork& work) {
  return std::holds_alternative<ReadStore>(work) || std::holds_alternative<WriteStore>(work);
}

std::int64_t bytes_between(const void* from, const void* to) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) -
                                   reinterpret_cast<std::uintptr_t>(from));
}

}  // namespace

// --- Packing

void PackedActions::append_number(std::uint64_t number) {
  for (; number >= kMoreFollows; number >>= kNumberBits)
    bytes_.push_back(static_cast<std::uint8_t>(number | kMoreFollows));
  bytes_.push_back(static_cast<std::uint8_t>(number));
}

void PackedActions::append_distance(std::int64_t distance) {
  const auto bits = static_cast<std::uint64_t>(distance);
  append_number(distance < 0 ? ~bits << 1 | 1 : bits << 1);
}

void PackedActions::append_address(const void* address) {
  append_distance(bytes_between(arena_, address));
}

void PackedActions::append_memory(std::span<const std::byte> memory) {
  append_address(memory.data());
  append_number(memory.size());
}

void PackedActions::append_storage(std::int64_t offset_bytes, std::span<const std::byte> memory) {
  append_distance(offset_bytes - storage_bytes_);
  append_memory(memory);
  storage_bytes_ = offset_bytes + std::ssize(memory);
}

// A workspace is no farther from the arena's beginning than its end, so that 0 is free for none.
void PackedActions::append_work(const CallKernel& call) {
  append_number(static_cast<std::uint64_t>(call.operation));
  append_number(call.inputs.size());
  append_number(call.outputs.size());
  for (const void* const input : call.inputs) append_address(input);
  for (const void* const output : call.outputs) append_address(output);
  append_number(call.workspace == nullptr
                    ? 0
                    : 1 + static_cast<std::uint64_t>(bytes_between(arena_, call.workspace)));
  most_tensors_ = std::max({most_tensors_, call.inputs.size(), call.outputs.size()});
}

void PackedActions::append_work(LookupNumber number) {
  append_number(static_cast<std::uint64_t>(number));
}

void PackedActions::append_work(RowUpdateNumber number) {
  append_number(static_cast<std::uint64_t>(number));
}

void PackedActions::append_work(const ReadInput& input) {
  append_number(static_cast<std::uint64_t>(input.tensor));
  append_memory(input.value);
}

void PackedActions::append(const PreparedAction& action) {
  auto first = static_cast<std::uint8_t>(action.work.index());
  if (action.again) first |= kAgain;
  if (action.wait_for) first |= kWaits;
  if (action.gives.count > 0) first |= kGives;
  if (action.poisoned.count > 0) first |= kPoisons;
  bytes_.push_back(first);
  if (action.wait_for) {
    POET_CHECK(*action.wait_for >= 0 && *action.wait_for < transfers_);
    append_number(static_cast<std::uint64_t>(transfers_ - *action.wait_for));
  }
  const auto append_list = [this](const ListPlaces& list, std::int32_t& end) {
    if (list.count == 0) return;
    POET_CHECK(list.first == end);
    append_number(static_cast<std::uint64_t>(list.count));
    end += list.count;
  };
  append_list(action.gives, given_);
  append_list(action.poisoned, poisoned_);
  std::visit([this](const auto& work) { append_work(work); }, action.work);
  if (is_transfer(action.work)) ++transfers_;
  ++count_;
}

// --- Unpacking

ActionReader::ActionReader(const PackedActions& actions) : actions_(&actions) {
  inputs_.resize(actions.most_tensors_);
  outputs_.resize(actions.most_tensors_);
}

void ActionReader::rewind() {
  at_ = 0;
  transfers_ = 0;
  storage_bytes_ = 0;
  given_ = 0;
  poisoned_ = 0;
}

std::uint64_t ActionReader::number() {
  std::uint64_t result = 0;
  for (unsigned shift = 0;; shift += kNumberBits) {
    const std::uint8_t byte = actions_->bytes_[at_++];
    result |= static_cast<std::uint64_t>(byte & ~kMoreFollows) << shift;
    if ((byte & kMoreFollows) == 0) return result;
  }
}

std::int64_t ActionReader::distance() {
  const std::uint64_t bits = number();
  return static_cast<std::int64_t>((bits & 1) != 0 ? ~(bits >> 1) : bits >> 1);
}

std::byte* ActionReader::address() {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(actions_->arena_) +
                                      static_cast<std::uintptr_t>(distance()));
}

std::span<std::byte> ActionReader::memory() {
  std::byte* const begin = address();
  return {begin, static_cast<std::size_t>(number())};
}

ListPlaces ActionReader::list(std::int32_t& end) {
  const ListPlaces places{end, static_cast<std::int32_t>(number())};
  end += places.count;
  return places;
}

CallKernel ActionReader::call() {
  CallKernel call{.operation = static_cast<std::int32_t>(number())};
  const std::size_t inputs = number();
  const std::size_t outputs = number();
  for (std::size_t k = 0; k < inputs; ++k) inputs_[k] = address();
  for (std::size_t k = 0; k < outputs; ++k) outputs_[k] = address();
  call.inputs = std::span(inputs_).first(inputs);
  call.outputs = std::span(outputs_).first(outputs);
  if (const std::uint64_t workspace = number(); workspace > 0)
    call.workspace = reinterpret_cast<std::byte*>(
        reinterpret_cast<std::uintptr_t>(actions_->arena_) + workspace - 1);
  return call;
}

const PreparedAction& ActionReader::next() {
  const std::uint8_t first = actions_->bytes_[at_++];
  action_.again = (first & kAgain) != 0;
  action_.wait_for.reset();
  if ((first & kWaits) != 0) action_.wait_for = transfers_ - static_cast<std::int64_t>(number());
  action_.gives = (first & kGives) != 0 ? list(given_) : ListPlaces{given_, 0};
  action_.poisoned = (first & kPoisons) != 0 ? list(poisoned_) : ListPlaces{poisoned_, 0};
  action_.work = work(first & kKindBits);
  return action_;
}

ReadStore ActionReader::transfer() {
  ReadStore transfer{.offset_bytes = storage_bytes_ + distance()};
  transfer.memory = memory();
  storage_bytes_ = transfer.offset_bytes + std::ssize(transfer.memory);
  ++transfers_;
  return transfer;
}

PreparedWork ActionReader::work(std::uint8_t kind) {
  switch (static_cast<WorkKind>(kind)) {
    case WorkKind::Nothing:
      return DoNothing{};
    case WorkKind::Call:
      return call();
    case WorkKind::Lookup:
      return static_cast<LookupNumber>(number());
    case WorkKind::RowUpdate:
      return static_cast<RowUpdateNumber>(number());
    case WorkKind::Input: {
      const auto tensor = static_cast<TensorId>(number());
      return ReadInput{tensor, memory()};
    }
    case WorkKind::Read:
      return transfer();
    case WorkKind::Write:
      break;
  }
  const ReadStore transferred = transfer();
  return WriteStore{transferred.offset_bytes, transferred.memory};
}

}  // namespace poet
