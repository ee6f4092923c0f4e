// One sentence for each way to break a rule of docs/model/problem.md §2.2.
#include "poet/verify/messages.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/problem/memories.h"

namespace poet {
namespace {

// Names may come from anywhere, and are shown on terminals.
std::string name_of(const Problem& problem, OperationId id) {
  return one_line(at(problem.operations, id).name);
}
std::string name_of(const Problem& problem, TensorId id) {
  return one_line(at(problem.tensors, id).name);
}

// "'a' (100 bytes)"
std::string sized(const Problem& problem, TensorId id) {
  return fmt::format("'{}' ({})", name_of(problem, id),
                     bytes_text(at(problem.tensors, id).size_bytes));
}

// "memory 1 ('psram')"
std::string memory_words(const Problem& problem, MemoryId memory) {
  const auto further = static_cast<std::size_t>(index_of(memory) - 1);
  const std::string& name = problem.further_memories[further].name;
  return fmt::format("memory {}{}", index_of(memory), name.empty() ? "" : " ('" + name + "')");
}

// What an action does, and to what: "computes 'a'", "reads 'a' from storage".
struct Doing {
  std::string_view verb;
  std::string_view where;
};
Doing doing(const Action& action) {
  if (std::holds_alternative<PageOut>(action)) return {"writes", " to storage"};
  if (std::holds_alternative<PageIn>(action)) return {"reads", " from storage"};
  if (std::holds_alternative<Drop>(action)) return {"drops", ""};
  return {"computes", ""};
}

std::string does(const ActionAt& at, std::string_view object) {
  const Doing words = doing(at.action);
  return fmt::format("action {} {} {}{}", at.position, words.verb, object, words.where);
}

std::optional<OperationId> computed(const Action& action) {
  const Compute* compute = std::get_if<Compute>(&action);
  return compute ? std::optional(compute->operation) : std::nullopt;
}

std::optional<TensorId> moved(const Action& action) {
  if (const PageOut* out = std::get_if<PageOut>(&action)) return out->tensor;
  if (const PageIn* in = std::get_if<PageIn>(&action)) return in->tensor;
  if (const Drop* drop = std::get_if<Drop>(&action)) return drop->tensor;
  return std::nullopt;
}

// "action 3 computes 'a'", for an action whose names are known.
std::string does_named(const ActionAt& at) {
  const std::optional<OperationId> operation = computed(at.action);
  const std::string& name =
      operation ? name_of(at.problem, *operation) : name_of(at.problem, *moved(at.action));
  return does(at, "'" + name + "'");
}

// "action 3 drops 'a' (100 bytes)"
std::string does_sized(const ActionAt& at) {
  return does(at, sized(at.problem, *moved(at.action)));
}

Finding finding(Rule rule, const ActionAt& at, std::int64_t bytes, std::string message) {
  Finding result;
  result.rule = rule;
  result.action = at.position;
  result.operation = computed(at.action);
  result.tensor = moved(at.action);
  result.bytes = bytes;
  result.message = std::move(message);
  return result;
}

Finding about_input(Finding result, TensorId input) {
  result.tensor = input;
  return result;
}

std::int64_t moved_bytes(const ActionAt& at) {
  return poet::at(at.problem.tensors, *moved(at.action)).size_bytes;
}

std::string count_of(std::size_t count, std::string_view what) {
  return fmt::format("the problem has {} {}{}", count, what, count == 1 ? "" : "s");
}

std::string why_no_such_tensor(const Problem& problem, TensorId named) {
  const std::int32_t i = index_of(named);
  if (i < 0 || static_cast<std::size_t>(i) >= problem.tensors.size())
    return count_of(problem.tensors.size(), "tensor");
  const std::string& root = name_of(problem, *at(problem.tensors, named).view_of);
  return fmt::format("it is '{}', a view of '{}', which must be named instead",
                     name_of(problem, named), root);
}

}  // namespace

Finding unknown_name(const ActionAt& at) {
  if (const std::optional<OperationId> operation = computed(at.action))
    return finding(Rule::UnknownName, at, 0,
                   does(at, fmt::format("operation {}", index_of(*operation))) + "; " +
                       count_of(at.problem.operations.size(), "operation"));
  const TensorId tensor = *moved(at.action);
  return finding(Rule::UnknownName, at, 0,
                 does(at, fmt::format("tensor {}", index_of(tensor))) + "; " +
                     why_no_such_tensor(at.problem, tensor));
}

Finding input_not_in_ram(const ActionAt& at, TensorId input, bool copied) {
  const Tensor& tensor = poet::at(at.problem.tensors, input);
  return about_input(
      finding(Rule::InputNotInRam, at, tensor.size_bytes,
              fmt::format("{}, which needs {} in RAM; it is {}", does_named(at),
                          sized(at.problem, input),
                          copied ? "only in storage" : "neither there nor in storage")),
      input);
}

Finding new_value_not_ready(const ActionAt& at, TensorId input) {
  const Tensor& tensor = poet::at(at.problem.tensors, input);
  return about_input(finding(Rule::InputNotInRam, at, tensor.size_bytes,
                             fmt::format("{}, which needs {} in RAM; its update has not run yet",
                                         does_named(at), sized(at.problem, input))),
                     input);
}

Finding executed_twice(const ActionAt& at) {
  return finding(Rule::ExecutedTwice, at, 0,
                 does_named(at) + " a second time; it may be executed only once");
}

Finding order_of_firsts(const ActionAt& at, OperationId expected) {
  return finding(Rule::OrderOfFirsts, at, 0,
                 fmt::format("{} for the first time before '{}', which comes earlier in the order",
                             does_named(at), name_of(at.problem, expected)));
}

Finding page_out_not_in_ram(const ActionAt& at) {
  return finding(Rule::PageOutNotInRam, at, moved_bytes(at), does_sized(at) + "; it is not in RAM");
}

Finding page_in_without_copy(const ActionAt& at) {
  return finding(Rule::PageInWithoutCopy, at, moved_bytes(at),
                 does_sized(at) + "; no copy of it is there");
}

Finding drop_not_in_ram(const ActionAt& at) {
  return finding(Rule::DropNotInRam, at, moved_bytes(at), does_sized(at) + "; it is not in RAM");
}

Finding fixed_tensor_moved(const ActionAt& at) {
  const Tensor& tensor = poet::at(at.problem.tensors, *moved(at.action));
  const std::string_view why = tensor.home == Home::Rom
                                   ? "; it is read-only memory and never moves"
                                   : "; it is resident and stays in RAM for the whole step";
  return finding(Rule::FixedTensorMoved, at, tensor.size_bytes, does_sized(at).append(why));
}

Finding old_value_read(const ActionAt& at, TensorId old_value, TensorId new_value) {
  const std::string reads =
      computed(at.action) ? fmt::format(", which reads '{}'", name_of(at.problem, old_value)) : "";
  return about_input(
      finding(Rule::OldValueRead, at, poet::at(at.problem.tensors, old_value).size_bytes,
              fmt::format("{}{}, although '{}' has replaced it", does_named(at), reads,
                          name_of(at.problem, new_value))),
      old_value);
}

Finding ram_budget(const ActionAt& at, std::int64_t used_bytes) {
  return finding(Rule::RamBudget, at, used_bytes,
                 fmt::format("{} with {} of RAM in use; the budget is {}", does_named(at),
                             bytes_text(used_bytes), bytes_text(at.problem.ram_budget_bytes)));
}

Finding memory_full(const ActionAt& at, MemoryId memory, std::int64_t used_bytes) {
  return finding(
      Rule::MemoryFull, at, used_bytes,
      fmt::format("{} with {} of {} in use; its size is {}", does_named(at), bytes_text(used_bytes),
                  memory_words(at.problem, memory), bytes_text(memory_bytes(at.problem, memory))));
}

Finding storage_capacity(const ActionAt& at, std::int64_t used_bytes) {
  return finding(
      Rule::StorageCapacity, at, used_bytes,
      fmt::format("{}, which brings storage to {}; its capacity is {}", does_sized(at),
                  bytes_text(used_bytes), bytes_text(*at.problem.storage_capacity_bytes)));
}

Finding write_budget(const ActionAt& at, std::int64_t written_bytes) {
  return finding(
      Rule::WriteBudget, at, written_bytes,
      fmt::format("{}, which brings the step's writes to {}; at most {} may be written",
                  computed(at.action) ? does_named(at) : does_sized(at), bytes_text(written_bytes),
                  bytes_text(*at.problem.write_budget_bytes)));
}

Finding paging_not_allowed(const ActionAt& at) {
  return finding(Rule::TechniqueNotAllowed, at, moved_bytes(at),
                 does_sized(at) + "; this problem does not allow paging");
}

Finding rematerialisation_not_allowed(const ActionAt& at) {
  return finding(Rule::TechniqueNotAllowed, at, 0,
                 does_named(at) + " again; this problem does not allow rematerialisation");
}

Finding resident_unknown(const Problem& problem, TensorId named) {
  Finding result;
  result.rule = Rule::UnknownName;
  result.tensor = named;
  result.message = fmt::format("the schedule keeps tensor {} resident; {}", index_of(named),
                               why_no_such_tensor(problem, named));
  return result;
}

Finding not_resident(const Problem& problem, TensorId named) {
  Finding result;
  result.rule = Rule::NotResident;
  result.tensor = named;
  result.bytes = at(problem.tensors, named).size_bytes;
  result.message = fmt::format("the schedule keeps {} resident; this problem does not allow it",
                               sized(problem, named));
  return result;
}

Finding wrong_place(const Problem& problem, const PlacedBuffer& placed) {
  const std::int32_t count = memory_count(problem);
  const std::string known = count == 1 ? "the problem has no further memory"
                            : count == 2
                                ? "the further memory is memory 1"
                                : fmt::format("the further memories are 1 to {}", count - 1);
  Finding result;
  result.rule = Rule::WrongPlace;
  result.action = placed.action.value_or(0);
  result.tensor = placed.tensor;
  result.message =
      fmt::format("the schedule places tensor {}{} in memory {}, which must name a buffer once; {}",
                  index_of(placed.tensor),
                  placed.action ? fmt::format(" of action {}", *placed.action) : std::string(),
                  index_of(placed.memory), known);
  return result;
}

Finding placed_without_buffer(const Problem& problem, const PlacedBuffer& placed) {
  Finding result;
  result.rule = Rule::WrongPlace;
  result.action = placed.action.value_or(0);
  result.tensor = placed.tensor;
  result.bytes = at(problem.tensors, placed.tensor).size_bytes;
  const std::string why = placed.action ? fmt::format("action {} takes none for it", *placed.action)
                                        : "it is not a resident";
  result.message =
      fmt::format("the schedule places a buffer of {} in {}, and {}", sized(problem, placed.tensor),
                  memory_words(problem, placed.memory), why);
  return result;
}

Finding homes_exceed_capacity(const Problem& problem, std::int64_t used_bytes) {
  Finding result;
  result.rule = Rule::StorageCapacity;
  result.bytes = used_bytes;
  result.message = fmt::format("the tensors at home in storage take {}; its capacity is {}",
                               bytes_text(used_bytes), bytes_text(*problem.storage_capacity_bytes));
  return result;
}

Finding never_executed(const Problem& problem, std::int64_t end, OperationId operation) {
  Finding result;
  result.rule = Rule::NeverExecuted;
  result.action = end;
  result.operation = operation;
  result.message = fmt::format("operation '{}' is never executed", name_of(problem, operation));
  return result;
}

Finding update_not_in_storage(const Problem& problem, std::int64_t end, TensorId new_value) {
  const Tensor& tensor = at(problem.tensors, new_value);
  Finding result;
  result.rule = Rule::UpdateNotInStorage;
  result.action = end;
  result.tensor = new_value;
  result.bytes = tensor.size_bytes;
  result.message = fmt::format("{}, the new value of '{}', is not in storage when the step ends",
                               sized(problem, new_value), name_of(problem, *tensor.updates));
  return result;
}

Finding deadline(const Problem& problem, std::int64_t end, double time_s) {
  Finding result;
  result.rule = Rule::Deadline;
  result.action = end;
  result.message =
      fmt::format("the step takes {} s; the deadline is {} s", time_s, *problem.deadline_s);
  return result;
}

Finding worst_case_deadline(const Problem& problem, std::int64_t end, double time_s) {
  Finding result;
  result.rule = Rule::WorstCaseDeadline;
  result.action = end;
  result.message = fmt::format("in the worst case the step takes {} s; the deadline is {} s",
                               time_s, *problem.uncertainty->deadline_s);
  return result;
}

}  // namespace poet
