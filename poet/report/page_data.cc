#include "poet/report/page_data.h"

#include <fmt/format.h>

#include "poet/problem/facts.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

// "[a,b,c]" of the texts that `write` gives for the items.
template <typename T, typename Write>
std::string list_of(const std::vector<T>& items, Write write) {
  std::string out = "[";
  for (const T& item : items) {
    if (out.size() > 1) out += ",";
    out += write(item);
  }
  return out + "]";
}

std::string action_text(const TimedAction& action) {
  return fmt::format("[{},{},{},{},{:.6g},{:.6g},{}]", static_cast<int>(action.kind), action.index,
                     action.stage, action.moment.ram_bytes, action.moment.begin_s,
                     action.moment.end_s, action.action);
}

std::string run_text(const PlaceRun& run) {
  return fmt::format("[{},{},{},{}]", run.column, run.begin_stage, run.end_stage,
                     static_cast<int>(run.place));
}

std::string mark_text(const StageMark& mark) {
  return fmt::format("[{},{},{}]", mark.column, mark.stage, static_cast<int>(mark.kind));
}

// Working sets are only shown when there is no schedule.
std::string working_sets(const Problem& problem, bool wanted) {
  std::string out = "[";
  for (std::int32_t v = 0; wanted && v < std::ssize(problem.operations); ++v)
    out += fmt::format("{}{}", v > 0 ? "," : "", working_set_bytes(problem, OperationId{v}));
  return out + "]";
}

}  // namespace

std::string page_data(const Problem& problem, const std::vector<TimedAction>& actions,
                      const StageMatrix& matrix) {
  std::string out = "{\"operations\":";
  out += list_of(problem.operations, [](const Operation& one) { return script_string(one.name); });
  out += ",\n\"tensors\":" + list_of(problem.tensors, [](const Tensor& one) {
           return fmt::format("[{},{}]", script_string(one.name), one.size_bytes);
         });
  out += ",\n\"columns\":" +
         list_of(matrix.columns, [](TensorId one) { return fmt::format("{}", index_of(one)); });
  out += fmt::format(",\n\"stages\":{}", matrix.stages);
  out += ",\n\"actions\":" + list_of(actions, action_text);
  out += ",\n\"runs\":" + list_of(matrix.runs, run_text);
  out += ",\n\"marks\":" + list_of(matrix.marks, mark_text);
  return out + ",\n\"working_sets\":" + working_sets(problem, actions.empty()) + "}";
}

}  // namespace poet
