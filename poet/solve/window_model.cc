// States a window model as a linear model (docs/model/windows.md §1).
#include "poet/solve/window_model.h"

#include <algorithm>

#include "poet/solve/budget_margin.h"
#include "poet/solve/reachable_rows.h"

namespace poet {
namespace {

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class WindowModelBuilder {
 public:
  WindowModelBuilder(const Step& step, WindowKeys keys, const WindowModelOptions& options)
      : step_(step), objective_(options.objective), most_cost_(options.most_cost) {
    model_.keys = std::move(keys);
    model_.cost_unit = options.cost_unit;
    model_.byte_unit = byte_unit_of(step);
  }

  WindowModel build() {
    if (objective_ == EventObjective::RamBudget) add_budget();
    add_chain_columns();
    for (std::int32_t w = 0; w < model_.windows(); ++w) add_window_columns(w);
    for (std::int32_t w = 0; w < model_.windows(); ++w) add_window_rows(w);
    for (const Event& event : model_.keys.crowded) add_crowded_row(event);
    add_deadline();
    add_storage_rows();
    return std::move(model_);
  }

 private:
  using Column = std::optional<std::int32_t>;

  static std::int32_t index(std::size_t n) { return static_cast<std::int32_t>(n); }
  double in_units(double cost) const {
    return objective_ == EventObjective::Cost ? std::min(cost, most_cost_) / model_.cost_unit : 0;
  }
  double in_units(std::int64_t bytes) const {
    return static_cast<double>(bytes) / model_.byte_unit;
  }

  // The key at which window w begins (-1: with the step), and the last stage in it.
  std::int32_t begin(std::int32_t w) const { return w == 0 ? -1 : model_.keys.stages[w - 1]; }
  std::int32_t end(std::int32_t w) const {
    return w + 1 < model_.windows() ? model_.keys.stages[w] : step_.stages() - 1;
  }

  // Whether the chain has been made, or is at home in storage, by the beginning of the window.
  bool exists(std::int32_t c, std::int32_t w) const {
    return !step_.chains[c].producer || *step_.chains[c].producer <= begin(w);
  }
  // In RAM at the beginning of the window whatever the schedule: the key itself uses it.
  bool surely_present(std::int32_t c, std::int32_t w) const {
    if (w == 0) return false;
    const StepOperation& operation = step_.operations[begin(w)];
    return contains(operation.inputs, c) || contains(operation.outputs, c);
  }

  Column add_column(double cost, WindowColumnName name, ColumnKind kind = ColumnKind::Integer) {
    model_.column_names.push_back(name);
    return model_.linear.add_column(LinearColumn{cost, 0, 1, kind});
  }
  void add_row(LinearRow row, WindowRowName name, double scale = 1) {
    model_.row_names.push_back(name);
    model_.row_scales.push_back(scale);
    model_.linear.add_row(std::move(row));
  }
  std::int32_t tensor(std::int32_t c) const { return index_of(step_.chains[c].tensor); }

  void add_budget() {
    std::int64_t least_bytes = 0;
    for (const StepOperation& operation : step_.operations)
      least_bytes = std::max(least_bytes, least_room_bytes(step_, operation));
    model_.column_names.emplace_back();  // no certificate speaks of it
    model_.budget = model_.linear.add_column(
        LinearColumn{1, in_units(least_bytes), kInfinity, ColumnKind::Continuous});
  }
  // The right-hand side of a row on RAM of which some is taken. Subtracted in whole bytes: what is
  // left may be a few of them, and a rounding of the whole would be a large part of that.
  void limit_ram(LinearRow& row, std::int64_t taken_bytes = 0) const {
    row.upper = in_units((model_.budget ? 0 : step_.budget_bytes) - taken_bytes);
    add_terms(row, -1, model_.budget);
  }

  void add_chain_columns() {
    for (const Chain& chain : step_.chains) {
      Column stored, resident;
      const std::int32_t id = index_of(chain.tensor);
      if (chain.may_be_written && !chain.readers.empty())
        stored = add_column(in_units(chain.write_cost), {WindowColumnKind::Stored, {id}});
      if (chain.may_be_resident)
        resident =
            add_column(-in_units(chain.new_value ? step_.chains[*chain.new_value].write_cost : 0.0),
                       {WindowColumnKind::Resident, {id}});
      model_.stored.push_back(stored);
      model_.resident.push_back(resident);
      if (chain.must_be_written) model_.constant_cost += in_units(chain.write_cost);
    }
  }

  // r of the chain itself, or of the old value whose place it takes.
  Column residency(std::int32_t c) const {
    const std::optional<std::int32_t> old = step_.chains[c].old_value;
    return model_.resident[old ? *old : c];
  }

  void add_window_columns(std::int32_t w) {
    const std::int32_t first = begin(w);
    auto& present = model_.present.emplace_back(step_.chains.size());
    auto& made = model_.made.emplace_back(step_.operations.size());
    auto& read = model_.read.emplace_back(step_.chains.size());
    for (std::int32_t k = 0; k <= first; ++k)
      if (step_.operations[k].last_stage > first && !step_.operations[k].outputs.empty())
        made[k] = add_column(in_units(step_.operations[k].cost), {WindowColumnKind::Made, {w, k}});
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const Chain& chain = step_.chains[c];
      if (!exists(index(c), w) || chain.last_stage <= first || chain.readers.empty()) continue;
      const std::int32_t id = index_of(chain.tensor);
      if (w > 0 && !surely_present(index(c), w))
        present[c] = add_column(0, {WindowColumnKind::Present, {w, id}});
      const bool has_copy = model_.stored[c] || !chain.may_be_written;
      if (chain.may_be_read && has_copy)
        read[c] = add_column(in_units(chain.read_cost), {WindowColumnKind::Read, {w, id}});
    }
  }

