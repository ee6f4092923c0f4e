#include "poet/emit/form_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "poet/base/check.h"
#include "poet/emit/c_text.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

// So many actions make a function: compilers work on functions, and people read them.
constexpr int kActionsInAPart = 32;

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

  Result<std::string> write() {
    for (const StepWork& work : program_.begin) add_work(work, false);
    for (const StepInstruction& instruction : program_.instructions) {
      add_work(instruction.work, instruction.again);
      for (const TensorPlace& output : instruction.outputs) take_loss(output);
    }
    if (failure_) return *failure_;
    close_part();
    return text_ + whole_form();
  }

 private:
  // --- Where things are

  std::string place(const BytePlace& where) {
    return where.space == AddressSpace::Rom ? in_rom(where)
                                            : fmt::format("AT({})", where.offset_bytes);
  }

  // Each value is a constant of its own.
  std::string in_rom(const BytePlace& where) {
    const auto value = std::find_if(program_.rom.begin(), program_.rom.end(),
                                    [&](const TensorPlace& one) { return one.place == where; });
    POET_CHECK(value != program_.rom.end());
    Result<std::string> name =
        parts_.rom.name_of(at(graph_.tensors, value->tensor), *form_.initial, value->tensor);
    if (name.ok()) return *name;
    if (!failure_) failure_ = name.error();
    return {};
  }

  std::int64_t in_storage(const BytePlace& place) const {
    return pages_begin_ + place.offset_bytes;
  }

  // --- Lines

  void add_line(const std::string& line) { part_ += "  " + line + "\n"; }

  void begin_action(EmittedAction action) {
    if (actions_in_part_ == kActionsInAPart) close_part();
    ++actions_in_part_;
    action.form = form_.name;
    add_line(fmt::format("POET_ACTION({}); /* {}{}{} */", parts_.actions.size(),
                         action.what == "compute" ? "" : action.what + " ", c_comment(action.name),
                         action.again ? ", again" : ""));
    parts_.actions.push_back(std::move(action));
  }

  void close_part() {
    if (part_.empty()) return;
    text_ += fmt::format(
        "\nstatic poet_status {}_part_{}(poet_run* run) {{\n{}{}  return POET_OK;\n}}\n",
        form_.name, part_count_++, part_.find("run->") == part_.npos ? "  (void)run;\n" : "",
        part_);
    part_.clear();
    actions_in_part_ = 0;
  }

  std::string whole_form() const {
    std::string text = fmt::format("\nstatic poet_status run_{}(poet_run* run) {{\n", form_.name);
    for (int part = 0; part < part_count_; ++part)
      text += fmt::format("  TRY({}_part_{}(run));\n", form_.name, part);
    return text + "  POET_ACTION(POET_ACTIONS);\n  return POET_OK;\n}\n";
  }

  // --- Instructions

  void add_work(const StepWork& work, bool again) {
    std::visit([&](const auto& one) { add(one, again); }, work);
  }

  void add(const NoWork&, bool) {}

  void add(const StepWordsFeed& words, bool) {
    add_line(fmt::format("memcpy({}, &run->words, sizeof run->words);", place(words.value)));
  }

  void add(const OperationCall& called, bool again) {
    const GraphOperation& operation = at(graph_.operations, called.operation);
    const KernelCall call = entry_of(called.kind).kernel(types_of(graph_, operation));
    begin_action({.what = "compute",
                  .name = operation.name,
                  .operation = static_cast<std::int64_t>(called.operation),
                  .again = again});
    parts_.functions.insert(std::string(call.function.name));
    std::string pointers = pointers_to(call.inputs, called.inputs);
    pointers += pointers_to(call.outputs, called.outputs);
    if (called.workspace) pointers += ", " + place(*called.workspace);
    add_line(fmt::format("{}(&{}{});", call.function.name, parts_.shapes.name_of(call), pointers));
  }

  // Those that the kernel takes, in its own order.
  std::string pointers_to(const std::vector<std::optional<int>>& taken,
                          const std::vector<BytePlace>& places) {
    std::string pointers;
    for (const std::optional<int>& one : taken)
      pointers +=
          ", " + (one ? place(places[static_cast<std::size_t>(*one)]) : std::string("NULL"));
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
    begin_action({.what = "rows",
                  .name = operation.name,
                  .operation = static_cast<std::int64_t>(lookup.operation),
                  .bytes = lookup.rows.size_bytes,
                  .again = again});
    const std::string from = place(lookup.indices);
    add_line(fmt::format("TRY({}(run->storage, &{}, {}, {}));", function, shape, from,
                         place(lookup.rows)));
  }

  // The only output of a training step.
  void take_loss(const TensorPlace& output) {
    add_line(fmt::format("memcpy(&run->loss, {}, sizeof run->loss);", place(output.place)));
  }

  void add(const PageWrite& page, bool) { move("write", page.tensor, page.storage, page.memory); }
  void add(const PageRead& page, bool) { move("read", page.tensor, page.storage, page.memory); }

  void move(const std::string& how, TensorId tensor, const BytePlace& storage,
            const BytePlace& memory) {
    begin_action(
        {.what = how, .name = at(graph_.tensors, tensor).name, .bytes = memory.size_bytes});
    add_line(fmt::format("TRY(poet_storage_{}(run->storage, {}u, {}, {}u));", how,
                         in_storage(storage), place(memory), memory.size_bytes));
  }

  void add(const InputFeed& feed, bool) {
    const auto from =
        std::find_if(form_.inputs.begin(), form_.inputs.end(),
                     [&](const PartPlace& input) { return input.tensor == feed.tensor; });
    POET_CHECK(from != form_.inputs.end());
    const std::int64_t bytes = feed.value.size_bytes;
    begin_action({.what = "input", .name = at(graph_.tensors, feed.tensor).name, .bytes = bytes});
    add_line(
        fmt::format("TRY(read_input(run, {}, {}, {}u));", from->part, place(feed.value), bytes));
  }

  const EmittedForm& form_;
  const Graph& graph_;
  const StepProgram& program_;
  std::int64_t pages_begin_;
  FormParts& parts_;
  Failure failure_ = {};  // the first
  std::string text_;      // of the parts that are done
  std::string part_;      // that is being written
  int part_count_ = 0;
  int actions_in_part_ = 0;
};

}  // namespace

Result<std::string> form_text(const EmittedForm& form, const StepProgram& program,
                              std::int64_t pages_begin, FormParts& parts) {
  return FormWriter(form, program, pages_begin, parts).write();
}

}  // namespace poet
