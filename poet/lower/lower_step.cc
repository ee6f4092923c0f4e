#include "poet/lower/lower_step.h"

#include <algorithm>
#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operator_table.h"
#include "poet/graph/stored_rows.h"
#include "poet/lower/check_program.h"
#include "poet/lower/row_lookup.h"
#include "poet/lower/transfers_under_way.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

class Lowering {
 public:
  Lowering(const Graph& graph, const Plan& plan, const Layout& layout, const StepTarget& target)
      : graph_(graph),
        problem_(plan.problem),
        plan_(plan),
        layout_(layout),
        target_(target),
        overlapped_(plan.problem.time_mode == TimeMode::Overlapped),
        current_(graph.tensors.size()),
        resident_(graph.tensors.size(), false),
        rom_(graph.tensors.size()),
        was_executed_(graph.operations.size(), false) {}

  StepProgram lower() {
    program_.time_mode = problem_.time_mode;
    program_.alignment_bytes = layout_.alignment_bytes;
    program_.arena_bytes = layout_.arena_bytes;
    for (const FurtherArena& arena : layout_.further_arenas)
      program_.further_arena_bytes.push_back(arena.size_bytes);
    program_.storage_bytes = layout_.storage_bytes;
    place_rom();
    mark_residents();
    for (std::size_t a = 0; a < plan_.schedule.actions.size(); ++a) add_action(a);
    find_homes();
    if (target_.free == FreeMemory::Filled) find_what_is_free();
    program_.transfers = transfers_.count();
    return std::move(program_);
  }

 private:
  // --- Where things are

  std::int64_t true_bytes(TensorId tensor) const {
    return size_bytes(at(graph_.tensors, tensor).type);
  }

  BytePlace buffer(std::size_t number, std::int64_t size_bytes) const {
    return {AddressSpace::Arena, layout_.buffer_offset_bytes[number], size_bytes,
            plan_.buffers[number].memory};
  }

  // The buffer of a root in RAM now.
  std::size_t current_buffer(TensorId root) const {
    const std::optional<std::size_t>& number = at(current_, root);
    POET_CHECK(number);
    return *number;
  }

  BytePlace in_ram(TensorId tensor) const {
    return buffer(current_buffer(root_of(problem_, tensor)), true_bytes(tensor));
  }

  BytePlace readable(TensorId tensor) const {
    const TensorId root = root_of(problem_, tensor);
    return at(graph_.tensors, root).home == Home::Rom ? at(rom_, root) : in_ram(tensor);
  }

  BytePlace slot(TensorId tensor, std::int64_t size_bytes) const {
    const std::optional<std::int64_t>& offset_bytes = at(layout_.slot_offset_bytes, tensor);
    POET_CHECK(offset_bytes.has_value());
    return {AddressSpace::Storage, *offset_bytes, size_bytes};
  }

  BytePlace workspace(std::size_t action, std::int64_t size_bytes) const {
    const std::optional<std::int64_t>& offset_bytes = layout_.workspace_offset_bytes[action];
    POET_CHECK(offset_bytes.has_value());
    return {AddressSpace::Arena, *offset_bytes, size_bytes};
  }

  // Whole blocks, where the buffer and the slot have room for them.
  std::int64_t moved_bytes(TensorId tensor) const {
    const std::int64_t block = target_.block_bytes;
    const std::int64_t whole_bytes = (true_bytes(tensor) + block - 1) & -block;
    return whole_bytes <= at(problem_.tensors, tensor).size_bytes ? whole_bytes
                                                                  : true_bytes(tensor);
  }

  bool is_input(TensorId tensor) const {
    return at(graph_.tensors, tensor).role == TensorRole::Input;
  }

