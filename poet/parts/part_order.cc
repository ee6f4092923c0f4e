#include "poet/parts/part_order.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "poet/base/check.h"

namespace poet {
namespace {

std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

// How many operations without an axis along a class may stand among those of a run along it.
constexpr std::size_t kMostBetween = 8;

// A loop that an operation is in: where it stands in the list that the loop is one of, and along
// which class the loop goes; none: it is not a loop but the operation itself.
struct Level {
  std::int32_t position = 0;
  std::optional<std::int32_t> cut_class = {};
};

// Finds the loops that operations share.
class Loops {
 public:
  Loops(const Graph& graph, const Grids& grids, const std::vector<std::size_t>& order)
      : graph_(graph), grids_(grids) {
    levels_.resize(graph.operations.size());
    nest(order, {});
  }

  const std::vector<Level>& of(std::size_t operation) const { return levels_[operation]; }

 private:
  std::set<std::int32_t> cut_classes(std::size_t v) const {
    std::set<std::int32_t> found;
    const std::vector<std::vector<Range>> blocks = blocks_of_operation(grids_, v);
    for (std::size_t k = 0; k < blocks.size(); ++k)
      if (const auto& cut_class = grids_.of_operations[v][k].cut_class;
          cut_class && blocks[k].size() > 1)
        found.insert(*cut_class);
    return found;
  }

  // Whether a tensor has a dimension of a class.
  bool is_along(TensorId tensor, std::int32_t cut_class) const {
    const auto& dimensions = grids_.of_dimensions[place_of(tensor)];
    return std::find(dimensions.begin(), dimensions.end(), cut_class) != dimensions.end();
  }

  // Bytes that need not be kept or read again when these operations walk along a class together.
  double saved_bytes(const std::vector<std::size_t>& run, std::int32_t cut_class) const {
    std::map<TensorId, int> uses;
    for (const std::size_t v : run) {
      std::set<TensorId> touched(graph_.operations[v].inputs.begin(),
                                 graph_.operations[v].inputs.end());
      touched.insert(graph_.operations[v].outputs.begin(), graph_.operations[v].outputs.end());
      for (const TensorId tensor : touched)
        if (is_along(tensor, cut_class)) ++uses[tensor];
    }
    double saved = 0;
    for (const auto& [tensor, count] : uses)
      saved += static_cast<double>(size_bytes(at(graph_.tensors, tensor).type)) * (count - 1);
    return saved;
  }

  // From `from` on, the operations of `list` up to the last that walk along a class, with few that
  // do not in between.
  std::size_t end_of_run(const std::vector<std::size_t>& list, std::size_t from,
                         std::int32_t cut_class) const {
    std::size_t end = from + 1;
    for (std::size_t k = from + 1; k < list.size() && k - end <= kMostBetween; ++k)
      if (cut_classes(list[k]).count(cut_class) > 0) end = k + 1;
    return end;
  }

  void nest(const std::vector<std::size_t>& list, const std::set<std::int32_t>& used) {
    std::int32_t position = 0;
    for (std::size_t k = 0; k < list.size(); ++position) {
      std::optional<std::int32_t> best;
      std::size_t best_end = k + 1;
      double most = 0;
      for (const std::int32_t cut_class : cut_classes(list[k])) {
        if (used.count(cut_class) > 0) continue;
        const std::size_t end = end_of_run(list, k, cut_class);
        const double saved = saved_bytes({list.begin() + static_cast<std::ptrdiff_t>(k),
                                          list.begin() + static_cast<std::ptrdiff_t>(end)},
                                         cut_class);
        if (end - k > 1 && saved > most) {
          best = cut_class;
          best_end = end;
          most = saved;
        }
      }
      for (std::size_t i = k; i < best_end; ++i) levels_[list[i]].push_back({position, best});
      if (best) {
        std::set<std::int32_t> inside = used;
        inside.insert(*best);
        nest({list.begin() + static_cast<std::ptrdiff_t>(k),
              list.begin() + static_cast<std::ptrdiff_t>(best_end)},
             inside);
      }
      k = best_end;
    }
  }

