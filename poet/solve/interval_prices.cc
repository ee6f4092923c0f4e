// A bound on large steps, by prices for bytes in RAM (docs/model/intervals.md §2).
#include "poet/solve/interval_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace poet {
namespace {

constexpr double kFirstPace = 1.0;
constexpr int kPatience = 20;          // steps without a better bound, before the pace is halved
constexpr double kLeastPace = 1e-4;    // where no step leads any further
constexpr double kGuessedValue = 1.2;  // of the bound, where no schedule is known
// Of executing and moving everything: where bounds grow beyond, there is no schedule.
constexpr double kSurelyTooMuch = 100;
constexpr double kUnitsPerInterval = 12;  // as Stop::count, of one step

// What the cheapest answer at some prices needs of what is limited.
struct Uses {
  std::vector<std::int64_t> bytes = {};  // per stage, beyond the operation's own
  double seconds = 0;
  double stored_bytes = 0;
  double written_bytes = 0;
};

// The cheapest way of each chain at given prices, which ask nothing of each other.
class Walks {
 public:
  Walks(const Step& step, const KeepIntervals& intervals) : step_(step), intervals_(intervals) {
    for (const StepOperation& operation : step.operations)
      room_bytes_.push_back(step.budget_bytes - least_room_bytes(step, operation));
  }

  // The bound; `uses`, where it is not null: what the cheapest ways need.
  double bound(const IntervalPrices& prices, Uses* uses) {
    prices_ = &prices;
    price_before_.assign(1, 0.0);
    for (const double price : prices.byte) price_before_.push_back(price_before_.back() + price);
    if (uses) *uses = {std::vector<std::int64_t>(step_.operations.size() + 1, 0), step_.once_s};
    uses_ = uses;
    double sum = 0;
    for (std::size_t n = 0; n < step_.chains.size(); ++n) sum += chain_cost(n);
    for (std::size_t t = 0; t < room_bytes_.size(); ++t)
      sum -= prices.byte[t] * static_cast<double>(room_bytes_[t]);
    if (step_.deadline_s) sum -= prices.second * (*step_.deadline_s - step_.once_s);
    if (step_.storage_room_bytes)
      sum -= prices.storage_byte * static_cast<double>(*step_.storage_room_bytes);
    if (step_.write_room_bytes)
      sum -= prices.written_byte * static_cast<double>(*step_.write_room_bytes);
    if (uses) {
      std::partial_sum(uses->bytes.begin(), uses->bytes.end(), uses->bytes.begin());
      uses->bytes.pop_back();
    }
    return sum;
  }

  std::int64_t room_bytes(std::size_t stage) const { return room_bytes_[stage]; }

 private:
  enum class Way { Kept, Read, Made };

  double read_cost(const Chain& chain) const {
    return chain.read_cost + prices_->second * chain.read_s;
  }
  // A new value takes the place of its old value in storage.
  double write_cost(const Chain& chain) const {
    const double bytes = static_cast<double>(chain.size_bytes);
    const double storing = chain.must_be_written ? 0 : prices_->storage_byte;
    return chain.write_cost + prices_->second * chain.write_s +
           (storing + prices_->written_byte) * bytes;
  }
  double make_cost(const KeepInterval& interval) const {
    const double held = interval.held_bytes * stages_price(interval);
    return interval.make_cost + prices_->second * interval.make_s +
           std::min(held, interval.inputs_cost);
  }
  // Of a byte in all stages between the two.
  double stages_price(const KeepInterval& interval) const {
    return price_before_[interval.to] - price_before_[interval.from + 1];
  }
  double keep_cost(const KeepInterval& interval) const {
    return static_cast<double>(step_.chains[interval.chain].size_bytes) * stages_price(interval) +
           static_cast<double>(interval.from_bytes) * prices_->byte[interval.from];
  }

  // With its old or new value, where one of the two decides for both.
  double chain_cost(std::size_t n) {
    const Chain& chain = step_.chains[n];
    if (chain.old_value && step_.chains[*chain.old_value].may_be_resident) return 0;
    if (!chain.may_be_resident) return moving_cost(chain, n, true);
    const double moves = both_moving_cost(chain, n, false);
    const double stays = resident_cost(chain);
    if (stays < moves)
      use_as_resident(chain);
    else
      both_moving_cost(chain, n, true);
    return std::min(stays, moves);
  }

