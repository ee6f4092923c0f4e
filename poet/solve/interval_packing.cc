// A schedule from prices for bytes in RAM, packed into the room that stretches of stages have
// (docs/model/intervals.md §3).
#include "poet/solve/interval_packing.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

namespace poet {
namespace {

constexpr std::int64_t kNoStage = std::numeric_limits<std::int64_t>::max();

constexpr double kNever = std::numeric_limits<double>::infinity();

class Packing {
 public:
  Packing(const Step& step, const KeepIntervals& intervals, const IntervalPrices& prices)
      : step_(step),
        intervals_(intervals),
        prices_(prices),
        room_(rooms_bytes(step)),
        kept_(intervals.list.size(), false),
        resident_(step.chains.size(), false) {
    price_before_.assign(1, 0.0);
    for (const double price : prices.byte) price_before_.push_back(price_before_.back() + price);
  }

  std::optional<EventChoice> run() {
    if (room_.least(0, step_.stages()) < 0) return std::nullopt;
    for (std::size_t n = 0; n < step_.chains.size(); ++n) add_items(static_cast<std::int32_t>(n));
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return std::pair(a.must, a.worth) > std::pair(b.must, b.worth);
    });
    for (const Item& item : items_) {
      const bool is_kept = item.interval ? keep(*item.interval) : make_resident(item.chain);
      if (!is_kept && item.must) return std::nullopt;
    }
    EventChoice choice = without_waste(step_, chosen());
    if (!keeps_budgets(step_, figures_of(step_, choice))) return std::nullopt;
    return choice;
  }

 private:
  // An interval in which its chain may be kept, or a chain that may stay all the time.
  struct Item {
    double worth = 0;  // what keeping saves, for what its room costs
    bool must = false;
    std::int32_t chain = 0;
    std::optional<std::size_t> interval = {};
  };

  // Where nothing is resident: beside the operation with its inputs and outputs.
  static std::vector<std::int64_t> rooms_bytes(const Step& step) {
    std::vector<std::int64_t> rooms;
    for (const StepOperation& operation : step.operations) {
      std::int64_t bytes = step.budget_bytes - operation.workspace_bytes;
      for (const std::int32_t c : operation.inputs) bytes -= step.chains[c].size_bytes;
      for (const std::int32_t c : operation.outputs) bytes -= step.chains[c].size_bytes;
      if (operation.in_place)
        bytes += step.chains[operation.outputs[operation.in_place->output]].size_bytes;
      rooms.push_back(bytes);
    }
    return rooms;
  }

  double read_cost(const Chain& chain) const {
    return chain.read_cost + prices_.second * chain.read_s;
  }
  double write_cost(const Chain& chain) const {
    const double storing = chain.must_be_written ? 0 : prices_.storage_byte;
    return chain.write_cost + prices_.second * chain.write_s +
           (storing + prices_.written_byte) * static_cast<double>(chain.size_bytes);
  }
  double price(const KeepInterval& interval) const {
    const double stages = price_before_[interval.to] - price_before_[interval.from + 1];
    return static_cast<double>(step_.chains[interval.chain].size_bytes) * stages +
           static_cast<double>(interval.from_bytes) * prices_.byte[interval.from];
  }
  static double worth(double saved, double price) {
    return price > 0 ? saved / price : (saved > 0 ? kNever : 0);
  }

  void add_items(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    const std::size_t begin = intervals_.begins[c], end = intervals_.begins[c + 1];
    // The copy is charged to the dearest interval: with all others kept, that one decides on it.
    std::size_t dearest = begin;
    for (std::size_t n = begin; n < end; ++n)
      if (price(intervals_.list[n]) > price(intervals_.list[dearest])) dearest = n;
    double saved_in_all = 0;
    for (std::size_t n = begin; n < end; ++n) {
      double saved = chain.may_be_read ? read_cost(chain) : kNever;
      if (chain.may_be_written && n == dearest) saved += write_cost(chain);
      items_.push_back({worth(saved, price(intervals_.list[n])), !chain.may_be_read, c, n});
      saved_in_all += saved;
    }
    if (chain.may_be_resident && !chain.readers.empty()) add_resident(c, saved_in_all);
  }

  // Nothing is read or written of it, nor of its new value.
  void add_resident(std::int32_t c, double saved) {
    const Chain& chain = step_.chains[c];
    saved += read_cost(chain);
    if (chain.new_value) {
      const Chain& next = step_.chains[*chain.new_value];
      saved += write_cost(next) + read_cost(next) * static_cast<double>(next.readers.size());
    }
    double stages = price_before_.back();
    for (const auto& [t, own] : own_stages(c))
      if (own > 0) stages -= prices_.byte[t];
    items_.push_back({worth(saved, stages * static_cast<double>(chain.size_bytes)), false, c, {}});
  }

  // Where it is counted with the operation: once, or with its new value twice.
  std::vector<std::pair<std::int32_t, int>> own_stages(std::int32_t c) const {
    std::vector<std::pair<std::int32_t, int>> stages;
    const Chain& chain = step_.chains[c];
    for (const std::int32_t t : chain.readers) stages.emplace_back(t, 1);
    if (!chain.new_value) return stages;
    const Chain& next = step_.chains[*chain.new_value];
    for (const std::int32_t t : next.readers) stages.emplace_back(t, 1);
    const std::int32_t update = *next.producer;
    const auto found = std::find(stages.begin(), stages.end(), std::pair{update, 1});
    if (found == stages.end())
      stages.emplace_back(update, 1);
    else if (!shares(update, c))
      found->second = 2;
    return stages;
  }
  // Whether the operation's room counts the old value and the new one as one.
  bool shares(std::int32_t update, std::int32_t c) const {
    const StepOperation& operation = step_.operations[update];
    return operation.in_place && operation.inputs[operation.in_place->input] == c &&
           operation.outputs[operation.in_place->output] == *step_.chains[c].new_value;
  }

