#include "poet/parts/part_order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operator.h"
#include "poet/parts/moved_bytes.h"
#include "poet/parts/place_of.h"

namespace poet {
namespace {

// What must come behind each operation: what reads what it makes and, of a reader of an old value,
// the update. All in one list, which is gone through for thousands of orders.
class After {
 public:
  explicit After(const TrainingGraph& step);

  std::span<const std::int32_t> of(std::int32_t operation) const {
    const auto v = static_cast<std::size_t>(operation);
    return {next_.data() + first_[v], next_.data() + first_[v + 1]};
  }

  // How many each waits for.
  std::vector<std::int32_t> waits() const {
    std::vector<std::int32_t> waits(first_.size() - 1);
    for (const std::int32_t then : next_) ++waits[static_cast<std::size_t>(then)];
    return waits;
  }

 private:
  std::vector<std::int32_t> next_ = {};
  std::vector<std::size_t> first_ = {0};  // of each operation, and behind the last
};

After::After(const TrainingGraph& step) {
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
  const auto add = [&](std::int32_t before, std::int32_t then) {
    if (before != then) after[static_cast<std::size_t>(before)].push_back(then);
  };
  for (std::size_t v = 0; v < graph.operations.size(); ++v)
    for (const TensorId input : graph.operations[v].inputs)
      if (producer[place_of(input)]) add(*producer[place_of(input)], static_cast<std::int32_t>(v));
  for (const Replacement& replacement : step.replacements) {
    const std::optional<std::int32_t> update = producer[place_of(replacement.new_value)];
    if (!update) continue;
    for (const std::int32_t reader : readers[place_of(replacement.old_value)]) add(reader, *update);
  }
  for (const std::vector<std::int32_t>& next : after) {
    next_.insert(next_.end(), next.begin(), next.end());
    first_.push_back(next_.size());
  }
}

// Parts in the order of loops around their operations.
class Sequences {
 public:
  Sequences(const Graph& whole, const Grids& grids, const TrainingGraph& step,
            const std::vector<PlacedPart>& places, std::int64_t room_bytes)
      : grids_(grids),
        places_(places),
        after_(step),
        waits_(places.size()),
        parts_(whole.operations.size()),
        rank_(places.size(), kNotAmong),
        estimate_(step, flags(step, places, grids.meets_rows),
                  flags(step, places, grids.makes_slices), room_bytes) {
    for (std::size_t v = 0; v < places.size(); ++v)
      parts_[static_cast<std::size_t>(places[v].operation)].push_back(static_cast<std::int32_t>(v));
  }

  // All parts of these operations: by their places in the loops, but behind what they need. Holds
  // until the next ones are asked for.
  const std::vector<std::int32_t>& of(const Loops& loops, const std::vector<std::size_t>& list) {
    sort_by_places(loops, list);
    for (std::size_t r = 0; r < order_.size(); ++r)
      rank_[static_cast<std::size_t>(order_[r])] = static_cast<std::int32_t>(r);
    // Mostly their places say so already.
    if (!stand_behind_what_they_need()) move_behind_what_they_need();
    for (const std::int32_t v : order_) rank_[static_cast<std::size_t>(v)] = kNotAmong;
    return order_;
  }

  double moved_bytes(const Loops& loops, const std::vector<std::size_t>& list) {
    return estimate_.moved_bytes(of(loops, list));
  }

  double moved_bytes(const std::vector<std::int32_t>& order) {
    return estimate_.moved_bytes(order);
  }

 private:
  static constexpr std::int32_t kNotAmong = -1;

  // Of a part: which of the numbers say where it stands.
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t number = 0;  // of them all
    std::int32_t part = 0;
  };

  bool stand_behind_what_they_need() const {
    for (std::size_t r = 0; r < order_.size(); ++r)
      for (const std::int32_t next : after_.of(order_[r])) {
        const std::int32_t rank = rank_[static_cast<std::size_t>(next)];
        if (rank != kNotAmong && rank < static_cast<std::int32_t>(r)) return false;
      }
    return true;
  }

  void count_waits() {
    for (const std::int32_t v : order_) waits_[static_cast<std::size_t>(v)] = 0;
    for (const std::int32_t v : order_)
      for (const std::int32_t next : after_.of(v))
        if (rank_[static_cast<std::size_t>(next)] != kNotAmong)
          ++waits_[static_cast<std::size_t>(next)];
  }

  // Of those that need nothing that is still to come, always the first. Most are met in their
  // order; only what had to wait when it was passed stands in a queue.
  void move_behind_what_they_need() {
    count_waits();
    std::int32_t met = 0;
    moved_.clear();
    while (moved_.size() < order_.size()) {
      moved_.push_back(take_first(met));
      for (const std::int32_t next : after_.of(moved_.back())) {
        const std::int32_t rank = rank_[static_cast<std::size_t>(next)];
        if (rank != kNotAmong && --waits_[static_cast<std::size_t>(next)] == 0 && rank < met)
          passed_.push(rank);
      }
    }
    order_.swap(moved_);
  }

  // The first that waits for nothing. `met`: how many were met.
  std::int32_t take_first(std::int32_t& met) {
    if (!passed_.empty()) {
      const std::int32_t v = at_rank(passed_.top());
      passed_.pop();
      return v;
    }
    while (waits_[static_cast<std::size_t>(at_rank(met))] > 0) ++met;
    return at_rank(met++);
  }

  std::int32_t at_rank(std::int32_t rank) const {
    POET_CHECK(rank < static_cast<std::int32_t>(order_.size()));
    return order_[static_cast<std::size_t>(rank)];
  }

