#include "poet/parts/grids.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "poet/graph/operator.h"
#include "poet/graph/stored_rows.h"
#include "poet/graph/weight_update.h"
#include "poet/parts/place_of.h"

namespace poet {
namespace {

// Of the blocks of an axis with a halo, so many at each end and in the middle are looked at.
constexpr std::size_t kBlocksAtEnds = 2;
constexpr std::size_t kBlocksInMiddle = 3;

// Sets of dimensions, each with the largest extent in it. One dimension has a whole number of
// positions of the set for each of its values, or it is not in the set.
class DimensionSets {
 public:
  explicit DimensionSets(const Graph& graph) {
    for (const GraphTensor& tensor : graph.tensors) {
      first_.push_back(parents_.size());
      for (const std::int64_t extent : tensor.type.shape) {
        parents_.push_back(parents_.size());
        extents_.push_back(extent);
      }
    }
  }

  std::size_t node(TensorId tensor, int dimension) const {
    return first_[place_of(tensor)] + static_cast<std::size_t>(dimension);
  }

  std::size_t root(std::size_t node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }

  std::int64_t extent(std::size_t node) { return extents_[root(node)]; }

  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    const std::int64_t most = std::max(extents_[a], extents_[b]);
    if (most % extents_[a] != 0 || most % extents_[b] != 0) return;
    if (b < a) std::swap(a, b);
    parents_[b] = a;
    extents_[a] = most;
  }

 private:
  std::vector<std::size_t> first_ = {};
  std::vector<std::size_t> parents_ = {};
  std::vector<std::int64_t> extents_ = {};  // of roots: the largest of the set
};

struct Follower {
  TensorId tensor{};
  Follows follows;
  std::int64_t extent = 1;
};

std::vector<Follower> followers_of(const Graph& graph, const GraphOperation& operation,
                                   const PartAxis& axis) {
  std::vector<Follower> found;
  const auto add = [&](const std::vector<TensorId>& tensors,
                       const std::vector<std::optional<Follows>>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i]) continue;
      const Shape& shape = at(graph.tensors, tensors[i]).type.shape;
      found.push_back({tensors[i], *all[i], shape[static_cast<std::size_t>(all[i]->dimension)]});
    }
  };
  add(operation.outputs, axis.outputs);
  add(operation.inputs, axis.inputs);
  return found;
}

// Whether cuts of an axis and of a dimension correspond.
bool corresponds(const Follower& follower, const PartAxis& axis) {
  if (!follower.follows.halo) return true;
  const Halo& halo = *follower.follows.halo;
  return halo.turned ? follower.extent * halo.stride == axis.extent
                     : follower.extent == axis.extent * halo.stride;
}

void join_along(DimensionSets& sets, const Graph& graph, const GraphOperation& operation,
                const PartAxis& axis) {
  std::optional<std::size_t> first;
  for (const Follower& follower : followers_of(graph, operation, axis)) {
    if (!corresponds(follower, axis)) continue;
    const std::size_t node = sets.node(follower.tensor, follower.follows.dimension);
    if (first) sets.join(*first, node);
    first = first.value_or(node);
  }
}

// The position of the class that a place of an axis begins at is this many times the place.
std::optional<std::int64_t> unit_of(const CutClass& cut, const PartAxis& axis) {
  if (cut.extent % axis.extent != 0) return std::nullopt;
  return cut.extent / axis.extent;
}

std::vector<Range> ranges_of(std::int64_t extent, std::int64_t block) {
  std::vector<Range> ranges;
  ranges.reserve(static_cast<std::size_t>((extent + block - 1) / block));
  for (std::int64_t begin = 0; begin < extent; begin += block)
    ranges.push_back({begin, std::min(begin + block, extent)});
  return ranges;
}

std::int64_t bytes_of(const std::vector<Range>& ranges, ElementType element) {
  std::int64_t values = 1;
  for (const Range& range : ranges) values *= range.extent();
  return values * byte_size(element);
}

std::vector<Range> blocks_of(const Grids& grids, const OperationAxis& axis) {
  if (!axis.cut_class) return {{0, axis.axis.extent}};
  const CutClass& cut = grids.cuts.classes[static_cast<std::size_t>(*axis.cut_class)];
  return ranges_of(axis.axis.extent,
                   std::max<std::int64_t>(1, cut.block / *unit_of(cut, axis.axis)));
}

// The axes with the ranges of one part.
struct OnePart {
  std::vector<PartAxis> axes = {};
  std::vector<Range> ranges = {};
};

