#include "poet/emit/form_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "poet/base/check.h"
#include "poet/cost/operation_key.h"
#include "poet/emit/piece_texts.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

// What outlives a step and is no sum that a step begins anew.
bool meets_kept(const Graph& graph, const StepProgram& program, const BytePlace& written) {
  return std::any_of(program.kept.begin(), program.kept.end(), [&](const TensorPlace& kept) {
    return at(graph.tensors, kept.tensor).role != TensorRole::Gradient &&
           overlap(kept.place, written);
  });
}

bool changes_kept(const Graph& graph, const StepProgram& program, const StepWork& work) {
  const auto meets = [&](const BytePlace& written) { return meets_kept(graph, program, written); };
  if (const auto* const call = std::get_if<OperationCall>(&work))
    return std::any_of(call->outputs.begin(), call->outputs.end(), meets);
  if (const auto* const write = std::get_if<PageWrite>(&work)) return meets(write->storage);
  return std::holds_alternative<StoredRowUpdate>(work);
}

// Writes down what each instruction does to which bytes.
class FormWriter {
 public:
  FormWriter(const EmittedForm& form, const StepProgram& program, std::int64_t pages_begin,
             FormParts& parts)
      : form_(form),
        graph_(form.step->graph),
        program_(program),
        pages_begin_(pages_begin),
        parts_(parts) {}

  Failure write() {
    parts_.tables.begin_form(form_.name);
    for (const StepWork& work : program_.begin) add_work(work, false);
    for (const StepInstruction& instruction : program_.instructions) {
      wait_before(instruction);
      if (!parts_.change && changes_kept(graph_, program_, instruction.work))
        parts_.change = {parts_.forms, std::ssize(parts_.actions)};
      add_work(instruction.work, instruction.again);
      for (const TensorPlace& output : instruction.outputs) take(output);
    }
    wait_until_left(0);
    ++parts_.forms;
    return failure_;
  }

 private:
  // --- Transfers that are under way, by the waits so far

  bool overlapped() const { return program_.time_mode == TimeMode::Overlapped; }

  void wait_before(const StepInstruction& instruction) {
    if (!overlapped()) return;
    const StepWork& work = instruction.work;
    if (std::holds_alternative<InputFeed>(work) || std::holds_alternative<RowLookup>(work) ||
        std::holds_alternative<StoredRowUpdate>(work))
      wait_until_left(0);
    else if (instruction.wait_for)
      wait_until_left(issued_ - *instruction.wait_for - 1);
  }

  void wait_until_left(std::int64_t left) {
    if (issued_ - ended_ <= left) return;
    ended_ = issued_ - left;
    StepAction step = step_of({.kind = POET_WORK_WAIT, .call = left}, {});
    step.comment = fmt::format("until {} transfers are under way", left);
    parts_.tables.add(std::move(step));
  }

  void issue() {
    ++issued_;
    parts_.most_under_way = std::max(parts_.most_under_way, issued_ - ended_);
  }

  // --- Where things are

  CodedPlace place(const BytePlace& where) {
    if (where.space == AddressSpace::Rom) return {true, constant_at(where)};
    return {false, parts_.tables.place_of(where.memory, where.offset_bytes)};
  }

  // Each value is a constant of its own.
  std::int64_t constant_at(const BytePlace& where) {
    const auto value = std::find_if(program_.rom.begin(), program_.rom.end(),
                                    [&](const TensorPlace& one) { return one.place == where; });
    POET_CHECK(value != program_.rom.end());
    const Result<std::int64_t> number =
        parts_.rom.number_of(at(graph_.tensors, value->tensor), *form_.initial, value->tensor);
    if (number.ok()) return *number;
    if (!failure_) failure_ = number.error();
    return 0;
  }

  std::int64_t in_storage(const BytePlace& place) const {
    return pages_begin_ + place.offset_bytes;
  }

  // --- Actions

