#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/exec/prepared_step.h"
#include "poet/graph/operator_table.h"
#include "poet/lower/lower_step.h"

namespace poet {
namespace {

// What kernels want of every address; a workspace most of all.
constexpr std::int64_t kLeastAlignmentBytes = 8;

// What the caller gave.
class MemoryCheck {
 public:
  MemoryCheck(const Graph& graph, const Layout& layout, const ExecutorMemory& memory)
      : graph_(graph), layout_(layout), memory_(memory) {}

  Failure check() const {
    if (Failure failure = check_arena()) return failure;
    if (Failure failure = check_further_arenas()) return failure;
    if (Failure failure = check_store()) return failure;
    return check_rom();
  }

 private:
  Failure check_arena() const {
    const auto arena_bytes = static_cast<std::int64_t>(memory_.arena.size());
    if (arena_bytes < layout_.arena_bytes)
      return bad_input(fmt::format("the arena has {} bytes, and the plan needs {}", arena_bytes,
                                   layout_.arena_bytes));
    const std::int64_t alignment = layout_.alignment_bytes;
    if (alignment < kLeastAlignmentBytes)
      return bad_input(
          fmt::format("the layout is aligned to {} bytes, and kernels need multiples of {}",
                      alignment, kLeastAlignmentBytes));
    if (is_aligned(memory_.arena)) return std::nullopt;
    return bad_input(
        fmt::format("the arena must begin at a multiple of {}, as its layout does", alignment));
  }

  bool is_aligned(std::span<const std::byte> arena) const {
    const auto address = reinterpret_cast<std::uintptr_t>(arena.data());
    return address % static_cast<std::uintptr_t>(layout_.alignment_bytes) == 0;
  }

  Failure check_further_arenas() const {
    const std::vector<FurtherArena>& needed = layout_.further_arenas;
    if (memory_.further_arenas.size() != needed.size())
      return bad_input(
          fmt::format("there are {} arenas beside that of the RAM, and the plan needs {}",
                      memory_.further_arenas.size(), needed.size()));
    for (std::size_t m = 0; m < needed.size(); ++m) {
      const auto bytes = static_cast<std::int64_t>(memory_.further_arenas[m].size());
      if (bytes < needed[m].size_bytes)
        return bad_input(fmt::format("the arena of memory {} has {} bytes, and the plan needs {}",
                                     m + 1, bytes, needed[m].size_bytes));
      if (!is_aligned(memory_.further_arenas[m]))
        return bad_input(
            fmt::format("the arena of memory {} must begin at a multiple of {}, as its layout does",
                        m + 1, layout_.alignment_bytes));
    }
    return std::nullopt;
  }

  Failure check_store() const {
    const std::int64_t store_bytes = memory_.store == nullptr ? 0 : memory_.store->size_bytes();
    if (store_bytes >= layout_.storage_bytes) return std::nullopt;
    return bad_input(fmt::format("the store has {} bytes, and the plan needs {}", store_bytes,
                                 layout_.storage_bytes));
  }

  Failure check_rom() const {
    for (const GraphTensor& tensor : graph_.tensors) {
      if (tensor.home != Home::Rom) continue;
      const std::size_t found_bytes =
          memory_.rom == nullptr ? 0 : memory_.rom->find(tensor.name).size();
      if (static_cast<std::int64_t>(found_bytes) != size_bytes(tensor.type))
        return bad_input(fmt::format("{} has {} bytes, and the rom has {} of it", tensor.name,
                                     size_bytes(tensor.type), found_bytes));
    }
    return std::nullopt;
  }

  const Graph& graph_;
  const Layout& layout_;
  const ExecutorMemory& memory_;
};

// Turns places into memory, instruction by instruction.
class StepBinding {
 public:
  // `operations`: of each of the graph, its place in PreparedStep::operations.
  StepBinding(const Graph& graph, const StepProgram& program, const ExecutorMemory& memory,
              const std::vector<std::optional<std::int32_t>>& operations)
      : graph_(graph), program_(program), memory_(memory), operations_(operations) {}

  PreparedStep bind() {
    result_.actions = PackedActions(memory_.arena.data());
    for (const StepWork& work : program_.begin) bind_beginning(work);
    for (const StepInstruction& instruction : program_.instructions)
      result_.actions.append(bound(instruction));
    result_.actions.shrink_to_fit();
    result_.kept.reserve(program_.kept.size());
    for (const TensorPlace& home : program_.kept) result_.kept.push_back(bound_home(home));
    for (const BytePlace& free : program_.free)
      if (free.space == AddressSpace::Arena)
        result_.free.push_back(writable(free));
      else
        result_.free_slots.push_back({free.offset_bytes, free.size_bytes});
    result_.transfers = program_.transfers;
    return std::move(result_);
  }

