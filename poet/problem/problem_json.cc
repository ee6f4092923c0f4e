#include "poet/problem/problem_json.h"

#include <cmath>

#include "poet/base/json_out.h"
#include "poet/problem/check_problem.h"

namespace poet {
namespace {

JsonOut ids(const std::vector<TensorId>& tensors) {
  JsonOut list = JsonOut::array();
  for (const TensorId id : tensors) list.push_back(index_of(id));
  return list;
}

// -0.0 equals 0.0 but is not the same bits.
bool is_default(double number) {
  return number == 0 && !std::signbit(number);
}

void write_number(JsonOut& out, const char* key, double number) {
  if (!is_default(number)) out[key] = number;
}

JsonOut tensor_to_json(const Tensor& tensor, std::size_t id) {
  JsonOut out = JsonOut::object();
  out["id"] = id;
  out["name"] = tensor.name;
  out["size_bytes"] = tensor.size_bytes;
  if (tensor.home != Home::Made) out["home"] = name_of(kHomes, tensor.home);
  if (tensor.may_be_resident) out["may_be_resident"] = true;
  if (tensor.view_of) out["view_of"] = index_of(*tensor.view_of);
  if (tensor.updates) out["updates"] = index_of(*tensor.updates);
  write_number(out, "page_in_j", tensor.page_in_j);
  write_number(out, "page_out_j", tensor.page_out_j);
  write_number(out, "page_in_s", tensor.page_in_s);
  write_number(out, "page_out_s", tensor.page_out_s);
  return out;
}

JsonOut operation_to_json(const Operation& operation, std::size_t id) {
  JsonOut out = JsonOut::object();
  out["id"] = id;
  out["name"] = operation.name;
  out["inputs"] = ids(operation.inputs);
  out["outputs"] = ids(operation.outputs);
  if (operation.workspace_bytes != 0) out["workspace_bytes"] = operation.workspace_bytes;
  write_number(out, "compute_j", operation.compute_j);
  write_number(out, "compute_s", operation.compute_s);
  if (operation.written_bytes != 0) out["written_bytes"] = operation.written_bytes;
  if (operation.once) out["once"] = true;
  if (operation.view) out["view"] = true;
  if (operation.backward) out["backward"] = true;
  if (operation.in_place)
    out["in_place"] = {{"input", index_of(operation.in_place->input)},
                       {"output", index_of(operation.in_place->output)}};
  return out;
}

TensorId tensor_id(JsonObject& object, std::string_view key) {
  return TensorId{static_cast<std::int32_t>(object.whole(key, kIndexRange))};
}

std::vector<TensorId> tensor_ids(JsonObject& object, std::string_view key) {
  std::vector<TensorId> ids;
  for (const std::int64_t id : object.wholes(key, kIndexRange))
    ids.push_back(TensorId{static_cast<std::int32_t>(id)});
  return ids;
}

double cost(JsonObject& object, std::string_view key) {
  return object.has(key) ? object.number(key, NumberRange::NotNegative) : 0.0;
}

bool mark(JsonObject& object, std::string_view key) {
  return object.has(key) && object.flag(key);
}

// Ids are positions in the list; they are written so that people need not count.
void check_id(JsonObject& object, std::size_t position, JsonReader& reader) {
  if (!object.has("id")) return;
  const JsonValue& id = object.member("id");
  if (reader.whole(id, "id", kIndexRange) != static_cast<std::int64_t>(position))
    reader.refuse(id, "'id' must be " + std::to_string(position) +
                          ", the position in the list, found " + found_text(id));
}

Tensor read_tensor(const JsonValue& value, std::size_t position, JsonReader& reader) {
  JsonObject object(value, "a tensor", reader);
  Tensor tensor;
  check_id(object, position, reader);
  if (object.has("name")) tensor.name = object.text("name");
  tensor.size_bytes = object.whole("size_bytes", kSizeRange);
  if (object.has("home")) tensor.home = object.choice("home", kHomes);
  tensor.may_be_resident = mark(object, "may_be_resident");
  if (object.has("view_of")) tensor.view_of = tensor_id(object, "view_of");
  if (object.has("updates")) tensor.updates = tensor_id(object, "updates");
  tensor.page_in_j = cost(object, "page_in_j");
  tensor.page_out_j = cost(object, "page_out_j");
  tensor.page_in_s = cost(object, "page_in_s");
  tensor.page_out_s = cost(object, "page_out_s");
  object.finish();
  return tensor;
}

InPlace read_in_place(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "'in_place'", reader);
  const InPlace in_place{tensor_id(object, "input"), tensor_id(object, "output")};
  object.finish();
  return in_place;
}

Operation read_operation(const JsonValue& value, std::size_t position, JsonReader& reader) {
  JsonObject object(value, "an operation", reader);
  Operation operation;
  check_id(object, position, reader);
  if (object.has("name")) operation.name = object.text("name");
  operation.inputs = tensor_ids(object, "inputs");
  operation.outputs = tensor_ids(object, "outputs");
  if (object.has("workspace_bytes"))
    operation.workspace_bytes = object.whole("workspace_bytes", kSizeRange);
  operation.compute_j = cost(object, "compute_j");
  operation.compute_s = cost(object, "compute_s");
  if (object.has("written_bytes"))
    operation.written_bytes = object.whole("written_bytes", kSizeRange);
  operation.once = mark(object, "once");
  operation.view = mark(object, "view");
  operation.backward = mark(object, "backward");
  if (object.has("in_place")) operation.in_place = read_in_place(object.member("in_place"), reader);
  object.finish();
  return operation;
}

Uncertainty read_uncertainty(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "'uncertainty'", reader);
  Uncertainty uncertainty;
  uncertainty.ratio = object.number("ratio", NumberRange::NotNegative);
  if (object.has("deviations"))
    uncertainty.deviations = object.whole("deviations", {1, kSizeRange.max});
  if (object.has("deadline_s"))
    uncertainty.deadline_s = object.number("deadline_s", NumberRange::NotNegative);
  object.finish();
  return uncertainty;
}

