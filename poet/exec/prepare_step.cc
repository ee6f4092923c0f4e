#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "poet/exec/prepared_step.h"
#include "poet/exec/row_lookup.h"
#include "poet/exec/transfers_under_way.h"
#include "poet/graph/operator_table.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// What kernels want of every address; a workspace most of all.
constexpr std::int64_t kLeastAlignmentBytes = 8;

// Follows the schedule and writes down what each action does, to which bytes, and what it must wait
// for.
class Preparation {
 public:
  Preparation(const RunnableStep& step, const ExecutorMemory& memory, const KernelSet& kernels,
              Poison poison)
      : graph_(step.graph),
        problem_(step.plan.problem),
        plan_(step.plan),
        layout_(step.layout),
        memory_(memory),
        kernels_(kernels),
        poison_(poison),
        overlapped_(step.plan.problem.time_mode == TimeMode::Overlapped),
        block_bytes_(memory.store == nullptr ? 1 : memory.store->block_bytes()),
        current_(step.graph.tensors.size()),
        resident_(step.graph.tensors.size(), false),
        was_executed_(step.graph.operations.size(), false) {}

  Result<PreparedStep> prepare() {
    if (Failure failure = check_memory()) return *failure;
    if (Failure failure = check_rom()) return *failure;
    mark_residents();
    for (const GraphOperation& operation : graph_.operations)
      result_.operations.push_back(
          entry_of(operation.kind).view ? nullptr : kernels_.ready(types_of(graph_, operation)));
    for (std::size_t a = 0; a < plan_.schedule.actions.size(); ++a) add_action(a);
    find_homes();
    if (poison_ == Poison::On) find_what_is_free();
    result_.transfers = transfers_.count();
    return std::move(result_);
  }

 private:
  // --- What the caller gave