  void add_terms(LinearRow& row, double coefficient, Column column) const {
    if (column) row.terms.push_back(LinearTerm{*column, coefficient});
  }

  // coefficient * (the chain is in RAM at the beginning of the window, or comes in it)
  void add_availability(LinearRow& row, double coefficient, std::int32_t c, std::int32_t w) const {
    add_terms(row, coefficient, model_.present[w][c]);
    if (step_.chains[c].producer)
      add_terms(row, coefficient, model_.made[w][*step_.chains[c].producer]);
    add_terms(row, coefficient, model_.read[w][c]);
    add_terms(row, coefficient, residency(c));
  }
  bool surely_available(std::int32_t c, std::int32_t w) const {
    return !exists(c, w) || surely_present(c, w);
  }

  void add_window_rows(std::int32_t w) {
    add_needs(w);
    for (std::size_t k = 0; k < step_.operations.size(); ++k)
      if (model_.made[w][k]) add_making_rows(index(k), w);
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      if (model_.read[w][c] && model_.stored[c]) {
        LinearRow row{-kInfinity, 0, {}};
        add_terms(row, 1, model_.read[w][c]);
        add_terms(row, -1, model_.stored[c]);
        add_row(std::move(row), {WindowRowKind::Copy, {w, tensor(index(c))}});
      }
      if (w + 1 < model_.windows() && model_.present[w + 1][c]) add_carry_row(index(c), w);
    }
    if (w > 0) add_memory_row(w);
  }

  // What the stages of the window read is available in it.
  void add_needs(std::int32_t w) {
    std::vector<bool> seen(step_.chains.size(), false);
    for (std::int32_t t = begin(w) + 1; t <= end(w); ++t)
      for (const std::int32_t c : step_.operations[t].inputs) {
        if (seen[c] || surely_available(c, w)) continue;
        seen[c] = true;
        LinearRow row{1, kInfinity, {}};
        add_availability(row, 1, c, w);
        add_row(std::move(row), {WindowRowKind::Need, {w, tensor(c)}});
      }
  }

  void add_making_rows(std::int32_t k, std::int32_t w) {
    for (const std::int32_t c : step_.operations[k].inputs) {
      if (surely_available(c, w)) continue;
      LinearRow row{-kInfinity, 0, {}};
      add_terms(row, 1, model_.made[w][k]);
      add_availability(row, -1, c, w);
      add_row(std::move(row), {WindowRowKind::Making, {w, k, tensor(c)}});
    }
  }

