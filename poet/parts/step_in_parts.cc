#include "poet/parts/step_in_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/graph/operator.h"
#include "poet/parts/cut_choice.h"
#include "poet/parts/grids.h"
#include "poet/parts/part_order.h"
#include "poet/parts/piece_values.h"
#include "poet/parts/place_of.h"
#include "poet/parts/stages.h"

namespace poet {
namespace {

using Region = std::vector<Range>;

Shape shape_of(const Region& region) {
  Shape shape;
  for (const Range& range : region) shape.push_back(range.extent());
  return shape;
}

bool is_whole(const Region& region, const Shape& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (region[d] != Range{0, shape[d]}) return false;
  return true;
}

// "[0:64,64:128]"
std::string text_of(const Region& region) {
  std::string text = "[";
  for (const Range& range : region)
    text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", range.begin, range.end);
  return text + "]";
}

// Concat's most inputs.
constexpr std::size_t kMostJoined = 8;

// What a part costs beside what it moves, as so many bytes: on the boards that we have figures of.
constexpr double kPartBytes = 512;

class Cutting {
 public:
  Cutting(const TrainingGraph& whole, const Grids& grids, std::int64_t most_bytes, const Stop& stop)
      : whole_(whole), grids_(grids), most_bytes_(most_bytes), stop_(stop) {
    cuts_.resize(whole.graph.tensors.size());
    pieces_.resize(whole.graph.tensors.size());
  }

  // Whether it was not ended before all was done.
  bool run() {
    made_.step.graph.name = whole_.graph.name;
    add_given();
    for (const std::size_t v : whole_order_) {
      if (stop_.requested_outside()) return false;
      add_parts(v);
    }
    add_facts();
    put_in_order();
    return !stop_.requested_outside();
  }

  StepInParts take() { return std::move(made_); }

  // An estimate of what executing it costs, in bytes moved between RAM and storage.
  double cost_bytes() const {
    return moved_bytes_ + kPartBytes * static_cast<double>(made_.step.graph.operations.size());
  }

 private:
  Graph& graph() { return made_.step.graph; }
  const GraphTensor& whole_tensor(TensorId id) const { return at(whole_.graph.tensors, id); }

  std::string fresh(const std::string& name) {
    std::string candidate = name;
    for (int k = 2; !names_.insert(candidate).second; ++k)
      candidate = fmt::format("{}.{}", name, k);
    return candidate;
  }

  TensorId add(GraphTensor tensor, std::optional<PieceOf> piece) {
    made_.pieces.push_back(std::move(piece));
    tensor.name = fresh(tensor.name);
    graph().tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph().tensors.size() - 1);
  }

  // A tensor for a region of one of the whole step, which keeps its name where it is all of it.
  TensorId add_region(TensorId of, const Region& region, const std::string& suffix = {}) {
    GraphTensor tensor = whole_tensor(of);
    if (!is_whole(region, tensor.type.shape)) tensor.name += text_of(region);
    tensor.name += suffix;
    tensor.type.shape = shape_of(region);
    return add(std::move(tensor),
               suffix.empty() ? std::optional(PieceOf{of, region}) : std::nullopt);
  }

  // Asked for once for each region of a tensor.
  const std::vector<std::vector<Range>>& cuts_of_tensor(TensorId id) {
    std::vector<std::vector<Range>>& cuts = cuts_[place_of(id)];
    for (std::size_t d = cuts.size(); d < whole_tensor(id).type.shape.size(); ++d)
      cuts.push_back(cuts_of(grids_, whole_.graph, id, d));
    return cuts;
  }

  // Every combination of one range of each list, the last list fastest.
  template <typename Visit>
  static void for_each(const std::vector<std::vector<Range>>& lists, const Visit& visit) {
    Region region(lists.size());
    const auto descend = [&](const auto& self, std::size_t d) -> void {
      if (d == lists.size()) return visit(region);
      for (const Range& range : lists[d]) {
        region[d] = range;
        self(self, d + 1);
      }
    };
    descend(descend, 0);
  }

