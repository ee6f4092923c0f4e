#include "poet/parts/cut_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/parts/step_in_parts.h"

namespace poet {
namespace {

// Added to what each part reads and makes by itself, so that of ways that differ little there the
// one of fewer parts comes first.
constexpr double kAddedBytes = 1024;

// So many classes are cut before anything is looked at, each halved so often at most.
constexpr std::size_t kFirstClasses = 4;
constexpr int kMostHalvings = 8;

// Ways that move more than the least by this are left out, and all but so many of the others.
constexpr double kMostMoved = 2;
constexpr std::size_t kMostWays = 8;

// Nor are those that would have so many parts together with the ones before.
constexpr double kMostPartsOfAll = 150'000;

// The next smaller block of a class: of twice as many that are as even as can be. A last one that
// is nearly empty would be a part like all others, with what it reads and puts together.
std::int64_t smaller_block(const CutClass& cut) {
  const std::int64_t count = (cut.extent + cut.block - 1) / cut.block * 2;
  const std::int64_t even = (cut.extent + count - 1) / count;
  const std::int64_t half = (even + cut.multiple - 1) / cut.multiple * cut.multiple;
  return half < cut.block ? half : (cut.block - 1) / cut.multiple * cut.multiple;
}

// Which operations are otherwise when a class is: those along it, and those that read what these
// make, or what is given, in pieces of it.
std::vector<std::vector<std::int32_t>> operations_by_class(const Grids& grids, const Graph& graph) {
  std::vector<std::set<std::int32_t>> found(grids.cuts.classes.size());
  const auto along = [&](std::size_t v) {
    std::set<std::int32_t> classes;
    for (const OperationAxis& axis : grids.of_operations[v])
      if (axis.cut_class) classes.insert(*axis.cut_class);
    return classes;
  };
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const auto operation = static_cast<std::int32_t>(v);
    for (const std::int32_t cut : along(v)) found[static_cast<std::size_t>(cut)].insert(operation);
    for (const TensorId input : graph.operations[v].inputs) {
      const auto tensor = static_cast<std::size_t>(index_of(input));
      if (const auto producer = grids.producers[tensor])
        for (const std::int32_t cut : along(static_cast<std::size_t>(*producer)))
          found[static_cast<std::size_t>(cut)].insert(operation);
      for (const std::optional<std::int32_t> cut : grids.of_dimensions[tensor])
        if (cut) found[static_cast<std::size_t>(*cut)].insert(operation);
    }
  }
  std::vector<std::vector<std::int32_t>> lists;
  for (const std::set<std::int32_t>& operations : found)
    lists.emplace_back(operations.begin(), operations.end());
  return lists;
}

// What an operation is with some cuts.
struct PartSizes {
  std::int64_t largest_bytes = 0;
  double count = 0;

  // What all parts move by themselves.
  double moved_bytes() const { return count * (kAddedBytes + static_cast<double>(largest_bytes)); }
};

// Looks at an operation only once with the same cuts of what it meets.
class KnownSizes {
 public:
  KnownSizes(const Grids& grids, const Graph& graph)
      : grids_(grids), graph_(graph), by_class_(operations_by_class(grids, graph)) {
    classes_.resize(graph.operations.size());
    for (std::size_t cut = 0; cut < by_class_.size(); ++cut)
      for (const std::int32_t v : by_class_[cut])
        classes_[static_cast<std::size_t>(v)].push_back(cut);
    sizes_.resize(classes_.size());
  }

  const Graph& graph() const { return graph_; }
  const std::vector<OperationAxis>& axes(std::int32_t v) const {
    return grids_.of_operations[static_cast<std::size_t>(v)];
  }
  const std::vector<std::vector<std::int32_t>>& by_class() const { return by_class_; }

  const PartSizes& of(const std::vector<CutClass>& cuts, std::int32_t v) {
    const auto place = static_cast<std::size_t>(v);
    std::vector<std::int64_t> blocks;
    for (const std::size_t cut : classes_[place]) blocks.push_back(cuts[cut].block);
    const auto [known, is_new] = sizes_[place].try_emplace(std::move(blocks));
    if (is_new) {
      grids_.cuts.classes = cuts;
      known->second = {largest_part_bytes(grids_, graph_, v), part_count(grids_, v)};
    }
    return known->second;
  }

