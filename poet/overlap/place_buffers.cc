// Where the buffers of a schedule cost least (docs/model/memories.md §5.2).
#include "poet/overlap/place_buffers.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "poet/overlap/placed_buffers.h"
#include "poet/problem/deadline.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// An integer program of more columns is left to the quick places: its relaxation alone would take
// all the time there is, and its rows all the memory.
constexpr std::size_t kMostColumns = 4'000;
// Values further from a whole number are no answer.
constexpr double kWholeTolerance = 1e-6;

using Places = std::vector<MemoryId>;  // by buffer

MemoryId memory_at(std::int32_t m) {
  return MemoryId{m};
}

// The buffers in memories, and what is in use of each memory at each action.
class Arrangement {
 public:
  Arrangement(const Problem& problem, const BuffersToPlace& all)
      : problem_(problem), all_(all), places_(all.buffers.size(), kFastRam) {
    used_.resize(static_cast<std::size_t>(memory_count(problem)));
    for (std::vector<std::int64_t>& used : used_) used.resize(all.workspace_bytes.size() + 1, 0);
    used_[0].assign(all.workspace_bytes.begin(), all.workspace_bytes.end());
    used_[0].push_back(0);  // a schedule without actions has residents too
    for (const BufferToPlace& buffer : all.buffers) count(buffer, kFastRam, 1);
    shares_of_.resize(all.buffers.size());
    for (std::size_t k = 0; k < all.shared.size(); ++k) {
      const SharedBytes& shared = all.shared[k];
      shares_of_[static_cast<std::size_t>(shared.input)].push_back(k);
      shares_of_[static_cast<std::size_t>(shared.output)].push_back(k);
      used_[0][static_cast<std::size_t>(shared.action)] -= shared.size_bytes;
    }
  }

  const Places& places() const { return places_; }
  MemoryId place(std::size_t b) const { return places_[b]; }

  void move(std::size_t b, MemoryId memory) {
    share(b, 1);
    count(all_.buffers[b], places_[b], -1);
    places_[b] = memory;
    count(all_.buffers[b], memory, 1);
    share(b, -1);
  }

  // Bytes above the size of a memory at an action; 0 or less: there is room.
  std::int64_t excess(MemoryId memory, std::int64_t a) const {
    return at(used_, memory)[static_cast<std::size_t>(a)] - memory_bytes(problem_, memory);
  }

  // Whether a memory has room for what lies in it while a buffer lives.
  bool has_room(MemoryId memory, const BufferToPlace& buffer) const {
    for (std::int64_t a = buffer.begin; a < buffer.end; ++a)
      if (excess(memory, a) > 0) return false;
    return true;
  }

  bool has_room_everywhere() const {
    for (std::int32_t m = 0; m < memory_count(problem_); ++m)
      for (std::size_t a = 0; a < used_[0].size(); ++a)
        if (excess(memory_at(m), static_cast<std::int64_t>(a)) > 0) return false;
    return true;
  }

 private:
  void count(const BufferToPlace& buffer, MemoryId memory, std::int64_t sign) {
    std::vector<std::int64_t>& used = at(used_, memory);
    // A resident of a schedule without actions counts at its only moment.
    const std::int64_t end = buffer.action ? buffer.end : std::ssize(used);
    for (std::int64_t a = buffer.begin; a < end; ++a)
      used[static_cast<std::size_t>(a)] += sign * buffer.size_bytes;
  }

  void share(std::size_t b, std::int64_t sign) {
    for (const std::size_t k : shares_of_[b]) {
      const SharedBytes& shared = all_.shared[k];
      const MemoryId memory = places_[static_cast<std::size_t>(shared.input)];
      if (memory == places_[static_cast<std::size_t>(shared.output)])
        at(used_, memory)[static_cast<std::size_t>(shared.action)] += sign * shared.size_bytes;
    }
  }

