// Finds in which loops the parts of a step are executed; docs/decisions/0036, "The order is the
// transformation's".
#include "poet/parts/loops.h"
#include "poet/parts/place_of.h"

#include <algorithm>

namespace poet {
namespace {

// How many operations without an axis along a class may stand among those of a run along it.
constexpr std::size_t kMostBetween = 8;

// Whether a tensor has a dimension of a class.
bool is_along(const Grids& grids, TensorId tensor, std::int32_t cut_class) {
  const auto& dimensions = grids.of_dimensions[place_of(tensor)];
  return std::find(dimensions.begin(), dimensions.end(), cut_class) != dimensions.end();
}

std::set<std::int32_t> classes_cut(const Grids& grids, std::size_t v) {
  std::set<std::int32_t> found;
  const std::vector<std::vector<Range>> blocks = blocks_of_operation(grids, v);
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (const auto& cut_class = grids.of_operations[v][k].cut_class;
        cut_class && blocks[k].size() > 1)
      found.insert(*cut_class);
  return found;
}

std::vector<std::size_t> first_of(const std::vector<std::size_t>& list, std::size_t length) {
  return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(length)};
}

}  // namespace

Loops::Loops(const Graph& graph, const Grids& grids, const std::vector<std::size_t>& order,
             Moved moved)
    : graph_(graph), grids_(grids), moved_(std::move(moved)) {
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    cut_classes_.push_back(classes_cut(grids, v));
  levels_.resize(graph.operations.size());
  nest(order, {});
}

// Of runs from the beginning of a list on: a few operations that walk along the class, twice as
// many, and so on, and in the end all, with few that do not in between.
std::vector<std::size_t> Loops::lengths_of_runs(const Operations& list,
                                                std::int32_t cut_class) const {
  std::vector<std::size_t> lengths{1};
  std::size_t end = 1;
  std::size_t along = 1;
  std::size_t next = 2;
  for (std::size_t k = 1; k < list.size() && k - end <= kMostBetween; ++k) {
    if (cut_classes_[list[k]].count(cut_class) == 0) continue;
    end = k + 1;
    if (++along == next) {
      lengths.push_back(end);
      next *= 2;
    }
  }
  if (lengths.back() != end) lengths.push_back(end);
  return lengths;
}

// What several operations of a run touch along a class: of runs that move the same, those that
// hand more on let less lie about.
double Loops::shared_bytes(const Operations& run, std::int32_t cut_class) const {
  std::map<TensorId, int> uses;
  for (const std::size_t v : run) {
    const GraphOperation& operation = graph_.operations[v];
    std::set<TensorId> touched(operation.inputs.begin(), operation.inputs.end());
    touched.insert(operation.outputs.begin(), operation.outputs.end());
    for (const TensorId tensor : touched)
      if (is_along(grids_, tensor, cut_class)) ++uses[tensor];
  }
  double shared = 0;
  for (const auto& [tensor, count] : uses)
    shared += static_cast<double>(size_bytes(at(graph_.tensors, tensor).type)) * (count - 1);
  return shared;
}

void Loops::append(const Operations& run, const std::vector<std::vector<Level>>& levels,
                   std::int32_t first_position) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    std::vector<Level>& all = levels_[run[i]];
    all.insert(all.end(), levels[i].begin(), levels[i].end());
    all[all.size() - levels[i].size()].position += first_position;
  }
}

// The loops of an operation that nothing else shares, inside those around it.
const std::vector<Level>& Loops::alone(std::size_t operation, const Classes& around) {
  const auto key = std::make_pair(operation, around);
  if (const auto found = alone_.find(key); found != alone_.end()) return found->second;
  Run best{.levels = {{Level{}}}};
  for (const std::int32_t cut_class : cut_classes_[operation]) {
    if (around.count(cut_class) > 0) continue;
    Run run = run_along({operation}, cut_class, around);
    const std::size_t outside = levels_[operation].size();
    levels_[operation].push_back({});
    run.saved_bytes = moved_(*this, {operation}) - run.moved_bytes;
    levels_[operation].resize(outside);
    if (run.saved_bytes > best.saved_bytes) best = std::move(run);
  }
  return alone_.emplace(key, std::move(best.levels[0])).first->second;
}

// Runs are pieces of the order, so their first operation and their length tell them apart; the
// loops around all operations of one are the same.
Loops::Question Loops::question(const Operations& run) const {
  std::vector<std::int32_t> around;
  for (const Level& level : levels_[run[0]]) around.push_back(*level.cut_class);
  return {run[0], run.size(), std::move(around)};
}

double Loops::moved_alone(const Operations& run, const Classes& around) {
  if (around.empty()) return find_moved_alone(run, around);
  Question asked = question(run);
  if (const auto found = moved_alone_.find(asked); found != moved_alone_.end())
    return found->second;
  return moved_alone_.emplace(std::move(asked), find_moved_alone(run, around)).first->second;
}