  // By assignment: gcc 12 takes a list of initialisers for memory that nobody set, at -O3.
  static StepAction step_of(StepWorkKind work, std::vector<CodedPlace> places) {
    StepAction step;
    step.work = std::move(work);
    step.places = std::move(places);
    return step;
  }

  // Of the plan: told to poet_trace().
  void add_action(StepAction step, EmittedAction action) {
    action.form = form_.name;
    step.comment = fmt::format("{}: {}{}{}", parts_.actions.size(),
                               action.what == "compute" ? "" : action.what + " ", action.name,
                               action.again ? ", again" : "");
    step.work.places = static_cast<std::int64_t>(step.places.size());
    parts_.tables.add(std::move(step));
    parts_.actions.push_back(std::move(action));
  }

  // Of the step itself.
  void add_silent(const std::string& statement, const BytePlace& where,
                  const std::string& comment) {
    StepAction step =
        step_of({.kind = POET_WORK_STEP, .call = parts_.tables.call_of(statement), .places = 1},
                {place(where)});
    step.comment = comment;
    parts_.tables.add(std::move(step));
  }

  void add_work(const StepWork& work, bool again) {
    std::visit([&](const auto& one) { add(one, again); }, work);
  }

  void add(const NoWork&, bool) {}

  void add(const StepWordsFeed& words, bool) {
    add_silent("memcpy(at[0], &run->words, sizeof run->words);", words.value, "the step's words");
  }

  void add(const OperationCall& called, bool again) {
    const GraphOperation& operation = at(graph_.operations, called.operation);
    const OperationTypes types = types_of(graph_, operation);
    const KernelCall call = entry_of(called.kind).kernel(types);
    parts_.functions.insert(std::string(call.function.name));
    StepAction step;
    std::string pointers = pointers_to(call.inputs, called.inputs, step.places);
    pointers += pointers_to(call.outputs, called.outputs, step.places);
    if (called.workspace) pointers += pointer_to(*called.workspace, step.places);
    step.work.shape = parts_.shapes.name_of(call);
    step.work.call =
        parts_.tables.call_of(fmt::format("{}(shape{});", call.function.name, pointers));
    add_action(std::move(step), {.what = "compute",
                                 .name = operation.name,
                                 .operation = called.operation,
                                 .again = again,
                                 .key = operation_key(types),
                                 .flop = entry_of(operation.kind).flop(types)});
  }

  std::string pointer_to(const BytePlace& where, std::vector<CodedPlace>& places) {
    places.push_back(place(where));
    return fmt::format(", at[{}]", places.size() - 1);
  }

  // Those that the kernel takes, in its own order.
  std::string pointers_to(const std::vector<std::optional<int>>& taken,
                          const std::vector<BytePlace>& where, std::vector<CodedPlace>& places) {
    std::string pointers;
    for (const std::optional<int>& one : taken)
      pointers +=
          one ? pointer_to(where[static_cast<std::size_t>(*one)], places) : std::string(", NULL");
    return pointers;
  }

  void add(const RowLookup& lookup, bool again) {
    const GraphOperation& operation = at(graph_.operations, lookup.operation);
    const GraphTensor& indices = at(graph_.tensors, operation.inputs[1]);
    const std::string shape = parts_.shapes.name_of(
        "poet_stored_rows", fmt::format(".offset = {}u, .row_bytes = {}u, .rows = {}, .count = {}",
                                        in_storage(lookup.table), lookup.row_bytes,
                                        lookup.table_rows, value_count(indices.type.shape)));
    const std::string function =
        lookup.index_type == ElementType::Int64 ? "poet_storage_rows_i64" : "poet_storage_rows_i32";
    const std::int64_t call = parts_.tables.call_of(
        fmt::format("return {}(run->storage, shape, at[0], at[1]);", function));
    add_action(step_of({.call = call, .shape = shape}, {place(lookup.indices), place(lookup.rows)}),
               {.what = "rows",
                .name = operation.name,
                .operation = lookup.operation,
                .bytes = lookup.rows.size_bytes,
                .again = again});
  }