  double both_moving_cost(const Chain& chain, std::size_t n, bool takes) {
    double cost = moving_cost(chain, n, takes);
    if (chain.new_value)
      cost += moving_cost(step_.chains[*chain.new_value], *chain.new_value, takes);
    return cost;
  }

  double resident_cost(const Chain& chain) const {
    double stages = price_before_.back();
    for (const std::int32_t t : stages_with(chain)) stages -= prices_->byte[t];
    return static_cast<double>(chain.size_bytes) * stages;
  }
  void use_as_resident(const Chain& chain) {
    if (!uses_) return;
    uses_->bytes.front() += chain.size_bytes;
    uses_->bytes.back() -= chain.size_bytes;
    for (const std::int32_t t : stages_with(chain)) {
      uses_->bytes[t] -= chain.size_bytes;
      uses_->bytes[t + 1] += chain.size_bytes;
    }
  }
  // Stages that have room for it anyway.
  std::vector<std::int32_t> stages_with(const Chain& chain) const {
    std::vector<std::int32_t> stages = chain.readers;
    if (!chain.new_value) return stages;
    const Chain& next = step_.chains[*chain.new_value];
    stages.insert(stages.end(), next.readers.begin(), next.readers.end());
    stages.push_back(*next.producer);
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    return stages;
  }

  // What must be transferred anyway, and the cheapest way through its intervals; `takes`: it counts
  // as used.
  double moving_cost(const Chain& chain, std::size_t n, bool takes) {
    double cost = 0;
    if (!chain.producer && !chain.readers.empty()) {
      cost += read_cost(chain);
      if (uses_ && takes) uses_->seconds += chain.read_s;
    }
    if (chain.must_be_written) {
      cost += write_cost(chain);
      if (uses_ && takes) use_write(chain);
    }
    const bool may_read = chain.may_be_read;
    if (!chain.may_be_written) return cost + way_cost(n, may_read, takes);
    const double without = way_cost(n, false, false);
    const double with = write_cost(chain) + way_cost(n, may_read, false);
    if (!takes) return cost + std::min(without, with);
    if (uses_) {
      if (with < without) use_write(chain);
      way_cost(n, with < without, true);
    }
    return cost + std::min(without, with);
  }

  double way_cost(std::size_t n, bool may_read, bool takes) {
    double cost = 0;
    const Chain& chain = step_.chains[n];
    for (std::size_t i = intervals_.begins[n]; i < intervals_.begins[n + 1]; ++i) {
      const KeepInterval& interval = intervals_.list[i];
      double least = keep_cost(interval);
      Way way = Way::Kept;
      if (may_read && read_cost(chain) < least) least = read_cost(chain), way = Way::Read;
      if (make_cost(interval) < least) least = make_cost(interval), way = Way::Made;
      cost += least;
      if (uses_ && takes) use(chain, interval, way);
    }
    return cost;
  }

  void use(const Chain& chain, const KeepInterval& interval, Way way) {
    if (way == Way::Read) uses_->seconds += chain.read_s;
    if (way == Way::Made) uses_->seconds += interval.make_s;
    if (way != Way::Kept) return;
    uses_->bytes[interval.from + 1] += chain.size_bytes;
    uses_->bytes[interval.to] -= chain.size_bytes;
    uses_->bytes[interval.from] += interval.from_bytes;
    uses_->bytes[interval.from + 1] -= interval.from_bytes;
  }
  void use_write(const Chain& chain) {
    const double bytes = static_cast<double>(chain.size_bytes);
    uses_->seconds += chain.write_s;
    uses_->written_bytes += bytes;
    if (!chain.must_be_written) uses_->stored_bytes += bytes;
  }

