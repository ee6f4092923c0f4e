#include "poet/lower/check_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "poet/graph/operator_table.h"
#include "poet/lower/planned_places.h"
#include "poet/lower/replayed_memory.h"
#include "poet/lower/row_lookup.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

std::string text(const BytePlace& place) {
  constexpr const char* kSpaces[] = {"the arena", "storage", "the rom"};
  const std::string whose =
      place.memory == kFastRam ? "" : fmt::format(" of memory {}", index_of(place.memory));
  return fmt::format("bytes {} to {} of {}{}", place.offset_bytes, place.end_bytes(),
                     kSpaces[static_cast<std::size_t>(place.space)], whose);
}

class ProgramReplay {
 public:
  ProgramReplay(const StepProgram& program, const ProgramSource& source)
      : program_(program),
        graph_(source.graph),
        plan_(source.plan),
        problem_(source.plan.problem),
        planned_(source.graph, source.plan, source.layout),
        layout_(source.layout),
        target_(source.target),
        rom_places_(graph_.tensors.size()),
        was_executed_(graph_.operations.size(), false) {}

  Failure run() {
    check_frame();
    check_rom();
    begin();
    for (std::size_t a = 0; a < program_.instructions.size() && !fault_; ++a) {
      now_ = static_cast<std::int64_t>(a);
      follow(plan_.schedule.actions[a], program_.instructions[a]);
    }
    now_.reset();
    end();
    if (!fault_) return std::nullopt;
    return bad_input(*fault_);
  }

 private:
  // --- What is found

  // The first one counts: what comes after it may be its consequence.
  void find(const std::string& what) {
    if (!fault_) fault_ = now_ ? fmt::format("instruction {}: {}", *now_, what) : what;
  }

  void want(bool right, const char* what) {
    if (!right) find(what);
  }

  const std::string& name(TensorId tensor) const { return at(graph_.tensors, tensor).name; }

  std::string name_of_content(const ReplayedMemory::Stretch& other) const {
    const std::string whose = other.value ? fmt::format("'{}'", name(*other.value)) : "nothing";
    return other.since ? fmt::format("{} of instruction {}", whose, *other.since) : whose;
  }

  // --- Memory

  // Of a root, in its buffer at the instruction that is looked at.
  BytePlace arena_place(TensorId root, std::int64_t size_bytes) {
    const std::optional<BytePlace> place = planned_.in_arena(root, *now_, size_bytes);
    if (!place) find(fmt::format("'{}' has no buffer", name(root)));
    return place.value_or(BytePlace{});
  }

  ReplayedMemory& memory(const BytePlace& place) {
    return place.space == AddressSpace::Arena     ? arenas_[place.memory]
           : place.space == AddressSpace::Storage ? storage_
                                                  : rom_;
  }

  // Nothing of an arena that there is not, and of storage or the rom of a further memory.
  std::int64_t bytes_of(const BytePlace& place) const {
    const std::int32_t further = index_of(place.memory) - 1;
    if (further >= 0) {
      const bool is_there =
          place.space == AddressSpace::Arena && further < std::ssize(program_.further_arena_bytes);
      return is_there ? program_.further_arena_bytes[static_cast<std::size_t>(further)] : -1;
    }
    return place.space == AddressSpace::Arena     ? program_.arena_bytes
           : place.space == AddressSpace::Storage ? program_.storage_bytes
                                                  : program_.rom_bytes;
  }

  // --- What happens to bytes

  bool is_inside(const BytePlace& place) {
    if (place.offset_bytes >= 0 && place.size_bytes >= 0 && place.end_bytes() <= bytes_of(place))
      return true;
    find(fmt::format("{} are not there", text(place)));
    return false;
  }

  bool is_right(const char* what, const std::string& whose, const BytePlace& found,
                const std::optional<BytePlace>& right) {
    if (found == right) return is_inside(found);
    find(fmt::format("{} '{}' at {}, and its place is {}", what, whose, text(found),
                     right ? text(*right) : "nowhere"));
    return false;
  }

  // A part of `place` from its beginning on has to be the value's.
  void expect(const BytePlace& place, TensorId root) {
    const auto other =
        memory(place).first_other(place.offset_bytes, planned_.true_bytes(root), root);
    if (other)
      find(fmt::format("reads '{}' at {}, where {} is", name(root), text(place),
                       name_of_content(*other)));
  }

