#include "poet/autodiff/order.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "poet/autodiff/order_traffic.h"
#include "poet/autodiff/order_units.h"
#include "poet/base/check.h"

namespace poet {
namespace {

// Below, the operations of a step are the units of order_units.h, up to the answer.

std::size_t place(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// What is to be lowered: the peak, then how often it is reached.
struct Height {
  std::int64_t peak_bytes = 0;
  std::int64_t times = 0;

  bool operator<(const Height& other) const {
    return std::pair(peak_bytes, times) < std::pair(other.peak_bytes, other.times);
  }
};

struct Candidate {
  Order order = {};
  std::vector<std::int64_t> bytes = {};  // in use, by position
  Height height = {};
};

Candidate measured(const OrderUnits& units, const StepMemory& memory, Order order) {
  Candidate candidate{.order = std::move(order)};
  candidate.bytes = bytes_in_use(units, memory, candidate.order);
  if (candidate.bytes.empty()) return candidate;
  const auto peak = std::max_element(candidate.bytes.begin(), candidate.bytes.end());
  candidate.height = {*peak, std::count(candidate.bytes.begin(), candidate.bytes.end(), *peak)};
  return candidate;
}

// --- Greedy orders

enum class Patience {
  None,        // always what frees most, or takes least
  UntilFrees,  // what frees something, and otherwise the next in the graph's order
};

// Lists operations one after the other, of those whose predecessors are all listed.
struct Greedy {
  const StepMemory& memory;
  Patience patience{};
  std::vector<std::vector<std::int32_t>> after = {};
  std::vector<std::int32_t> waits_for = {};  // so many operations, for each
  std::vector<std::int32_t> uses_left = {};
  std::vector<bool> in_ram = {};
  std::vector<std::int32_t> ready = {};

  void prepare() {
    const std::size_t count = memory.operations.size();
    after.resize(count);
    waits_for.resize(count);
    uses_left.resize(memory.bytes.size());
    in_ram.resize(memory.bytes.size());
    for (std::size_t v = 0; v < count; ++v) {
      for (const std::int32_t earlier : memory.before[v])
        after[place(earlier)].push_back(static_cast<std::int32_t>(v));
      waits_for[v] = static_cast<std::int32_t>(memory.before[v].size());
      for (const std::int32_t buffer : memory.operations[v].reads) ++uses_left[place(buffer)];
      if (waits_for[v] == 0) ready.push_back(static_cast<std::int32_t>(v));
    }
  }

  // By how much RAM in use is more after the operation than before.
  std::int64_t growth(std::int32_t v) const {
    const MemoryUse& use = memory.operations[place(v)];
    std::int64_t bytes = 0;
    for (const std::int32_t buffer : use.reads) {
      if (!in_ram[place(buffer)]) bytes += memory.bytes[place(buffer)];
      if (uses_left[place(buffer)] == 1) bytes -= memory.bytes[place(buffer)];
    }
    for (const std::int32_t buffer : use.makes)
      if (uses_left[place(buffer)] > 0) bytes += memory.bytes[place(buffer)];
    return bytes;
  }

  std::int64_t badness(std::int32_t v) const {
    const std::int64_t bytes = growth(v);
    return patience == Patience::UntilFrees && bytes >= 0 ? 0 : bytes;
  }

  // Of equal ones the first in the graph's order.
  std::int32_t choose() {
    auto best = ready.begin();
    std::int64_t least = badness(*best);
    for (auto candidate = ready.begin() + 1; candidate != ready.end(); ++candidate) {
      const std::int64_t bytes = badness(*candidate);
      if (std::pair(bytes, *candidate) >= std::pair(least, *best)) continue;
      best = candidate;
      least = bytes;
    }
    const std::int32_t chosen = *best;
    ready.erase(best);
    return chosen;
  }

  void list(std::int32_t v) {
    const MemoryUse& use = memory.operations[place(v)];
    for (const std::int32_t buffer : use.reads) {
      in_ram[place(buffer)] = true;
      --uses_left[place(buffer)];
    }
    for (const std::int32_t buffer : use.makes) in_ram[place(buffer)] = true;
    for (const std::int32_t later : after[place(v)])
      if (--waits_for[place(later)] == 0) ready.push_back(later);
  }
};

Order greedy_order(const StepMemory& memory, Patience patience) {
  Greedy greedy{.memory = memory, .patience = patience};
  greedy.prepare();
  Order order;
  while (!greedy.ready.empty()) {
    order.push_back(greedy.choose());
    greedy.list(order.back());
  }
  POET_CHECK(order.size() == memory.operations.size());
  return order;
}

// --- Moves at the worst moment

// Before and after which position each buffer is needed in an order.
struct Life {
  std::optional<std::int32_t> made_at = {};  // positions
  std::vector<std::int32_t> used_at = {};    // increasing
};

std::vector<Life> lives(const StepMemory& memory, const Order& order) {
  std::vector<Life> all(memory.bytes.size());
  for (std::size_t position = 0; position < order.size(); ++position) {
    const MemoryUse& use = memory.operations[place(order[position])];
    for (const std::int32_t buffer : use.makes)
      all[place(buffer)].made_at = static_cast<std::int32_t>(position);
    for (const std::int32_t buffer : use.reads)
      all[place(buffer)].used_at.push_back(static_cast<std::int32_t>(position));
  }
  return all;
}

struct Searcher {
  const OrderUnits& units;
  const StepMemory& of_operations;
  std::int64_t most_orders = 0;
  const StepMemory& memory = units.memory;
  std::vector<std::vector<std::int32_t>> after = {};
  std::int64_t orders = 0;

  bool is_out_of_effort() const { return orders >= most_orders; }

  Candidate measure(Order order) {
    ++orders;
    return measured(units, of_operations, std::move(order));
  }

  // The order in which the operations at `uses` stand before position `worst`, with all that they
  // need; nothing when they need the operation there.
  std::optional<Order> pulled(const Order& order, const std::vector<std::int32_t>& uses,
                              std::int32_t worst) const {
    std::vector<bool> moves(order.size());  // by operation
    for (const std::int32_t position : uses)
      if (position > worst) moves[place(order[place(position)])] = true;
    for (std::int32_t position = uses.back(); position > worst; --position) {
      const std::int32_t v = order[place(position)];
      if (!moves[place(v)]) continue;
      for (const std::int32_t earlier : memory.before[place(v)]) moves[place(earlier)] = true;
    }
    if (moves[place(order[place(worst)])]) return std::nullopt;
    Order changed(order.begin(), order.begin() + worst);
    for (std::size_t position = place(worst); position < order.size(); ++position)
      if (moves[place(order[position])]) changed.push_back(order[position]);
    for (std::size_t position = place(worst); position < order.size(); ++position)
      if (!moves[place(order[position])]) changed.push_back(order[position]);
    return changed;
  }

  // The order in which the operation at `first` stands behind position `worst`, with all that need
  // it; nothing when the operation there does.
  std::optional<Order> pushed(const Order& order, std::int32_t first, std::int32_t worst) const {
    std::vector<bool> moves(order.size());
    moves[place(order[place(first)])] = true;
    for (std::int32_t position = first; position < worst; ++position) {
      const std::int32_t v = order[place(position)];
      if (!moves[place(v)]) continue;
      for (const std::int32_t later : after[place(v)]) moves[place(later)] = true;
    }
    if (moves[place(order[place(worst)])]) return std::nullopt;
    Order changed;
    for (std::int32_t position = 0; position <= worst; ++position)
      if (!moves[place(order[place(position)])]) changed.push_back(order[place(position)]);
    for (std::int32_t position = first; position < worst; ++position)
      if (moves[place(order[place(position)])]) changed.push_back(order[place(position)]);
    changed.insert(changed.end(), order.begin() + worst + 1, order.end());
    return changed;
  }

  // The orders in which a buffer that waits at the worst moment does not.
  std::vector<Order> without(const Order& order, const Life& life, std::int32_t worst) const {
    std::vector<Order> changed;
    if (life.used_at.empty() || life.used_at.back() <= worst) return changed;
    const bool is_there = life.made_at ? *life.made_at < worst : life.used_at.front() < worst;
    if (!is_there) return changed;
    if (std::optional<Order> early = pulled(order, life.used_at, worst))
      changed.push_back(*std::move(early));
    const std::int32_t first = life.made_at.value_or(life.used_at.front());
    if (std::optional<Order> late = pushed(order, first, worst))
      changed.push_back(*std::move(late));
    return changed;
  }

  // The best order one move away from the first worst moment; nothing when none is better.
  std::optional<Candidate> improved(const Candidate& from) {
    const auto worst = static_cast<std::int32_t>(
        std::max_element(from.bytes.begin(), from.bytes.end()) - from.bytes.begin());
    std::optional<Candidate> best;
    for (const Life& life : lives(memory, from.order))
      for (Order& order : without(from.order, life, worst)) {
        if (is_out_of_effort()) return best;
        Candidate candidate = measure(std::move(order));
        if (candidate.height < (best ? best->height : from.height)) best = std::move(candidate);
      }
    return best;
  }
};

// --- Which of the orders

Candidate lowest(const OrderUnits& units, Searcher& searcher, Candidate best) {
  for (const Patience patience : {Patience::UntilFrees, Patience::None}) {
    Candidate greedy = searcher.measure(greedy_order(units.memory, patience));
    if (greedy.height < best.height) best = std::move(greedy);
  }
  while (std::optional<Candidate> better = searcher.improved(best)) best = *std::move(better);
  return best;
}

// The one that moves least, of equal ones the lowest.
struct LeastMoved {
  const OrderUnits& units;
  const StepMemory& memory;
  std::int64_t ram_bytes = 0;
  std::optional<Candidate> best = {};
  std::int64_t moved_bytes = 0;

  void offer(const Candidate& candidate) {
    const std::int64_t bytes =
        paged_bytes(memory, operations_of(units, candidate.order), ram_bytes);
    if (best && !(std::pair(bytes, candidate.height) < std::pair(moved_bytes, best->height)))
      return;
    best = candidate;
    moved_bytes = bytes;
  }
};

Candidate least_moved(const OrderUnits& units, const StepMemory& memory, Searcher& searcher,
                      Candidate naive, const OrderLimits& limits) {
  LeastMoved least{.units = units, .memory = memory, .ram_bytes = *limits.ram_bytes};
  std::vector<Candidate> starts = {std::move(naive)};
  for (const Patience patience : {Patience::UntilFrees, Patience::None})
    starts.push_back(searcher.measure(greedy_order(units.memory, patience)));
  for (Candidate& start : starts) {
    // Half of what is left for each, so that all are looked at.
    searcher.most_orders = searcher.orders + (limits.max_orders - searcher.orders) / 2;
    Candidate now = std::move(start);
    least.offer(now);
    while (std::optional<Candidate> better = searcher.improved(now)) {
      now = *std::move(better);
      least.offer(now);
    }
  }
  return *std::move(least.best);
}

}  // namespace

FoundOrder find_order(const StepMemory& memory, const OrderLimits& limits) {
  const OrderUnits units = order_units(memory);
  Searcher searcher{.units = units, .of_operations = memory, .most_orders = limits.max_orders};
  searcher.after.resize(units.members.size());
  for (std::size_t v = 0; v < units.members.size(); ++v)
    for (const std::int32_t earlier : units.memory.before[v])
      searcher.after[place(earlier)].push_back(static_cast<std::int32_t>(v));

  Order given(units.members.size());
  std::iota(given.begin(), given.end(), 0);
  Candidate naive = searcher.measure(std::move(given));
  const std::int64_t naive_peak_bytes = naive.height.peak_bytes;
  const Candidate best = limits.ram_bytes
                             ? least_moved(units, memory, searcher, std::move(naive), limits)
                             : lowest(units, searcher, std::move(naive));
  return {.order = operations_of(units, best.order),
          .figures = {.naive_peak_bytes = naive_peak_bytes,
                      .peak_bytes = best.height.peak_bytes,
                      .orders = searcher.orders}};
}

OrderFigures reorder(TrainingGraph& step, const OrderLimits& limits) {
  if (step.part_bytes) {
    Order order(step.graph.operations.size());
    std::iota(order.begin(), order.end(), 0);
    const std::vector<std::int64_t> bytes = bytes_in_use(step_memory(step), order);
    const std::int64_t peak_bytes = *std::max_element(bytes.begin(), bytes.end());
    return {.naive_peak_bytes = peak_bytes, .peak_bytes = peak_bytes, .orders = 1};
  }
  const FoundOrder found = find_order(step_memory(step), limits);
  std::vector<GraphOperation> operations;
  operations.reserve(found.order.size());
  for (const std::int32_t v : found.order)
    operations.push_back(std::move(step.graph.operations[place(v)]));
  step.graph.operations = std::move(operations);
  return found.figures;
}

}  // namespace poet
