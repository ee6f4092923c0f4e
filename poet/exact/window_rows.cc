// The rows of a window model with exact numbers (docs/model/windows.md §1).
#include "poet/exact/window_rows.h"

#include <algorithm>

namespace poet::exact {
namespace {

void add_term(Inequality& row, const Number& coefficient, std::optional<std::int32_t> column) {
  if (column) row.terms.emplace_back(*column, coefficient);
}

}  // namespace

// --- columns -------------------------------------------------------------------------------------

WindowRows::WindowRows(const Step& step, const std::vector<std::int32_t>& keys)
    : step_(step), keys_(keys), constant_cost_(step.once_cost) {
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const Chain& chain = step_.chains[n];
    const auto i = id_of(n);
    if (!chain.moves) continue;
    if (chain.must_be_written) constant_cost_ += chain.write_cost;
    if (chain.may_be_written && !chain.readers.empty())
      add_column({ColumnKind::Stored, {i}}, chain.write_cost, true);
    if (!chain.may_be_resident) continue;
    Number saved;
    if (chain.new_value) saved = step_.chains[*chain.new_value].write_cost;
    add_column({ColumnKind::Resident, {i}}, -saved, true);
  }
  for (std::int32_t w = 0; w < windows(); ++w) add_window(w);
}

void WindowRows::add_window(std::int32_t w) {
  for (std::int32_t v = 0; v <= begin(w); ++v) {
    const StepOperation& operation = step_.operations[v];
    if (operation.last_stage > begin(w) && !operation.outputs.empty())
      add_column({ColumnKind::Made, {w, v}}, operation.cost, true);
  }
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const Chain& chain = step_.chains[n];
    const auto i = id_of(n);
    if (!chain.moves || chain.readers.empty() || !exists(i, w) || chain.last_stage <= begin(w))
      continue;
    if (w > 0 && !surely_present(i, w)) add_column({ColumnKind::Present, {w, i}}, 0, true);
    if (chain.may_be_read) add_column({ColumnKind::Read, {w, i}}, chain.read_cost, true);
  }
}

std::int32_t WindowRows::add_column(const ColumnName& name, const Number& cost, bool whole) {
  const auto place = id_of(columns_.size());
  columns_.push_back({cost, whole});
  places_.emplace(name, place);
  return place;
}