 private:
  // --- Places

  std::span<std::byte> writable(const BytePlace& place) const {
    POET_CHECK(place.space == AddressSpace::Arena);
    const std::span<std::byte> arena =
        place.memory == kFastRam
            ? memory_.arena
            : memory_.further_arenas[static_cast<std::size_t>(index_of(place.memory)) - 1];
    return arena.subspan(static_cast<std::size_t>(place.offset_bytes),
                         static_cast<std::size_t>(place.size_bytes));
  }

  std::span<const std::byte> readable(const BytePlace& place) const {
    return place.space == AddressSpace::Rom ? in_rom(place) : writable(place);
  }

  // The rom of several forms is one file: it has values by name.
  std::span<const std::byte> in_rom(const BytePlace& place) const {
    const auto after =
        std::upper_bound(program_.rom.begin(), program_.rom.end(), place.offset_bytes,
                         [](std::int64_t offset, const TensorPlace& value) {
                           return offset < value.place.offset_bytes;
                         });
    POET_CHECK(after != program_.rom.begin());
    const TensorPlace& value = *std::prev(after);
    return memory_.rom->find(at(graph_.tensors, value.tensor).name)
        .subspan(static_cast<std::size_t>(place.offset_bytes - value.place.offset_bytes),
                 static_cast<std::size_t>(place.size_bytes));
  }

  // --- Instructions

  void bind_beginning(const StepWork& work) {
    if (const auto* const words = std::get_if<StepWordsFeed>(&work))
      result_.step_words = writable(words->value);
    else
      result_.resident_inputs.push_back(bound_work(std::get<InputFeed>(work)));
  }

  template <typename Value>
  static std::int32_t end_of(const std::vector<Value>& list) {
    return static_cast<std::int32_t>(list.size());
  }

  PreparedAction bound(const StepInstruction& instruction) {
    PreparedAction action{.wait_for = instruction.wait_for, .again = instruction.again};
    std::visit([&](const auto& work) { action.work = bound_work(work); }, instruction.work);
    action.gives = {end_of(result_.given), end_of(instruction.outputs)};
    for (const TensorPlace& output : instruction.outputs)
      result_.given.push_back({output.tensor, readable(output.place)});
    action.poisoned = {end_of(result_.poisoned), end_of(instruction.freed)};
    for (const BytePlace& freed : instruction.freed) result_.poisoned.push_back(writable(freed));
    return action;
  }

  static DoNothing bound_work(const NoWork&) { return {}; }
  // Before the first instruction only.
  static DoNothing bound_work(const StepWordsFeed&) { return {}; }

  // What it points to is good until the next one is bound.
  CallKernel bound_work(const OperationCall& call) {
    inputs_.clear();
    outputs_.clear();
    for (const BytePlace& input : call.inputs) inputs_.push_back(readable(input).data());
    for (const BytePlace& output : call.outputs) outputs_.push_back(writable(output).data());
    return {.operation = at(operations_, call.operation).value(),
            .inputs = inputs_,
            .outputs = outputs_,
            .workspace = call.workspace ? writable(*call.workspace).data() : nullptr};
  }

  LookupNumber bound_work(const RowLookup& lookup) {
    result_.lookups.push_back({.table_offset_bytes = lookup.table.offset_bytes,
                               .row_bytes = lookup.row_bytes,
                               .table_rows = lookup.table_rows,
                               .index_type = lookup.index_type,
                               .indices = readable(lookup.indices),
                               .rows = writable(lookup.rows)});
    return static_cast<LookupNumber>(end_of(result_.lookups) - 1);
  }

  RowUpdateNumber bound_work(const StoredRowUpdate& update) {
    const std::span<std::byte> workspace = writable(update.workspace);
    const auto row_bytes = static_cast<std::size_t>(update.row_bytes);
    const std::int64_t count = update.gradient.size_bytes / update.row_bytes;
    const std::int64_t inner = update.row_bytes / byte_size(ElementType::Float32);
    result_.row_updates.push_back(
        {.table_offset_bytes = update.table.offset_bytes,
         .shape = {static_cast<std::int32_t>(update.table_rows), static_cast<std::int32_t>(inner),
                   static_cast<std::int32_t>(count)},
         .index_type = update.index_type,
         .indices = readable(update.indices).data(),
         .gradient = reinterpret_cast<const float*>(readable(update.gradient).data()),
         .step = reinterpret_cast<const poet_step_words*>(readable(update.step).data()),
         .row = workspace.first(row_bytes),
         .row_gradient = workspace.subspan(row_bytes, row_bytes)});
    return static_cast<RowUpdateNumber>(end_of(result_.row_updates) - 1);
  }