  // In RAM at the next key only if it was there or came.
  void add_carry_row(std::int32_t c, std::int32_t w) {
    if (surely_available(c, w)) return;
    LinearRow row{-kInfinity, 0, {}};
    add_terms(row, 1, model_.present[w + 1][c]);
    add_availability(row, -1, c, w);
    add_row(std::move(row), {WindowRowKind::Carry, {w, tensor(c)}});
  }

  void add_memory_row(std::int32_t w) {
    const StepOperation& operation = step_.operations[begin(w)];
    LinearRow row;
    limit_ram(row, least_room_bytes(step_, operation));
    for (std::size_t c = 0; c < step_.chains.size(); ++c)
      if (model_.present[w][c])
        add_terms(row, in_units(step_.chains[c].size_bytes), model_.present[w][c]);
    for (std::size_t c = 0; c < step_.chains.size(); ++c)
      if (model_.resident[c]) add_resident(index(c), w, row);
    double most = 0;
    for (const LinearTerm& term : row.terms) most += std::max(0.0, term.coefficient);
    if (most > row.upper)
      add_row(std::move(row), {WindowRowKind::Memory, {w}}, 1 / model_.byte_unit);
  }

  // A resident takes its bytes at every key, as itself or as its new value.
  void add_resident(std::int32_t c, std::int32_t w, LinearRow& row) {
    const std::optional<std::int32_t> next = step_.chains[c].new_value;
    const bool replaced = next && *step_.chains[*next].producer <= begin(w);
    const std::int32_t holder = replaced ? *next : c;
    if (surely_present(holder, w) || surely_present(c, w)) return;
    if (!model_.present[w][holder]) {
      add_terms(row, in_units(step_.chains[c].size_bytes), model_.resident[c]);
      return;
    }
    LinearRow stays{-kInfinity, 0, {}};
    add_terms(stays, 1, model_.resident[c]);
    add_terms(stays, -1, model_.present[w][holder]);
    add_row(std::move(stays), {WindowRowKind::Stays, {w, tensor(c)}});
  }

  // Room for a re-execution (t, k), where the window before the key t is one stage long: the
  // operation's own, and what else is in RAM then. That is a chain which is in RAM at the key, or
  // is used by t or by a re-execution after k, unless it comes after k: it may be read, or made by
  // an operation behind k. Holds whether k runs or not: what is counted lies in RAM side by side.
  void add_crowded_row(Event event) {
    const auto key =
        std::lower_bound(model_.keys.stages.begin(), model_.keys.stages.end(), event.stage);
    const auto w = index(static_cast<std::size_t>(key - model_.keys.stages.begin()));
    const std::int32_t k = event.operation;
    if (end(w) != event.stage || begin(w) + 1 != event.stage || !model_.made[w][k]) return;
    const StepOperation& operation = step_.operations[k];
    LinearRow row;
    limit_ram(row);
    add_terms(row, in_units(least_room_bytes(step_, operation)), model_.made[w][k]);
    for (std::size_t n = 0; n < step_.chains.size(); ++n) {
      const std::int32_t c = index(n);
      const bool of_k = contains(operation.inputs, c) || contains(operation.outputs, c);
      if (step_.chains[c].size_bytes == 0 || !exists(c, w) || of_k || residency(c)) continue;
      add_terms(row, in_units(step_.chains[c].size_bytes), in_ram_at(c, k, w));
    }
    add_row(std::move(row), {WindowRowKind::Crowded, {w, k}}, 1 / model_.byte_unit);
  }