  void add_given() {
    for (std::size_t i = 0; i < whole_.graph.tensors.size(); ++i) {
      if (grids_.producers[i]) continue;
      const auto id = static_cast<TensorId>(i);
      for_each(cuts_of_tensor(id), [&](const Region& region) {
        const TensorId piece = add_region(id, region);
        pieces_[i].emplace(shape_key(region), piece);
        const GraphTensor& whole = whole_tensor(id);
        if (!is_whole(region, whole.type.shape))
          made_.step.pieces.emplace(piece, TensorPiece{whole.name, whole.type, region});
        if (const auto initial = whole_.initial.find(id); initial != whole_.initial.end())
          made_.step.initial.emplace(piece, initial_of_piece(initial->second, whole.type, region));
      });
    }
  }

  static std::vector<std::int64_t> shape_key(const Region& region) {
    std::vector<std::int64_t> key;
    key.reserve(2 * region.size());  // asked for every piece, several times
    for (const Range& range : region) {
      key.push_back(range.begin);
      key.push_back(range.end);
    }
    return key;
  }

  void add_operation(std::string name, Operator kind, Attributes attributes,
                     std::vector<TensorId> inputs, std::vector<TensorId> outputs, bool backward) {
    places_.push_back(current_);
    graph().operations.push_back({.name = fresh_operation(name),
                                  .kind = kind,
                                  .attributes = std::move(attributes),
                                  .inputs = std::move(inputs),
                                  .outputs = std::move(outputs),
                                  .backward = backward});
  }

  std::string fresh_operation(const std::string& name) {
    std::string candidate = name;
    for (int k = 2; !operation_names_.insert(candidate).second; ++k)
      candidate = fmt::format("{}.{}", name, k);
    return candidate;
  }

  // The tensor that holds a region, put together from the pieces of the tensor where it is none of
  // them.
  TensorId region_of(TensorId of, const Region& region, bool backward) {
    auto& pieces = pieces_[place_of(of)];
    if (const auto found = pieces.find(shape_key(region)); found != pieces.end())
      return found->second;
    const TensorId made = joined(of, region, backward);
    pieces.emplace(shape_key(region), made);
    return made;
  }

  // Along the first dimension in which several pieces meet the region, the parts of each; where
  // one piece holds all, a slice of it.
  TensorId joined(TensorId of, const Region& region, bool backward) {
    const std::vector<std::vector<Range>>& cuts = cuts_of_tensor(of);
    Region holder = region;
    for (std::size_t d = 0; d < region.size(); ++d) {
      std::vector<Range> met;
      for (const Range& cut : cuts[d])
        if (cut.end > region[d].begin && cut.begin < region[d].end) met.push_back(cut);
      if (met.size() == 1) {
        holder[d] = met[0];
        continue;
      }
      std::vector<Region> parts;
      for (const Range& cut : met) {
        Region part = region;
        part[d] = {std::max(cut.begin, region[d].begin), std::min(cut.end, region[d].end)};
        parts.push_back(std::move(part));
      }
      return concatenated(of, std::move(parts), d, backward);
    }
    const TensorId from = region_of(of, holder, backward);
    SliceAttributes slice;
    for (std::size_t d = 0; d < region.size(); ++d) {
      slice.start.push_back(region[d].begin - holder[d].begin);
      slice.step.push_back(1);
      slice.extent.push_back(region[d].extent());
    }
    return copy(of, region, Operator::Slice, slice, {from}, backward);
  }

  TensorId concatenated(TensorId of, std::vector<Region> parts, std::size_t d, bool backward) {
    while (parts.size() > 1) {
      std::vector<Region> longer;
      for (std::size_t k = 0; k < parts.size(); k += kMostJoined) {
        const std::size_t end = std::min(k + kMostJoined, parts.size());
        Region all = parts[k];
        all[d].end = parts[end - 1][d].end;
        longer.push_back(all);
        if (end - k == 1) continue;
        std::vector<TensorId> inputs;
        for (std::size_t i = k; i < end; ++i) inputs.push_back(region_of(of, parts[i], backward));
        auto& pieces = pieces_[place_of(of)];
        if (pieces.count(shape_key(all)) == 0)
          pieces.emplace(shape_key(all), copy(of, all, Operator::Concat,
                                              AxisAttributes{static_cast<std::int64_t>(d)},
                                              std::move(inputs), backward));
      }
      parts = std::move(longer);
    }
    return pieces_[place_of(of)].at(shape_key(parts[0]));
  }

