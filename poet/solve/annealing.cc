// Better schedules by simulated annealing over the moves of a draft (docs/model/search.md §4.1).
#include "poet/solve/annealing.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "poet/solve/greedy_moves.h"
#include "poet/solve/side_by_side.h"

namespace poet {
namespace {

// How one run goes, in units of what its schedule pays for a comeback on average: the temperature
// at the start, and what a byte too many costs at first, as a part of that per byte of a chain on
// average; and by which part of itself this price goes up or down at a time.
struct Climate {
  double warmth;
  double first_price;
  double pace;
};
// None is best everywhere.
constexpr Climate kClimates[] = {
    {1.0, 0.3, 0.02}, {0.3, 0.3, 0.02}, {1.0, 3, 0.005}, {1.0, 10, 0.001}};
// Between looks at temperature and price. With fewer tries than `kFewFit` that left a schedule that
// fits the price goes up, with more than `kManyFit` down.
constexpr std::int64_t kMovesPerLook = 64;
constexpr int kFewFit = 8;
constexpr int kManyFit = 24;
constexpr std::array<double, 4> kNearFull = {0, 0, 1, 3};  // GreedyRule::near_full
constexpr double kRounding = 1e-12;                        // of the cost: no gain
constexpr double kUnitsPerMove = 550;                      // as Stop::count

struct Run {
  std::optional<EventChoice> choice = {};
  double cost = 0;
};

class Annealer {
 public:
  Annealer(const Step& step, const EventChoice& from, const Climate& climate, std::uint64_t seed,
           std::int64_t most_moves, const Stop& stop)
      : climate_(climate),
        most_moves_(most_moves),
        stop_(stop),
        random_(seed),
        moves_(step, ScheduleDraft(step, from), stop) {
    double bytes = 0;
    for (std::size_t c = 0; c < step.chains.size(); ++c) {
      if (step.chains[c].size_bytes == 0) continue;
      chains_.push_back(static_cast<std::int32_t>(c));
      bytes += static_cast<double>(step.chains[c].size_bytes);
      bytes_up_to_.push_back(bytes);
    }
    comeback_cost_ = mean_comeback_cost(step);
    if (!chains_.empty())
      price_ = climate.first_price * comeback_cost_ * static_cast<double>(chains_.size()) / bytes;
  }

  Run run() {
    if (comeback_cost_ <= 0) return {};
    if (draft().excess_bytes() <= 0) best_cost_ = draft().cost();
    for (std::int64_t n = 0; n < most_moves_ && !stop_.requested(); ++n) {
      if (n % kMovesPerLook == 0) look(n);
      try_move();
      if (draft().excess_bytes() <= 0) ++fitting_;
    }
    if (!found_) return {};
    moves_.undo(0);  // what changed since the best
    return Run{draft().choice(), best_cost_};
  }

 private:
  const ScheduleDraft& draft() const { return moves_.draft(); }

  double mean_comeback_cost(const Step& step) const {
    double cost = 0;
    std::int64_t count = 0;
    for (const std::int32_t c : chains_)
      for (const Touch& touch : draft().touches(c)) {
        if (touch.stays() || (touch.makes && touch.event.certain())) continue;
        cost += touch.read ? step.chains[c].read_cost : step.operations[touch.event.operation].cost;
        ++count;
      }
    return count > 0 ? cost / static_cast<double>(count) : 0;
  }

  void look(std::int64_t move) {
    const double left = 1 - static_cast<double>(move) / static_cast<double>(most_moves_);
    temperature_ = climate_.warmth * comeback_cost_ * left * left * left;
    if (move > 0 && fitting_ > kManyFit) price_ *= 1 - climate_.pace;
    if (move > 0 && fitting_ < kFewFit) price_ *= 1 + climate_.pace;
    fitting_ = 0;
    moves_.set_prices({.near_full = kNearFull[random_() % kNearFull.size()]}, price_);
  }