  // By the processor, which does not wait by itself for what a transfer brings.
  void read(TensorId tensor, const BytePlace& found) {
    const TensorId root = root_of(problem_, tensor);
    const bool in_rom = at(graph_.tensors, root).home == Home::Rom;
    const BytePlace right =
        in_rom ? at(rom_places_, root) : arena_place(root, planned_.true_bytes(tensor));
    if (!is_right("reads", name(tensor), found, right)) return;
    expect(found, root);
    const auto bringing = memory(found).last_transfer(found.offset_bytes, found.size_bytes);
    if (bringing && *bringing >= ended_)
      find(fmt::format("reads '{}' before transfer {} has brought it", name(tensor), *bringing));
  }

  // By the processor, which must not touch what a transfer still moves.
  void write(const BytePlace& place, const ReplayedMemory::Stretch& what) {
    if (place.space == AddressSpace::Arena)
      for (std::int64_t t = ended_; t < std::ssize(moved_); ++t)
        if (overlap(moved_[static_cast<std::size_t>(t)], place))
          find(fmt::format("writes to {} before transfer {} has ended", text(place), t));
    put(place, what);
  }

  void put(const BytePlace& place, ReplayedMemory::Stretch what) {
    what.since = now_;
    memory(place).put(place.offset_bytes, place.size_bytes, what);
  }

  // Nobody reads what is behind a value's own bytes in the blocks that are moved with them.
  void put_moved(const BytePlace& place, TensorId root, std::optional<std::int64_t> transfer) {
    put(place, {.value = {}, .transfer = transfer});
    put({place.space, place.offset_bytes, planned_.true_bytes(root), place.memory},
        {.value = root, .transfer = transfer});
  }

  // --- Before the first instruction

  void check_frame() {
    want(program_.time_mode == problem_.time_mode, "the program and its plan keep time otherwise");
    want(program_.alignment_bytes == layout_.alignment_bytes &&
             program_.arena_bytes == layout_.arena_bytes && has_further_arenas() &&
             program_.storage_bytes == layout_.storage_bytes,
         "the program's arena and storage are not those of its layout");
    if (program_.instructions.size() != plan_.schedule.actions.size())
      find(fmt::format("the program has {} instructions, and its schedule {} actions",
                       program_.instructions.size(), plan_.schedule.actions.size()));
  }

  bool has_further_arenas() const {
    return std::equal(program_.further_arena_bytes.begin(), program_.further_arena_bytes.end(),
                      layout_.further_arenas.begin(), layout_.further_arenas.end(),
                      [](std::int64_t size_bytes, const FurtherArena& arena) {
                        return size_bytes == arena.size_bytes;
                      });
  }

  // Every value that never changes, once and in a place of its own.
  void check_rom() {
    std::vector<TensorId> wanted;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      if (graph_.tensors[i].home == Home::Rom) wanted.push_back(static_cast<TensorId>(i));
    for (std::size_t k = 0; k < std::max(wanted.size(), program_.rom.size()) && !fault_; ++k) {
      if (k >= wanted.size() || k >= program_.rom.size() || program_.rom[k].tensor != wanted[k])
        return find("the program's rom holds other values than its graph's");
      const BytePlace& place = program_.rom[k].place;
      if (place.space != AddressSpace::Rom || place.size_bytes != planned_.true_bytes(wanted[k]) ||
          place.offset_bytes % program_.alignment_bytes != 0)
        return find(fmt::format("'{}' has no place in the rom", name(wanted[k])));
      if (is_inside(place)) put(place, {.value = wanted[k]});
      at(rom_places_, wanted[k]) = place;
    }
    for (const TensorPlace& one : program_.rom) expect_begin(one);
  }

  void expect_begin(const TensorPlace& one) {
    if (memory(one.place).first_other(one.place.offset_bytes, one.place.size_bytes, one.tensor))
      find(fmt::format("'{}' is written over at {} before the step begins", name(one.tensor),
                       text(one.place)));
  }

  void begin() {
    if (fault_) return;
    std::vector<TensorPlace> homes;
    std::size_t kept = 0;
    std::size_t fed = 0;
    for (const BytePlace& place : program_.free) free_before(place);
    for (std::size_t i = 0; i < graph_.tensors.size() && !fault_; ++i) {
      const auto tensor = static_cast<TensorId>(i);
      const GraphTensor& what = graph_.tensors[i];
      if (what.home != Home::Storage && what.home != Home::Resident) continue;
      const std::optional<BytePlace> home = planned_.at_home(tensor);
      if (!home) return find(fmt::format("'{}' has no place at home", name(tensor)));
      const TensorPlace right{tensor, *home};
      if (what.role != TensorRole::Input && what.role != TensorRole::Step)
        check_kept(kept++, right);
      else if (planned_.is_resident(tensor))
        check_fed(fed++, right, what.role);
      else
        continue;
      put(right.place, {.value = tensor});
      homes.push_back(right);
    }
    want(kept == program_.kept.size() && fed == program_.begin.size(),
         "the program keeps or is fed more than its graph says");
    for (const BytePlace& place : program_.free)
      for (const TensorPlace& home : homes)
        if (overlap(place, home.place))
          find(fmt::format("'{}' at {} is taken for free", name(home.tensor), text(home.place)));
    for (const TensorPlace& home : homes) expect_begin(home);
  }