std::optional<std::int32_t> WindowRows::column(const ColumnName& name) const {
  const auto found = places_.find(name);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

WindowRows::Place WindowRows::place(ColumnKind kind, std::int32_t a, std::int32_t b,
                                    std::int32_t c) const {
  return column({kind, {a, b, c}});
}

// Of the chain itself, or of the old value whose place it takes.
WindowRows::Place WindowRows::resident(std::int32_t i) const {
  return place(ColumnKind::Resident, step_.chains[i].old_value.value_or(i));
}

// --- windows -------------------------------------------------------------------------------------

// The last stage of the window.
std::int32_t WindowRows::end(std::int32_t w) const {
  return w + 1 < windows() ? keys_[w] : step_.stages() - 1;
}

// Made, or at home in storage, when the window begins.
bool WindowRows::exists(std::int32_t i, std::int32_t w) const {
  return !step_.chains[i].maker || *step_.chains[i].maker <= begin(w);
}

// In RAM at the key before the window, because the key's own operation uses it.
bool WindowRows::surely_present(std::int32_t i, std::int32_t w) const {
  if (w == 0) return false;
  const StepOperation& operation = step_.operations[begin(w)];
  return operation.reads(i) || operation.makes(i);
}

bool WindowRows::surely_there(std::int32_t i, std::int32_t w) const {
  return !exists(i, w) || surely_present(i, w);
}

// Where a resident's bytes are at the key before the window: in itself, or in its new value.
std::int32_t WindowRows::holder_of(std::int32_t i, std::int32_t w) const {
  const std::optional<std::int32_t> next = step_.chains[i].new_value;
  return next && *step_.chains[*next].maker <= begin(w) ? *next : i;
}

// - (there when the window begins, or comes in it)
void WindowRows::subtract_there(Inequality& row, std::int32_t w, std::int32_t i) const {
  add_term(row, -1, place(ColumnKind::Present, w, i));
  if (step_.chains[i].maker) add_term(row, -1, place(ColumnKind::Made, w, *step_.chains[i].maker));
  add_term(row, -1, place(ColumnKind::Read, w, i));
  add_term(row, -1, resident(i));
}

// --- rows ----------------------------------------------------------------------------------------

bool WindowRows::names_exist(const RowName& name) const {
  const auto [w, a, b, c] = name.ids;
  const auto is_operation = [&](std::int32_t v) { return v < step_.stages(); };
  const auto is_chain = [&](std::int32_t i) {
    return static_cast<std::size_t>(i) < step_.chains.size() && step_.chains[i].moves;
  };
  switch (name.kind) {
    case RowKind::Deadline:
    case RowKind::Storage:
    case RowKind::Writes:
      return true;
    case RowKind::Memory:
      return w < windows();
    case RowKind::Crowded:
      return w < windows() && is_operation(a);
    case RowKind::Need:
    case RowKind::Copy:
    case RowKind::Carry:
    case RowKind::Stays:
      return w < windows() && is_chain(a);
    default:
      return w < windows() && is_operation(a) && is_chain(b) && is_operation(c);
  }
}

WindowRows::Row WindowRows::find_row(const RowName& name) {
  const auto [a, b, c, d] = name.ids;
  if (!names_exist(name)) return std::nullopt;
  switch (name.kind) {
    case RowKind::Need:
      return need(a, b);
    case RowKind::Making:
      return making(a, b, c);
    case RowKind::Copy:
      return copy(a, b);
    case RowKind::Carry:
      return carry(a, b);
    case RowKind::Memory:
      return memory(a);
    case RowKind::Stays:
      return stays(a, b);
    case RowKind::Crowded:
      return crowded(a, b);
    case RowKind::CrowdedNeed:
    case RowKind::CrowdedLater:
    case RowKind::CrowdedReader:
      return crowded_reason(name);
    case RowKind::Deadline:
      return deadline();
    case RowKind::Storage:
      return storage();
    case RowKind::Writes:
      return writes();
  }
  return std::nullopt;
}

Result<Inequality> WindowRows::row(const RowName& name) {
  Row found = find_row(name);
  if (!found) return bad_input("the window model has no row " + text_of(name));
  return *std::move(found);
}

WindowRows::Row WindowRows::need(std::int32_t w, std::int32_t i) const {
  const std::vector<std::int32_t>& readers = step_.chains[i].readers;
  const bool is_read = std::any_of(readers.begin(), readers.end(), [&](std::int32_t reader) {
    return begin(w) < reader && reader <= end(w);
  });
  if (!is_read || surely_there(i, w)) return std::nullopt;
  Inequality row{{}, -1};
  subtract_there(row, w, i);
  return row;
}

WindowRows::Row WindowRows::making(std::int32_t w, std::int32_t v, std::int32_t i) const {
  const Place made = place(ColumnKind::Made, w, v);
  if (!made || !step_.operations[v].reads(i) || surely_there(i, w)) return std::nullopt;
  Inequality row;
  add_term(row, 1, made);
  subtract_there(row, w, i);
  return row;
}

WindowRows::Row WindowRows::copy(std::int32_t w, std::int32_t i) const {
  const Place read = place(ColumnKind::Read, w, i), stored = place(ColumnKind::Stored, i);
  if (!read || !stored) return std::nullopt;
  Inequality row;
  add_term(row, 1, read);
  add_term(row, -1, stored);
  return row;
}

WindowRows::Row WindowRows::carry(std::int32_t w, std::int32_t i) const {
  const Place later = place(ColumnKind::Present, w + 1, i);
  if (!later || surely_there(i, w)) return std::nullopt;
  Inequality row;
  add_term(row, 1, later);
  subtract_there(row, w, i);
  return row;
}

WindowRows::Row WindowRows::memory(std::int32_t w) const {
  if (w == 0) return std::nullopt;
  Inequality row;
  row.most = number_of(step_.budget_bytes - step_.least_room_bytes(step_.operations[begin(w)]));
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const auto i = id_of(n);
    const Number size = number_of(step_.chains[n].size_bytes);
    add_term(row, size, place(ColumnKind::Present, w, i));
    if (!step_.chains[n].may_be_resident) continue;
    const std::int32_t holder = holder_of(i, w);
    const bool counted =
        surely_present(i, w) || surely_present(holder, w) || place(ColumnKind::Present, w, holder);
    if (!counted) add_term(row, size, resident(i));
  }
  return row;
}

WindowRows::Row WindowRows::stays(std::int32_t w, std::int32_t i) const {
  if (w == 0 || !step_.chains[i].may_be_resident || surely_present(i, w)) return std::nullopt;
  const Place present = place(ColumnKind::Present, w, holder_of(i, w));
  if (!present) return std::nullopt;
  Inequality row;
  add_term(row, 1, resident(i));
  add_term(row, -1, present);
  return row;
}

// --- crowded events (docs/model/windows.md §1.5) -------------------------------------------------

bool WindowRows::is_crowdable(std::int32_t w, std::int32_t v) const {
  return w + 1 < windows() && begin(w) + 1 == end(w) && place(ColumnKind::Made, w, v);
}

// Neither the operation nor a residency has to do with the chain, which exists already.
bool WindowRows::may_be_beside(std::int32_t w, std::int32_t v, std::int32_t i) const {
  const StepOperation& operation = step_.operations[v];
  return step_.chains[i].moves && exists(i, w) && !operation.reads(i) && !operation.makes(i) &&
         !resident(i);
}