  TensorId copy(TensorId of, const Region& region, Operator kind, Attributes attributes,
                std::vector<TensorId> inputs, bool backward) {
    GraphTensor tensor = whole_tensor(of);
    tensor.name += text_of(region);
    tensor.type.shape = shape_of(region);
    tensor.home = Home::Made;
    if (tensor.role != TensorRole::Gradient) tensor.role = TensorRole::Activation;
    const std::string name = tensor.name;
    const TensorId made = add(std::move(tensor), PieceOf{of, region});
    add_operation(name, kind, std::move(attributes), std::move(inputs), {made}, backward);
    return made;
  }

  // All parts of one operation: those that are independent one after the other, and of each the
  // parts that go on with its sum.
  void add_parts(std::size_t v) {
    const GraphOperation& operation = whole_.graph.operations[v];
    const OperationTypes& types = grids_.types[v];
    std::vector<PartAxis> axes;
    std::vector<std::size_t> independent;
    std::vector<std::size_t> continued;
    std::vector<std::vector<Range>> independent_blocks;
    std::vector<std::vector<Range>> continued_blocks;
    const std::vector<std::vector<Range>> blocks = blocks_of_operation(grids_, v);
    for (const OperationAxis& axis : grids_.of_operations[v]) {
      const bool is_summed = axis.axis.kind == AxisKind::Continued;
      (is_summed ? continued : independent).push_back(axes.size());
      (is_summed ? continued_blocks : independent_blocks).push_back(blocks[axes.size()]);
      axes.push_back(axis.axis);
    }
    std::size_t sum_parts = 1;
    for (const std::vector<Range>& summed : continued_blocks) sum_parts *= summed.size();
    for_each(independent_blocks, [&](const Region& outside) {
      std::vector<TensorId> sums;
      std::size_t part = 0;
      for_each(continued_blocks, [&](const Region& inside) {
        std::vector<Range> ranges(axes.size());
        for (std::size_t k = 0; k < independent.size(); ++k) ranges[independent[k]] = outside[k];
        for (std::size_t k = 0; k < continued.size(); ++k) ranges[continued[k]] = inside[k];
        const bool last = ++part == sum_parts;
        current_ = {static_cast<std::int32_t>(v), block_numbers(ranges, blocks)};
        const PartOperation parted = part_operation(types, axes, ranges, part == 1, last);
        std::vector<TensorId> inputs;
        const auto add_sums = [&] {
          if (parted.inputs_before_sum &&
              static_cast<int>(inputs.size()) == *parted.inputs_before_sum)
            inputs.insert(inputs.end(), sums.begin(), sums.end());
        };
        for (const int i : parted.inputs) {
          add_sums();
          const auto position = static_cast<std::size_t>(i);
          inputs.push_back(region_of(operation.inputs[position],
                                     part_of_input(types, axes, ranges, position),
                                     operation.backward));
        }
        add_sums();
        if (is_copy(parted, types, axes, ranges)) {
          pieces_[place_of(operation.outputs[0])].emplace(
              shape_key(part_of_output(types, axes, ranges, 0)), inputs[0]);
          return;
        }
        std::vector<TensorId> outputs;
        for (std::size_t o = 0; o < operation.outputs.size(); ++o) {
          const Region region = part_of_output(types, axes, ranges, o);
          const TensorId made =
              add_region(operation.outputs[o], region, last ? "" : fmt::format("+{}", part));
          if (last) pieces_[place_of(operation.outputs[o])].emplace(shape_key(region), made);
          outputs.push_back(made);
        }
        if (!last) sums = outputs;
        std::string name = operation.name;
        if (independent_blocks.size() + continued_blocks.size() > 0) {
          const TensorId out = outputs[0];
          const std::string& made_name = at(graph().tensors, out).name;
          const std::string& whole_name = whole_tensor(operation.outputs[0]).name;
          if (made_name.size() > whole_name.size()) name += made_name.substr(whole_name.size());
        }
        add_operation(name, parted.kind, parted.attributes, std::move(inputs), std::move(outputs),
                      operation.backward);
      });
    });
  }