  void add(const StoredRowUpdate& update, bool again) {
    const GraphOperation& operation = at(graph_.operations, update.operation);
    const std::int64_t value_bytes = byte_size(ElementType::Float32);
    const std::string shape = parts_.shapes.name_of(
        "poet_updated_rows",
        fmt::format(".offset = {}u, .shape = {{.rows = {}, .inner = {}, .count = {}}}",
                    in_storage(update.table), update.table_rows, update.row_bytes / value_bytes,
                    update.gradient.size_bytes / update.row_bytes));
    const std::string function = update.index_type == ElementType::Int64
                                     ? "poet_storage_update_rows_i64"
                                     : "poet_storage_update_rows_i32";
    parts_.functions.insert(function);
    const std::int64_t call = parts_.tables.call_of(
        fmt::format("return {}(run->storage, shape, at[0], at[1], at[2], at[3]);", function));
    add_action(
        step_of({.call = call, .shape = shape}, {place(update.indices), place(update.gradient),
                                                 place(update.step), place(update.workspace)}),
        {.what = "update rows",
         .name = operation.name,
         .operation = update.operation,
         .bytes = update.gradient.size_bytes,
         .again = again});
  }

  // The only output of a training step is its loss.
  void take(const TensorPlace& output) {
    if (form_.predicts)
      add_silent("run->take(run->user, at[0]);", output.place, "the outputs");
    else
      take_loss(output);
  }

  void take_loss(const TensorPlace& output) {
    add_silent("memcpy(&run->loss, at[0], sizeof run->loss);", output.place, "the loss");
  }

  void add(const PageWrite& page, bool) {
    move(POET_WORK_WRITE, page.tensor, page.storage, page.memory);
  }
  void add(const PageRead& page, bool) {
    move(POET_WORK_READ, page.tensor, page.storage, page.memory);
  }

  void move(poet_work_kind kind, TensorId tensor, const BytePlace& storage,
            const BytePlace& memory) {
    const std::int64_t block_bytes = parts_.tables.block_bytes();
    POET_CHECK(in_storage(storage) % block_bytes == 0);
    if (parts_.overlapped) issue();
    StepAction step = step_of({.kind = kind, .call = memory.size_bytes}, {place(memory)});
    step.block = in_storage(storage) / block_bytes;
    add_action(std::move(step), {.what = kind == POET_WORK_READ ? "read" : "write",
                                 .name = at(graph_.tensors, tensor).name,
                                 .bytes = memory.size_bytes});
    if (!overlapped()) wait_until_left(0);
  }

  void add(const InputFeed& feed, bool) {
    const auto from =
        std::find_if(form_.inputs.begin(), form_.inputs.end(),
                     [&](const PartPlace& input) { return input.tensor == feed.tensor; });
    POET_CHECK(from != form_.inputs.end());
    const std::int64_t bytes = feed.value.size_bytes;
    StepAction step = step_of({}, {place(feed.value)});
    if (from->piece) {
      step.work.shape = parts_.shapes.name_of("poet_piece", piece_fields(*from->piece));
      parts_.inputs_in_pieces = true;
      step.work.call = parts_.tables.call_of(
          fmt::format("return read_piece(run, {}, shape, at[0]);", from->part));
    } else {
      parts_.whole_inputs = true;
      step.work.call = parts_.tables.call_of(
          fmt::format("return read_input(run, {}, at[0], {}u);", from->part, bytes));
    }
    add_action(std::move(step),
               {.what = "input", .name = at(graph_.tensors, feed.tensor).name, .bytes = bytes});
  }

  const EmittedForm& form_;
  const Graph& graph_;
  const StepProgram& program_;
  std::int64_t pages_begin_;
  FormParts& parts_;
  std::int64_t issued_ = 0;  // transfers of the form
  std::int64_t ended_ = 0;   // for certain
  Failure failure_ = {};     // the first
};

}  // namespace

Failure add_form(const EmittedForm& form, const StepProgram& program, std::int64_t pages_begin,
                 FormParts& parts) {
  return FormWriter(form, program, pages_begin, parts).write();
}

}  // namespace poet