  bool keep(std::size_t n) {
    const KeepInterval& interval = intervals_.list[n];
    const Chain& chain = step_.chains[interval.chain];
    if (resident_[interval.chain] || (chain.old_value && resident_[*chain.old_value])) return true;
    if (room_.least(interval.from + 1, interval.to) < chain.size_bytes) return false;
    if (room_.least(interval.from, interval.from + 1) < interval.from_bytes) return false;
    room_.take(interval.from + 1, interval.to, chain.size_bytes);
    room_.take(interval.from, interval.from + 1, interval.from_bytes);
    kept_[n] = true;
    return true;
  }

  // In place of what is kept of it so far.
  bool make_resident(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    std::vector<std::size_t> before;
    take_back(c, before);
    if (chain.new_value) take_back(*chain.new_value, before);
    const auto own = own_stages(c);
    for (const auto& [t, times] : own) room_.take(t, t + 1, -times * chain.size_bytes);
    if (room_.least(0, step_.stages()) >= chain.size_bytes) {
      room_.take(0, step_.stages(), chain.size_bytes);
      resident_[c] = true;
      return true;
    }
    for (const auto& [t, times] : own) room_.take(t, t + 1, times * chain.size_bytes);
    for (const std::size_t n : before) keep(n);
    return false;
  }
  void take_back(std::int32_t c, std::vector<std::size_t>& taken) {
    for (std::size_t n = intervals_.begins[c]; n < intervals_.begins[c + 1]; ++n) {
      if (!kept_[n]) continue;
      const KeepInterval& interval = intervals_.list[n];
      room_.take(interval.from + 1, interval.to, -step_.chains[c].size_bytes);
      room_.take(interval.from, interval.from + 1, -interval.from_bytes);
      kept_[n] = false;
      taken.push_back(n);
    }
  }

  EventChoice chosen() const {
    EventChoice choice;
    choice.resident = resident_;
    choice.stored.assign(step_.chains.size(), false);
    for (std::int32_t t = 0; t < step_.stages(); ++t) choice.executions.push_back({Event{t, t}});
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const Chain& chain = step_.chains[c];
      if (is_resident(step_, choice, static_cast<std::int32_t>(c))) continue;
      if (!chain.producer && !chain.readers.empty()) read(choice, chain.readers.front(), c);
      for (std::size_t n = intervals_.begins[c]; n < intervals_.begins[c + 1]; ++n) {
        if (kept_[n]) continue;
        read(choice, intervals_.list[n].to, c);
        choice.stored[c] = chain.may_be_written;
      }
    }
    return choice;
  }
  static void read(EventChoice& choice, std::int32_t stage, std::size_t c) {
    choice.executions[stage].reads.push_back(static_cast<std::int32_t>(c));
  }

  const Step& step_;
  const KeepIntervals& intervals_;
  const IntervalPrices& prices_;
  std::vector<double> price_before_;
  FreeRoom room_;
  std::vector<Item> items_;
  std::vector<bool> kept_;
  std::vector<bool> resident_;
};

}  // namespace

FreeRoom::FreeRoom(const std::vector<std::int64_t>& free_bytes)
    : stages_(
          static_cast<std::int32_t>(std::bit_ceil(std::max<std::size_t>(1, free_bytes.size())))),
      least_(2 * static_cast<std::size_t>(stages_), kNoStage),
      taken_(2 * static_cast<std::size_t>(stages_), 0) {
  std::copy(free_bytes.begin(), free_bytes.end(), least_.begin() + stages_);
  for (std::size_t node = static_cast<std::size_t>(stages_); node-- > 1;)
    least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
}

std::int64_t FreeRoom::least(std::int32_t begin, std::int32_t end) const {
  return begin < end ? least_in(1, 0, stages_, begin, end) : kNoStage;
}

void FreeRoom::take(std::int32_t begin, std::int32_t end, std::int64_t bytes) {
  if (begin < end) take_in(1, 0, stages_, begin, end, bytes);
}

std::int64_t FreeRoom::least_in(std::size_t node, std::int32_t first, std::int32_t last,
                                std::int32_t begin, std::int32_t end) const {
  if (begin <= first && last <= end) return least_[node];
  const std::int32_t middle = first + (last - first) / 2;
  std::int64_t least = kNoStage;
  if (begin < middle) least = least_in(2 * node, first, middle, begin, end);
  if (end > middle) least = std::min(least, least_in(2 * node + 1, middle, last, begin, end));
  return least - taken_[node];
}

void FreeRoom::take_in(std::size_t node, std::int32_t first, std::int32_t last, std::int32_t begin,
                       std::int32_t end, std::int64_t bytes) {
  if (begin <= first && last <= end) {
    least_[node] -= bytes;
    taken_[node] += bytes;
    return;
  }
  const std::int32_t middle = first + (last - first) / 2;
  if (begin < middle) take_in(2 * node, first, middle, begin, end, bytes);
  if (end > middle) take_in(2 * node + 1, middle, last, begin, end, bytes);
  least_[node] = std::min(least_[2 * node], least_[2 * node + 1]) - taken_[node];
}

std::optional<EventChoice> pack_intervals(const Step& step, const KeepIntervals& intervals,
                                          const IntervalPrices& prices) {
  return Packing(step, intervals, prices).run();
}

}  // namespace poet