  Failure check_memory() const {
    const auto arena_bytes = static_cast<std::int64_t>(memory_.arena.size());
    if (arena_bytes < layout_.arena_bytes)
      return bad_input(fmt::format("the arena has {} bytes, and the plan needs {}", arena_bytes,
                                   layout_.arena_bytes));
    const std::int64_t alignment = layout_.alignment_bytes;
    if (alignment < kLeastAlignmentBytes)
      return bad_input(
          fmt::format("the layout is aligned to {} bytes, and kernels need multiples of {}",
                      alignment, kLeastAlignmentBytes));
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.arena.data());
    if (address % static_cast<std::uintptr_t>(alignment) != 0)
      return bad_input(
          fmt::format("the arena must begin at a multiple of {}, as its layout does", alignment));
    const std::int64_t store_bytes = memory_.store == nullptr ? 0 : memory_.store->size_bytes();
    if (store_bytes >= layout_.storage_bytes) return std::nullopt;
    return bad_input(fmt::format("the store has {} bytes, and the plan needs {}", store_bytes,
                                 layout_.storage_bytes));
  }

  Failure check_rom() const {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const GraphTensor& tensor = graph_.tensors[i];
      if (tensor.home != Home::Rom) continue;
      const std::span<const std::byte> value = rom_value(static_cast<TensorId>(i));
      if (static_cast<std::int64_t>(value.size()) != size_bytes(tensor.type))
        return bad_input(fmt::format("{} has {} bytes, and the rom has {} of it", tensor.name,
                                     size_bytes(tensor.type), value.size()));
    }
    return std::nullopt;
  }

  // --- Where things are

  std::span<const std::byte> rom_value(TensorId tensor) const {
    if (memory_.rom == nullptr) return {};
    return memory_.rom->find(at(graph_.tensors, tensor).name);
  }

  std::int64_t true_bytes(TensorId tensor) const {
    return size_bytes(at(graph_.tensors, tensor).type);
  }

  std::span<std::byte> arena_piece(std::int64_t offset_bytes, std::int64_t size_bytes) const {
    return memory_.arena.subspan(static_cast<std::size_t>(offset_bytes),
                                 static_cast<std::size_t>(size_bytes));
  }

  std::span<std::byte> buffer(std::size_t number, std::int64_t size_bytes) const {
    return arena_piece(layout_.buffer_offset_bytes[number], size_bytes);
  }

  // The bytes of a tensor in RAM now.
  std::span<std::byte> in_ram(TensorId tensor) const {
    const TensorId root = root_of(problem_, tensor);
    const std::optional<std::size_t>& number = at(current_, root);
    POET_CHECK(number);
    return buffer(*number, true_bytes(tensor));
  }

  std::span<const std::byte> readable(TensorId tensor) const {
    const TensorId root = root_of(problem_, tensor);
    if (at(graph_.tensors, root).home == Home::Rom) return rom_value(root);
    return in_ram(tensor);
  }

  std::int64_t slot_bytes(TensorId tensor) const {
    const std::int64_t slot = at(layout_.slot_offset_bytes, tensor);
    POET_CHECK(slot >= 0);
    return slot;
  }

  // Whole blocks, where the buffer and the slot have room for them.
  std::int64_t moved_bytes(TensorId tensor) const {
    const std::int64_t whole_bytes = (true_bytes(tensor) + block_bytes_ - 1) & -block_bytes_;
    return whole_bytes <= at(problem_.tensors, tensor).size_bytes ? whole_bytes
                                                                  : true_bytes(tensor);
  }

  bool is_input(TensorId tensor) const {
    return at(graph_.tensors, tensor).role == TensorRole::Input;
  }

  // Or the new value of one.
  bool is_resident(TensorId tensor) const {
    const TensorId place = at(problem_.tensors, tensor).updates.value_or(tensor);
    return resident_[index_of(place)];
  }

  void mark_residents() {
    for (const TensorId tensor : plan_.schedule.resident) resident_[index_of(tensor)] = true;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (problem_.tensors[i].home == Home::Resident) resident_[i] = true;
  }

  // --- Actions

  void add_action(std::size_t a) {
    while (opened_ < plan_.buffers.size() &&
           plan_.buffers[opened_].begin_action <= static_cast<std::int64_t>(a)) {
      at(current_, plan_.buffers[opened_].tensor) = opened_;
      ++opened_;
    }
    PreparedAction action;
    const Action& from = plan_.schedule.actions[a];
    if (const auto* const compute = std::get_if<Compute>(&from))
      add_compute(a, compute->operation, action);
    else if (const auto* const out = std::get_if<PageOut>(&from))
      add_page_out(out->tensor, action);
    else if (const auto* const in = std::get_if<PageIn>(&from))
      add_page_in(in->tensor, action);
    else
      add_drop(a, std::get<Drop>(from).tensor, action);
    if (action.wait_for) transfers_.ended(*action.wait_for);
    result_.actions.push_back(std::move(action));
  }

  static void wait(PreparedAction& action, std::optional<std::int64_t> transfer) {
    if (transfer && (!action.wait_for || *transfer > *action.wait_for)) action.wait_for = transfer;
  }

  void add_compute(std::size_t a, OperationId id, PreparedAction& action) {
    const GraphOperation& operation = at(graph_.operations, id);
    action.again = was_executed_[index_of(id)];
    was_executed_[index_of(id)] = true;
    if (reads_rows_of_storage(graph_, operation, at(problem_.operations, id)))
      action.work = row_reading(operation, action);
    else if (!entry_of(operation.kind).view)
      action.work = kernel_call(a, id, action);
    if (!action.again) give_outputs(operation, action);
  }

  CallKernel kernel_call(std::size_t a, OperationId id, PreparedAction& action) {
    const GraphOperation& operation = at(graph_.operations, id);
    CallKernel call{.operation = static_cast<std::size_t>(id)};
    for (const TensorId input : operation.inputs) {
      const std::span<const std::byte> value = readable(input);
      wait(action, transfers_.before_reading(value));
      call.inputs.push_back(value.data());
    }
    for (const TensorId output : operation.outputs) {
      const std::span<std::byte> value = in_ram(output);
      wait(action, transfers_.before_writing(value));
      call.outputs.push_back(value.data());
    }
    const std::int64_t workspace_bytes = at(result_.operations, id)->workspace_bytes();
    if (workspace_bytes == 0) return call;
    call.workspace = arena_piece(layout_.workspace_offset_bytes[a], workspace_bytes);
    wait(action, transfers_.before_writing(call.workspace));
    if (poison_ == Poison::On) action.poisoned.push_back(call.workspace);
    return call;
  }

  ReadRows row_reading(const GraphOperation& operation, PreparedAction& action) {
    const GraphTensor& table = at(graph_.tensors, operation.inputs[0]);
    const ReadRows reading{.table_offset_bytes = slot_bytes(operation.inputs[0]),
                           .row_bytes = size_bytes(table.type) / table.type.shape[0],
                           .table_rows = table.type.shape[0],
                           .index_type = at(graph_.tensors, operation.inputs[1]).type.element,
                           .indices = readable(operation.inputs[1]),
                           .rows = in_ram(operation.outputs[0])};
    wait(action, transfers_.before_reading(reading.indices));
    wait(action, transfers_.before_writing(reading.rows));
    return reading;
  }

  void give_outputs(const GraphOperation& operation, PreparedAction& action) const {
    for (const TensorId output : operation.outputs) {
      if (std::count(graph_.outputs.begin(), graph_.outputs.end(), output) == 0) continue;
      const std::span<const std::byte> value = readable(output);
      wait(action, transfers_.before_reading(value));
      action.gives.push_back({output, value});
    }
  }

  // What an input is, its source knows: there is nothing to write.
  void add_page_out(TensorId tensor, PreparedAction& action) {
    if (is_input(tensor)) return;
    const std::span<std::byte> memory = buffer(*at(current_, tensor), moved_bytes(tensor));
    action.work = WriteStore{slot_bytes(tensor), memory};
    if (overlapped_) transfers_.begin(TransfersUnderWay::Kind::OutOfMemory, memory);
  }

  void add_page_in(TensorId tensor, PreparedAction& action) {
    if (is_input(tensor)) {
      action.work = ReadInput{tensor, in_ram(tensor)};
      return wait(action, transfers_.before_writing(in_ram(tensor)));
    }
    const std::span<std::byte> memory = buffer(*at(current_, tensor), moved_bytes(tensor));
    action.work = ReadStore{slot_bytes(tensor), memory};
    if (overlapped_) transfers_.begin(TransfersUnderWay::Kind::IntoMemory, memory);
  }

  void add_drop(std::size_t a, TensorId tensor, PreparedAction& action) {
    const std::optional<std::size_t> number = std::exchange(at(current_, tensor), std::nullopt);
    if (poison_ == Poison::Off || !number) return;
    // What has taken the buffer over lies at its beginning.
    std::int64_t taken_bytes = 0;
    for (std::size_t b = *number + 1; b < opened_; ++b) {
      const PlanBuffer& other = plan_.buffers[b];
      if (other.shares == static_cast<std::int64_t>(*number) &&
          other.end_action > static_cast<std::int64_t>(a))
        taken_bytes = std::max(taken_bytes, other.size_bytes);
    }
    const std::int64_t end_bytes = plan_.buffers[*number].size_bytes;
    if (taken_bytes >= end_bytes) return;
    action.poisoned.push_back(
        buffer(*number, end_bytes).subspan(static_cast<std::size_t>(taken_bytes)));
    wait(action, transfers_.before_writing(action.poisoned.back()));
  }

  // --- Before and after the step

  std::span<std::byte> resident_memory(TensorId tensor) const {
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (plan_.buffers[b].tensor == tensor) return buffer(b, true_bytes(tensor));
    check_failed("a resident has a buffer", __FILE__, __LINE__);
  }

  void find_homes() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      const GraphTensor& tensor = graph_.tensors[i];
      if (tensor.home != Home::Storage && tensor.home != Home::Resident) continue;
      if (tensor.role == TensorRole::Step)
        result_.step_words = resident_memory(id);
      else if (tensor.role != TensorRole::Input)
        result_.kept.push_back(home_of(id, tensor));
      else if (resident_[i])
        result_.resident_inputs.push_back({id, resident_memory(id)});
    }
  }

  HomePlace home_of(TensorId id, const GraphTensor& tensor) const {
    HomePlace place{.tensor = id, .type = tensor.type, .name = tensor.name};
    if (resident_[index_of(id)])
      place.memory = resident_memory(id);
    else
      place.offset_bytes = slot_bytes(id);
    return place;
  }

  // Where this step puts what it makes and reads: residents, also those of other forms of the step,
  // lie elsewhere.
  void find_what_is_free() {
    std::vector<std::span<std::byte>> pieces;
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (!is_resident(plan_.buffers[b].tensor))
        pieces.push_back(buffer(b, plan_.buffers[b].size_bytes));
    for (std::size_t a = 0; a < result_.actions.size(); ++a)
      if (const auto* const call = std::get_if<CallKernel>(&result_.actions[a].work))
        pieces.push_back(call->workspace);
    std::sort(pieces.begin(), pieces.end(),
              [](const auto& a, const auto& b) { return a.data() < b.data(); });
    for (const std::span<std::byte> piece : pieces) {
      std::byte* const end = piece.data() + piece.size();
      std::byte* const before = result_.free.empty()
                                    ? memory_.arena.data()
                                    : result_.free.back().data() + result_.free.back().size();
      if (end <= before || piece.empty()) continue;
      result_.free.emplace_back(std::max(before, piece.data()), end);
    }
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const Tensor& tensor = problem_.tensors[i];
      const std::int64_t slot = layout_.slot_offset_bytes[i];
      if (slot >= 0 && tensor.home == Home::Made && !tensor.updates && !tensor.view_of)
        result_.free_slots.push_back({slot, moved_bytes(static_cast<TensorId>(i))});
    }
  }

  const Graph& graph_;
  const Problem& problem_;
  const Plan& plan_;
  const Layout& layout_;
  const ExecutorMemory& memory_;
  const KernelSet& kernels_;
  Poison poison_;
  bool overlapped_;
  std::int64_t block_bytes_;
  std::vector<std::optional<std::size_t>> current_;  // by tensor: its buffer now
  std::vector<bool> resident_;                       // by tensor
  std::vector<bool> was_executed_;                   // by operation
  std::size_t opened_ = 0;                           // so many buffers have begun
  TransfersUnderWay transfers_;
  PreparedStep result_;
};

}  // namespace

Result<PreparedStep> prepare_step(const RunnableStep& step, const ExecutorMemory& memory,
                                  const KernelSet& kernels, Poison poison) {
  return Preparation(step, memory, kernels, poison).prepare();
}

}  // namespace poet
