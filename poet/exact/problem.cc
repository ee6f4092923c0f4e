// A problem from its file, once more (docs/model/problem.md §1).
#include "poet/exact/problem.h"

#include <algorithm>
#include <limits>

namespace poet::exact {
namespace {

constexpr std::int64_t kLargestBytes = std::int64_t{1} << 62;

double cost(JsonObject& object, std::string_view key) {
  return object.has(key) ? object.number(key, NumberRange::NotNegative) : 0.0;
}
bool mark(JsonObject& object, std::string_view key) {
  return object.has(key) && object.flag(key);
}
std::int64_t bytes_or_none(JsonObject& object, std::string_view key) {
  return object.has(key) ? object.whole(key, kSizeRange) : 0;
}
std::vector<std::int32_t> ids(JsonObject& object, std::string_view key) {
  std::vector<std::int32_t> list;
  for (const std::int64_t id : object.wholes(key, kIndexRange)) list.push_back(id_of(id));
  return list;
}

void check_id(JsonObject& object, std::size_t position, JsonReader& reader) {
  if (!object.has("id")) return;
  const JsonValue& id = object.member("id");
  if (reader.whole(id, "id", kIndexRange) != static_cast<std::int64_t>(position))
    reader.refuse(id, "'id' must be " + std::to_string(position) + ", the position in the list");
}

Tensor read_tensor(const JsonValue& value, std::size_t position, JsonReader& reader) {
  JsonObject object(value, "a tensor", reader);
  Tensor tensor;
  check_id(object, position, reader);
  if (object.has("name")) tensor.name = object.text("name");
  tensor.size_bytes = object.whole("size_bytes", kSizeRange);
  if (object.has("home")) tensor.home = object.choice("home", kHomes);
  tensor.may_be_resident = mark(object, "may_be_resident");
  if (object.has("view_of")) tensor.view_of = id_of(object.whole("view_of", kIndexRange));
  if (object.has("updates")) tensor.updates = id_of(object.whole("updates", kIndexRange));
  tensor.page_in_j = cost(object, "page_in_j");
  tensor.page_out_j = cost(object, "page_out_j");
  tensor.page_in_s = cost(object, "page_in_s");
  tensor.page_out_s = cost(object, "page_out_s");
  object.finish();
  return tensor;
}

Operation read_operation(const JsonValue& value, std::size_t position, JsonReader& reader) {
  JsonObject object(value, "an operation", reader);
  Operation operation;
  check_id(object, position, reader);
  if (object.has("name")) operation.name = object.text("name");
  operation.inputs = ids(object, "inputs");
  operation.outputs = ids(object, "outputs");
  operation.workspace_bytes = bytes_or_none(object, "workspace_bytes");
  operation.compute_j = cost(object, "compute_j");
  operation.compute_s = cost(object, "compute_s");
  operation.written_bytes = bytes_or_none(object, "written_bytes");
  operation.once = mark(object, "once");
  operation.view = mark(object, "view");
  mark(object, "backward");
  if (object.has("in_place")) {
    JsonObject in_place(object.member("in_place"), "'in_place'", reader);
    operation.in_place = InPlace{id_of(in_place.whole("input", kIndexRange)),
                                 id_of(in_place.whole("output", kIndexRange))};
    in_place.finish();
  }
  object.finish();
  return operation;
}

Uncertainty read_uncertainty(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "'uncertainty'", reader);
  Uncertainty uncertainty{.ratio = object.number("ratio", NumberRange::NotNegative)};
  if (object.has("deviations")) uncertainty.deviations = object.whole("deviations", kSizeRange);
  if (object.has("deadline_s"))
    uncertainty.deadline_s = object.number("deadline_s", NumberRange::NotNegative);
  object.finish();
  return uncertainty;
}

void read_limits(JsonObject& object, Problem& problem, JsonReader& reader) {
  problem.ram_budget_bytes = object.whole("ram_budget_bytes", kSizeRange);
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

// The first rule of well-formed problems that is broken. Each check relies on those before it.
class FormCheck {
 public:
  explicit FormCheck(const Problem& problem)
      : problem_(problem), maker_(problem.tensors.size()), updated_by_(problem.tensors.size()) {}

  std::optional<std::string> first_fault() {
    if (problem_.operations.empty()) return "the problem has no operations";
    if (auto fault = uncertainty()) return fault;
    if (sizes_overflow()) return "the problem has sizes that add up to more than 2^62 bytes";
    for (std::size_t v = 0; v < problem_.operations.size(); ++v)
      if (auto fault = names_of(id_of(v), problem_.operations[v])) return fault;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (auto fault = kind_of(id_of(i), problem_.tensors[i])) return fault;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
      if (auto fault = making_of(id_of(i), problem_.tensors[i])) return fault;
    for (std::size_t v = 0; v < problem_.operations.size(); ++v)
      if (auto fault = reading_of(id_of(v), problem_.operations[v])) return fault;
    return std::nullopt;
  }

 private:
  using Fault = std::optional<std::string>;
  static std::string tensor(std::int32_t i) { return "tensor " + std::to_string(i); }
  static std::string operation(std::int32_t v) { return "operation " + std::to_string(v); }

  bool exists(std::int32_t i) const {
    return i >= 0 && static_cast<std::size_t>(i) < problem_.tensors.size();
  }

  bool sizes_overflow() const {
    std::int64_t left = kLargestBytes;
    const auto take = [&left](std::int64_t bytes) {
      left = bytes > left ? -1 : left - bytes;
      return left < 0;
    };
    for (const Tensor& one : problem_.tensors)
      if (take(one.size_bytes)) return true;
    for (const Operation& one : problem_.operations)
      if (take(one.workspace_bytes) || take(one.written_bytes)) return true;
    return false;
  }

  Fault uncertainty() const {
    if (!problem_.uncertainty) return std::nullopt;
    const Uncertainty& given = *problem_.uncertainty;
    if (!(given.ratio > 0 && given.ratio <= 10) || given.deviations == 0 ||
        given.deadline_s.has_value() != problem_.deadline_s.has_value())
      return "the problem has an uncertainty that is none";
    return std::nullopt;
  }

  Fault names_of(std::int32_t v, const Operation& one) {
    if (one.outputs.empty()) return operation(v) + " must have an output";
    if (one.written_bytes > 0 && !one.once)
      return operation(v) + " writes to storage by itself and must be marked as once";
    for (const auto* const list : {&one.inputs, &one.outputs})
      for (const std::int32_t id : *list)
        if (!exists(id)) return operation(v) + " names " + tensor(id) + ", which does not exist";
    std::vector<std::int32_t> inputs = one.inputs;
    std::sort(inputs.begin(), inputs.end());
    const auto twin = std::adjacent_find(inputs.begin(), inputs.end());
    if (twin != inputs.end()) return operation(v) + " reads " + tensor(*twin) + " twice";
    for (const std::int32_t output : one.outputs) {
      if (maker_[output]) return tensor(output) + " is made twice";
      maker_[output] = v;
    }
    return std::nullopt;
  }

  Fault kind_of(std::int32_t i, const Tensor& one) {
    if (one.view_of) {
      const std::int32_t root = *one.view_of;
      if (!exists(root) || root >= i || problem_.tensors[root].view_of ||
          problem_.tensors[root].home != one.home || one.updates || one.may_be_resident)
        return tensor(i) + " is not a view of an earlier tensor that has its home";
    }
    if (one.may_be_resident && one.home != Home::Storage)
      return tensor(i) + " may only be made resident if its home is storage";
    if (!one.updates) return std::nullopt;
    const std::int32_t old_id = *one.updates;
    if (!exists(old_id) || old_id == i) return tensor(i) + " updates no other tensor";
    const Tensor& old = problem_.tensors[old_id];
    const bool stored = old.home == Home::Storage;
    if (old.view_of || old.updates || !(stored || old.home == Home::Resident) ||
        one.home != (stored ? Home::Made : Home::Resident) || old.size_bytes != one.size_bytes)
      return tensor(i) + " cannot take the place of " + tensor(old_id);
    if (updated_by_[old_id]) return tensor(old_id) + " is updated twice";
    updated_by_[old_id] = maker_[i];
    return std::nullopt;
  }

  Fault making_of(std::int32_t i, const Tensor& one) const {
    const bool made = one.home == Home::Made || one.view_of || one.updates;
    if (made != maker_[i].has_value())
      return tensor(i) +
             (made ? " is made by no operation" : " is made, but is there before the step begins");
    if (one.updates && !problem_.operations[*maker_[i]].once)
      return operation(*maker_[i]) + " makes a new value and must be marked as once";
    if (one.view_of && !problem_.operations[*maker_[i]].view)
      return operation(*maker_[i]) + " makes a view but is not marked as a view";
    return std::nullopt;
  }

  Fault reading_of(std::int32_t v, const Operation& one) const {
    for (const std::int32_t input : one.inputs) {
      if (maker_[input] && *maker_[input] >= v)
        return operation(v) + " reads " + tensor(input) + " before it is made";
      const std::optional<std::int32_t>& update = updated_by_[problem_.root_of(input)];
      if (update && *update < v)
        return operation(v) + " reads " + tensor(input) + " after its update";
    }
    if (one.view &&
        (one.inputs.size() != 1 || one.outputs.size() != 1 || one.workspace_bytes != 0 ||
         one.compute_j != 0 || one.compute_s != 0 || one.once || one.in_place ||
         problem_.tensors[one.outputs[0]].view_of != problem_.root_of(one.inputs[0])))
      return operation(v) + " is not a view of its one input, at no cost";
    if (!one.in_place) return std::nullopt;
    const auto has = [](const std::vector<std::int32_t>& list, std::int32_t id) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    const auto [input, output] = *one.in_place;
    if (!has(one.inputs, input) || !has(one.outputs, output) ||
        problem_.tensors[output].size_bytes > problem_.tensors[problem_.root_of(input)].size_bytes)
      return operation(v) + " cannot work in place as it says";
    return std::nullopt;
  }

  const Problem& problem_;
  std::vector<std::optional<std::int32_t>> maker_;
  std::vector<std::optional<std::int32_t>> updated_by_;
};

}  // namespace

Problem read_problem(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "the problem", reader);
  Problem problem;
  object.format("poet-problem", 1);
  if (object.has("name")) problem.name = object.text("name");
  read_limits(object, problem, reader);
  for (const JsonValue& tensor : object.list("tensors"))
    problem.tensors.push_back(read_tensor(tensor, problem.tensors.size(), reader));
  for (const JsonValue& operation : object.list("operations"))
    problem.operations.push_back(read_operation(operation, problem.operations.size(), reader));
  object.finish();
  if (reader.failure()) return problem;
  if (const auto fault = FormCheck(problem).first_fault()) reader.refuse(value, *fault);
  return problem;
}

double latest_end_s(double deadline_s) {
  return std::min(deadline_s * (1 + 1e-9), std::numeric_limits<double>::max());
}

}  // namespace poet::exact
