#include "poet/emit/form_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "poet/base/check.h"
#include "poet/emit/c_text.h"
#include "poet/exec/row_lookup.h"
#include "poet/graph/operator_table.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// So many actions make a function: compilers work on functions, and people read them.
constexpr int kActionsInAPart = 32;

// Follows the schedule, and writes down what each action does to which bytes.
class FormWriter {
 public:
  FormWriter(const EmittedForm& form, const std::vector<std::int64_t>& slots,
             std::int64_t pages_begin, FormParts& parts)
      : form_(form),
        graph_(form.step->graph),
        plan_(form.step->plan),
        problem_(form.step->plan.problem),
        layout_(form.step->layout),
        slots_(slots),
        pages_begin_(pages_begin),
        parts_(parts),
        current_(graph_.tensors.size()),
        was_executed_(graph_.operations.size(), false) {}

  Result<std::string> write() {
    begin_step();
    for (std::size_t a = 0; a < plan_.schedule.actions.size(); ++a) add_action(a);
    if (failure_) return *failure_;
    close_part();
    return text_ + whole_form();
  }

 private:
  // --- Where things are

  std::int64_t true_bytes(TensorId tensor) const {
    return size_bytes(at(graph_.tensors, tensor).type);
  }

  static std::string place(std::int64_t offset_bytes) {
    return fmt::format("AT({})", offset_bytes);
  }

  std::string in_ram(TensorId tensor) const {
    const std::optional<std::size_t>& number = at(current_, root_of(problem_, tensor));
    POET_CHECK(number);
    return place(layout_.buffer_offset_bytes[*number]);
  }

  std::string readable(TensorId tensor) {
    const TensorId root = root_of(problem_, tensor);
    if (at(graph_.tensors, root).home != Home::Rom) return in_ram(tensor);
    Result<std::string> name = parts_.rom.name_of(at(graph_.tensors, root), *form_.initial, root);
    if (name.ok()) return *name;
    if (!failure_) failure_ = name.error();
    return {};
  }

  std::int64_t slot(TensorId tensor) const {
    POET_CHECK(at(slots_, tensor) >= 0);
    return pages_begin_ + at(slots_, tensor);
  }

  bool is_input(TensorId tensor) const {
    return at(graph_.tensors, tensor).role == TensorRole::Input;
  }

  std::string resident_place(TensorId tensor) const {
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (plan_.buffers[b].tensor == tensor) return place(layout_.buffer_offset_bytes[b]);
    check_failed("a resident has a buffer", __FILE__, __LINE__);
  }

