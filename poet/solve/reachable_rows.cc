// Lowers rows on bytes to what their sizes can add up to: the largest sum of some of them within a
// limit (docs/model/numbers.md §2.3).
#include "poet/solve/reachable_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace poet {
namespace {

// Beyond this many sums that are still open, nearly every sum is reachable.
constexpr std::size_t kMostOpenSums = 20'000;

// Sums of the sizes seen so far, the largest sizes first. A sum that leaves room for all the sizes
// to come is settled: it takes them all.
class SumSearch {
 public:
  SumSearch(std::int64_t total, std::int64_t limit) : rest_(total), limit_(limit) { settle(); }

  // `size` times 0, 1, ..., `count`: by pieces of 1, 2, 4, ... of them, and what is left.
  void add(std::int64_t size, std::int64_t count) {
    for (std::int64_t piece = 1; count > 0 && !is_over(); piece *= 2) {
      const std::int64_t taken = std::min(piece, count);
      add_once(taken * size);
      count -= taken;
    }
  }

  bool is_over() const { return gave_up_ || open_.empty() || best_ == limit_; }
  std::int64_t answer() const { return gave_up_ ? limit_ : best_; }

 private:
  void add_once(std::int64_t bytes) {
    rest_ -= bytes;
    std::vector<std::int64_t> with;
    for (const std::int64_t sum : open_)
      if (sum <= limit_ - bytes) with.push_back(sum + bytes);
    std::vector<std::int64_t> both;
    std::set_union(open_.begin(), open_.end(), with.begin(), with.end(), std::back_inserter(both));
    open_ = std::move(both);
    settle();
    gave_up_ = open_.size() > kMostOpenSums;
  }

  void settle() {
    const auto first_open = std::upper_bound(open_.begin(), open_.end(), limit_ - rest_);
    if (first_open != open_.begin()) best_ = std::max(best_, *(first_open - 1) + rest_);
    open_.erase(open_.begin(), first_open);
  }

  std::vector<std::int64_t> open_ = {0};  // ascending
  std::int64_t rest_ = 0;                 // of the sizes to come
  std::int64_t limit_ = 0;
  std::int64_t best_ = 0;
  bool gave_up_ = false;
};

// What a row adds up to in a schedule: some of the sizes, and `always`. What takes bytes off when
// it is 1 adds them when it is 0.
struct Sizes {
  std::vector<std::int64_t> optional = {};
  std::int64_t always = 0;

  void add(std::int64_t bytes) {
    optional.push_back(std::abs(bytes));
    always += std::min<std::int64_t>(bytes, 0);
  }
};

std::int64_t bytes_of(double units, double byte_unit) {
  return std::llround(units * byte_unit);
}

void lower(LinearRow& row, Sizes sizes, double byte_unit) {
  const std::int64_t limit = bytes_of(row.upper, byte_unit) - sizes.always;
  if (limit < 0) return;
  const std::int64_t reachable = largest_reachable_sum(std::move(sizes.optional), limit);
  if (reachable < limit) row.upper = static_cast<double>(sizes.always + reachable) / byte_unit;
}

Sizes each_term(const LinearRow& row, double byte_unit) {
  Sizes sizes;
  for (const LinearTerm& term : row.terms) sizes.add(bytes_of(term.coefficient, byte_unit));
  return sizes;
}

class EventRows {
 public:
  EventRows(const Step& step, const EventSet& events, const EventModel& model)
      : step_(step), events_(events), model_(model), seen_(step.chains.size(), -1) {}

  // Of the memory row of event e.
  Sizes sizes_at(std::int32_t e, const LinearRow& row) {
    Sizes sizes;
    for (const LinearTerm& term : row.terms) {
      const ColumnTag& tag = model_.column_tags[term.column];
      const std::int64_t bytes = bytes_of(term.coefficient, model_.byte_unit);
      if (tag.meaning != ColumnMeaning::Stays && tag.meaning != ColumnMeaning::Read)
        sizes.add(bytes);
      else if (std::exchange(seen_[tag.chain], e) == e)
        continue;
      else if (is_surely_there(tag.chain, e))
        sizes.always += bytes;
      else
        sizes.add(bytes);
    }
    return sizes;
  }

 private:
  bool is_surely_there(std::int32_t chain, std::int32_t e) const {
    const Event& event = events_.events()[e];
    const std::vector<std::int32_t>& inputs = step_.operations[event.operation].inputs;
    const std::optional<std::int32_t>& old = step_.chains[chain].old_value;
    return event.certain() && !model_.resident[old ? *old : chain] &&
           std::find(inputs.begin(), inputs.end(), chain) != inputs.end();
  }

  const Step& step_;
  const EventSet& events_;
  const EventModel& model_;
  std::vector<std::int32_t> seen_;  // per chain: at which event last
};

bool counts_bytes(WindowRowKind kind) {
  return kind == WindowRowKind::Memory || kind == WindowRowKind::Crowded ||
         kind == WindowRowKind::Storage || kind == WindowRowKind::Writes;
}

}  // namespace

std::int64_t largest_reachable_sum(std::vector<std::int64_t> sizes, std::int64_t limit) {
  std::erase_if(sizes, [limit](std::int64_t size) { return size == 0 || size > limit; });
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  SumSearch search(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), limit);
  for (std::size_t n = 0; n < sizes.size() && !search.is_over();) {
    const std::int64_t size = sizes[n];
    const auto end = std::find_if(sizes.begin() + static_cast<std::ptrdiff_t>(n), sizes.end(),
                                  [size](std::int64_t other) { return other != size; });
    const auto next = static_cast<std::size_t>(end - sizes.begin());
    search.add(size, static_cast<std::int64_t>(next - n));
    n = next;
  }
  return search.answer();
}

void lower_to_reachable_sums(WindowModel& model) {
  if (model.budget) return;
  for (std::size_t n = 0; n < model.linear.rows.size(); ++n) {
    LinearRow& row = model.linear.rows[n];
    if (counts_bytes(model.row_names[n].kind))
      lower(row, each_term(row, model.byte_unit), model.byte_unit);
  }
}

void lower_to_reachable_sums(const Step& step, const EventSet& events, EventModel& model) {
  if (model.budget) return;
  EventRows event_rows(step, events, model);
  for (std::size_t n = 0; n < model.linear.rows.size(); ++n) {
    LinearRow& row = model.linear.rows[n];
    const RowTag& tag = model.row_tags[n];
    if (tag.kind == RowKind::Memory)
      lower(row, event_rows.sizes_at(tag.event, row), model.byte_unit);
    else if (tag.kind == RowKind::StorageRoom || tag.kind == RowKind::WriteRoom)
      lower(row, each_term(row, model.byte_unit), model.byte_unit);
  }
}

}  // namespace poet
