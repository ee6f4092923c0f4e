#include "poet/autodiff/joined_updates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "poet/autodiff/erase_from_step.h"
#include "poet/graph/operator.h"
#include "poet/graph/stored_rows.h"
#include "poet/graph/weight_update.h"

namespace poet {
namespace {

bool contains(const std::vector<TensorId>& list, TensorId tensor) {
  return std::find(list.begin(), list.end(), tensor) != list.end();
}

// What is done with the gradient of one parameter, by places in the graph.
struct GradientUse {
  std::size_t maker = 0;
  std::map<std::size_t, GraphOperation> joined = {};  // in the place of each update
};

// Who makes and who reads each tensor, by places in the graph.
struct Uses {
  explicit Uses(const Graph& graph) : makers(graph.tensors.size()), readers(graph.tensors.size()) {
    for (std::size_t v = 0; v < graph.operations.size(); ++v) {
      for (const TensorId output : graph.operations[v].outputs) makers[place_of(output)] = v;
      for (const TensorId input : graph.operations[v].inputs) {
        std::vector<std::size_t>& all = readers[place_of(input)];
        if (all.empty() || all.back() != v) all.push_back(v);
      }
    }
  }

  static std::size_t place_of(TensorId id) { return static_cast<std::size_t>(index_of(id)); }

  std::vector<std::optional<std::size_t>> makers = {};
  std::vector<std::vector<std::size_t>> readers = {};
};

// Nothing where something else than updates reads the gradient, or one that cannot be joined.
std::optional<GradientUse> use_of(const Graph& graph, const Uses& uses, TensorId gradient) {
  const std::optional<std::size_t> maker = uses.makers[Uses::place_of(gradient)];
  if (!maker || contains(graph.outputs, gradient)) return std::nullopt;
  GradientUse use{.maker = *maker};
  for (const std::size_t v : uses.readers[Uses::place_of(gradient)]) {
    const GraphOperation& reader = graph.operations[v];
    const std::optional<int> position = gradient_input(reader.kind);
    if (!position || reader.inputs[static_cast<std::size_t>(*position)] != gradient)
      return std::nullopt;
    std::optional<GraphOperation> both = joined(graph, graph.operations[*maker], reader);
    if (!both) return std::nullopt;
    use.joined.emplace(v, *std::move(both));
  }
  if (use.joined.empty()) return std::nullopt;
  return use;
}

// Of a table in storage that only lookups read: it is needed nowhere in RAM.
bool is_of_stored_rows(const Graph& graph, const Uses& uses, const GradientUse& use) {
  const auto& [v, joined] = *use.joined.begin();
  if (joined.kind != Operator::RowUpdate) return false;
  const std::vector<std::size_t>& readers = uses.readers[Uses::place_of(joined.inputs[0])];
  return at(graph.tensors, joined.inputs[0]).home == Home::Storage &&
         std::all_of(readers.begin(), readers.end(), [&, update = v](std::size_t reader) {
           return reader == update || reads_stored_rows(graph, graph.operations[reader]);
         });
}

bool is_meant(const Graph& graph, const GradientUse& use, const TrainingOptions& options) {
  if (options.updates == Updates::Sliced) return true;
  if (options.updates == Updates::Separate) return false;
  const auto is_too_large = [&](std::size_t v) {
    return options.too_large.count(graph.operations[v].name) > 0;
  };
  return is_too_large(use.maker) ||
         std::any_of(use.joined.begin(), use.joined.end(),
                     [&](const auto& update) { return is_too_large(update.first); });
}

// Joins the updates that are `meant`.
template <typename Meant>
TrainingGraph joined_where(TrainingGraph step, const Meant& meant) {
  const Uses uses(step.graph);
  // A new value by itself is what the step is for: the first micro-batch keeps it.
  std::set<TensorId> kept;
  for (const Replacement& replacement : step.replacements) kept.insert(replacement.new_value);
  std::map<TensorId, int> owners;
  for (const TrainedParameter& trained : step.trained)
    if (trained.gradient) ++owners[*trained.gradient];
  std::set<std::size_t> makers;
  std::set<TensorId> gradients;
  for (TrainedParameter& trained : step.trained) {
    if (!trained.gradient || !trained.new_value) continue;
    if (kept.count(*trained.gradient) > 0 || owners[*trained.gradient] > 1) continue;
    std::optional<GradientUse> use = use_of(step.graph, uses, *trained.gradient);
    if (!use || !meant(step.graph, uses, *use)) continue;
    for (auto& [v, joined] : use->joined) step.graph.operations[v] = std::move(joined);
    makers.insert(use->maker);
    gradients.insert(*trained.gradient);
    trained.gradient.reset();
  }
  erase_operations(step.graph, makers);
  erase_tensors(step, gradients);
  return step;
}

}  // namespace

TrainingGraph with_joined_updates(TrainingGraph step, const TrainingOptions& options) {
  if (options.updates != Updates::Sliced && options.too_large.empty()) return step;
  return joined_where(std::move(step),
                      [&](const Graph& graph, const Uses&, const GradientUse& use) {
                        return is_meant(graph, use, options);
                      });
}

TrainingGraph with_row_updates(TrainingGraph step) {
  return joined_where(std::move(step), is_of_stored_rows);
}

}  // namespace poet