  const Problem& problem_;
  const BuffersToPlace& all_;
  Places places_;
  std::vector<std::vector<std::int64_t>> used_;      // by memory, by action
  std::vector<std::vector<std::size_t>> shares_of_;  // by buffer, in BuffersToPlace::shared
};

class BufferPlacer {
 public:
  BufferPlacer(const Problem& problem, const Schedule& schedule, const LinearBackend& backend,
               const SolveOptions& options, const Stop& stop,
               const std::vector<PlacedBuffer>& fixed)
      : problem_(problem),
        schedule_(schedule),
        backend_(backend),
        options_(options),
        stop_(stop),
        all_(buffers_to_place(problem, schedule)),
        fixed_(all_.buffers.size()) {
    for (std::size_t b = 0; b < all_.buffers.size(); ++b)
      for (const PlacedBuffer& one : fixed)
        if (!all_.buffers[b].action && one.tensor == all_.buffers[b].tensor) fixed_[b] = one.memory;
    for (const BufferToPlace& buffer : all_.buffers)
      for (std::int32_t m = 0; m < memory_count(problem); ++m)
        costs_.push_back(cost_in(problem, buffer, memory_at(m)));
  }

  std::optional<PlacedSchedule> run() {
    std::optional<Places> quick = quick_places();
    if (quick && !keeps_deadline(*quick)) quick.reset();
    if (quick && price_of(*quick) == 0) return PlacedSchedule{placed(*quick), true};
    if (columns() > kMostColumns)
      return quick ? std::optional(PlacedSchedule{placed(*quick), false}) : std::nullopt;
    const IntegerAnswer solved = solve_program(quick);
    std::optional<Places> best = places_of(solved.values);
    bool is_cheapest = best && solved.status == LinearStatus::Optimal;
    if (quick && (!best || price_of(*quick) <= price_of(*best))) {
      best = quick;
      // Nothing is below the cutoff, which is their price.
      is_cheapest = is_cheapest || solved.status == LinearStatus::Infeasible;
    }
    if (!best) return std::nullopt;
    return PlacedSchedule{placed(*best), is_cheapest};
  }

 private:
  // --- Prices

  const AccessCost& cost(std::size_t b, MemoryId memory) const {
    const auto memories = static_cast<std::size_t>(memory_count(problem_));
    return costs_[b * memories + static_cast<std::size_t>(index_of(memory))];
  }
  double price(std::size_t b, MemoryId memory) const {
    const AccessCost& paid = cost(b, memory);
    if (problem_.objective == Objective::Time) return paid.time_s;
    return paid.energy_j + problem_.idle_w * paid.time_s;
  }
  double price_of(const Places& places) const {
    double sum = 0;
    for (std::size_t b = 0; b < places.size(); ++b) sum += price(b, places[b]);
    return sum;
  }

  // What access may take; nothing where there is no deadline, or time does not add up.
  std::optional<double> access_limit_s() const {
    if (!problem_.deadline_s || problem_.time_mode == TimeMode::Overlapped) return std::nullopt;
    Problem joined = problem_;
    joined.further_memories.clear();
    joined.ram_budget_bytes = bytes_of_all_memories(problem_);
    Schedule schedule = schedule_;
    schedule.placed.clear();
    return latest_end_s(*problem_.deadline_s) - replay(joined, schedule).time_s;
  }
  bool keeps_deadline(const Places& places) const {
    const std::optional<double> limit_s = access_limit_s();
    if (!limit_s) return true;
    double sum_s = 0;
    for (std::size_t b = 0; b < places.size(); ++b) sum_s += cost(b, places[b]).time_s;
    return sum_s <= *limit_s;
  }

  // --- Quick places