OnePart first_part(const Grids& grids, std::size_t v,
                   const std::vector<std::vector<Range>>& blocks) {
  OnePart part;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    part.axes.push_back(grids.of_operations[v][k].axis);
    part.ranges.push_back(blocks[k].front());
  }
  return part;
}

// The blocks of an axis of which one takes as much as any: the first, but for an axis along which
// parts meet what others meet too, where it may do so least. Inner blocks are like each other but
// for where cuts of what they meet lie.
std::vector<std::size_t> blocks_to_look_at(const PartAxis& axis, std::size_t count) {
  const auto has_halo = [](const std::optional<Follows>& follows) {
    return follows && follows->halo;
  };
  if (!std::any_of(axis.inputs.begin(), axis.inputs.end(), has_halo) &&
      !std::any_of(axis.outputs.begin(), axis.outputs.end(), has_halo))
    return {};
  std::vector<std::size_t> places;
  for (std::size_t place = 1; place < count; ++place) {
    const bool is_inner = place > kBlocksAtEnds && place + kBlocksAtEnds < count;
    const bool is_middle =
        place + kBlocksInMiddle / 2 >= count / 2 && place <= count / 2 + kBlocksInMiddle / 2;
    if (!is_inner || is_middle) places.push_back(place);
  }
  return places;
}

// How many parts go on with each other's sum.
std::int64_t sum_parts(const Grids& grids, std::int32_t operation) {
  std::int64_t parts = 1;
  const auto v = static_cast<std::size_t>(operation);
  const std::vector<std::vector<Range>> blocks = blocks_of_operation(grids, v);
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (grids.of_operations[v][k].axis.kind == AxisKind::Continued)
      parts *= static_cast<std::int64_t>(blocks[k].size());
  return parts;
}

bool is_made_by_slices(const Graph& graph, const GraphOperation& gradient,
                       const GraphOperation& update) {
  const std::optional<GraphOperation> both = joined(graph, gradient, update);
  return both && both->kind == Operator::WeightUpdate;
}

// Gradients that nothing but updates read, each of which can be made slice by slice.
void mark_joined(const Graph& graph, Grids& grids) {
  std::vector<std::vector<std::size_t>> readers(graph.tensors.size());
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    for (const TensorId input : graph.operations[v].inputs) readers[place_of(input)].push_back(v);
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& maker = graph.operations[v];
    if (!maker.backward || maker.outputs.size() != 1) continue;
    const std::vector<std::size_t>& uses = readers[place_of(maker.outputs[0])];
    const bool all = !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](std::size_t use) {
      const GraphOperation& update = graph.operations[use];
      const std::optional<int> position = gradient_input(update.kind);
      return position && update.inputs[static_cast<std::size_t>(*position)] == maker.outputs[0] &&
             is_made_by_slices(graph, maker, update);
    });
    if (!all) continue;
    grids.makes_slices[v] = true;
    for (const std::size_t use : uses) grids.slices_from[use] = static_cast<std::int32_t>(v);
  }
}

// What it takes to put a region together from the pieces of its tensor, one after the other;
// nothing where it is one of them.
std::int64_t joining_bytes(const Grids& grids, const Graph& graph, TensorId tensor,
                           const std::vector<Range>& region) {
  std::int64_t piece_values = 1;
  std::int64_t part_values = 1;
  bool is_piece = true;
  bool is_one = true;
  std::int64_t region_values = 1;
  for (std::size_t d = 0; d < region.size(); ++d) {
    std::int64_t largest_piece = 0;
    std::int64_t largest_part = 0;
    int met = 0;
    for (const Range& cut : cuts_of(grids, graph, tensor, d)) {
      if (cut.end <= region[d].begin || cut.begin >= region[d].end) continue;
      const Range part{std::max(cut.begin, region[d].begin), std::min(cut.end, region[d].end)};
      largest_piece = std::max(largest_piece, cut.extent());
      largest_part = std::max(largest_part, part.extent());
      is_piece = is_piece && cut == region[d];
      ++met;
    }
    is_one = is_one && met == 1;
    piece_values *= largest_piece;
    part_values *= largest_part;
    region_values *= region[d].extent();
  }
  if (is_piece) return 0;
  const std::int64_t slicing = piece_values == part_values ? 0 : piece_values + part_values;
  const std::int64_t joining = is_one ? 0 : 2 * region_values;
  return std::max(slicing, joining) * byte_size(at(graph.tensors, tensor).type.element);
}

