// Widens rows on budgets before a backend sees them (docs/model/numbers.md §2.1), and cuts off what
// keeps a budget only thanks to that (§2.2).
#include "poet/solve/budget_margin.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "poet/solve/sum_rounding.h"

namespace poet {
namespace {

enum class Counts { Nothing, Bytes, Time };

Counts counts(RowKind kind) {
  if (kind == RowKind::Deadline) return Counts::Time;
  const bool bytes =
      kind == RowKind::Memory || kind == RowKind::StorageRoom || kind == RowKind::WriteRoom;
  return bytes ? Counts::Bytes : Counts::Nothing;
}

Counts counts(WindowRowKind kind) {
  if (kind == WindowRowKind::Deadline) return Counts::Time;
  const bool bytes = kind == WindowRowKind::Memory || kind == WindowRowKind::Crowded ||
                     kind == WindowRowKind::Storage || kind == WindowRowKind::Writes;
  return bytes ? Counts::Bytes : Counts::Nothing;
}

double margin_of(const LinearRow& row) {
  double largest = 0;
  for (const LinearTerm& term : row.terms) largest = std::max(largest, std::abs(term.coefficient));
  return kBudgetMargin * largest;
}

void widen(LinearRow& row) {
  row.upper += margin_of(row);
}

// A column of a row on a budget, as what it takes from the budget when it has its dearer value.
template <class Amount>
struct Item {
  std::int32_t column = 0;
  double dear = 1;  // the value of the column that takes more
  Amount amount{};
  bool chosen = false;  // the column has that value
};

// Items that cannot be chosen together, as few as leaving out the smallest allows; nothing when all
// that is chosen fits.
template <class Amount>
std::optional<std::vector<Item<Amount>>> cover_of(std::vector<Item<Amount>> items, Amount room) {
  std::erase_if(items, [](const Item<Amount>& item) { return !item.chosen; });
  Amount total{};
  for (const Item<Amount>& item : items) total += item.amount;
  if (total <= room) return std::nullopt;
  std::stable_sort(items.begin(), items.end(), [](const Item<Amount>& a, const Item<Amount>& b) {
    return a.amount < b.amount;
  });
  std::erase_if(items, [&](const Item<Amount>& item) {
    if (total - item.amount <= room) return false;
    total -= item.amount;
    return true;
  });
  return items;
}

// No more than all but one of the items, and of others that take at least as much as each of them.
template <class Amount>
LinearRow cover_row(const std::vector<Item<Amount>>& cover, const std::vector<Item<Amount>>& all) {
  const Amount largest = cover.back().amount;
  LinearRow row;
  row.upper = static_cast<double>(cover.size()) - 1;
  const auto add = [&row](const Item<Amount>& item) {
    row.terms.push_back({item.column, item.dear == 1 ? 1.0 : -1.0});
    if (item.dear == 0) row.upper -= 1;
  };
  for (const Item<Amount>& item : cover) add(item);
  for (const Item<Amount>& item : all)
    if (!item.chosen && item.amount >= largest) add(item);
  return row;
}

// What bytes beyond 2^50 may be off by, each way: rows state them in doubles, and a few roundings
// lie between. A sum that is too large by no more than that is not said to be; its schedule is
// refused all the same, by exact figures.
std::int64_t rounding_of(const std::vector<Item<std::int64_t>>& items, std::int64_t room) {
  constexpr std::int64_t kExact = (std::int64_t{1} << 50) + 1;
  double all = static_cast<double>(std::abs(room));
  std::int64_t largest = std::abs(room);
  for (const Item<std::int64_t>& item : items) {
    all += static_cast<double>(item.amount);
    largest = std::max(largest, item.amount);
  }
  return largest < kExact ? 0 : static_cast<std::int64_t>(all / static_cast<double>(kExact)) + 1;
}
// Sums of doubles differ in their last places by their order; a deadline's own tolerance is far
// above that.
double rounding_of(const std::vector<Item<double>>& items, double room) {
  double all = std::abs(room);
  for (const Item<double>& item : items) all += item.amount;
  return kSumRounding * all;
}

// The row as items, and the room that they have. `amount` turns a figure of the row into an Amount.
// Nothing for a row with a column that is not 0-1, which no cover speaks of.
template <class Amount, class ToAmount>
std::optional<LinearRow> cover_of_row(const LinearModel& model, const LinearRow& row,
                                      const std::vector<double>& values, ToAmount amount) {
  Amount room = amount(row.upper - margin_of(row));
  std::vector<Item<Amount>> items;
  for (const LinearTerm& term : row.terms) {
    if (model.columns[term.column].kind != ColumnKind::Integer) return std::nullopt;
    const bool is_one = values[term.column] > 0.5;
    const Amount size = amount(std::abs(term.coefficient));
    if (term.coefficient < 0) room += size;
    items.push_back({.column = term.column,
                     .dear = term.coefficient < 0 ? 0.0 : 1.0,
                     .amount = size,
                     .chosen = is_one == (term.coefficient > 0)});
  }
  const auto cover = cover_of(items, room + rounding_of(items, room));
  if (!cover || cover->empty()) return std::nullopt;
  return cover_row(*cover, items);
}

template <class CountsAt>
std::vector<LinearRow> covers(const LinearModel& model, double byte_unit, CountsAt counts_at,
                              const std::vector<double>& values) {
  std::vector<LinearRow> found;
  for (std::size_t n = 0; n < model.rows.size(); ++n) {
    const LinearRow& row = model.rows[n];
    std::optional<LinearRow> cover;
    if (counts_at(n) == Counts::Bytes)
      cover = cover_of_row<std::int64_t>(model, row, values, [byte_unit](double units) {
        return std::int64_t{std::llround(units * byte_unit)};
      });
    else if (counts_at(n) == Counts::Time)
      cover = cover_of_row<double>(model, row, values, [](double units) { return units; });
    if (cover) found.push_back(*std::move(cover));
  }
  return found;
}

}  // namespace

void add_margins(EventModel& model) {
  for (std::size_t n = 0; n < model.row_tags.size(); ++n)
    if (counts(model.row_tags[n].kind) != Counts::Nothing) widen(model.linear.rows[n]);
}

void add_margins(WindowModel& model) {
  for (std::size_t n = 0; n < model.row_names.size(); ++n)
    if (counts(model.row_names[n].kind) != Counts::Nothing) widen(model.linear.rows[n]);
}

std::vector<LinearRow> covers_of_broken_budgets(const EventModel& model,
                                                const std::vector<double>& values) {
  const auto counts_at = [&model](std::size_t n) {
    return n < model.row_tags.size() ? counts(model.row_tags[n].kind) : Counts::Nothing;
  };
  return covers(model.linear, model.byte_unit, counts_at, values);
}

std::vector<LinearRow> covers_of_broken_budgets(const WindowModel& model,
                                                const std::vector<double>& values) {
  const auto counts_at = [&model](std::size_t n) {
    return n < model.row_names.size() ? counts(model.row_names[n].kind) : Counts::Nothing;
  };
  return covers(model.linear, model.byte_unit, counts_at, values);
}

}  // namespace poet