  // From all in the RAM: at each action that lacks room, the buffer leaves whose bytes cost least
  // for the moments at which they are too many; then what came to lie in slower memories returns
  // where there is room after all.
  std::optional<Places> quick_places() const {
    Arrangement now(problem_, all_);
    for (std::size_t b = 0; b < all_.buffers.size(); ++b)
      if (fixed_[b]) now.move(b, *fixed_[b]);
    const auto actions = static_cast<std::int64_t>(all_.workspace_bytes.size());
    std::vector<std::size_t> held;  // at the action that is looked at
    std::size_t next = 0;           // buffers come in order of their beginnings
    for (std::int64_t a = 0; a <= actions; ++a) {
      for (; next < all_.buffers.size() && all_.buffers[next].begin <= a; ++next)
        held.push_back(next);
      std::erase_if(held, [&](std::size_t b) { return !is_held(b, a); });
      while (now.excess(kFastRam, a) > 0)
        if (!move_out(now, held)) return std::nullopt;
    }
    return_what_fits(now);
    if (!now.has_room_everywhere()) return std::nullopt;
    return now.places();
  }

  // Residents are there before the first action and behind the last.
  bool is_held(std::size_t b, std::int64_t a) const {
    const BufferToPlace& buffer = all_.buffers[b];
    return buffer.begin <= a && (a < buffer.end || !buffer.action);
  }

  bool move_out(Arrangement& now, const std::vector<std::size_t>& held) const {
    std::optional<std::pair<std::size_t, MemoryId>> best;
    double best_price = 0;
    for (const std::size_t b : held) {
      const BufferToPlace& buffer = all_.buffers[b];
      if (now.place(b) != kFastRam || buffer.size_bytes == 0 || fixed_[b]) continue;
      const std::optional<MemoryId> memory = cheapest_room(now, b);
      if (!memory) continue;
      const double relieved = relieved_bytes(now, buffer);
      const double per_byte = price(b, *memory) / relieved;
      if (best && per_byte >= best_price) continue;
      best = {b, *memory};
      best_price = per_byte;
    }
    if (best) now.move(best->first, best->second);
    return best.has_value();
  }

  // Of bytes that are too many, over all actions, what leaves with a buffer.
  static double relieved_bytes(const Arrangement& now, const BufferToPlace& buffer) {
    double sum = 1;
    for (std::int64_t a = buffer.begin; a < buffer.end; ++a)
      sum += static_cast<double>(
          std::clamp<std::int64_t>(now.excess(kFastRam, a), 0, buffer.size_bytes));
    return sum;
  }

  // Where a buffer may go without being too much, at the least price.
  std::optional<MemoryId> cheapest_room(Arrangement& now, std::size_t b) const {
    const MemoryId before = now.place(b);
    std::optional<MemoryId> best;
    for (std::int32_t m = 1; m < memory_count(problem_); ++m) {
      if (best && price(b, memory_at(m)) >= price(b, *best)) continue;
      now.move(b, memory_at(m));
      if (now.has_room(memory_at(m), all_.buffers[b])) best = memory_at(m);
      now.move(b, before);
    }
    return best;
  }

  void return_what_fits(Arrangement& now) const {
    std::vector<std::size_t> away;
    for (std::size_t b = 0; b < all_.buffers.size(); ++b)
      if (now.place(b) != kFastRam && !fixed_[b]) away.push_back(b);
    std::stable_sort(away.begin(), away.end(), [&](std::size_t a, std::size_t b) {
      return price(a, now.place(a)) > price(b, now.place(b));
    });
    for (const std::size_t b : away)
      for (std::int32_t m = 0; m < memory_count(problem_); ++m) {
        const MemoryId before = now.place(b);
        if (price(b, memory_at(m)) >= price(b, before)) continue;
        now.move(b, memory_at(m));
        // Leaving may take a shared place from another.
        if (!now.has_room(memory_at(m), all_.buffers[b]) || !now.has_room(before, all_.buffers[b]))
          now.move(b, before);
      }
  }

  // --- The integer program: a column for each buffer and further memory, 1 where it lies there