 private:
  Grids grids_;  // with the cuts that were looked at last
  const Graph& graph_;
  std::vector<std::vector<std::int32_t>> by_class_;
  std::vector<std::vector<std::size_t>> classes_ = {};  // of the operations
  std::vector<std::map<std::vector<std::int64_t>, PartSizes>> sizes_ = {};
};

// Cuts, and keeps what every operation is with the cuts so far.
class Chooser {
 public:
  Chooser(ClassCuts cuts, KnownSizes& known, std::int64_t most_parts)
      : cuts_(std::move(cuts)),
        known_(&known),
        most_parts_(most_parts),
        sizes_(known.graph().operations.size()) {
    cuts_.reasons.resize(cuts_.classes.size());
    for (std::size_t v = 0; v < sizes_.size(); ++v) look_at(static_cast<std::int32_t>(v));
  }

  ClassCuts take() { return std::move(cuts_); }

  double moved_bytes() const {
    double moved = 0;
    for (const PartSizes& sizes : sizes_) moved += sizes.moved_bytes();
    return moved;
  }

  // Classes that can be cut, first those along which operations move most, cut as everything is
  // now.
  std::vector<std::int32_t> busiest_classes() const {
    std::vector<std::pair<double, std::int32_t>> found;
    for (std::size_t cut = 0; cut < cuts_.classes.size(); ++cut) {
      if (smaller_block(cuts_.classes[cut]) < cuts_.classes[cut].multiple) continue;
      double moved = 0;
      for (const std::int32_t v : known_->by_class()[cut])
        moved += sizes_[static_cast<std::size_t>(v)].moved_bytes();
      found.emplace_back(-moved, static_cast<std::int32_t>(cut));
    }
    std::sort(found.begin(), found.end());
    std::vector<std::int32_t> classes;
    for (const auto& [moved, cut] : found) classes.push_back(cut);
    return classes;
  }

  double parts() const {
    double parts = 0;
    for (const PartSizes& sizes : sizes_) parts += sizes.count;
    return parts;
  }

  // Whether it could be halved.
  bool halve(std::int32_t cut_class, const CutReason& reason) {
    CutClass& cut = cuts_.classes[static_cast<std::size_t>(cut_class)];
    const std::int64_t smaller = smaller_block(cut);
    if (smaller < cut.multiple) return false;
    cut.block = smaller;
    cuts_.reasons[static_cast<std::size_t>(cut_class)] = reason;
    for (const std::int32_t v : known_->by_class()[static_cast<std::size_t>(cut_class)]) look_at(v);
    return true;
  }

  CutReason largest() const {
    const auto worst = std::max_element(
        sizes_.begin(), sizes_.end(),
        [](const PartSizes& a, const PartSizes& b) { return a.largest_bytes < b.largest_bytes; });
    return {static_cast<std::int32_t>(worst - sizes_.begin()), worst->largest_bytes};
  }

  // Until everything fits, or more than `most_moved` is moved: then nothing is said.
  Failure run(std::int64_t most_bytes, double most_moved, const Stop& stop) {
    while (!sizes_.empty()) {
      if (stop.requested_outside()) return stopped_while_cut();
      const CutReason worst = largest();
      if (parts() > static_cast<double>(most_parts_))
        return bad_input(
            fmt::format("parts of {} would be more than {} operations, and {} would still need {}: "
                        "allow them more",
                        bytes_text(most_bytes), grouped_digits(most_parts_),
                        in_quotes(name_of(worst)), bytes_text(worst.bytes)));
      if (worst.bytes <= most_bytes || moved_bytes() > most_moved) break;
      const std::optional<std::int32_t> best = cheapest_for(worst);
      if (!best)
        return bad_input(fmt::format(
            "operation {} cannot be cut into parts of {}: it needs {} at once",
            in_quotes(name_of(worst)), bytes_text(most_bytes), grouped_digits(worst.bytes)));
      halve(*best, worst);
    }
    return std::nullopt;
  }

 private:
  void look_at(std::int32_t v) {
    sizes_[static_cast<std::size_t>(v)] = known_->of(cuts_.classes, v);
  }

  const std::string& name_of(const CutReason& reason) const {
    return known_->graph().operations[static_cast<std::size_t>(reason.operation)].name;
  }

