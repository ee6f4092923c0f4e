// Lowers rows on bytes to what their sizes can add up to (docs/model/numbers.md §2.3).
#include "poet/solve/reachable_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "poet/solve/reachable_sums.h"

namespace poet {
namespace {

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