  bool is_resident(TensorId tensor) const {
    const std::vector<TensorId>& chosen = plan_.schedule.resident;
    return at(graph_.tensors, tensor).home == Home::Resident ||
           std::find(chosen.begin(), chosen.end(), tensor) != chosen.end();
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

  // --- Actions

  // The step's words, and inputs that are in RAM for good.
  void begin_step() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      const TensorRole role = graph_.tensors[i].role;
      if (graph_.tensors[i].home == Home::Made) continue;
      if (role == TensorRole::Step)
        add_line(fmt::format("memcpy({}, &run->words, sizeof run->words);", resident_place(id)));
      else if (role == TensorRole::Input && is_resident(id))
        read_input(id, resident_place(id));
    }
  }

  void add_action(std::size_t a) {
    while (opened_ < plan_.buffers.size() &&
           plan_.buffers[opened_].begin_action <= static_cast<std::int64_t>(a)) {
      at(current_, plan_.buffers[opened_].tensor) = opened_;
      ++opened_;
    }
    const Action& action = plan_.schedule.actions[a];
    if (const auto* const compute = std::get_if<Compute>(&action))
      add_compute(a, compute->operation);
    else if (const auto* const out = std::get_if<PageOut>(&action))
      add_page_out(out->tensor);
    else if (const auto* const in = std::get_if<PageIn>(&action))
      add_page_in(in->tensor);
    else
      at(current_, std::get<Drop>(action).tensor) = std::nullopt;
  }

  void add_compute(std::size_t a, OperationId id) {
    const GraphOperation& operation = at(graph_.operations, id);
    const bool again = was_executed_[static_cast<std::size_t>(id)];
    was_executed_[static_cast<std::size_t>(id)] = true;
    if (reads_rows_of_storage(graph_, operation, at(problem_.operations, id)))
      read_rows(operation, id, again);
    else if (!entry_of(operation.kind).view)
      call_kernel(a, operation, id, again);
    if (!again) take_loss(operation);
  }

  void call_kernel(std::size_t a, const GraphOperation& operation, OperationId id, bool again) {
    const KernelCall call = entry_of(operation.kind).kernel(types_of(graph_, operation));
    begin_action({.what = "compute",
                  .name = operation.name,
                  .operation = static_cast<std::int64_t>(id),
                  .again = again});
    parts_.functions.insert(std::string(call.function.name));
    std::string pointers;
    for (const std::optional<int>& input : call.inputs)
      pointers += ", " + (input ? readable(operation.inputs[static_cast<std::size_t>(*input)])
                                : std::string("NULL"));
    for (const std::optional<int>& output : call.outputs)
      pointers += ", " + (output ? in_ram(operation.outputs[static_cast<std::size_t>(*output)])
                                 : std::string("NULL"));
    if (call.workspace_bytes > 0) pointers += ", " + place(layout_.workspace_offset_bytes[a]);
    add_line(fmt::format("{}(&{}{});", call.function.name, parts_.shapes.name_of(call), pointers));
  }

  void read_rows(const GraphOperation& operation, OperationId id, bool again) {
    const GraphTensor& table = at(graph_.tensors, operation.inputs[0]);
    const GraphTensor& indices = at(graph_.tensors, operation.inputs[1]);
    const std::int64_t rows = table.type.shape[0];
    const std::string shape = parts_.shapes.name_of(
        "poet_stored_rows", fmt::format(".offset = {}u, .row_bytes = {}u, .rows = {}, .count = {}",
                                        slot(operation.inputs[0]), size_bytes(table.type) / rows,
                                        rows, value_count(indices.type.shape)));
    const std::string function = indices.type.element == ElementType::Int64
                                     ? "poet_storage_rows_i64"
                                     : "poet_storage_rows_i32";
    begin_action({.what = "rows",
                  .name = operation.name,
                  .operation = static_cast<std::int64_t>(id),
                  .bytes = true_bytes(operation.outputs[0]),
                  .again = again});
    add_line(fmt::format("TRY({}(run->storage, &{}, {}, {}));", function, shape,
                         readable(operation.inputs[1]), in_ram(operation.outputs[0])));
  }

  // The only output of a training step.
  void take_loss(const GraphOperation& operation) {
    for (const TensorId output : operation.outputs)
      if (std::count(graph_.outputs.begin(), graph_.outputs.end(), output) != 0)
        add_line(fmt::format("memcpy(&run->loss, {}, sizeof run->loss);", readable(output)));
  }

  // What an input is, its source knows: there is nothing to write.
  void add_page_out(TensorId tensor) {
    if (is_input(tensor)) return;
    move("write", tensor);
  }

  void add_page_in(TensorId tensor) {
    if (is_input(tensor)) return read_input(tensor, in_ram(tensor));
    move("read", tensor);
  }

  void move(const std::string& how, TensorId tensor) {
    begin_action(
        {.what = how, .name = at(graph_.tensors, tensor).name, .bytes = true_bytes(tensor)});
    add_line(fmt::format("TRY(poet_storage_{}(run->storage, {}u, {}, {}u));", how, slot(tensor),
                         in_ram(tensor), true_bytes(tensor)));
  }

  void read_input(TensorId tensor, const std::string& memory) {
    const auto from =
        std::find_if(form_.inputs.begin(), form_.inputs.end(),
                     [tensor](const PartPlace& input) { return input.tensor == tensor; });
    POET_CHECK(from != form_.inputs.end());
    begin_action(
        {.what = "input", .name = at(graph_.tensors, tensor).name, .bytes = true_bytes(tensor)});
    add_line(
        fmt::format("TRY(read_input(run, {}, {}, {}u));", from->part, memory, true_bytes(tensor)));
  }

  const EmittedForm& form_;
  const Graph& graph_;
  const Plan& plan_;
  const Problem& problem_;
  const Layout& layout_;
  const std::vector<std::int64_t>& slots_;
  std::int64_t pages_begin_;
  FormParts& parts_;
  std::vector<std::optional<std::size_t>> current_;  // by tensor: its buffer now
  std::vector<bool> was_executed_;                   // by operation
  std::size_t opened_ = 0;                           // so many buffers have begun
  Failure failure_ = {};                             // the first
  std::string text_;                                 // of the parts that are done
  std::string part_;                                 // that is being written
  int part_count_ = 0;
  int actions_in_part_ = 0;
};

}  // namespace

Result<std::string> form_text(const EmittedForm& form, const std::vector<std::int64_t>& slots,
                              std::int64_t pages_begin, FormParts& parts) {
  return FormWriter(form, slots, pages_begin, parts).write();
}

}  // namespace poet