  void try_move() {
    const std::size_t mark = moves_.mark();
    const double cost = draft().cost();
    const std::int64_t excess = draft().excess_bytes();
    if (!make_some_move() || !draft().keeps_limits()) return moves_.undo(mark);
    const double more_excess = static_cast<double>(draft().excess_bytes() - excess);
    const double worse = draft().cost() - cost + price_ * more_excess;
    if (worse > temperature_ * some_tolerance()) return moves_.undo(mark);
    if (draft().excess_bytes() > 0 || draft().cost() >= best_cost_ * (1 - kRounding)) return;
    best_cost_ = draft().cost();
    found_ = true;
    moves_.forget_changes();
  }

  bool make_some_move() {
    const std::int32_t c = some_chain();
    const std::vector<Touch>& touches = draft().touches(c);
    if (touches.empty()) return false;
    const std::size_t n = random_() % touches.size();
    const std::uint64_t kind = random_() % 8;
    if (touches[n].stays())
      return moves_.end_stay_at(
          c, n, kind == 0 ? GreedyMoves::Ending::Dearer : GreedyMoves::Ending::Cheaper);
    if (kind < 2) return moves_.exchange_at(c, n);
    if (kind < 6) return moves_.keep_until(c, n);
    const std::int32_t first = n > 0 ? touches[n - 1].event.stage + 1 : 0;
    const std::int32_t stages = touches[n].event.stage - first;
    if (stages <= 0) return false;
    return moves_.make_sooner(c, n, first + static_cast<std::int32_t>(random_() % stages));
  }

  // Each alike, or by size.
  std::int32_t some_chain() {
    if (random_() % 2 == 0) return chains_[random_() % chains_.size()];
    const double byte = some_part() * bytes_up_to_.back();
    return chains_[std::upper_bound(bytes_up_to_.begin(), bytes_up_to_.end() - 1, byte) -
                   bytes_up_to_.begin()];
  }

  // In [0, 1).
  double some_part() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  // -log of a part, by the first terms of the series of 2 atanh: library functions may differ in
  // their last bits from machine to machine.
  double some_tolerance() {
    const double part = some_part();
    const double x = (1 - part) / (1 + part);
    const double xx = x * x;
    return 2 * x * (1 + xx * (1.0 / 3 + xx * (1.0 / 5 + xx * (1.0 / 7 + xx / 9))));
  }

  const Climate& climate_;
  std::int64_t most_moves_;
  const Stop& stop_;
  std::mt19937_64 random_;
  GreedyMoves moves_;
  std::vector<std::int32_t> chains_;
  std::vector<double> bytes_up_to_;
  double comeback_cost_ = 0;
  double price_ = 0;
  double temperature_ = 0;
  double best_cost_ = std::numeric_limits<double>::infinity();
  bool found_ = false;  // something better than the first
  int fitting_ = 0;
};

// The cheapest of the runs that begin with the same schedule, if any is cheaper than that.
Run best_run(const Step& step, const EventChoice& from, std::uint64_t seed,
             const AnnealingOptions& options, const Stop& stop) {
  std::array<Run, std::size(kClimates)> runs;
  const Stop apart = counted_apart(stop);
  run_side_by_side(std::ssize(runs), options.threads, [&](std::int64_t n) {
    const std::uint64_t own_seed = seed * runs.size() + static_cast<std::uint64_t>(n);
    runs[n] = Annealer(step, from, kClimates[n], own_seed, options.moves_per_run, apart).run();
  });
  stop.count(kUnitsPerMove * static_cast<double>(runs.size()) *
             static_cast<double>(options.moves_per_run));
  Run best;
  for (Run& run : runs)
    if (run.choice && (!best.choice || run.cost < best.cost)) best = std::move(run);
  return best;
}

}  // namespace

std::optional<EventChoice> anneal(const Step& step, const EventChoice& from,
                                  const AnnealingOptions& options, const Stop& stop) {
  const std::vector<bool>& resident = from.resident;
  if (std::find(resident.begin(), resident.end(), true) != resident.end()) return std::nullopt;
  std::optional<EventChoice> best;
  for (std::int64_t n = 0; n < options.most_rounds; ++n) {
    const std::uint64_t seed = options.seed * 1000 + static_cast<std::uint64_t>(n);
    Run found = best_run(step, best ? *best : from, seed, options, stop);
    if (!found.choice) break;
    best = std::move(found.choice);
  }
  return best;
}

}  // namespace poet