  std::size_t columns() const { return all_.buffers.size() * problem_.further_memories.size(); }
  std::int32_t column(std::size_t b, std::int32_t m) const {
    return static_cast<std::int32_t>(b * problem_.further_memories.size()) + m - 1;
  }

  LinearModel program() const {
    LinearModel model;
    for (std::size_t b = 0; b < all_.buffers.size(); ++b)
      for (std::int32_t m = 1; m < memory_count(problem_); ++m) {
        const bool fits = all_.buffers[b].size_bytes <= memory_bytes(problem_, memory_at(m));
        const bool may_lie = fits && (!fixed_[b] || *fixed_[b] == memory_at(m));
        const bool must_lie = fixed_[b] == memory_at(m);
        model.add_column({.cost = price(b, memory_at(m)),
                          .lower = must_lie ? 1.0 : 0.0,
                          .upper = may_lie || must_lie ? 1.0 : 0.0});
      }
    if (problem_.further_memories.size() > 1)
      for (std::size_t b = 0; b < all_.buffers.size(); ++b) {
        LinearRow row{.upper = 1};
        for (std::int32_t m = 1; m < memory_count(problem_); ++m)
          row.terms.push_back({column(b, m), 1});
        model.add_row(std::move(row));
      }
    add_rooms(model);
    if (const std::optional<double> limit_s = access_limit_s()) {
      LinearRow row{.upper = *limit_s};
      for (std::size_t b = 0; b < all_.buffers.size(); ++b)
        for (std::int32_t m = 1; m < memory_count(problem_); ++m)
          if (const double time_s = cost(b, memory_at(m)).time_s; time_s > 0)
            row.terms.push_back({column(b, m), time_s});
      model.add_row(std::move(row));
    }
    return model;
  }

  // What is there at an action; residents are so before the first one too.
  std::vector<std::size_t> held_at(std::int64_t a) const {
    std::vector<std::size_t> held;
    for (std::size_t b = 0; b < all_.buffers.size(); ++b)
      if (is_held(b, a)) held.push_back(b);
    return held;
  }

  // Room is asked for where something is taken. Rows that cannot bind are left out.
  bool asks_for_room(std::int64_t a) const {
    if (a == std::ssize(schedule_.actions)) return true;
    const Action& action = schedule_.actions[static_cast<std::size_t>(a)];
    return std::holds_alternative<Compute>(action) || std::holds_alternative<PageIn>(action);
  }

  void add_rooms(LinearModel& model) const {
    for (std::int64_t a = 0; a <= std::ssize(schedule_.actions); ++a) {
      if (!asks_for_room(a)) continue;
      const std::vector<std::size_t> held = held_at(a);
      const bool is_action = a < std::ssize(schedule_.actions);
      std::int64_t sum_bytes = 0;
      for (const std::size_t b : held) sum_bytes += all_.buffers[b].size_bytes;
      const std::int64_t workspace_bytes =
          is_action ? all_.workspace_bytes[static_cast<std::size_t>(a)] : 0;
      const auto shared = std::find_if(all_.shared.begin(), all_.shared.end(),
                                       [a](const SharedBytes& one) { return one.action == a; });
      const SharedBytes* const pair = shared == all_.shared.end() ? nullptr : &*shared;
      if (sum_bytes + workspace_bytes > problem_.ram_budget_bytes)
        add_ram_row(model, held, sum_bytes + workspace_bytes, pair);
      for (std::int32_t m = 1; m < memory_count(problem_); ++m)
        if (sum_bytes > memory_bytes(problem_, memory_at(m))) add_room_row(model, held, m, pair);
    }
  }

