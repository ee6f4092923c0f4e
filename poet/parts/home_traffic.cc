// Computes what every way of cutting a step reads and writes; docs/model/traffic.md §1.
#include "poet/parts/home_traffic.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "poet/graph/operator.h"
#include "poet/graph/part_axes.h"
#include "poet/graph/stored_rows.h"
#include "poet/parts/place_of.h"
#include "poet/parts/stages.h"

namespace poet {
namespace {

using Box = std::vector<Range>;
using Boxes = std::vector<std::optional<Box>>;  // of tensors; none: nothing is known of them

// So many moments are tried on each side of where the backward pass begins: those at which the last
// results before it, and its first ones, are made. The sums of a loss over all classes are among
// them, which the gradients of all classes wait for.
constexpr std::size_t kMoments = 8;

std::int64_t values_of(const Box& box) {
  std::int64_t values = 1;
  for (const Range& range : box) values *= range.extent();
  return values;
}

std::optional<Range> common(const Range& a, const Range& b) {
  const Range both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  if (both.begin >= both.end) return std::nullopt;
  return both;
}

std::int64_t common_values(const Box& a, const Box& b) {
  std::int64_t values = 1;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const std::optional<Range> both = common(a[d], b[d]);
    values *= both ? both->extent() : 0;
  }
  return values;
}

bool contains(const Box& outer, const Box& inner) {
  return common_values(outer, inner) == values_of(inner);
}

// Together with what is known already: a box within the union of both, as large as is easily found.
void add(std::optional<Box>& known, Box box) {
  if (!known || contains(box, *known)) {
    known = std::move(box);
    return;
  }
  if (contains(*known, box)) return;
  std::optional<std::size_t> along;
  bool is_one_box = true;
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d] == (*known)[d]) continue;
    const bool touch = box[d].begin <= (*known)[d].end && (*known)[d].begin <= box[d].end;
    is_one_box = is_one_box && touch && !along;
    along = d;
  }
  if (is_one_box && along) {
    Range& range = (*known)[*along];
    range = {std::min(range.begin, box[*along].begin), std::max(range.end, box[*along].end)};
  } else if (values_of(box) > values_of(*known)) {
    known = std::move(box);
  }
}

// The places of an axis that meet some of these values.
std::optional<Range> places_meeting(const PartAxis& axis, const Follows& follows,
                                    const Range& values, std::int64_t extent) {
  if (!follows.halo)
    return Range{values.begin / follows.scale, (values.end + follows.scale - 1) / follows.scale};
  std::optional<Range> places;
  for (std::int64_t p = 0; p < axis.extent; ++p) {
    if (!common(values_met(follows, {p, p + 1}, extent), values)) continue;
    if (!places) places = Range{p, p};
    places->end = p + 1;
  }
  return places;
}

// A tensor of which an operation meets single rows, or a window, wherever they lie.
bool meets_some(Operator kind) {
  return kind == Operator::Slice || kind == Operator::Gather || kind == Operator::RowUpdate ||
         kind == Operator::Concat;
}

// What an element of a step needs, and what needs it.
class Dependencies {
 public:
  explicit Dependencies(const Graph& graph)
      : graph_(graph), meets_rows_(updates_of_stored_rows(graph)) {
    for (std::size_t v = 0; v < graph.operations.size(); ++v) {
      types_.push_back(types_of(graph, graph.operations[v]));
      axes_.push_back(part_axes(types_.back()));
      if (reads_stored_rows(graph, graph.operations[v])) meets_rows_[v] = true;
    }
  }

  // Whether an operation reads all of an input at home, with all its parts together.
  bool reads_all(std::size_t v, std::size_t input) const {
    const GraphOperation& operation = graph_.operations[v];
    return !(input == 0 && meets_rows_[v]) && !meets_some(operation.kind);
  }

  // Of each tensor, what has been in RAM when the first value of this operation's first output has
  // been made.
  Boxes before(std::size_t turn) const {
    Boxes needed(graph_.tensors.size());
    needed[place_of(graph_.operations[turn].outputs[0])] = first_value(turn);
    for (std::size_t v = turn + 1; v-- > 0;) {
      const GraphOperation& operation = graph_.operations[v];
      for (std::size_t o = 0; o < operation.outputs.size(); ++o)
        if (const auto& box = needed[place_of(operation.outputs[o])])
          add_needed(v, o, *box, needed);
    }
    return needed;
  }

  // Of each tensor at home, what parts of operations read that wait for this value.
  Boxes after(std::size_t turn) const {
    Boxes depends(graph_.tensors.size());
    Boxes read(graph_.tensors.size());
    depends[place_of(graph_.operations[turn].outputs[0])] = first_value(turn);
    for (std::size_t v = turn + 1; v < graph_.operations.size(); ++v) {
      const std::vector<TensorId>& inputs = graph_.operations[v].inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (const auto& box = depends[place_of(inputs[i])])
          add_waiting(v, i, Box(*box), depends, read);
    }
    return read;
  }

 private:
  Box first_value(std::size_t v) const {
    return Box(types_[v].outputs[0].shape.size(), Range{0, 1});
  }

  // The places of each axis that parts have which make these values.
  std::vector<Range> places_making(std::size_t v, std::size_t output, const Box& box) const {
    std::vector<Range> places;
    for (const PartAxis& axis : axes_[v]) {
      const std::optional<Follows>& follows = axis.outputs[output];
      Range range{0, axis.kind == AxisKind::Continued ? axis.extent : 1};
      if (follows) {
        const auto d = static_cast<std::size_t>(follows->dimension);
        range = places_meeting(axis, *follows, box[d], types_[v].outputs[output].shape[d])
                    .value_or(Range{0, 1});
        // Neighbours may both meet a value at their border, which one of them makes.
        if (follows->halo) range = {range.begin, range.begin + 1};
      }
      places.push_back(range);
    }
    return places;
  }