JsonOut memory_to_json(const FurtherMemory& memory) {
  JsonOut out = {{"name", memory.name}, {"size_bytes", memory.size_bytes}};
  write_number(out, "read_s_per_byte", memory.read_s_per_byte);
  write_number(out, "read_j_per_byte", memory.read_j_per_byte);
  write_number(out, "write_s_per_byte", memory.write_s_per_byte);
  write_number(out, "write_j_per_byte", memory.write_j_per_byte);
  return out;
}

FurtherMemory read_memory(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a memory", reader);
  FurtherMemory memory;
  if (object.has("name")) memory.name = object.text("name");
  memory.size_bytes = object.whole("size_bytes", kSizeRange);
  memory.read_s_per_byte = cost(object, "read_s_per_byte");
  memory.read_j_per_byte = cost(object, "read_j_per_byte");
  memory.write_s_per_byte = cost(object, "write_s_per_byte");
  memory.write_j_per_byte = cost(object, "write_j_per_byte");
  object.finish();
  return memory;
}

void read_limits(JsonObject& object, Problem& problem, JsonReader& reader) {
  problem.ram_budget_bytes = object.whole("ram_budget_bytes", kSizeRange);
  if (object.has("further_memories"))
    for (const JsonValue& memory : object.list("further_memories"))
      problem.further_memories.push_back(read_memory(memory, reader));
  if (object.has("deadline_s"))
    problem.deadline_s = object.number("deadline_s", NumberRange::NotNegative);
  if (object.has("uncertainty"))
    problem.uncertainty = read_uncertainty(object.member("uncertainty"), reader);
  if (object.has("storage_capacity_bytes"))
    problem.storage_capacity_bytes = object.whole("storage_capacity_bytes", kSizeRange);
  if (object.has("write_budget_bytes"))
    problem.write_budget_bytes = object.whole("write_budget_bytes", kSizeRange);
  problem.idle_w = cost(object, "idle_w");
  if (object.has("time_mode")) problem.time_mode = object.choice("time_mode", kTimeModes);
  if (object.has("objective")) problem.objective = object.choice("objective", kObjectives);
  if (object.has("paging_allowed")) problem.paging_allowed = object.flag("paging_allowed");
  if (object.has("rematerialisation_allowed"))
    problem.rematerialisation_allowed = object.flag("rematerialisation_allowed");
}

void refuse_fault(const Problem& problem, const JsonValue& whole, const JsonList& tensors,
                  const JsonList& operations, JsonReader& reader) {
  if (reader.failure()) return;
  const std::optional<ProblemFault> fault = first_fault(problem);
  if (!fault) return;
  const JsonValue& piece = fault->operation ? at(operations, *fault->operation)
                           : fault->tensor  ? at(tensors, *fault->tensor)
                                            : whole;
  reader.refuse(piece, fault->message);
}