  // Bytes that the RAM lacks lie elsewhere, or are shared there.
  void add_ram_row(LinearModel& model, const std::vector<std::size_t>& held, std::int64_t sum_bytes,
                   const SharedBytes* pair) const {
    LinearRow row{.lower = static_cast<double>(sum_bytes - problem_.ram_budget_bytes)};
    for (const std::size_t b : held)
      for (std::int32_t m = 1; m < memory_count(problem_); ++m)
        row.terms.push_back({column(b, m), static_cast<double>(all_.buffers[b].size_bytes)});
    if (pair != nullptr) {
      const std::int32_t both = model.add_column({.kind = ColumnKind::Continuous});
      for (const std::int32_t b : {pair->input, pair->output}) {
        LinearRow of_one{.upper = 1, .terms = {{both, 1}}};
        for (std::int32_t m = 1; m < memory_count(problem_); ++m)
          of_one.terms.push_back({column(static_cast<std::size_t>(b), m), 1});
        model.add_row(std::move(of_one));
      }
      row.terms.push_back({both, static_cast<double>(pair->size_bytes)});
    }
    model.add_row(std::move(row));
  }

  void add_room_row(LinearModel& model, const std::vector<std::size_t>& held, std::int32_t m,
                    const SharedBytes* pair) const {
    LinearRow row{.upper = static_cast<double>(memory_bytes(problem_, memory_at(m)))};
    for (const std::size_t b : held)
      row.terms.push_back({column(b, m), static_cast<double>(all_.buffers[b].size_bytes)});
    if (pair != nullptr) {
      const std::int32_t both = model.add_column({.kind = ColumnKind::Continuous});
      for (const std::int32_t b : {pair->input, pair->output})
        model.add_row(
            {.upper = 0, .terms = {{both, 1}, {column(static_cast<std::size_t>(b), m), -1}}});
      row.terms.push_back({both, -static_cast<double>(pair->size_bytes)});
    }
    model.add_row(std::move(row));
  }

  IntegerAnswer solve_program(const std::optional<Places>& quick) const {
    const LinearModel model = program();
    IntegerLimits limits{
        .max_nodes = options_.max_nodes, .seed = options_.seed, .threads = options_.threads};
    if (quick) limits.cutoff = price_of(*quick);
    return backend_.solve(model, limits, {}, stop_, {});
  }

  // Rounded, and only where every memory has room by our own count.
  std::optional<Places> places_of(const std::vector<double>& values) const {
    if (values.empty()) return std::nullopt;
    Arrangement arrangement(problem_, all_);
    for (std::size_t b = 0; b < all_.buffers.size(); ++b)
      for (std::int32_t m = 1; m < memory_count(problem_); ++m) {
        const double value = values[static_cast<std::size_t>(column(b, m))];
        if (std::abs(value - std::round(value)) > kWholeTolerance) return std::nullopt;
        if (value > 0.5) arrangement.move(b, memory_at(m));
      }
    if (!arrangement.has_room_everywhere() || !keeps_deadline(arrangement.places()))
      return std::nullopt;
    return arrangement.places();
  }

  Schedule placed(const Places& places) const {
    Schedule schedule = schedule_;
    schedule.placed.clear();
    for (std::size_t b = 0; b < places.size(); ++b)
      if (places[b] != kFastRam)
        schedule.placed.push_back({all_.buffers[b].tensor, all_.buffers[b].action, places[b]});
    return schedule;
  }

  const Problem& problem_;
  const Schedule& schedule_;
  const LinearBackend& backend_;
  const SolveOptions& options_;
  const Stop& stop_;
  const BuffersToPlace all_;
  std::vector<std::optional<MemoryId>> fixed_;  // by buffer
  std::vector<AccessCost> costs_;               // by buffer, by memory
};

}  // namespace

std::optional<PlacedSchedule> place_buffers(const Problem& problem, const Schedule& schedule,
                                            const LinearBackend& backend,
                                            const SolveOptions& options, const Stop& stop,
                                            const std::vector<PlacedBuffer>& fixed) {
  return BufferPlacer(problem, schedule, backend, options, stop, fixed).run();
}

}  // namespace poet