  ReadInput bound_work(const InputFeed& feed) const { return {feed.tensor, writable(feed.value)}; }
  ReadStore bound_work(const PageRead& page) const {
    return {page.storage.offset_bytes, writable(page.memory)};
  }
  WriteStore bound_work(const PageWrite& page) const {
    return {page.storage.offset_bytes, writable(page.memory)};
  }

  HomePlace bound_home(const TensorPlace& home) const {
    HomePlace place{.tensor = home.tensor, .type = at(graph_.tensors, home.tensor).type};
    if (home.place.space == AddressSpace::Arena)
      place.memory = writable(home.place);
    else
      place.offset_bytes = home.place.offset_bytes;
    return place;
  }

  const Graph& graph_;
  const StepProgram& program_;
  const ExecutorMemory& memory_;
  const std::vector<std::optional<std::int32_t>>& operations_;
  std::vector<const void*> inputs_ = {};  // of the call that is bound
  std::vector<void*> outputs_ = {};
  PreparedStep result_ = {};
};

// Makes an operation ready once for all that have its types: parts of one are many and alike, and
// each takes a kilobyte, with oneDNN code of its own.
class ReadyOperations {
 public:
  explicit ReadyOperations(const KernelSet& kernels) : kernels_(kernels) {}

  std::int32_t place_of(OperationTypes types) {
    std::vector<std::pair<OperationTypes, std::int32_t>>& alike = known_[shapes_of(types)];
    for (const auto& [known, place] : alike)
      if (known == types) return place;
    const auto place = static_cast<std::int32_t>(made_.size());
    made_.push_back(kernels_.ready(types));
    input_bytes_.emplace_back();
    for (const TensorType& input : types.inputs)
      input_bytes_.back().push_back(static_cast<std::size_t>(size_bytes(input)));
    alike.emplace_back(std::move(types), place);
    return place;
  }

  std::int64_t workspace_bytes(std::int32_t place) const {
    return made_[static_cast<std::size_t>(place)]->workspace_bytes();
  }

  void put_into(PreparedStep& step) {
    step.operations = std::move(made_);
    step.input_bytes = std::move(input_bytes_);
  }

 private:
  using Shapes = std::pair<Operator, std::vector<Shape>>;

  static Shapes shapes_of(const OperationTypes& types) {
    Shapes shapes{types.kind, {}};
    for (const TensorType& input : types.inputs) shapes.second.push_back(input.shape);
    for (const TensorType& output : types.outputs) shapes.second.push_back(output.shape);
    return shapes;
  }

  const KernelSet& kernels_;
  std::map<Shapes, std::vector<std::pair<OperationTypes, std::int32_t>>> known_ = {};
  std::vector<std::unique_ptr<ReadyOperation>> made_ = {};
  std::vector<std::vector<std::size_t>> input_bytes_ = {};
};

}  // namespace

Result<PreparedStep> prepare_step(const RunnableStep& step, const ExecutorMemory& memory,
                                  const KernelSet& kernels, Poison poison) {
  if (Failure failure = MemoryCheck(step.graph, step.layout, memory).check()) return *failure;
  ReadyOperations ready(kernels);
  std::vector<std::optional<std::int32_t>> places;  // of the graph's operations; none of a view
  StepTarget target{.block_bytes = memory.store == nullptr ? 1 : memory.store->block_bytes(),
                    .free = poison == Poison::On ? FreeMemory::Filled : FreeMemory::Left};
  for (const GraphOperation& operation : step.graph.operations) {
    places.emplace_back();
    if (!entry_of(operation.kind).view)
      places.back() = ready.place_of(types_of(step.graph, operation));
    target.workspace_bytes.push_back(places.back() ? ready.workspace_bytes(*places.back()) : 0);
  }
  const Result<StepProgram> program = checked_program(step.graph, step.plan, step.layout, target);
  if (!program.ok()) return program.error();
  PreparedStep prepared = StepBinding(step.graph, *program, memory, places).bind();
  ready.put_into(prepared);
  return prepared;
}

}  // namespace poet