  const Graph& graph_;
  const Grids& grids_;
  std::vector<std::vector<Level>> levels_ = {};
};

using Key = std::vector<std::int32_t>;

// The blocks of the loops around a part, outermost first, and then its own.
Key key_of(const Loops& loops, const Grids& grids, const PlacedPart& place) {
  const auto v = static_cast<std::size_t>(place.operation);
  const std::vector<OperationAxis>& axes = grids.of_operations[v];
  Key key;
  std::vector<bool> used(axes.size());
  for (const Level& level : loops.of(v)) {
    key.push_back(level.position);
    if (!level.cut_class) continue;
    std::int32_t block = -1;
    for (std::size_t k = 0; k < axes.size() && k < place.blocks.size(); ++k) {
      if (axes[k].cut_class != level.cut_class || used[k]) continue;
      block = place.blocks[k];
      used[k] = true;
      break;
    }
    key.push_back(block);
  }
  for (const AxisKind kind : {AxisKind::Independent, AxisKind::Continued})
    for (std::size_t k = 0; k < axes.size() && k < place.blocks.size(); ++k)
      if (!used[k] && axes[k].axis.kind == kind) key.push_back(place.blocks[k]);
  return key;
}

// What must come before each operation: what makes its inputs, and, of an update, what reads the
// old value.
std::vector<std::vector<std::int32_t>> readers_after(const TrainingGraph& step,
                                                     std::vector<std::int32_t>& waits) {
  const Graph& graph = step.graph;
  std::vector<std::optional<std::int32_t>> producer(graph.tensors.size());
  std::vector<std::vector<std::int32_t>> readers(graph.tensors.size());
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    for (const TensorId output : graph.operations[v].outputs)
      producer[place_of(output)] = static_cast<std::int32_t>(v);
    for (const TensorId input : graph.operations[v].inputs)
      readers[place_of(input)].push_back(static_cast<std::int32_t>(v));
  }
  std::vector<std::vector<std::int32_t>> after(graph.operations.size());
  waits.assign(graph.operations.size(), 0);
  const auto add = [&](std::int32_t before, std::int32_t then) {
    if (before == then) return;
    after[static_cast<std::size_t>(before)].push_back(then);
    ++waits[static_cast<std::size_t>(then)];
  };
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    for (const TensorId input : graph.operations[v].inputs)
      if (producer[place_of(input)]) add(*producer[place_of(input)], static_cast<std::int32_t>(v));
  for (const Replacement& replacement : step.replacements) {
    const std::optional<std::int32_t> update = producer[place_of(replacement.new_value)];
    if (!update) continue;
    for (const std::int32_t reader : readers[place_of(replacement.old_value)]) add(reader, *update);
  }
  return after;
}

// The operations that make nothing but gradients of parameters and new values.
std::vector<bool> only_for_updates(const TrainingGraph& step) {
  std::vector<bool> is_end(step.graph.tensors.size());
  for (const TrainedParameter& trained : step.trained)
    if (trained.gradient) is_end[place_of(*trained.gradient)] = true;
  for (const Replacement& replacement : step.replacements)
    is_end[place_of(replacement.new_value)] = true;
  std::vector<bool> late;
  for (const GraphOperation& operation : step.graph.operations)
    late.push_back(std::all_of(operation.outputs.begin(), operation.outputs.end(),
                               [&](TensorId output) { return is_end[place_of(output)]; }));
  return late;
}

}  // namespace

std::vector<std::size_t> order_with_early_updates(const TrainingGraph& whole) {
  const std::vector<bool> late = only_for_updates(whole);
  std::vector<std::int32_t> waits;
  const std::vector<std::vector<std::int32_t>> after = readers_after(whole, waits);
  std::vector<std::size_t> order;
  const auto run = [&](const auto& self, std::size_t v) -> void {
    order.push_back(v);
    for (const std::int32_t next : after[v]) --waits[static_cast<std::size_t>(next)];
    for (const std::int32_t next : after[v]) {
      const auto then = static_cast<std::size_t>(next);
      if (late[then] && waits[then] == 0) {
        waits[then] = -1;  // runs here, once
        self(self, then);
      }
    }
  };
  for (std::size_t v = 0; v < whole.graph.operations.size(); ++v)
    if (!late[v]) run(run, v);
  // What waits for nothing that is not for updates itself.
  std::vector<bool> done(whole.graph.operations.size());
  for (const std::size_t v : order) done[v] = true;
  for (std::size_t v = 0; v < done.size(); ++v)
    if (!done[v]) order.push_back(v);
  POET_CHECK(order.size() == whole.graph.operations.size());
  return order;
}

std::vector<std::int32_t> part_order(const TrainingGraph& whole, const Grids& grids,
                                     const std::vector<std::size_t>& whole_order,
                                     const TrainingGraph& step,
                                     const std::vector<PlacedPart>& places) {
  const Loops loops(whole.graph, grids, whole_order);
  std::vector<std::pair<Key, std::int32_t>> keys;
  for (std::size_t v = 0; v < places.size(); ++v)
    keys.emplace_back(key_of(loops, grids, places[v]), static_cast<std::int32_t>(v));
  std::vector<std::int32_t> waits;
  const std::vector<std::vector<std::int32_t>> after = readers_after(step, waits);
  std::sort(keys.begin(), keys.end());
  std::vector<std::int32_t> rank(places.size());
  for (std::size_t r = 0; r < keys.size(); ++r)
    rank[static_cast<std::size_t>(keys[r].second)] = static_cast<std::int32_t>(r);
  std::priority_queue<std::pair<std::int32_t, std::int32_t>,
                      std::vector<std::pair<std::int32_t, std::int32_t>>, std::greater<>>
      ready;
  for (std::size_t v = 0; v < places.size(); ++v)
    if (waits[v] == 0) ready.emplace(rank[v], static_cast<std::int32_t>(v));
  std::vector<std::int32_t> order;
  while (!ready.empty()) {
    const std::int32_t v = ready.top().second;
    ready.pop();
    order.push_back(v);
    for (const std::int32_t next : after[static_cast<std::size_t>(v)])
      if (--waits[static_cast<std::size_t>(next)] == 0)
        ready.emplace(rank[static_cast<std::size_t>(next)], next);
  }
  POET_CHECK(order.size() == places.size());
  return order;
}

}  // namespace poet