// What one part of an operation needs in RAM: inputs, outputs and workspace, and what its inputs
// are put together from where they are cut otherwise.
std::int64_t part_bytes(const Grids& grids, const Graph& graph, std::int32_t operation,
                        const OnePart& part) {
  const auto v = static_cast<std::size_t>(operation);
  const OperationTypes& types = grids.types[v];
  const OperatorEntry& entry = entry_of(types.kind);
  if (entry.view) {
    // It takes no room of its own, but for what it is a view of.
    const std::vector<Range> region = part_of_input(types, part.axes, part.ranges, 0);
    return joining_bytes(grids, graph, graph.operations[v].inputs[0], region);
  }
  // A gradient that goes on over several parts is there as a whole.
  const bool by_slices = grids.makes_slices[v] && sum_parts(grids, operation) == 1;
  // A gradient that this update makes for itself, slice by slice.
  const std::int32_t maker = grids.slices_from[v].value_or(operation);
  const bool slices_come_in = maker != operation && sum_parts(grids, maker) == 1;
  std::int64_t bytes = 0;
  std::int64_t put_together = 0;
  std::set<TensorId> seen;
  for (std::size_t i = 0; i < types.inputs.size(); ++i) {
    const TensorId input = graph.operations[v].inputs[i];
    if (slices_come_in && grids.producers[place_of(input)] == maker) continue;
    if (!seen.insert(input).second) continue;
    if (i == 0 && grids.meets_rows[v]) continue;
    const std::vector<Range> region = part_of_input(types, part.axes, part.ranges, i);
    // What is read where it lies takes no room.
    if (at(graph.tensors, input).home != Home::Rom)
      bytes += bytes_of(region, types.inputs[i].element);
    put_together = std::max(put_together, joining_bytes(grids, graph, input, region));
  }
  for (std::size_t o = 0; o < types.outputs.size(); ++o) {
    const std::vector<Range> region = part_of_output(types, part.axes, part.ranges, o);
    const bool is_update =
        std::any_of(entry.updates.begin(), entry.updates.end(),
                    [o](const SharedPlace& place) { return place.output == static_cast<int>(o); });
    if (is_update) continue;
    std::int64_t output_bytes = bytes_of(region, types.outputs[o].element);
    if (by_slices && !region.empty())
      // The weight in its place, and a slice of its gradient.
      output_bytes += output_bytes / region[0].extent() * slice_rows(region[0].extent());
    bytes += output_bytes;
  }
  if (types.kind == Operator::RowUpdate) {
    // A row and its gradient.
    const std::vector<Range> table = part_of_input(types, part.axes, part.ranges, 0);
    bytes += 2 * bytes_of({table.begin() + 1, table.end()}, types.inputs[0].element);
  }
  return std::max(bytes, put_together);
}

}  // namespace

Grids uncut_grids(const Graph& graph, bool by_slices) {
  Grids grids;
  DimensionSets sets(graph);
  std::vector<std::vector<PartAxis>> axes;
  grids.producers.resize(graph.tensors.size());
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& operation = graph.operations[v];
    for (const TensorId output : operation.outputs)
      grids.producers[place_of(output)] = static_cast<std::int32_t>(v);
    grids.types.push_back(types_of(graph, operation));
    axes.push_back(part_axes(grids.types.back()));
    for (const PartAxis& axis : axes.back()) join_along(sets, graph, operation, axis);
  }
  std::vector<std::optional<std::int32_t>> class_of_root;
  const auto class_of = [&](std::size_t node) {
    const std::size_t root = sets.root(node);
    if (class_of_root.size() <= root) class_of_root.resize(root + 1);
    if (!class_of_root[root]) {
      class_of_root[root] = static_cast<std::int32_t>(grids.cuts.classes.size());
      grids.cuts.classes.push_back({.extent = sets.extent(root), .block = sets.extent(root)});
    }
    return *class_of_root[root];
  };
  const auto demand_multiple = [&](std::int32_t cut_class, std::int64_t positions) {
    CutClass& cut = grids.cuts.classes[static_cast<std::size_t>(cut_class)];
    cut.multiple = std::lcm(cut.multiple, positions);
  };
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Shape& shape = graph.tensors[i].type.shape;
    std::vector<std::optional<std::int32_t>> of_tensor;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int32_t cut_class =
          class_of(sets.node(static_cast<TensorId>(i), static_cast<int>(d)));
      of_tensor.emplace_back(cut_class);
      demand_multiple(cut_class,
                      grids.cuts.classes[static_cast<std::size_t>(cut_class)].extent / shape[d]);
    }
    grids.of_dimensions.push_back(std::move(of_tensor));
  }
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    std::vector<OperationAxis> of_operation;
    for (PartAxis& axis : axes[v]) {
      OperationAxis placed{.axis = std::move(axis)};
      for (const Follower& follower : followers_of(graph, graph.operations[v], placed.axis)) {
        if (placed.cut_class || !corresponds(follower, placed.axis)) continue;
        placed.cut_class =
            grids.of_dimensions[place_of(follower.tensor)]
                               [static_cast<std::size_t>(follower.follows.dimension)];
      }
      if (placed.cut_class) {
        const std::optional<std::int64_t> unit =
            unit_of(grids.cuts.classes[static_cast<std::size_t>(*placed.cut_class)], placed.axis);
        if (unit)
          demand_multiple(*placed.cut_class, *unit * placed.axis.multiple);
        else
          placed.cut_class.reset();
      }
      of_operation.push_back(std::move(placed));
    }
    grids.of_operations.push_back(std::move(of_operation));
  }
  grids.makes_slices.assign(graph.operations.size(), false);
  grids.slices_from.resize(graph.operations.size());
  if (by_slices) mark_joined(graph, grids);
  grids.meets_rows = updates_of_stored_rows(graph);
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    if (reads_stored_rows(graph, graph.operations[v])) grids.meets_rows[v] = true;
  return grids;
}