JsonOut uncertainty_to_json(const Uncertainty& uncertainty) {
  JsonOut out = {{"ratio", uncertainty.ratio}};
  if (uncertainty.deviations) out["deviations"] = *uncertainty.deviations;
  if (uncertainty.deadline_s) out["deadline_s"] = *uncertainty.deadline_s;
  return out;
}

}  // namespace

JsonOut problem_to_json(const Problem& problem) {
  const Problem defaults;
  JsonOut out = JsonOut::object();
  out["format"] = "poet-problem";
  out["version"] = 1;
  out["name"] = problem.name;
  out["ram_budget_bytes"] = problem.ram_budget_bytes;
  for (const FurtherMemory& memory : problem.further_memories)
    out["further_memories"].push_back(memory_to_json(memory));
  if (problem.deadline_s) out["deadline_s"] = *problem.deadline_s;
  if (problem.uncertainty) out["uncertainty"] = uncertainty_to_json(*problem.uncertainty);
  if (problem.storage_capacity_bytes)
    out["storage_capacity_bytes"] = *problem.storage_capacity_bytes;
  if (problem.write_budget_bytes) out["write_budget_bytes"] = *problem.write_budget_bytes;
  write_number(out, "idle_w", problem.idle_w);
  out["time_mode"] = name_of(kTimeModes, problem.time_mode);
  out["objective"] = name_of(kObjectives, problem.objective);
  if (problem.paging_allowed != defaults.paging_allowed)
    out["paging_allowed"] = problem.paging_allowed;
  if (problem.rematerialisation_allowed != defaults.rematerialisation_allowed)
    out["rematerialisation_allowed"] = problem.rematerialisation_allowed;
  JsonOut& tensors = out["tensors"] = JsonOut::array();
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    tensors.push_back(tensor_to_json(problem.tensors[i], i));
  JsonOut& operations = out["operations"] = JsonOut::array();
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    operations.push_back(operation_to_json(problem.operations[v], v));
  return out;
}

std::string problem_text(const Problem& problem) {
  return json_text(problem_to_json(problem));
}

std::vector<JsonItems> ProblemLists::items(std::string_view object) {
  return {{object, "tensors",
           [this](const JsonValue& value) {
             tensors_.push_back(read_tensor(value, tensors_.size(), tensor_reader_));
           }},
          {object, "operations", [this](const JsonValue& value) {
             operations_.push_back(read_operation(value, operations_.size(), operation_reader_));
           }}};
}

Problem read_problem(const JsonValue& value, ProblemLists& lists, JsonReader& reader) {
  const auto pass_on = [&reader](const JsonReader& of_list) {
    if (const Failure& failure = of_list.failure())
      reader.refuse(failure->where.line, failure->where.column, failure->message);
  };
  JsonObject object(value, "the problem", reader);
  Problem problem;
  object.format("poet-problem", 1);
  if (object.has("name")) problem.name = object.text("name");
  read_limits(object, problem, reader);
  const JsonList& tensors = object.list("tensors");
  pass_on(lists.tensor_reader_);
  problem.tensors = std::move(lists.tensors_);
  const JsonList& operations = object.list("operations");
  pass_on(lists.operation_reader_);
  problem.operations = std::move(lists.operations_);
  object.finish();
  refuse_fault(problem, value, tensors, operations, reader);
  return problem;
}

Problem read_problem(const JsonValue& value, JsonReader& reader) {
  // As the parser would have handed them over.
  ProblemLists lists("");
  if (const auto* const members = std::get_if<JsonMembers>(&value.data))
    for (const JsonItems& items : lists.items(""))
      for (const JsonMember& member : *members)
        if (const auto* const list = std::get_if<JsonList>(&member.value.data);
            list != nullptr && member.key == items.list)
          for (const JsonValue& item : *list) items.read(item);
  return read_problem(value, lists, reader);
}

Result<Problem> parse_problem(std::string_view text, const std::string& file) {
  ProblemLists lists(file);
  const Result<JsonValue> json = parse_json(text, file, lists.items(""));
  if (!json) return json.error();
  JsonReader reader(file);
  Problem problem = read_problem(*json, lists, reader);
  if (reader.failure()) return *reader.failure();
  return problem;
}

}  // namespace poet