  // A table's new value, whose rows were updated where they lie: it has no bytes of its own, and
  // to move it is to do nothing.
  bool is_made_in_storage(TensorId tensor) const {
    return at(problem_.tensors, tensor).size_bytes < true_bytes(tensor);
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

  void place_rom() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      if (graph_.tensors[i].home != Home::Rom) continue;
      const auto tensor = static_cast<TensorId>(i);
      rom_[i] = {AddressSpace::Rom, program_.rom_bytes, true_bytes(tensor)};
      program_.rom.push_back({tensor, rom_[i]});
      const std::int64_t alignment = layout_.alignment_bytes;
      program_.rom_bytes += (true_bytes(tensor) + alignment - 1) & -alignment;
    }
  }

  // --- Actions

  void add_action(std::size_t a) {
    for (; opened_ < plan_.buffers.size() &&
           plan_.buffers[opened_].begin_action <= static_cast<std::int64_t>(a);
         ++opened_)
      at(current_, plan_.buffers[opened_].tensor) = opened_;
    StepInstruction made;
    const Action& action = plan_.schedule.actions[a];
    if (const auto* const compute = std::get_if<Compute>(&action))
      add_compute(a, compute->operation, made);
    else if (const auto* const out = std::get_if<PageOut>(&action))
      add_page_out(out->tensor, made);
    else if (const auto* const in = std::get_if<PageIn>(&action))
      add_page_in(in->tensor, made);
    else
      add_drop(a, std::get<Drop>(action).tensor, made);
    if (made.wait_for) transfers_.ended(*made.wait_for);
    program_.instructions.push_back(std::move(made));
  }

  static void wait(StepInstruction& made, std::optional<std::int64_t> transfer) {
    if (transfer && (!made.wait_for || *transfer > *made.wait_for)) made.wait_for = transfer;
  }

  void add_compute(std::size_t a, OperationId id, StepInstruction& made) {
    const GraphOperation& operation = at(graph_.operations, id);
    made.again = was_executed_[index_of(id)];
    was_executed_[index_of(id)] = true;
    if (reads_rows_of_storage(graph_, operation, at(problem_.operations, id)))
      made.work = row_lookup(id, made);
    else if (updates_rows_of_storage(graph_, operation, at(problem_.operations, id)))
      made.work = row_update(a, id, made);
    else if (!entry_of(operation.kind).view)
      made.work = operation_call(a, id, made);
    if (!made.again) give_outputs(operation, made);
  }

  OperationCall operation_call(std::size_t a, OperationId id, StepInstruction& made) const {
    const GraphOperation& operation = at(graph_.operations, id);
    OperationCall call{.operation = id, .kind = operation.kind};
    for (const TensorId input : operation.inputs) {
      call.inputs.push_back(readable(input));
      wait(made, transfers_.before_reading(call.inputs.back()));
    }
    for (const TensorId output : operation.outputs) {
      call.outputs.push_back(in_ram(output));
      wait(made, transfers_.before_writing(call.outputs.back()));
    }
    const std::int64_t workspace_bytes = at(target_.workspace_bytes, id);
    if (workspace_bytes == 0) return call;
    call.workspace = workspace(a, workspace_bytes);
    wait(made, transfers_.before_writing(*call.workspace));
    if (target_.free == FreeMemory::Filled) made.freed.push_back(*call.workspace);
    return call;
  }

  RowLookup row_lookup(OperationId id, StepInstruction& made) const {
    const GraphOperation& operation = at(graph_.operations, id);
    const GraphTensor& table = at(graph_.tensors, operation.inputs[0]);
    const RowLookup lookup{.operation = id,
                           .table = slot(operation.inputs[0], size_bytes(table.type)),
                           .row_bytes = table_row_bytes(graph_, operation),
                           .table_rows = table.type.shape[0],
                           .index_type = at(graph_.tensors, operation.inputs[1]).type.element,
                           .indices = readable(operation.inputs[1]),
                           .rows = in_ram(operation.outputs[0])};
    wait(made, transfers_.before_reading(lookup.indices));
    wait(made, transfers_.before_writing(lookup.rows));
    return lookup;
  }

  // A table that somebody updates by rows is moved by nobody: there is no transfer of it to wait
  // for.
  StoredRowUpdate row_update(std::size_t a, OperationId id, StepInstruction& made) const {
    const GraphOperation& operation = at(graph_.operations, id);
    const GraphTensor& table = at(graph_.tensors, operation.inputs[0]);
    const StoredRowUpdate update{
        .operation = id,
        .table = slot(operation.inputs[0], size_bytes(table.type)),
        .row_bytes = table_row_bytes(graph_, operation),
        .table_rows = table.type.shape[0],
        .index_type = at(graph_.tensors, operation.inputs[1]).type.element,
        .indices = readable(operation.inputs[1]),
        .gradient = readable(operation.inputs[2]),
        .step = readable(operation.inputs[3]),
        .workspace = workspace(a, row_update_workspace_bytes(graph_, operation))};
    for (const BytePlace& read : {update.indices, update.gradient, update.step})
      wait(made, transfers_.before_reading(read));
    wait(made, transfers_.before_writing(update.workspace));
    if (target_.free == FreeMemory::Filled) made.freed.push_back(update.workspace);
    return update;
  }

  void give_outputs(const GraphOperation& operation, StepInstruction& made) const {
    for (const TensorId output : operation.outputs) {
      if (std::count(graph_.outputs.begin(), graph_.outputs.end(), output) == 0) continue;
      made.outputs.push_back({output, readable(output)});
      wait(made, transfers_.before_reading(made.outputs.back().place));
    }
  }

  // What an input is, its source knows: there is nothing to write.
  void add_page_out(TensorId tensor, StepInstruction& made) {
    if (is_input(tensor) || is_made_in_storage(tensor)) return;
    const std::int64_t moved = moved_bytes(tensor);
    const BytePlace memory = buffer(current_buffer(tensor), moved);
    made.work = PageWrite{tensor, slot(tensor, moved), memory};
    if (overlapped_) transfers_.begin(TransfersUnderWay::Kind::OutOfMemory, memory);
  }

  void add_page_in(TensorId tensor, StepInstruction& made) {
    if (is_made_in_storage(tensor)) return;
    if (is_input(tensor)) {
      made.work = InputFeed{tensor, in_ram(tensor)};
      return wait(made, transfers_.before_writing(in_ram(tensor)));
    }
    const std::int64_t moved = moved_bytes(tensor);
    const BytePlace memory = buffer(current_buffer(tensor), moved);
    made.work = PageRead{tensor, slot(tensor, moved), memory};
    if (overlapped_) transfers_.begin(TransfersUnderWay::Kind::IntoMemory, memory);
  }

  void add_drop(std::size_t a, TensorId tensor, StepInstruction& made) {
    const std::optional<std::size_t> number = std::exchange(at(current_, tensor), std::nullopt);
    if (target_.free == FreeMemory::Left || !number) return;
    // What has taken the buffer over lies at its beginning.
    std::int64_t taken_bytes = 0;
    for (std::size_t b = *number + 1; b < opened_; ++b) {
      const PlanBuffer& other = plan_.buffers[b];
      if (other.shares == static_cast<std::int64_t>(*number) &&
          other.end_action > static_cast<std::int64_t>(a))
        taken_bytes = std::max(taken_bytes, other.size_bytes);
    }
    const std::int64_t all_bytes = plan_.buffers[*number].size_bytes;
    if (taken_bytes >= all_bytes) return;
    made.freed.push_back({AddressSpace::Arena, layout_.buffer_offset_bytes[*number] + taken_bytes,
                          all_bytes - taken_bytes, plan_.buffers[*number].memory});
    wait(made, transfers_.before_writing(made.freed.back()));
  }

  // --- Before and after the step

  BytePlace resident_place(TensorId tensor) const {
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
        program_.begin.push_back(StepWordsFeed{resident_place(id)});
      else if (tensor.role == TensorRole::Input && resident_[i])
        program_.begin.push_back(InputFeed{id, resident_place(id)});
      else if (tensor.role != TensorRole::Input)
        program_.kept.push_back({id, resident_[i] ? resident_place(id) : slot(id, true_bytes(id))});
    }
  }

  // Where this step puts what it makes and reads: residents, also those of other forms of the step,
  // lie elsewhere.
  void find_what_is_free() {
    std::vector<BytePlace> pieces;
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (!is_resident(plan_.buffers[b].tensor))
        pieces.push_back(buffer(b, plan_.buffers[b].size_bytes));
    for (const StepInstruction& instruction : program_.instructions) {
      if (const auto* const call = std::get_if<OperationCall>(&instruction.work))
        if (call->workspace) pieces.push_back(*call->workspace);
      if (const auto* const update = std::get_if<StoredRowUpdate>(&instruction.work))
        pieces.push_back(update->workspace);
    }
    std::sort(pieces.begin(), pieces.end(), [](const BytePlace& a, const BytePlace& b) {
      return std::tie(a.memory, a.offset_bytes) < std::tie(b.memory, b.offset_bytes);
    });
    MemoryId memory = kFastRam;
    std::int64_t end_bytes = 0;
    for (const BytePlace& piece : pieces) {
      if (std::exchange(memory, piece.memory) != piece.memory) end_bytes = 0;
      const std::int64_t begin_bytes = std::max(piece.offset_bytes, end_bytes);
      if (piece.end_bytes() <= begin_bytes) continue;
      end_bytes = piece.end_bytes();
      program_.free.push_back({AddressSpace::Arena, begin_bytes, end_bytes - begin_bytes, memory});
    }
    find_free_slots();
  }

  // Those of copies that the step writes before it reads.
  void find_free_slots() {
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      const Tensor& tensor = problem_.tensors[i];
      if (layout_.slot_offset_bytes[i] && tensor.home == Home::Made && !tensor.updates &&
          !tensor.view_of && !is_made_in_storage(id))
        program_.free.push_back(slot(id, moved_bytes(id)));
    }
  }

  const Graph& graph_;
  const Problem& problem_;
  const Plan& plan_;
  const Layout& layout_;
  const StepTarget& target_;
  bool overlapped_;
  std::vector<std::optional<std::size_t>> current_;  // by tensor: its buffer now
  std::vector<bool> resident_;                       // by tensor
  std::vector<BytePlace> rom_;                       // by tensor
  std::vector<bool> was_executed_;                   // by operation
  std::size_t opened_ = 0;                           // so many buffers have begun
  TransfersUnderWay transfers_;
  StepProgram program_;
};

}  // namespace

std::vector<std::int64_t> workspaces_of(const Graph& graph, const KernelSet& kernels) {
  std::vector<std::int64_t> bytes;
  for (const GraphOperation& operation : graph.operations)
    bytes.push_back(
        entry_of(operation.kind).view ? 0 : kernels.workspace_bytes(types_of(graph, operation)));
  return bytes;
}

StepProgram lower_step(const Graph& graph, const Plan& plan, const Layout& layout,
                       const StepTarget& target) {
  return Lowering(graph, plan, layout, target).lower();
}

Result<StepProgram> checked_program(const Graph& graph, const Plan& plan, const Layout& layout,
                                    const StepTarget& target) {
  StepProgram program = lower_step(graph, plan, layout, target);
  if (Failure failure = check_program(program, {graph, plan, layout, target})) return *failure;
  return program;
}

}  // namespace poet
