#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/result.h"
#include "poet/problem/window_names.h"
#include "poet/verify/proof_step.h"

namespace poet {

// sum of terms (column, coefficient) <= most.
struct ProofInequality {
  std::vector<std::pair<std::int32_t, double>> terms = {};
  double most = 0;
};

struct ProofColumn {
  WindowColumnName name = {};
  double cost = 0;
  bool whole = true;  // 0 or 1; otherwise anything between
};

// "["need", 1, 3]", as in the file.
std::string name_text(const WindowRowName& name);
std::string name_text(const WindowColumnName& name);

// The window model of docs/formats/certificate.md with some keys, written down from the problem:
// every schedule of the class gives its columns values that keep every row and cost no more than
// the schedule. Bytes and seconds are counted as they are, costs in the unit of the objective.
class WindowRows {
 public:
  // `keys`: stages, ascending. `step` must outlive it.
  WindowRows(const ProofStep& step, std::vector<std::int32_t> keys);

  // What every schedule costs beyond the columns.
  double constant_cost() const { return constant_cost_; }

  // The row of that name; an Error when the model has none. Crowded rows add columns.
  Result<ProofInequality> row(const WindowRowName& name);
  std::optional<std::int32_t> column(const WindowColumnName& name) const;
  const std::vector<ProofColumn>& columns() const { return columns_; }

 private:
  using Column = std::optional<std::int32_t>;

  void add_columns();
  void add_window_columns(std::int32_t w);
  std::int32_t add_column(const WindowColumnName& name, double cost, bool whole);

  std::int32_t windows() const { return static_cast<std::int32_t>(keys_.size()) + 1; }
  std::int32_t begin(std::int32_t w) const { return w == 0 ? -1 : keys_[w - 1]; }
  std::int32_t end(std::int32_t w) const;
  bool exists(std::int32_t i, std::int32_t w) const;
  bool surely_present(std::int32_t i, std::int32_t w) const;
  bool surely_available(std::int32_t i, std::int32_t w) const;

  Column present(std::int32_t w, std::int32_t i) const;
  Column made(std::int32_t w, std::int32_t v) const;
  Column read(std::int32_t w, std::int32_t i) const;
  Column stored(std::int32_t i) const;
  Column residency(std::int32_t i) const;

  bool names_exist(const WindowRowName& name) const;
  std::optional<ProofInequality> need(std::int32_t w, std::int32_t i) const;
  std::optional<ProofInequality> making(std::int32_t w, std::int32_t v, std::int32_t i) const;
  std::optional<ProofInequality> copy(std::int32_t w, std::int32_t i) const;
  std::optional<ProofInequality> carry(std::int32_t w, std::int32_t i) const;
  std::optional<ProofInequality> memory(std::int32_t w) const;
  std::optional<ProofInequality> stays(std::int32_t w, std::int32_t i) const;
  bool is_crowdable(std::int32_t w, std::int32_t v) const;
  std::optional<ProofInequality> crowded(std::int32_t w, std::int32_t v);
  std::optional<ProofInequality> crowded_reason(const WindowRowName& name);
  std::vector<WindowRowName> reasons(std::int32_t w, std::int32_t v, std::int32_t i) const;
  std::int32_t in_ram(std::int32_t w, std::int32_t v, std::int32_t i);
  std::optional<ProofInequality> deadline() const;
  std::optional<ProofInequality> storage() const;
  std::optional<ProofInequality> writes() const;

  std::int32_t holder_of(std::int32_t i, std::int32_t w) const;
  void subtract_availability(ProofInequality& row, std::int32_t w, std::int32_t i) const;

  const ProofStep& step_;
  std::vector<std::int32_t> keys_;
  std::vector<ProofColumn> columns_;
  std::map<WindowColumnName, std::int32_t> places_;
  double constant_cost_ = 0;
};

}  // namespace poet
