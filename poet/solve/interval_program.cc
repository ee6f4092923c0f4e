// The best prices of intervals for steps that are not too large (docs/model/intervals.md §2.4).
#include "poet/solve/interval_program.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace poet {
namespace {

// A program of more terms takes longer than the steps of price_intervals().
constexpr std::int64_t kMostTerms = 1'000'000;

// Columns are the ways of chains and of intervals, continuous and from 0 on; rows say that each
// interval has one, and what all together take of each limit, as parts of that limit. What lies in
// RAM in a stage is a column too, which a row makes of that in the stage before, of what comes and
// of what goes: a way stands where it begins and ends, and not in every stage between.
class Program {
 public:
  Program(const Step& step, const KeepIntervals& intervals)
      : step_(step), intervals_(intervals), stages_(step.stages()) {
    unit_ = std::max(1.0, static_cast<double>(step.budget_bytes));
    for (const StepOperation& operation : step.operations)
      model_.add_row(
          {.upper =
               static_cast<double>(step.budget_bytes - least_room_bytes(step, operation)) / unit_});
    add_bytes_in_stages();
    if (step.deadline_s) second_ = model_.add_row({.upper = *step.deadline_s - step.once_s});
    if (step.storage_room_bytes)
      stored_ = model_.add_row({.upper = static_cast<double>(*step.storage_room_bytes) / unit_});
    if (step.write_room_bytes)
      written_ = model_.add_row({.upper = static_cast<double>(*step.write_room_bytes) / unit_});
    for (std::size_t n = 0; n < step.chains.size(); ++n) add_chain(n);
  }

  // Whether all of it was written.
  bool is_whole() const { return terms_ <= kMostTerms; }
  const LinearModel& model() const { return model_; }

  IntervalPrices prices(const std::vector<double>& duals) const {
    const auto price = [&duals](std::int32_t row) {
      return std::max(0.0, -duals[static_cast<std::size_t>(row)]);
    };
    IntervalPrices prices;
    for (std::int32_t t = 0; t < stages_; ++t) prices.byte.push_back(price(t) / unit_);
    if (second_) prices.second = price(*second_);
    if (stored_) prices.storage_byte = price(*stored_) / unit_;
    if (written_) prices.written_byte = price(*written_) / unit_;
    return prices;
  }

 private:
  std::int32_t column(double cost) {
    return model_.add_column({.cost = cost, .upper = kInfinity, .kind = ColumnKind::Continuous});
  }
  void use(std::int32_t row, std::int32_t column, double coefficient) {
    if (coefficient == 0) return;
    ++terms_;
    if (is_whole())
      model_.rows[static_cast<std::size_t>(row)].terms.push_back({column, coefficient});
  }

  // The bytes of a stage, of which its row says how many there may be.
  void add_bytes_in_stages() {
    std::optional<std::int32_t> before;
    for (std::int32_t t = 0; t < stages_; ++t) {
      const std::int32_t bytes = column(0);
      use(t, bytes, 1);
      const std::int32_t change = model_.add_row({.lower = 0, .upper = 0});
      if (t == 0) first_change_ = change;
      use(change, bytes, 1);
      if (before) use(change, *before, -1);
      before = bytes;
    }
  }

  // What a way takes in each stage, none before the first and behind the last of the list; `first`
  // is the stage of its first.
  void use_bytes(std::int32_t way, std::int32_t first, const std::vector<double>& bytes) {
    double before = 0;
    for (std::size_t k = 0; k <= bytes.size(); ++k) {
      const double now = k < bytes.size() ? bytes[k] : 0;
      const std::int32_t t = first + static_cast<std::int32_t>(k);
      if (t < stages_) use(first_change_ + t, way, (before - now) / unit_);
      before = now;
    }
  }
  void use_seconds(std::int32_t column, double seconds) {
    if (second_) use(*second_, column, seconds);
  }

  std::int32_t read(const Chain& chain) {
    const std::int32_t way = column(chain.read_cost);
    use_seconds(way, chain.read_s);
    return way;
  }
  std::int32_t write(const Chain& chain) {
    const std::int32_t way = column(chain.write_cost);
    const double part = static_cast<double>(chain.size_bytes) / unit_;
    use_seconds(way, chain.write_s);
    if (stored_ && !chain.must_be_written) use(*stored_, way, part);
    if (written_) use(*written_, way, part);
    return way;
  }