  void free_before(const BytePlace& place) {
    want(target_.free == FreeMemory::Filled && place.space != AddressSpace::Rom,
         "what is free is not to be filled");
    is_inside(place);
  }

  void check_kept(std::size_t k, const TensorPlace& right) {
    if (k >= program_.kept.size() || program_.kept[k].tensor != right.tensor)
      return find(fmt::format("'{}' is not kept", name(right.tensor)));
    is_right("keeps", name(right.tensor), program_.kept[k].place, right.place);
  }

  void check_fed(std::size_t k, const TensorPlace& right, TensorRole role) {
    const StepWork wanted = role == TensorRole::Step
                                ? StepWork(StepWordsFeed{right.place})
                                : StepWork(InputFeed{right.tensor, right.place});
    if (k >= program_.begin.size() || program_.begin[k] != wanted)
      return find(fmt::format("'{}' is not fed at {} before the first instruction",
                              name(right.tensor), text(right.place)));
    is_inside(right.place);
  }

  // --- Instructions

  void follow(const Action& action, const StepInstruction& made) {
    if (made.wait_for) {
      if (*made.wait_for < 0 || *made.wait_for >= std::ssize(moved_))
        return find(
            fmt::format("waits for transfer {}, and {} have begun", *made.wait_for, moved_.size()));
      ended_ = std::max(ended_, *made.wait_for + 1);
    }
    if (const auto* const compute = std::get_if<Compute>(&action))
      follow_compute(compute->operation, made);
    else if (const auto* const out = std::get_if<PageOut>(&action))
      follow_page_out(out->tensor, made);
    else if (const auto* const in = std::get_if<PageIn>(&action))
      follow_page_in(in->tensor, made);
    else
      want(std::holds_alternative<NoWork>(made.work), "is more than a Drop");
    if (!std::holds_alternative<Compute>(action))
      want(made.outputs.empty() && !made.again, "gives what no operation made");
    for (const BytePlace& place : made.freed) {
      want(target_.free == FreeMemory::Filled && place.space == AddressSpace::Arena,
           "what is free is not to be filled");
      if (is_inside(place)) write(place, {});
    }
  }