  // A part of a slice or a concatenation that is a region of its input is that.
  static bool is_copy(const PartOperation& part, const OperationTypes& types,
                      const std::vector<PartAxis>& axes, const std::vector<Range>& ranges) {
    const bool is_cut = std::any_of(axes.begin(), axes.end(), [&](const PartAxis& axis) {
      const auto k = static_cast<std::size_t>(&axis - axes.data());
      return ranges[k] != Range{0, axis.extent};
    });
    if (!is_cut || part.inputs.size() != 1) return false;
    if (part.kind != Operator::Slice && part.kind != Operator::Concat) return false;
    if (const auto* const slice = std::get_if<SliceAttributes>(&part.attributes))
      if (std::any_of(slice->step.begin(), slice->step.end(),
                      [](std::int64_t step) { return step != 1; }))
        return false;
    return shape_of(part_of_input(types, axes, ranges, static_cast<std::size_t>(part.inputs[0]))) ==
           shape_of(part_of_output(types, axes, ranges, 0));
  }

  static std::vector<std::int32_t> block_numbers(const std::vector<Range>& ranges,
                                                 const std::vector<std::vector<Range>>& blocks) {
    std::vector<std::int32_t> numbers;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      numbers.push_back(static_cast<std::int32_t>(ranges[k].begin / blocks[k][0].extent()));
    return numbers;
  }

  void put_in_order() {
    const PartOrder order =
        part_order(whole_, grids_, whole_order_, made_.step, places_, most_bytes_, stop_);
    moved_bytes_ = order.moved_bytes;
    std::vector<GraphOperation> operations;
    for (const std::int32_t v : order.parts)
      operations.push_back(std::move(graph().operations[static_cast<std::size_t>(v)]));
    graph().operations = std::move(operations);
  }

  std::vector<TensorId> pieces_by_cuts(TensorId id) {
    std::vector<TensorId> found;
    for_each(cuts_of_tensor(id), [&](const Region& region) {
      found.push_back(pieces_[place_of(id)].at(shape_key(region)));
    });
    return found;
  }

  // The old value is cut as other forms of the step cut it, which may be otherwise than the new one
  // is made: then that is cut again.
  void add_replacement(const Replacement& replacement) {
    if (const auto& producer = grids_.producers[place_of(replacement.new_value)])
      current_ = {*producer, {}};
    for_each(cuts_of_tensor(replacement.old_value), [&](const Region& region) {
      const TensorId piece = pieces_[place_of(replacement.old_value)].at(shape_key(region));
      const TensorId in_place_of_it = region_of(replacement.new_value, region, true);
      made_.step.replacements.push_back({piece, in_place_of_it});
      replaced_by_.emplace(piece, in_place_of_it);
    });
  }

  void add_facts() {
    TrainingGraph& step = made_.step;
    for (const TensorId output : whole_.graph.outputs) {
      const Shape& shape = whole_tensor(output).type.shape;
      Region all;
      for (const std::int64_t extent : shape) all.push_back({0, extent});
      current_ = {*grids_.producers[place_of(output)], {}};
      const TensorId made = region_of(output, all, false);
      step.graph.outputs.push_back(made);
    }
    if (!whole_.graph.outputs.empty()) step.loss = pieces_by_cuts(whole_.loss)[0];
    for (const Replacement& replacement : whole_.replacements) add_replacement(replacement);
    for (const TrainedParameter& trained : whole_.trained) add_trained(trained);
    for (const NamedTensor& input : whole_.inputs)
      for (const TensorId piece : pieces_by_cuts(input.tensor))
        step.inputs.push_back({input.name, piece});
    for (const TensorId labels : whole_.labels) {
      const std::vector<TensorId> pieces = pieces_by_cuts(labels);
      step.labels.insert(step.labels.end(), pieces.begin(), pieces.end());
    }
    if (whole_.share) step.share = pieces_by_cuts(*whole_.share)[0];
    if (whole_.step) step.step = pieces_by_cuts(*whole_.step)[0];
    step.part_bytes = most_bytes_;
    step.parameters = whole_.parameters;
    step.form = whole_.form;
    step.notes = whole_.notes;
  }