  const Step& step_;
  const KeepIntervals& intervals_;
  std::vector<std::int64_t> room_bytes_;
  const IntervalPrices* prices_ = nullptr;
  std::vector<double> price_before_;  // sum of byte prices of the stages before each
  Uses* uses_ = nullptr;
};

// Steps along the excess of what the cheapest ways use, in parts of each limit.
class Subgradient {
 public:
  Subgradient(const Step& step, const KeepIntervals& intervals, double value)
      : step_(step), intervals_(intervals), walks_(step, intervals), value_(value) {
    prices_.byte.assign(step.operations.size(), 0.0);
    best_ = {prices_, -std::numeric_limits<double>::infinity()};
    unit_bytes_ = std::max(1.0, static_cast<double>(step.budget_bytes));
    most_ = step.once_cost;
    for (const Chain& chain : step.chains)
      most_ += (chain.read_cost + chain.write_cost) * static_cast<double>(1 + chain.readers.size());
    most_ *= kSurelyTooMuch;
  }

  PricedIntervals run(int most_steps, const Stop& stop) {
    int since_better = 0;
    for (int n = 0; n < most_steps && pace_ > kLeastPace; ++n) {
      Uses uses;
      const double bound = walks_.bound(prices_, &uses);
      stop.count(kUnitsPerInterval *
                 static_cast<double>(intervals_.list.size() + step_.operations.size()));
      if (bound > best_.bound) {
        best_ = {prices_, bound};
        since_better = 0;
      } else if (++since_better == kPatience) {
        pace_ /= 2;
        since_better = 0;
        prices_ = best_.prices;
        continue;
      }
      if (stop.requested() || bound > most_ || !move(uses, bound)) break;
    }
    return std::move(best_);
  }

 private:
  // False where nothing is exceeded: the bound is met.
  bool move(const Uses& uses, double bound) {
    double square = 0;
    each(uses, [&](double& price, double excess) {
      if (price > 0 || excess > 0) square += excess * excess;
    });
    if (square <= 0) return false;
    const double above = step_.once_cost + bound;
    const double target = std::isfinite(value_) ? value_ : kGuessedValue * above - step_.once_cost;
    const double length = pace_ * std::max(target - bound, 1e-3 * std::abs(above)) / square;
    each(uses,
         [&](double& price, double excess) { price = std::max(0.0, price + length * excess); });
    return true;
  }

  // Prices as those of a whole limit, and by which part it is exceeded.
  template <typename F>
  void each(const Uses& uses, const F& f) {
    for (std::size_t t = 0; t < uses.bytes.size(); ++t)
      in_unit(prices_.byte[t], unit_bytes_,
              static_cast<double>(uses.bytes[t] - walks_.room_bytes(t)), f);
    if (step_.deadline_s)
      in_unit(prices_.second, *step_.deadline_s, uses.seconds - *step_.deadline_s, f);
    if (step_.storage_room_bytes) {
      const double room = static_cast<double>(*step_.storage_room_bytes);
      in_unit(prices_.storage_byte, std::max(room, unit_bytes_), uses.stored_bytes - room, f);
    }
    if (step_.write_room_bytes) {
      const double room = static_cast<double>(*step_.write_room_bytes);
      in_unit(prices_.written_byte, std::max(room, unit_bytes_), uses.written_bytes - room, f);
    }
  }
  template <typename F>
  static void in_unit(double& price, double unit, double excess, const F& f) {
    if (unit <= 0) return;
    double whole = price * unit;
    f(whole, excess / unit);
    price = whole / unit;
  }

  const Step& step_;
  const KeepIntervals& intervals_;
  Walks walks_;
  double value_;
  double unit_bytes_ = 1;
  double most_ = 0;
  double pace_ = kFirstPace;
  IntervalPrices prices_;
  PricedIntervals best_;
};

}  // namespace

double interval_bound(const Step& step, const KeepIntervals& intervals,
                      const IntervalPrices& prices) {
  return Walks(step, intervals).bound(prices, nullptr);
}

double rounding_of(const Step& step, const PricedIntervals& priced) {
  constexpr double kRounding =
      1e-11;  // of what is added up: costs of chains, and room at its prices
  const std::vector<double>& byte = priced.prices.byte;
  const double room_cost =
      std::accumulate(byte.begin(), byte.end(), 0.0) * static_cast<double>(step.budget_bytes);
  return kRounding * (std::abs(step.once_cost) + std::abs(priced.bound) + 2 * room_cost);
}

PricedIntervals price_intervals(const Step& step, const KeepIntervals& intervals, double value,
                                int most_steps, const Stop& stop) {
  return Subgradient(step, intervals, value).run(most_steps, stop);
}

}  // namespace poet