  // The class by which an operation's largest part gets smaller at the least cost: bytes moved for
  // each halving. What hardly helps is no way on.
  std::optional<std::int32_t> cheapest_for(const CutReason& worst) {
    std::optional<std::int32_t> best;
    double least_price = 0;
    std::set<std::int32_t> tried;
    for (const OperationAxis& axis : known_->axes(worst.operation)) {
      if (!axis.cut_class || !tried.insert(*axis.cut_class).second) continue;
      CutClass& cut = cuts_.classes[static_cast<std::size_t>(*axis.cut_class)];
      const std::int64_t smaller = smaller_block(cut);
      if (smaller < cut.multiple) continue;
      const std::int64_t block = std::exchange(cut.block, smaller);
      const auto bytes =
          static_cast<double>(known_->of(cuts_.classes, worst.operation).largest_bytes);
      double added = 0;
      if (bytes <= 0.95 * static_cast<double>(worst.bytes))
        for (const std::int32_t v : known_->by_class()[static_cast<std::size_t>(*axis.cut_class)])
          added += known_->of(cuts_.classes, v).moved_bytes() -
                   sizes_[static_cast<std::size_t>(v)].moved_bytes();
      cut.block = block;
      if (bytes > 0.95 * static_cast<double>(worst.bytes)) continue;
      const double price = added / std::log2(static_cast<double>(worst.bytes) / bytes);
      if (!best || price < least_price) {
        best = axis.cut_class;
        least_price = price;
      }
    }
    return best;
  }

  ClassCuts cuts_;
  KnownSizes* known_;
  std::int64_t most_parts_;
  std::vector<PartSizes> sizes_;  // of the operations
};

// Different ways to cut, by what they move: those that move as much are the same but for names.
class Ways {
 public:
  Ways(std::int64_t most_bytes, const Stop& stop) : most_bytes_(most_bytes), stop_(stop) {}

  // Goes on from what is cut already. Fails where parts do not get as small.
  Failure add(Chooser way) {
    if (Failure failure = way.run(most_bytes_, kMostMoved * least_moved_, stop_)) return failure;
    const double moved = way.moved_bytes();
    if (way.largest().bytes > most_bytes_ || moved > kMostMoved * least_moved_) return std::nullopt;
    least_moved_ = std::min(least_moved_, moved);
    const double parts = way.parts();
    found_.try_emplace(moved, Found{way.take(), parts});
    return std::nullopt;
  }

  std::vector<ClassCuts> take() {
    std::vector<ClassCuts> best;
    double parts = 0;
    for (auto& [moved, found] : found_) {
      parts += found.parts;
      const bool is_too_much =
          best.size() == kMostWays || parts > kMostPartsOfAll || moved > kMostMoved * least_moved_;
      if (!best.empty() && is_too_much) break;
      best.push_back(std::move(found.cuts));
    }
    return best;
  }

 private:
  struct Found {
    ClassCuts cuts;
    double parts = 0;
  };

  std::int64_t most_bytes_;
  const Stop& stop_;
  double least_moved_ = std::numeric_limits<double>::max() / kMostMoved;
  std::map<double, Found> found_ = {};  // by what they move
};

}  // namespace

Result<std::vector<ClassCuts>> ways_to_cut(const Grids& grids, const Graph& graph,
                                           std::int64_t most_bytes, std::int64_t most_parts,
                                           const Stop& stop) {
  KnownSizes known(grids, graph);
  const Chooser uncut(grids.cuts, known, most_parts);
  const CutReason largest = uncut.largest();
  if (largest.bytes <= most_bytes) return std::vector<ClassCuts>{grids.cuts};
  Ways ways(most_bytes, stop);
  Failure failure = ways.add(uncut);
  std::vector<std::int32_t> first = uncut.busiest_classes();
  first.resize(std::min(first.size(), kFirstClasses));
  for (const std::int32_t cut : first) {
    Chooser begun = uncut;
    for (int halvings = 0; halvings < kMostHalvings && begun.halve(cut, largest); ++halvings)
      static_cast<void>(ways.add(begun));  // only the first says why not
  }
  if (stop.requested_outside()) return *stopped_while_cut();
  std::vector<ClassCuts> found = ways.take();
  if (found.empty()) return *failure;
  return found;
}

}  // namespace poet