std::vector<std::vector<Range>> blocks_of_operation(const Grids& grids, std::size_t operation) {
  const std::vector<OperationAxis>& axes = grids.of_operations[operation];
  std::vector<std::vector<Range>> blocks(axes.size());
  bool is_cut_inside = false;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const bool is_summed = axes[k].axis.kind == AxisKind::Continued;
    blocks[k] =
        is_summed && is_cut_inside ? ranges_of(axes[k].axis.extent, 1) : blocks_of(grids, axes[k]);
    is_cut_inside = is_cut_inside || (is_summed && blocks[k].size() > 1);
  }
  return blocks;
}

double part_count(const Grids& grids, std::int32_t operation) {
  double count = 1;
  for (const std::vector<Range>& blocks :
       blocks_of_operation(grids, static_cast<std::size_t>(operation)))
    count *= static_cast<double>(blocks.size());
  return count;
}

std::vector<Range> cuts_of(const Grids& grids, const Graph& graph, TensorId tensor,
                           std::size_t dimension) {
  const std::int64_t extent = at(graph.tensors, tensor).type.shape[dimension];
  const std::optional<std::int32_t> producer = grids.producers[place_of(tensor)];
  if (const auto found = grids.settled.find(tensor); found != grids.settled.end())
    return found->second[dimension];
  if (!producer) {
    const std::optional<std::int32_t> cut_class = grids.of_dimensions[place_of(tensor)][dimension];
    if (!cut_class) return {{0, extent}};
    const CutClass& cut = grids.cuts.classes[static_cast<std::size_t>(*cut_class)];
    return ranges_of(extent, std::max<std::int64_t>(1, cut.block / (cut.extent / extent)));
  }
  const auto v = static_cast<std::size_t>(*producer);
  const std::vector<OperationAxis>& axes = grids.of_operations[v];
  const std::vector<TensorId>& outputs = graph.operations[v].outputs;
  const auto position =
      static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), tensor) - outputs.begin());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::optional<Follows>& follows = axes[k].axis.outputs[position];
    if (!follows || static_cast<std::size_t>(follows->dimension) != dimension) continue;
    std::vector<Range> cuts = blocks_of_operation(grids, v)[k];
    for (Range& cut : cuts) cut = values_met(*follows, cut, extent);
    return cuts;
  }
  return {{0, extent}};
}

std::int64_t largest_part_bytes(const Grids& grids, const Graph& graph, std::int32_t operation) {
  const auto v = static_cast<std::size_t>(operation);
  const std::vector<std::vector<Range>> blocks = blocks_of_operation(grids, v);
  OnePart part = first_part(grids, v, blocks);
  std::int64_t largest = part_bytes(grids, graph, operation, part);
  // Axes do not know of each other, so the block of each that takes most is looked for alone.
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    Range worst = part.ranges[k];
    for (const std::size_t place : blocks_to_look_at(part.axes[k], blocks[k].size())) {
      part.ranges[k] = blocks[k][place];
      const std::int64_t bytes = part_bytes(grids, graph, operation, part);
      if (bytes <= largest) continue;
      largest = bytes;
      worst = blocks[k][place];
    }
    part.ranges[k] = worst;
  }
  return largest;
}

}  // namespace poet