  std::vector<TensorId> in_place_of(const std::vector<TensorId>& old_values) const {
    std::vector<TensorId> new_values;
    for (const TensorId old_value : old_values) new_values.push_back(replaced_by_.at(old_value));
    return new_values;
  }

  void add_trained(const TrainedParameter& trained) {
    const std::vector<TensorId> parameters = pieces_by_cuts(trained.parameter);
    const auto of = [&](const std::optional<TensorId>& id) {
      std::vector<TensorId> pieces;
      if (id) pieces = pieces_by_cuts(*id);
      return pieces.size() == parameters.size() ? pieces : std::vector<TensorId>{};
    };
    const std::vector<TensorId> gradients = of(trained.gradient);
    const std::vector<TensorId> accumulators = of(trained.accumulator);
    const std::vector<TensorId> new_values =
        trained.new_value ? in_place_of(parameters) : std::vector<TensorId>{};
    std::vector<std::vector<TensorId>> states;
    for (const TensorId state : trained.states) states.push_back(pieces_by_cuts(state));
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      TrainedParameter piece{.parameter = parameters[k]};
      if (!gradients.empty()) piece.gradient = gradients[k];
      if (!accumulators.empty()) piece.accumulator = accumulators[k];
      if (!new_values.empty()) piece.new_value = new_values[k];
      for (const std::vector<TensorId>& pieces : states) piece.states.push_back(pieces[k]);
      if (!trained.new_states.empty()) piece.new_states = in_place_of(piece.states);
      made_.step.trained.push_back(std::move(piece));
    }
  }

  const TrainingGraph& whole_;
  std::vector<std::size_t> whole_order_ = order_with_early_updates(whole_);
  const Grids& grids_;
  std::int64_t most_bytes_ = 0;
  const Stop& stop_;
  StepInParts made_ = {};
  double moved_bytes_ = 0;
  // Of each tensor of the whole step: what it is cut into along each dimension, and those that hold
  // a region of it.
  std::vector<std::vector<std::vector<Range>>> cuts_ = {};
  std::vector<std::map<std::vector<std::int64_t>, TensorId>> pieces_ = {};
  std::vector<PlacedPart> places_ = {};  // of the operations
  PlacedPart current_ = {};
  std::map<TensorId, TensorId> replaced_by_ = {};  // pieces
  std::set<std::string> names_ = {};
  std::set<std::string> operation_names_ = {};
};

KnownCuts cuts_of_all(const Graph& graph, const Grids& grids) {
  KnownCuts all;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    std::vector<std::vector<Range>> cuts;
    for (std::size_t d = 0; d < graph.tensors[i].type.shape.size(); ++d)
      cuts.push_back(cuts_of(grids, graph, static_cast<TensorId>(i), d));
    all.add(graph.tensors[i].name, std::move(cuts));
  }
  return all;
}

// The one that costs least by what its order moves, of those that there was time for.
Result<StepInParts> cheapest(const TrainingGraph& staged, Grids& grids,
                             const std::vector<ClassCuts>& ways, std::int64_t most_bytes,
                             const Stop& stop) {
  StepInParts best;
  const ClassCuts* best_way = nullptr;
  double least = 0;
  for (const ClassCuts& way : ways) {
    grids.cuts = way;
    Cutting cutting(staged, grids, most_bytes, stop);
    if (!cutting.run()) break;
    const double cost = cutting.cost_bytes();
    if (best_way != nullptr && cost >= least) continue;
    best = cutting.take();
    best_way = &way;
    least = cost;
  }
  if (best_way == nullptr) return *stopped_while_cut();
  grids.cuts = *best_way;
  best.cuts = cuts_made(staged.graph, grids);
  best.all_cuts = cuts_of_all(staged.graph, grids);
  return best;
}