  // All parts of these operations, by their places in the loops alone.
  void sort_by_places(const Loops& loops, const std::vector<std::size_t>& list) {
    find_places(loops, list);
    if (number_places())
      std::sort(sorted_.begin(), sorted_.end(), [](const Place& a, const Place& b) {
        return a.number != b.number ? a.number < b.number : a.part < b.part;
      });
    else
      std::sort(sorted_.begin(), sorted_.end(),
                [this](const Place& a, const Place& b) { return is_before(a, b); });
    order_.clear();
    for (const Place& place : sorted_) order_.push_back(place.part);
  }

  void find_places(const Loops& loops, const std::vector<std::size_t>& list) {
    sorted_.clear();
    numbers_.clear();
    for (const std::size_t operation : list) {
      of_operation_.turn_to(loops, grids_, operation);
      for (const std::int32_t v : parts_[operation]) {
        const std::size_t begin = numbers_.size();
        of_operation_.append(places_[static_cast<std::size_t>(v)], numbers_);
        sorted_.push_back({.begin = begin, .end = numbers_.size(), .part = v});
      }
    }
  }

  // Makes one number of those of each place, the first on top, which is compared at once. Each has
  // as many bits as the largest that stands where it does, none is the least. Whether these are few
  // enough.
  bool number_places() {
    constexpr std::int32_t kLeast = kBeforeBlocks - 1;
    most_.clear();
    for (const Place& place : sorted_) {
      if (most_.size() < place.end - place.begin) most_.resize(place.end - place.begin);
      for (std::size_t i = place.begin; i < place.end; ++i)
        most_[i - place.begin] = std::max(most_[i - place.begin], numbers_[i] - kLeast);
    }
    int all_bits = 0;
    for (std::int32_t& most : most_)
      all_bits += most = std::bit_width(static_cast<std::uint32_t>(most));
    if (all_bits > std::numeric_limits<std::uint64_t>::digits) return false;
    for (Place& place : sorted_)
      for (std::size_t k = 0; k < most_.size(); ++k)
        place.number = place.number << most_[k] |
                       (place.begin + k < place.end
                            ? static_cast<std::uint64_t>(numbers_[place.begin + k] - kLeast)
                            : 0);
    return true;
  }

  bool is_before(const Place& a, const Place& b) const {
    const std::int32_t* const numbers = numbers_.data();
    const auto [in_a, in_b] =
        std::mismatch(numbers + a.begin, numbers + a.end, numbers + b.begin, numbers + b.end);
    const bool a_ends = in_a == numbers + a.end;
    const bool b_ends = in_b == numbers + b.end;
    if (a_ends || b_ends) return a_ends && b_ends ? a.part < b.part : a_ends;
    return *in_a < *in_b;
  }

  // Of the parts: what is said of their operations, but not of what puts regions together for them.
  static std::vector<bool> flags(const TrainingGraph& step, const std::vector<PlacedPart>& places,
                                 const std::vector<bool>& of_operations) {
    std::vector<bool> found;
    for (std::size_t v = 0; v < places.size(); ++v) {
      const Operator kind = step.graph.operations[v].kind;
      found.push_back(kind != Operator::Slice && kind != Operator::Concat &&
                      of_operations[static_cast<std::size_t>(places[v].operation)]);
    }
    return found;
  }

  const Grids& grids_;
  const std::vector<PlacedPart>& places_;
  After after_;
  std::vector<std::int32_t> waits_;
  std::vector<std::vector<std::int32_t>> parts_;  // of the operations of the whole step
  std::vector<std::int32_t> rank_;
  PlacesInLoops of_operation_ = {};
  std::vector<std::int32_t> numbers_ = {};  // of places, while parts are sorted
  std::vector<std::int32_t> most_ = {};     // the largest where each number stands, then its bits
  std::vector<Place> sorted_ = {};
  std::vector<std::int32_t> order_ = {};
  std::vector<std::int32_t> moved_ = {};  // the next order, while it is made
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> passed_ = {};
  PagingEstimate estimate_;
};

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
  const After after(whole);
  std::vector<std::int32_t> waits = after.waits();
  std::vector<std::size_t> order;
  std::vector<bool> done(whole.graph.operations.size());
  const auto run = [&](const auto& self, std::size_t v) -> void {
    const std::span<const std::int32_t> behind = after.of(static_cast<std::int32_t>(v));
    order.push_back(v);
    done[v] = true;
    for (const std::int32_t next : behind) --waits[static_cast<std::size_t>(next)];
    for (const std::int32_t next : behind) {
      const auto then = static_cast<std::size_t>(next);
      if (late[then] && waits[then] == 0 && !done[then]) self(self, then);
    }
  };
  for (std::size_t v = 0; v < whole.graph.operations.size(); ++v)
    if (!late[v]) run(run, v);
  // What waits for nothing that is not for updates itself.
  for (std::size_t v = 0; v < done.size(); ++v)
    if (!done[v]) order.push_back(v);
  POET_CHECK(order.size() == whole.graph.operations.size());
  return order;
}

PartOrder part_order(const TrainingGraph& whole, const Grids& grids,
                     const std::vector<std::size_t>& whole_order, const TrainingGraph& step,
                     const std::vector<PlacedPart>& places, std::int64_t room_bytes,
                     const Stop& stop) {
  Sequences sequences(whole.graph, grids, step, places, room_bytes);
  const Loops loops(whole.graph, grids, whole_order,
                    [&](const Loops& tried, const std::vector<std::size_t>& list) {
                      return stop.requested_outside() ? 0 : sequences.moved_bytes(tried, list);
                    });
  PartOrder order;
  order.parts = sequences.of(loops, whole_order);
  POET_CHECK(order.parts.size() == places.size());
  order.moved_bytes = sequences.moved_bytes(order.parts);
  return order;
}

}  // namespace poet