  void add_chain(std::size_t n) {
    const Chain& chain = step_.chains[n];
    if (chain.old_value && step_.chains[*chain.old_value].may_be_resident) return;
    if (!chain.may_be_resident) return add_moving(chain, n, {});
    const std::int32_t stays = column(0);
    std::vector<bool> has_room(static_cast<std::size_t>(stages_), false);
    const auto leave_out = [&has_room](const std::vector<std::int32_t>& stages) {
      for (const std::int32_t t : stages) has_room[static_cast<std::size_t>(t)] = true;
    };
    leave_out(chain.readers);
    if (chain.new_value) {
      const Chain& next = step_.chains[*chain.new_value];
      leave_out(next.readers);
      leave_out({*next.producer});
    }
    std::vector<double> bytes;
    for (const bool is_left_out : has_room)
      bytes.push_back(is_left_out ? 0 : static_cast<double>(chain.size_bytes));
    use_bytes(stays, 0, bytes);
    add_moving(chain, n, stays);
    if (chain.new_value) add_moving(step_.chains[*chain.new_value], *chain.new_value, stays);
  }

  // One of these ways, or the whole chain stays.
  void need_one_of(std::vector<std::int32_t> ways, std::optional<std::int32_t> stays) {
    if (stays) ways.push_back(*stays);
    LinearRow row{.lower = 1};
    for (const std::int32_t way : ways) row.terms.push_back({way, 1});
    terms_ += std::ssize(ways);
    model_.add_row(std::move(row));
  }

  void add_moving(const Chain& chain, std::size_t n, std::optional<std::int32_t> stays) {
    if (!chain.producer && !chain.readers.empty()) need_one_of({read(chain)}, stays);
    if (chain.must_be_written) need_one_of({write(chain)}, stays);
    std::optional<std::int32_t> copy;
    if (chain.may_be_written && chain.may_be_read) copy = write(chain);
    for (std::size_t i = intervals_.begins[n]; i < intervals_.begins[n + 1] && is_whole(); ++i)
      add_interval(chain, intervals_.list[i], copy, stays);
  }

  void add_interval(const Chain& chain, const KeepInterval& interval,
                    std::optional<std::int32_t> copy, std::optional<std::int32_t> stays) {
    std::vector<std::int32_t> ways = {column(0)};
    use_bytes(ways.back(), interval.from,
              held_between(interval, static_cast<double>(interval.from_bytes),
                           static_cast<double>(chain.size_bytes)));
    if (chain.may_be_read) {
      ways.push_back(read(chain));
      // Only of a copy.
      if (copy) model_.add_row({.lower = 0, .terms = {{*copy, 1}, {ways.back(), -1}}});
    }
    if (std::isfinite(interval.make_cost)) add_making(interval, ways);
    need_one_of(std::move(ways), stays);
  }

  // By stage from that of the interval's beginning on.
  static std::vector<double> held_between(const KeepInterval& interval, double at_first,
                                          double bytes) {
    std::vector<double> held(static_cast<std::size_t>(std::max(interval.to - interval.from, 1)),
                             bytes);
    held[0] = at_first;
    return held;
  }

  // With its dead inputs held, or paid for.
  void add_making(const KeepInterval& interval, std::vector<std::int32_t>& ways) {
    ways.push_back(column(interval.make_cost));
    use_seconds(ways.back(), interval.make_s);
    if (interval.held_bytes == 0 || interval.inputs_cost == 0) return;
    use_bytes(ways.back(), interval.from, held_between(interval, 0, interval.held_bytes));
    if (!std::isfinite(interval.inputs_cost)) return;
    ways.push_back(column(interval.make_cost + interval.inputs_cost));
    use_seconds(ways.back(), interval.make_s);
  }

  const Step& step_;
  const KeepIntervals& intervals_;
  std::int32_t stages_;
  double unit_ = 1;  // bytes
  std::int64_t terms_ = 0;
  std::int32_t first_change_ = 0;  // of the rows of what comes and goes, a stage each
  LinearModel model_;              // its first rows are those of the stages
  std::optional<std::int32_t> second_ = {};
  std::optional<std::int32_t> stored_ = {};
  std::optional<std::int32_t> written_ = {};
};

}  // namespace

std::optional<PricedIntervals> price_by_program(const Step& step, const KeepIntervals& intervals,
                                                const LinearBackend& backend, const Stop& stop) {
  const Program program(step, intervals);
  if (!program.is_whole()) return std::nullopt;
  const RelaxationAnswer answer = backend.relax(program.model())->solve(stop);
  if (answer.status != LinearStatus::Optimal) return std::nullopt;
  PricedIntervals priced{.prices = program.prices(answer.row_duals)};
  priced.bound = interval_bound(step, intervals, priced.prices);
  return priced;
}

}  // namespace poet