double Loops::find_moved_alone(const Operations& run, const Classes& around) {
  std::vector<std::size_t> outside;
  std::vector<std::vector<Level>> levels;
  for (const std::size_t v : run) {
    outside.push_back(levels_[v].size());
    levels.push_back(alone(v, around));
    levels.back()[0].position = static_cast<std::int32_t>(levels.size());
  }
  append(run, levels, 0);
  const double moved = moved_(*this, run);
  for (std::size_t i = 0; i < run.size(); ++i) levels_[run[i]].resize(outside[i]);
  return moved;
}

// The best loops of a run inside one along a class, and what moves with them.
Loops::Run Loops::run_along(const Operations& run, std::int32_t cut_class, const Classes& around) {
  if (around.empty()) return find_run_along(run, cut_class, around);
  std::pair<Question, std::int32_t> asked{question(run), cut_class};
  if (const auto found = runs_along_.find(asked); found != runs_along_.end()) return found->second;
  Run run_found = find_run_along(run, cut_class, around);
  return runs_along_.emplace(std::move(asked), std::move(run_found)).first->second;
}

Loops::Run Loops::find_run_along(const Operations& run, std::int32_t cut_class,
                                 const Classes& around) {
  Run found{.length = run.size()};
  std::vector<std::size_t> outside;
  for (const std::size_t v : run) {
    outside.push_back(levels_[v].size());
    levels_[v].push_back({0, cut_class});
  }
  Classes inside = around;
  inside.insert(cut_class);
  nest(run, inside);
  found.moved_bytes = moved_(*this, run);
  for (std::size_t i = 0; i < run.size(); ++i) {
    std::vector<Level>& all = levels_[run[i]];
    found.levels.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(outside[i]), all.end());
    all.resize(outside[i]);
  }
  return found;
}

// How a list is begun.
Loops::Run Loops::best_run(const Operations& list, const Classes& around) {
  Run best{.levels = {alone(list[0], around)}};
  std::map<std::size_t, double> moved_by_length;
  for (const std::int32_t cut_class : cut_classes_[list[0]]) {
    if (around.count(cut_class) > 0) continue;
    double most = 0;
    for (const std::size_t length : lengths_of_runs(list, cut_class)) {
      if (length == 1) continue;
      const Operations run = first_of(list, length);
      if (moved_by_length.count(length) == 0) moved_by_length[length] = moved_alone(run, around);
      Run found = run_along(run, cut_class, around);
      found.saved_bytes = moved_by_length[length] - found.moved_bytes;
      found.shared_bytes = shared_bytes(run, cut_class);
      // Longer runs are looked at as long as they save more.
      if (found.saved_bytes < most) break;
      most = found.saved_bytes;
      if (std::make_pair(found.saved_bytes, found.shared_bytes) >
          std::make_pair(best.saved_bytes, best.shared_bytes))
        best = std::move(found);
    }
  }
  return best;
}

void Loops::nest(const Operations& list, const Classes& around) {
  std::int32_t position = 0;
  for (std::size_t k = 0; k < list.size(); ++position) {
    const Operations rest(list.begin() + static_cast<std::ptrdiff_t>(k), list.end());
    const Run run = best_run(rest, around);
    append(first_of(rest, run.length), run.levels, position);
    k += run.length;
    if (!around.empty()) continue;
    moved_alone_.clear();
    runs_along_.clear();
  }
}

void PlacesInLoops::turn_to(const Loops& loops, const Grids& grids, std::size_t operation) {
  const std::vector<OperationAxis>& axes = grids.of_operations[operation];
  around_.clear();
  own_.clear();
  used_.assign(axes.size(), false);
  for (const Level& level : loops.of(operation)) {
    around_.push_back({.number = level.position});
    if (!level.cut_class) continue;
    Step block{.number = kBeforeBlocks};
    for (std::size_t k = 0; k < axes.size() && !block.axis; ++k)
      if (axes[k].cut_class == level.cut_class && !used_[k]) block.axis = k;
    if (block.axis) used_[*block.axis] = true;
    around_.push_back(block);
  }
  for (const AxisKind kind : {AxisKind::Independent, AxisKind::Continued})
    for (std::size_t k = 0; k < axes.size(); ++k)
      if (!used_[k] && axes[k].axis.kind == kind) own_.push_back(k);
}

void PlacesInLoops::append(const PlacedPart& part, std::vector<std::int32_t>& places) const {
  for (const Step& step : around_)
    places.push_back(step.axis && !part.blocks.empty() ? part.blocks[*step.axis] : step.number);
  if (part.blocks.empty()) return;
  for (const std::size_t axis : own_) places.push_back(part.blocks[axis]);
}

}  // namespace poet
