#include "poet/report/stage_matrix.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "poet/problem/facts.h"

namespace poet {
namespace {

using Column = std::optional<std::int64_t>;

// Storage homes stand before their first reader, made tensors where they are made.
std::vector<TensorId> columns_of(const Problem& problem) {
  std::vector<TensorId> columns;
  std::vector<bool> seen(problem.tensors.size(), false);
  const auto add = [&](TensorId tensor) {
    const TensorId root = root_of(problem, tensor);
    if (at(problem.tensors, root).home == Home::Rom) return;
    if (std::vector<bool>::reference known = seen[static_cast<std::size_t>(index_of(root))];
        !known) {
      known = true;
      columns.push_back(root);
    }
  };
  for (const Operation& operation : problem.operations) {
    for (const TensorId input : operation.inputs) add(input);
    for (const TensorId output : operation.outputs) add(output);
  }
  return columns;
}

class Walk {
 public:
  Walk(const Problem& problem, const Schedule& schedule) : problem_(problem) {
    matrix_.columns = columns_of(problem);
    column_.resize(problem.tensors.size());
    for (std::size_t i = 0; i < matrix_.columns.size(); ++i)
      at(column_, matrix_.columns[i]) = static_cast<std::int64_t>(i);
    in_ram_.resize(problem.tensors.size(), false);
    in_storage_.resize(problem.tensors.size(), false);
    open_.resize(matrix_.columns.size());
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
      in_ram_[i] = problem.tensors[i].home == Home::Resident;
      in_storage_[i] = problem.tensors[i].home == Home::Storage;
    }
    in_further_.resize(problem.tensors.size(), false);
    for (const PlacedBuffer& one : schedule.placed) {
      if (one.action)
        placed_.emplace(one.tensor, *one.action);
      else
        set(in_further_, one.tensor, true);
    }
    for (const TensorId tensor : schedule.resident) set(in_ram_, tensor, true);
  }

  void take(const Action& action) {
    std::visit([this](const auto& one) { step(one); }, action);
    ++action_;
  }
  void mark(const TimedAction& one) {
    if (one.kind == ActionKind::PageIn || one.kind == ActionKind::PageOut)
      return mark_column(column_of(TensorId{one.index}), one);
    const Operation& operation = problem_.operations[static_cast<std::size_t>(one.index)];
    if (operation.view) return;
    for (const TensorId output : operation.outputs) mark_column(column_of(output), one);
  }
  StageMatrix finish(bool more_after_last) && {
    if (more_after_last) end_stage();
    matrix_.stages = stage_;
    for (std::size_t i = 0; i < open_.size(); ++i) close(i);
    std::stable_sort(matrix_.runs.begin(), matrix_.runs.end(),
                     [](const PlaceRun& a, const PlaceRun& b) { return a.column < b.column; });
    return std::move(matrix_);
  }

 private:
  void step(const Compute& compute) {
    const std::int32_t index = index_of(compute.operation);
    if (index < 0 || index >= std::ssize(problem_.operations)) return;
    for (const TensorId output : at(problem_.operations, compute.operation).outputs) make(output);
    if (index >= stage_) end_stage();
  }
  void step(const PageIn& page) { arrive(page.tensor); }
  void step(const PageOut& page) { set(in_storage_, page.tensor, true); }
  void step(const Drop& drop) { set(in_ram_, drop.tensor, false); }

  // A new value takes the place of the old one, which is nowhere from then on.
  void make(TensorId output) {
    arrive(root_of(problem_, output));
    if (const std::optional<TensorId> old = at(problem_.tensors, output).updates) {
      set(in_ram_, *old, false);
      set(in_storage_, *old, false);
    }
  }
  // In the RAM, or in the memory in which its schedule places it.
  void arrive(TensorId tensor) {
    set(in_ram_, tensor, true);
    set(in_further_, tensor, placed_.contains({tensor, action_}));
  }
  void set(std::vector<bool>& where, TensorId tensor, bool value) {
    const std::int32_t index = index_of(tensor);
    if (index >= 0 && index < std::ssize(where)) where[static_cast<std::size_t>(index)] = value;
  }
  Column column_of(TensorId tensor) const { return at(column_, root_of(problem_, tensor)); }

  void mark_column(const Column& column, const TimedAction& one) {
    if (column) matrix_.marks.push_back(StageMark{*column, one.stage, one.kind});
  }
  Place place_of(std::size_t column) const {
    const auto tensor = static_cast<std::size_t>(index_of(matrix_.columns[column]));
    if (in_ram_[tensor] && in_further_[tensor])
      return in_storage_[tensor] ? Place::FurtherAndStorage : Place::Further;
    if (in_ram_[tensor]) return in_storage_[tensor] ? Place::RamAndStorage : Place::Ram;
    return in_storage_[tensor] ? Place::Storage : Place::Nowhere;
  }
  void end_stage() {
    for (std::size_t column = 0; column < open_.size(); ++column) {
      PlaceRun& run = open_[column];
      const Place place = place_of(column);
      if (run.place != place) {
        close(column);
        run = PlaceRun{static_cast<std::int64_t>(column), stage_, stage_, place};
      }
      run.end_stage = stage_ + 1;
    }
    ++stage_;
  }
  void close(std::size_t column) {
    if (open_[column].place != Place::Nowhere) matrix_.runs.push_back(open_[column]);
    open_[column] = {};
  }

  const Problem& problem_;
  StageMatrix matrix_;
  std::vector<Column> column_;
  std::set<std::pair<TensorId, std::int64_t>> placed_;  // elsewhere, by the action that takes them
  std::int64_t action_ = 0;
  std::vector<bool> in_ram_;      // or in a further memory
  std::vector<bool> in_further_;  // where it is in either
  std::vector<bool> in_storage_;
  std::vector<PlaceRun> open_;  // by column: the run that may still grow
  std::int64_t stage_ = 0;
};

}  // namespace

StageMatrix stage_matrix(const Problem& problem, const Schedule& schedule,
                         const std::vector<TimedAction>& steps) {
  Walk walk(problem, schedule);
  for (const Action& action : schedule.actions) walk.take(action);
  for (const TimedAction& step : steps) walk.mark(step);
  const auto operations = std::ssize(problem.operations);
  return std::move(walk).finish(!steps.empty() && steps.back().stage >= operations);
}

}  // namespace poet