  // Whether chain c is in RAM when k runs again in the stage of window w; nothing when it need not.
  Column in_ram_at(std::int32_t c, std::int32_t k, std::int32_t w) {
    const Chain& chain = step_.chains[c];
    LinearRow unless_it_comes{0, kInfinity, {}};
    add_terms(unless_it_comes, 1, model_.read[w][c]);
    if (chain.producer && *chain.producer > k)
      add_terms(unless_it_comes, 1, model_.made[w][*chain.producer]);

    const std::int32_t id = tensor(c);
    std::vector<std::pair<LinearRow, WindowRowName>> reasons;
    if (contains(step_.operations[end(w)].inputs, c)) {
      reasons.push_back({unless_it_comes, {WindowRowKind::CrowdedNeed, {w, k, id}}});
      reasons.back().first.lower = 1;
    } else {
      if (const Column& later = model_.present[w + 1][c]) {
        reasons.push_back({unless_it_comes, {WindowRowKind::CrowdedLater, {w, k, id}}});
        add_terms(reasons.back().first, -1, later);
      }
      for (const std::int32_t reader : chain.readers) {
        if (reader <= k || !model_.made[w][reader]) continue;
        reasons.push_back({unless_it_comes, {WindowRowKind::CrowdedReader, {w, k, id, reader}}});
        add_terms(reasons.back().first, -1, model_.made[w][reader]);
      }
    }
    if (reasons.empty()) return std::nullopt;
    const Column here =
        add_column(0, {WindowColumnKind::InRam, {w, k, id}}, ColumnKind::Continuous);
    for (auto& [reason, name] : reasons) {
      add_terms(reason, 1, here);
      add_row(std::move(reason), name);
    }
    return here;
  }

  void add_deadline() {
    if (!step_.deadline_s) return;
    const double scale = step_.once_s > 0 ? 1 / step_.once_s : 1;
    LinearRow row;
    row.upper = (*step_.deadline_s - step_.once_s) * scale;
    const auto add = [&](double seconds, Column column) {
      if (seconds != 0) add_terms(row, seconds * scale, column);
    };
    for (std::int32_t w = 0; w < model_.windows(); ++w) {
      for (std::size_t k = 0; k < step_.operations.size(); ++k)
        add(step_.operations[k].time_s, model_.made[w][k]);
      for (std::size_t c = 0; c < step_.chains.size(); ++c)
        add(step_.chains[c].read_s, model_.read[w][c]);
    }
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const Chain& chain = step_.chains[c];
      if (chain.must_be_written) row.upper -= chain.write_s * scale;
      add(chain.write_s, model_.stored[c]);
      if (chain.must_be_written && chain.old_value)
        add(-chain.write_s, model_.resident[*chain.old_value]);
    }
    add_row(std::move(row), {WindowRowKind::Deadline}, scale);
  }

  void add_storage_rows() {
    LinearRow storage, written;
    std::int64_t sure_bytes = 0;
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const Chain& chain = step_.chains[c];
      const double size = in_units(chain.size_bytes);
      if (chain.must_be_written) {
        sure_bytes += chain.size_bytes;
        if (chain.old_value) add_terms(written, -size, model_.resident[*chain.old_value]);
      }
      add_terms(storage, size, model_.stored[c]);
      add_terms(written, size, model_.stored[c]);
    }
    if (step_.storage_room_bytes) {
      storage.upper = in_units(*step_.storage_room_bytes);
      add_row(std::move(storage), {WindowRowKind::Storage}, 1 / model_.byte_unit);
    }
    if (step_.write_room_bytes) {
      written.upper = in_units(*step_.write_room_bytes - sure_bytes);
      add_row(std::move(written), {WindowRowKind::Writes}, 1 / model_.byte_unit);
    }
  }

  const Step& step_;
  const EventObjective objective_;
  const double most_cost_;
  WindowModel model_;
};

}  // namespace

std::int64_t WindowModel::reexecutions() const {
  std::int64_t count = 0;
  for (const auto& columns : made)
    for (const std::optional<std::int32_t>& column : columns) count += column ? 1 : 0;
  return count;
}

WindowModel make_window_model(const Step& step, WindowKeys keys,
                              const WindowModelOptions& options) {
  WindowModel model = WindowModelBuilder(step, std::move(keys), options).build();
  if (options.reachable_sums) lower_to_reachable_sums(model);
  if (options.margins) add_margins(model);
  return model;
}

}  // namespace poet