void settle(const TrainingGraph& step, const KnownCuts& known, Grids& grids) {
  const auto settle_whole = [&](TensorId tensor) {
    std::vector<std::vector<Range>>& cuts = grids.settled[tensor];
    cuts.clear();
    for (const std::int64_t extent : at(step.graph.tensors, tensor).type.shape)
      cuts.push_back({{0, extent}});
  };
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i) {
    const auto* const cuts = known.find(step.graph.tensors[i].name);
    if (cuts == nullptr || cuts->size() != grids.of_dimensions[i].size()) continue;
    if (!grids.producers[i]) grids.settled[static_cast<TensorId>(i)] = *cuts;
    // What reads it is cut in the same way from the start: it would have to be put together.
    for (std::size_t d = 0; d < cuts->size(); ++d) {
      const std::optional<std::int32_t> cut_class = grids.of_dimensions[i][d];
      if (!cut_class) continue;
      CutClass& cut = grids.cuts.classes[static_cast<std::size_t>(*cut_class)];
      const std::int64_t block =
          (*cuts)[d][0].extent() * (cut.extent / step.graph.tensors[i].type.shape[d]);
      if (block % cut.multiple == 0) cut.block = std::min(cut.block, block);
    }
  }
  // Who fills it in knows it whole.
  if (step.step) settle_whole(*step.step);
}

Result<StepInParts> cut_stages(const TrainingGraph& staged, std::int64_t most_bytes,
                               const KnownCuts& known, std::int64_t most_parts, const Stop& stop,
                               bool by_slices) {
  Grids grids = uncut_grids(staged.graph, by_slices);
  settle(staged, known, grids);
  const Result<std::vector<ClassCuts>> ways =
      ways_to_cut(grids, staged.graph, most_bytes, most_parts, stop);
  if (!ways.ok()) return ways.error();
  return cheapest(staged, grids, *ways, most_bytes, stop);
}

std::int64_t most_needed_bytes(const Grids& grids, const Graph& graph) {
  std::int64_t bytes = 0;
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    bytes = std::max(bytes, largest_part_bytes(grids, graph, static_cast<std::int32_t>(v)));
  return bytes;
}

}  // namespace

void KnownCuts::add(const TensorPiece& piece) {
  std::vector<std::vector<Range>>& cuts = cuts_[piece.whole];
  cuts.resize(piece.values.size());
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    const auto place =
        std::lower_bound(cuts[d].begin(), cuts[d].end(), piece.values[d],
                         [](const Range& a, const Range& b) { return a.begin < b.begin; });
    if (place == cuts[d].end() || *place != piece.values[d]) cuts[d].insert(place, piece.values[d]);
  }
}

void KnownCuts::add_whole(const GraphTensor& tensor) {
  std::vector<std::vector<Range>>& cuts = cuts_[tensor.name];
  cuts.clear();
  for (const std::int64_t extent : tensor.type.shape) cuts.push_back({{0, extent}});
}

void KnownCuts::add(const std::string& name, std::vector<std::vector<Range>> cuts) {
  cuts_[name] = std::move(cuts);
}

const std::vector<std::vector<Range>>* KnownCuts::find(const std::string& name) const {
  const auto found = cuts_.find(name);
  return found == cuts_.end() ? nullptr : &found->second;
}

Result<StepInParts> step_in_parts(const TrainingGraph& whole, std::int64_t most_bytes,
                                  const KnownCuts& known, std::int64_t most_parts, const Stop& stop,
                                  bool by_slices) {
  TrainingGraph staged = with_stages(whole, most_bytes);
  Result<StepInParts> made = cut_stages(staged, most_bytes, known, most_parts, stop, by_slices);
  if (!made.ok() && !stop.requested_outside()) {
    // What could not be cut as far by its rows, as others lie along them, may be by stages.
    TrainingGraph all_stages = with_stages(whole, 0);
    if (all_stages.graph.operations.size() == staged.graph.operations.size()) return made;
    Result<StepInParts> finer =
        cut_stages(all_stages, most_bytes, known, most_parts, stop, by_slices);
    if (!finer.ok()) return made;
    made = std::move(finer);
    staged = std::move(all_stages);
  }
  if (!made.ok()) return made;
  made->homes = home_traffic(whole);
  made->needs_slices =
      by_slices && most_needed_bytes(uncut_grids(staged.graph, false), staged.graph) > most_bytes;
  return made;
}

}  // namespace poet