  void follow_compute(OperationId id, const StepInstruction& made) {
    const GraphOperation& operation = at(graph_.operations, id);
    const bool again = was_executed_[index_of(id)];
    was_executed_[index_of(id)] = true;
    want(made.again == again, "counts executions otherwise than the schedule");
    if (entry_of(operation.kind).view)
      want(std::holds_alternative<NoWork>(made.work), "is more than a view");
    else if (reads_rows_of_storage(graph_, operation, at(problem_.operations, id)))
      follow_lookup(id, std::get_if<RowLookup>(&made.work));
    else if (updates_rows_of_storage(graph_, operation, at(problem_.operations, id)))
      follow_row_update(id, std::get_if<StoredRowUpdate>(&made.work));
    else
      follow_call(id, std::get_if<OperationCall>(&made.work));
    std::vector<TensorId> wanted;
    for (const TensorId output : operation.outputs)
      if (!again &&
          std::find(graph_.outputs.begin(), graph_.outputs.end(), output) != graph_.outputs.end())
        wanted.push_back(output);
    if (made.outputs.size() != wanted.size()) return find("gives other outputs than the graph's");
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      want(made.outputs[k].tensor == wanted[k], "gives other outputs than the graph's");
      read(wanted[k], made.outputs[k].place);
    }
  }

  void follow_call(OperationId id, const OperationCall* call) {
    const GraphOperation& operation = at(graph_.operations, id);
    if (call == nullptr || call->operation != id || call->kind != operation.kind ||
        call->inputs.size() != operation.inputs.size() ||
        call->outputs.size() != operation.outputs.size())
      return find(fmt::format("does not call '{}' on its operands", operation.name));
    for (std::size_t k = 0; k < call->inputs.size(); ++k)
      read(operation.inputs[k], call->inputs[k]);
    check_workspace(id, *call);
    for (std::size_t k = 0; k < call->outputs.size() && !fault_; ++k) check_apart(id, *call, k);
    if (call->workspace && !fault_) write(*call->workspace, {});
    for (std::size_t k = 0; k < call->outputs.size() && !fault_; ++k)
      make(operation.outputs[k], call->outputs[k]);
  }

  void make(TensorId output, const BytePlace& found) {
    const BytePlace right = arena_place(output, planned_.true_bytes(output));
    if (is_right("makes", name(output), found, right)) write(found, {.value = output});
  }

  void check_workspace(OperationId id, const OperationCall& call) {
    const std::int64_t needed_bytes = at(target_.workspace_bytes, id);
    if (!call.workspace) return want(needed_bytes == 0, "has no workspace");
    const std::optional<BytePlace> right = planned_.workspace(*now_, needed_bytes);
    is_right("works for", at(graph_.operations, id).name, *call.workspace, right);
  }

  // An output may lie where an input does only when it takes that one's place.
  void check_apart(OperationId id, const OperationCall& call, std::size_t output) {
    const GraphOperation& operation = at(graph_.operations, id);
    const BytePlace& place = call.outputs[output];
    const std::string& whose = name(operation.outputs[output]);
    for (std::size_t k = 0; k < call.inputs.size(); ++k)
      if (overlap(place, call.inputs[k]) &&
          !(place.offset_bytes == call.inputs[k].offset_bytes &&
            may_replace(id, operation.inputs[k], operation.outputs[output])))
        find(fmt::format("makes '{}' over its input '{}'", whose, name(operation.inputs[k])));
    for (std::size_t k = 0; k < output; ++k)
      if (overlap(place, call.outputs[k])) find(fmt::format("makes two outputs in one place"));
    if (!call.workspace) return;
    if (overlap(place, *call.workspace)) find(fmt::format("makes '{}' in its workspace", whose));
    for (std::size_t k = 0; k < call.inputs.size(); ++k)
      if (overlap(call.inputs[k], *call.workspace))
        find(fmt::format("works over its input '{}'", name(operation.inputs[k])));
  }

  bool may_replace(OperationId id, TensorId input, TensorId output) const {
    const TensorId root = root_of(problem_, input);
    const std::optional<InPlace>& in_place = at(problem_.operations, id).in_place;
    return at(problem_.tensors, output).updates == root ||
           (in_place && in_place->output == output && root_of(problem_, in_place->input) == root);
  }

  void follow_lookup(OperationId id, const RowLookup* lookup) {
    const GraphOperation& operation = at(graph_.operations, id);
    const TensorId table = operation.inputs[0];
    const TensorType& type = at(graph_.tensors, table).type;
    if (lookup == nullptr || lookup->operation != id || lookup->table_rows != type.shape[0] ||
        lookup->row_bytes * lookup->table_rows != size_bytes(type) ||
        lookup->index_type != at(graph_.tensors, operation.inputs[1]).type.element)
      return find(fmt::format("does not look up the rows of '{}'", operation.name));
    if (!is_right("reads", name(table), lookup->table,
                  planned_.in_storage(table, planned_.true_bytes(table))))
      return;
    expect(lookup->table, table);
    read(operation.inputs[1], lookup->indices);
    if (!fault_) make(operation.outputs[0], lookup->rows);
  }

  // The table's place then holds its new value.
  void follow_row_update(OperationId id, const StoredRowUpdate* update) {
    const GraphOperation& operation = at(graph_.operations, id);
    const TensorId table = operation.inputs[0];
    const TensorType& type = at(graph_.tensors, table).type;
    if (update == nullptr || update->operation != id || update->table_rows != type.shape[0] ||
        update->row_bytes * update->table_rows != size_bytes(type) ||
        update->index_type != at(graph_.tensors, operation.inputs[1]).type.element)
      return find(fmt::format("does not update the rows of '{}'", operation.name));
    if (!is_right("updates", name(table), update->table,
                  planned_.in_storage(table, planned_.true_bytes(table))))
      return;
    expect(update->table, table);
    read(operation.inputs[1], update->indices);
    read(operation.inputs[2], update->gradient);
    read(operation.inputs[3], update->step);
    const std::optional<BytePlace> right = planned_.workspace(*now_, 2 * update->row_bytes);
    if (!is_right("works for", operation.name, update->workspace, right)) return;
    for (const BytePlace& input : {update->indices, update->gradient, update->step})
      if (overlap(input, update->workspace)) find("works over what it reads");
    write(update->workspace, {});
    put(update->table, {.value = operation.outputs[0]});
    updated_by_rows_.emplace(table, operation.outputs[0]);
  }

  // --- Transfers, which reach storage and memory in order of issue

  // A new value that was made in storage has no bytes to move.
  bool has_no_bytes(TensorId tensor) const {
    return at(problem_.tensors, tensor).size_bytes == 0 && planned_.true_bytes(tensor) > 0;
  }

  void follow_page_out(TensorId tensor, const StepInstruction& made) {
    if (has_no_bytes(tensor))
      return want(std::holds_alternative<NoWork>(made.work), "writes what has no bytes");
    if (at(graph_.tensors, tensor).role == TensorRole::Input)
      return want(std::holds_alternative<NoWork>(made.work), "writes what is given");
    const auto* const page = std::get_if<PageWrite>(&made.work);
    if (page == nullptr || page->tensor != tensor)
      return find(fmt::format("does not write '{}' to storage", name(tensor)));
    if (!is_page("writes", tensor, page->storage, page->memory)) return;
    expect(page->memory, tensor);
    put_moved(page->storage, tensor, std::nullopt);
    begin_transfer(page->memory);
  }

  void follow_page_in(TensorId tensor, const StepInstruction& made) {
    if (has_no_bytes(tensor))
      return want(std::holds_alternative<NoWork>(made.work), "reads what has no bytes");
    if (at(graph_.tensors, tensor).role == TensorRole::Input) return follow_feed(tensor, made);
    const auto* const page = std::get_if<PageRead>(&made.work);
    if (page == nullptr || page->tensor != tensor)
      return find(fmt::format("does not read '{}' from storage", name(tensor)));
    if (!is_page("reads", tensor, page->storage, page->memory)) return;
    expect(page->storage, tensor);
    std::optional<std::int64_t> transfer;
    if (program_.time_mode == TimeMode::Overlapped) transfer = std::ssize(moved_);
    put_moved(page->memory, tensor, transfer);
    begin_transfer(page->memory);
  }

  void follow_feed(TensorId tensor, const StepInstruction& made) {
    const auto* const feed = std::get_if<InputFeed>(&made.work);
    if (feed == nullptr || feed->tensor != tensor)
      return find(fmt::format("does not feed '{}'", name(tensor)));
    make(tensor, feed->value);
  }

  bool is_page(const char* what, TensorId tensor, const BytePlace& storage,
               const BytePlace& memory) {
    const std::int64_t moved = planned_.moved_bytes(tensor, target_.block_bytes);
    return is_right(what, name(tensor), storage, planned_.in_storage(tensor, moved)) &&
           is_right(what, name(tensor), memory, arena_place(tensor, moved));
  }

  void begin_transfer(const BytePlace& memory) {
    if (program_.time_mode == TimeMode::Overlapped) moved_.push_back(memory);
  }

  // --- After the last instruction

  // What outlives the step is at home, in its new value where it has one.
  void end() {
    if (fault_) return;
    want(program_.transfers == std::ssize(moved_), "the program counts other transfers");
    std::vector<TensorId> values(graph_.tensors.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<TensorId>(i);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (problem_.tensors[i].updates) at(values, *problem_.tensors[i].updates) = values[i];
    for (const auto& [table, new_value] : updated_by_rows_) at(values, table) = new_value;
    for (const TensorPlace& home : program_.kept) {
      const auto other =
          memory(home.place)
              .first_other(home.place.offset_bytes, home.place.size_bytes, at(values, home.tensor));
      if (other)
        find(fmt::format("in the end {} holds {}, and '{}' is at home there", text(home.place),
                         name_of_content(*other), name(home.tensor)));
    }
  }

  const StepProgram& program_;
  const Graph& graph_;
  const Plan& plan_;
  const Problem& problem_;
  const PlannedPlaces planned_;
  const Layout& layout_;
  const StepTarget& target_;
  std::vector<BytePlace> rom_places_;  // by tensor
  std::vector<bool> was_executed_;     // by operation
  // The new values of tables whose rows were updated where they lie.
  std::map<TensorId, TensorId> updated_by_rows_;
  std::map<MemoryId, ReplayedMemory> arenas_;
  ReplayedMemory storage_;
  ReplayedMemory rom_;
  std::vector<BytePlace> moved_;     // of arenas, by transfer
  std::int64_t ended_ = 0;           // so many transfers
  std::optional<std::int64_t> now_;  // the instruction that is looked at
  std::optional<std::string> fault_;
};

}  // namespace

Failure check_program(const StepProgram& program, const ProgramSource& source) {
  return ProgramReplay(program, source).run();
}

}  // namespace poet