// Whether the chain would be in RAM for that reason when the operation runs.
bool WindowRows::has_reason(const RowName& name) const {
  const auto [w, v, i, reader] = name.ids;
  if (!may_be_beside(w, v, i)) return false;
  const bool needed = step_.operations[end(w)].reads(i);
  if (name.kind == RowKind::CrowdedNeed) return needed;
  if (needed) return false;
  if (name.kind == RowKind::CrowdedLater) return place(ColumnKind::Present, w + 1, i).has_value();
  return reader > v && step_.operations[reader].reads(i) &&
         place(ColumnKind::Made, w, reader).has_value();
}

std::int32_t WindowRows::in_ram(std::int32_t w, std::int32_t v, std::int32_t i) {
  const ColumnName name{ColumnKind::InRam, {w, v, i}};
  const Place there = column(name);
  return there ? *there : add_column(name, 0, false);
}

// The operation's own room, and what else is in RAM then; holds whether it runs or not.
WindowRows::Row WindowRows::crowded(std::int32_t w, std::int32_t v) {
  if (!is_crowdable(w, v)) return std::nullopt;
  Inequality row;
  row.most = number_of(step_.budget_bytes);
  add_term(row, number_of(step_.least_room_bytes(step_.operations[v])),
           place(ColumnKind::Made, w, v));
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const auto i = id_of(n);
    const std::vector<std::int32_t>& readers = step_.chains[n].readers;
    const bool has_any = has_reason({RowKind::CrowdedNeed, {w, v, i}}) ||
                         has_reason({RowKind::CrowdedLater, {w, v, i}}) ||
                         std::any_of(readers.begin(), readers.end(), [&](std::int32_t reader) {
                           return has_reason({RowKind::CrowdedReader, {w, v, i, reader}});
                         });
    if (step_.chains[n].size_bytes != 0 && has_any)
      add_term(row, number_of(step_.chains[n].size_bytes), in_ram(w, v, i));
  }
  return row;
}

WindowRows::Row WindowRows::crowded_reason(const RowName& name) {
  const auto [w, v, i, reader] = name.ids;
  if (!is_crowdable(w, v) || !has_reason(name)) return std::nullopt;
  Inequality row;
  if (name.kind == RowKind::CrowdedNeed) row.most = -1;
  if (name.kind == RowKind::CrowdedLater) add_term(row, 1, place(ColumnKind::Present, w + 1, i));
  if (name.kind == RowKind::CrowdedReader) add_term(row, 1, place(ColumnKind::Made, w, reader));
  add_term(row, -1, in_ram(w, v, i));
  add_term(row, -1, place(ColumnKind::Read, w, i));
  const std::optional<std::int32_t> maker = step_.chains[i].maker;
  if (maker && *maker > v) add_term(row, -1, place(ColumnKind::Made, w, *maker));
  return row;
}

// --- budgets of the whole step -------------------------------------------------------------------

WindowRows::Row WindowRows::deadline() const {
  if (!step_.latest_s) return std::nullopt;
  Inequality row{{}, *step_.latest_s - step_.once_s};
  for (std::int32_t w = 0; w < windows(); ++w) {
    for (std::int32_t v = 0; v < step_.stages(); ++v)
      add_term(row, step_.operations[v].time_s, place(ColumnKind::Made, w, v));
    for (std::size_t n = 0; n < step_.chains.size(); ++n)
      add_term(row, step_.chains[n].read_s, place(ColumnKind::Read, w, id_of(n)));
  }
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const Chain& chain = step_.chains[n];
    const auto i = id_of(n);
    add_term(row, chain.write_s, place(ColumnKind::Stored, i));
    if (!chain.must_be_written) continue;
    row.most -= chain.write_s;
    add_term(row, -chain.write_s, resident(i));
  }
  return row;
}

WindowRows::Row WindowRows::storage() const {
  if (!step_.storage_room_bytes) return std::nullopt;
  Inequality row{{}, number_of(*step_.storage_room_bytes)};
  for (std::size_t n = 0; n < step_.chains.size(); ++n)
    add_term(row, number_of(step_.chains[n].size_bytes), place(ColumnKind::Stored, id_of(n)));
  return row;
}

WindowRows::Row WindowRows::writes() const {
  if (!step_.write_room_bytes) return std::nullopt;
  Inequality row{{}, number_of(*step_.write_room_bytes)};
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const Chain& chain = step_.chains[n];
    const auto i = id_of(n);
    const Number size = number_of(chain.size_bytes);
    add_term(row, size, place(ColumnKind::Stored, i));
    if (!chain.must_be_written) continue;
    row.most -= size;
    add_term(row, -size, resident(i));
  }
  return row;
}

}  // namespace poet::exact
