#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "poet/base/result.h"
#include "poet/exact/certificate.h"
#include "poet/exact/number.h"
#include "poet/exact/step.h"

namespace poet::exact {

// sum of terms (column, coefficient) <= most.
struct Inequality {
  std::vector<std::pair<std::int32_t, Number>> terms = {};
  Number most;
};

struct Column {
  Number cost;
  bool whole = true;  // 0 or 1; otherwise anything between
};

// The rows of a window model (docs/model/windows.md §1), written down from the problem: every
// schedule of the class gives its columns values that keep every row and cost no more.
class WindowRows {
 public:
  // `keys`: stages, ascending. `step` must outlive it.
  WindowRows(const Step& step, const std::vector<std::int32_t>& keys);

  const Number& constant_cost() const { return constant_cost_; }
  const std::vector<Column>& columns() const { return columns_; }

  // The row of that name; an Error when the model has none. Crowded rows add columns.
  Result<Inequality> row(const RowName& name);
  std::optional<std::int32_t> column(const ColumnName& name) const;

 private:
  using Place = std::optional<std::int32_t>;
  using Row = std::optional<Inequality>;

  std::int32_t windows() const { return static_cast<std::int32_t>(keys_.size()) + 1; }
  std::int32_t begin(std::int32_t w) const { return w == 0 ? -1 : keys_[w - 1]; }
  std::int32_t end(std::int32_t w) const;
  bool exists(std::int32_t i, std::int32_t w) const;
  bool surely_present(std::int32_t i, std::int32_t w) const;
  bool surely_there(std::int32_t i, std::int32_t w) const;
  std::int32_t holder_of(std::int32_t i, std::int32_t w) const;

  Place place(ColumnKind kind, std::int32_t a, std::int32_t b = 0, std::int32_t c = 0) const;
  Place resident(std::int32_t i) const;
  std::int32_t add_column(const ColumnName& name, const Number& cost, bool whole);
  void add_window(std::int32_t w);
  void subtract_there(Inequality& row, std::int32_t w, std::int32_t i) const;

  bool names_exist(const RowName& name) const;
  Row find_row(const RowName& name);
  Row need(std::int32_t w, std::int32_t i) const;
  Row making(std::int32_t w, std::int32_t v, std::int32_t i) const;
  Row copy(std::int32_t w, std::int32_t i) const;
  Row carry(std::int32_t w, std::int32_t i) const;
  Row memory(std::int32_t w) const;
  Row stays(std::int32_t w, std::int32_t i) const;
  bool is_crowdable(std::int32_t w, std::int32_t v) const;
  bool may_be_beside(std::int32_t w, std::int32_t v, std::int32_t i) const;
  bool has_reason(const RowName& name) const;
  std::int32_t in_ram(std::int32_t w, std::int32_t v, std::int32_t i);
  Row crowded(std::int32_t w, std::int32_t v);
  Row crowded_reason(const RowName& name);
  Row deadline() const;
  Row storage() const;
  Row writes() const;

  const Step& step_;
  std::vector<std::int32_t> keys_;
  std::vector<Column> columns_;
  std::map<ColumnName, std::int32_t> places_;
  Number constant_cost_;
};

}  // namespace poet::exact