  void add_needed(std::size_t v, std::size_t output, const Box& box, Boxes& needed) const {
    const GraphOperation& operation = graph_.operations[v];
    if (const auto* const slice = std::get_if<SliceAttributes>(&operation.attributes)) {
      Box window;
      for (std::size_t d = 0; d < box.size(); ++d) {
        if (slice->step[d] != 1) return;
        window.push_back({slice->start[d] + box[d].begin, slice->start[d] + box[d].end});
      }
      add(needed[place_of(operation.inputs[0])], std::move(window));
      return;
    }
    const std::vector<Range> places = places_making(v, output, box);
    for (std::size_t i = 0; i < operation.inputs.size(); ++i)
      if (reads_all(v, i))
        add(needed[place_of(operation.inputs[i])], part_of_input(types_[v], axes_[v], places, i));
  }

  void add_waiting(std::size_t v, std::size_t input, const Box& box, Boxes& depends,
                   Boxes& read) const {
    const GraphOperation& operation = graph_.operations[v];
    if (!reads_all(v, input)) return;
    std::vector<Range> places;
    for (const PartAxis& axis : axes_[v]) {
      Range range{0, axis.extent};
      if (const std::optional<Follows>& follows = axis.inputs[input]) {
        const auto d = static_cast<std::size_t>(follows->dimension);
        const std::optional<Range> meeting =
            places_meeting(axis, *follows, box[d], types_[v].inputs[input].shape[d]);
        if (!meeting) return;
        range = *meeting;
      }
      places.push_back(range);
    }
    for (std::size_t i = 0; i < operation.inputs.size(); ++i)
      if (at(graph_.tensors, operation.inputs[i]).home == Home::Storage && reads_all(v, i))
        add(read[place_of(operation.inputs[i])], part_of_input(types_[v], axes_[v], places, i));
    for (std::size_t o = 0; o < operation.outputs.size(); ++o)
      add(depends[place_of(operation.outputs[o])], part_of_output(types_[v], axes_[v], places, o));
  }

  const Graph& graph_;
  std::vector<bool> meets_rows_;
  std::vector<OperationTypes> types_ = {};
  std::vector<std::vector<PartAxis>> axes_ = {};  // of the operations
};

// Of the first tensors, which are those of the whole step.
std::int64_t bytes_on_both_sides(const Graph& graph, const Dependencies& dependencies,
                                 std::size_t turn, std::size_t tensor_count) {
  const Boxes before = dependencies.before(turn);
  const Boxes after = dependencies.after(turn);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < tensor_count; ++i)
    if (graph.tensors[i].home == Home::Storage && before[i] && after[i])
      bytes += common_values(*before[i], *after[i]) * byte_size(graph.tensors[i].type.element);
  return bytes;
}

// The most of all moments that are tried. In stages there is least that a value needs: cutting may
// use them or not.
std::int64_t most_read_again(const TrainingGraph& whole) {
  const Graph graph = with_stages(whole, 0).graph;
  const Dependencies dependencies(graph);
  const auto turn = static_cast<std::size_t>(
      std::find_if(graph.operations.begin(), graph.operations.end(),
                   [](const GraphOperation& operation) { return operation.backward; }) -
      graph.operations.begin());
  std::int64_t most = 0;
  for (std::size_t v = turn - std::min(turn, kMoments);
       v < std::min(turn + kMoments, graph.operations.size()); ++v)
    if (!graph.operations[v].outputs.empty())
      most =
          std::max(most, bytes_on_both_sides(graph, dependencies, v, whole.graph.tensors.size()));
  return most;
}

}  // namespace

HomeTraffic home_traffic(const TrainingGraph& whole) {
  const Graph& graph = whole.graph;
  const Dependencies dependencies(graph);
  HomeTraffic traffic;
  traffic.read_again_bytes = most_read_again(whole);
  std::vector<bool> is_read(graph.tensors.size());
  std::vector<bool> is_in_storage(graph.tensors.size());  // made there, row by row
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& operation = graph.operations[v];
    for (std::size_t i = 0; i < operation.inputs.size(); ++i)
      if (dependencies.reads_all(v, i)) is_read[place_of(operation.inputs[i])] = true;
    if (meets_some(operation.kind))
      for (const TensorId output : operation.outputs) is_in_storage[place_of(output)] = true;
  }
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (is_read[i] && graph.tensors[i].home == Home::Storage)
      traffic.read_bytes += size_bytes(graph.tensors[i].type);
  for (const Replacement& replacement : whole.replacements) {
    const GraphTensor& old_value = at(graph.tensors, replacement.old_value);
    if (old_value.home == Home::Storage && !is_in_storage[place_of(replacement.new_value)])
      traffic.written_bytes += size_bytes(old_value.type);
  }
  if (whole.parameters == ParameterPlace::Chosen)
    traffic.may_stay_bytes = traffic.read_bytes + traffic.written_bytes;
  return traffic;
}

std::int64_t least_read_bytes(const HomeTraffic& traffic, std::int64_t ram_budget_bytes) {
  const std::int64_t stay = std::min(traffic.may_stay_bytes, ram_budget_bytes);
  const std::int64_t again = std::max<std::int64_t>(0, traffic.read_again_bytes - ram_budget_bytes);
  return std::max<std::int64_t>(0, traffic.read_bytes + again - stay);
}

std::int64_t least_written_bytes(const HomeTraffic& traffic, std::int64_t ram_budget_bytes) {
  return std::max<std::int64_t>(
      0, traffic.written_bytes - std::min(traffic.may_stay_bytes, ram_budget_bytes));
}

}  // namespace poet
