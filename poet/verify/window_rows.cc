// The rows of a window model, written down from the problem (docs/model/windows.md §1,
// docs/model/certificates.md §3.1).
#include "poet/verify/window_rows.h"

#include <algorithm>

#include "poet/base/json_out.h"
#include "poet/problem/certificate_json.h"

namespace poet {
namespace {

using Row = std::optional<ProofInequality>;

std::int32_t index(std::size_t n) {
  return static_cast<std::int32_t>(n);
}

void add_term(ProofInequality& row, double coefficient, std::optional<std::int32_t> column) {
  if (column) row.terms.emplace_back(*column, coefficient);
}

WindowColumnName name_of_column(WindowColumnKind kind, std::int32_t a, std::int32_t b = 0,
                                std::int32_t c = 0) {
  return {kind, {a, b, c}};
}

}  // namespace

std::string name_text(const WindowRowName& name) {
  return json_line(name_to_json(name));
}
std::string name_text(const WindowColumnName& name) {
  return json_line(name_to_json(name));
}

WindowRows::WindowRows(const ProofStep& step, std::vector<std::int32_t> keys)
    : step_(step), keys_(std::move(keys)) {
  add_columns();
}

// --- columns -------------------------------------------------------------------------------------

void WindowRows::add_columns() {
  constant_cost_ = step_.once_cost;
  for (std::size_t i = 0; i < step_.tensors.size(); ++i) {
    const ProofTensor& tensor = step_.tensors[i];
    if (!tensor.moves) continue;
    if (tensor.must_be_written) constant_cost_ += tensor.write_cost;
    if (tensor.may_be_written && !tensor.readers.empty())
      add_column(name_of_column(WindowColumnKind::Stored, index(i)), tensor.write_cost, true);
    if (!tensor.may_be_resident) continue;
    const double saved = tensor.new_value ? step_.tensors[*tensor.new_value].write_cost : 0;
    add_column(name_of_column(WindowColumnKind::Resident, index(i)), -saved, true);
  }
  for (std::int32_t w = 0; w < windows(); ++w) add_window_columns(w);
}

void WindowRows::add_window_columns(std::int32_t w) {
  for (std::int32_t v = 0; v <= begin(w); ++v) {
    const ProofOperation& operation = step_.operations[v];
    if (operation.last_stage > begin(w) && !operation.outputs.empty())
      add_column(name_of_column(WindowColumnKind::Made, w, v), operation.cost, true);
  }
  for (std::size_t n = 0; n < step_.tensors.size(); ++n) {
    const std::int32_t i = index(n);
    const ProofTensor& tensor = step_.tensors[n];
    if (!tensor.moves || tensor.readers.empty()) continue;
    if (!exists(i, w) || tensor.last_stage <= begin(w)) continue;
    if (w > 0 && !surely_present(i, w))
      add_column(name_of_column(WindowColumnKind::Present, w, i), 0, true);
    if (tensor.may_be_read)
      add_column(name_of_column(WindowColumnKind::Read, w, i), tensor.read_cost, true);
  }
}

std::int32_t WindowRows::add_column(const WindowColumnName& name, double cost, bool whole) {
  const std::int32_t place = index(columns_.size());
  columns_.push_back({name, cost, whole});
  places_.emplace(name, place);
  return place;
}

std::optional<std::int32_t> WindowRows::column(const WindowColumnName& name) const {
  const auto found = places_.find(name);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

WindowRows::Column WindowRows::present(std::int32_t w, std::int32_t i) const {
  return column(name_of_column(WindowColumnKind::Present, w, i));
}
WindowRows::Column WindowRows::made(std::int32_t w, std::int32_t v) const {
  return column(name_of_column(WindowColumnKind::Made, w, v));
}
WindowRows::Column WindowRows::read(std::int32_t w, std::int32_t i) const {
  return column(name_of_column(WindowColumnKind::Read, w, i));
}
WindowRows::Column WindowRows::stored(std::int32_t i) const {
  return column(name_of_column(WindowColumnKind::Stored, i));
}
// Of the tensor itself, or of the old value whose place it takes.
WindowRows::Column WindowRows::residency(std::int32_t i) const {
  const std::int32_t holder = step_.tensors[i].old_value.value_or(i);
  return column(name_of_column(WindowColumnKind::Resident, holder));
}

// --- windows -------------------------------------------------------------------------------------

// The last stage of the window.
std::int32_t WindowRows::end(std::int32_t w) const {
  return w + 1 < windows() ? keys_[w] : step_.stages() - 1;
}

// Made, or at home in storage, when the window begins.
bool WindowRows::exists(std::int32_t i, std::int32_t w) const {
  return !step_.tensors[i].maker || *step_.tensors[i].maker <= begin(w);
}

// In RAM at the key before the window, because the key's own operation uses it.
bool WindowRows::surely_present(std::int32_t i, std::int32_t w) const {
  if (w == 0) return false;
  const ProofOperation& operation = step_.operations[begin(w)];
  return operation.reads(i) || operation.makes(i);
}

bool WindowRows::surely_available(std::int32_t i, std::int32_t w) const {
  return !exists(i, w) || surely_present(i, w);
}

// - (there when the window begins, or comes in it)
void WindowRows::subtract_availability(ProofInequality& row, std::int32_t w, std::int32_t i) const {
  add_term(row, -1, present(w, i));
  if (step_.tensors[i].maker) add_term(row, -1, made(w, *step_.tensors[i].maker));
  add_term(row, -1, read(w, i));
  add_term(row, -1, residency(i));
}

// --- rows ----------------------------------------------------------------------------------------

bool WindowRows::names_exist(const WindowRowName& name) const {
  const std::size_t arity = arity_of(name.kind);
  const auto is_window = [&](std::int32_t w) { return 0 <= w && w < windows(); };
  const auto is_operation = [&](std::int32_t v) { return 0 <= v && v < step_.stages(); };
  const auto is_tensor = [&](std::int32_t i) {
    return 0 <= i && i < index(step_.tensors.size()) && step_.tensors[i].moves;
  };
  if (arity >= 1 && !is_window(name.ids[0])) return false;
  if (name.kind == WindowRowKind::Crowded) return is_operation(name.ids[1]);
  if (arity == 2) return is_tensor(name.ids[1]);
  if (arity >= 3 && !(is_operation(name.ids[1]) && is_tensor(name.ids[2]))) return false;
  return arity < 4 || is_operation(name.ids[3]);
}

Result<ProofInequality> WindowRows::row(const WindowRowName& name) {
  const auto [a, b, c, d] = name.ids;
  Row found;
  if (names_exist(name)) switch (name.kind) {
      case WindowRowKind::Need:
        found = need(a, b);
        break;
      case WindowRowKind::Making:
        found = making(a, b, c);
        break;
      case WindowRowKind::Copy:
        found = copy(a, b);
        break;
      case WindowRowKind::Carry:
        found = carry(a, b);
        break;
      case WindowRowKind::Memory:
        found = memory(a);
        break;
      case WindowRowKind::Stays:
        found = stays(a, b);
        break;
      case WindowRowKind::Crowded:
        found = crowded(a, b);
        break;
      case WindowRowKind::CrowdedNeed:
      case WindowRowKind::CrowdedLater:
      case WindowRowKind::CrowdedReader:
        found = crowded_reason(name);
        break;
      case WindowRowKind::Deadline:
        found = deadline();
        break;
      case WindowRowKind::Storage:
        found = storage();
        break;
      case WindowRowKind::Writes:
        found = writes();
        break;
    }
  if (!found) return bad_input("the window model has no row " + name_text(name));
  return *std::move(found);
}

Row WindowRows::need(std::int32_t w, std::int32_t i) const {
  bool is_read = false;
  for (std::int32_t t = begin(w) + 1; t <= end(w); ++t)
    is_read = is_read || step_.operations[t].reads(i);
  if (!is_read || surely_available(i, w)) return std::nullopt;
  ProofInequality row{{}, -1};
  subtract_availability(row, w, i);
  return row;
}

Row WindowRows::making(std::int32_t w, std::int32_t v, std::int32_t i) const {
  if (!made(w, v) || !step_.operations[v].reads(i) || surely_available(i, w)) return std::nullopt;
  ProofInequality row;
  add_term(row, 1, made(w, v));
  subtract_availability(row, w, i);
  return row;
}

Row WindowRows::copy(std::int32_t w, std::int32_t i) const {
  if (!read(w, i) || !stored(i)) return std::nullopt;
  ProofInequality row;
  add_term(row, 1, read(w, i));
  add_term(row, -1, stored(i));
  return row;
}

Row WindowRows::carry(std::int32_t w, std::int32_t i) const {
  if (!present(w + 1, i) || surely_available(i, w)) return std::nullopt;
  ProofInequality row;
  add_term(row, 1, present(w + 1, i));
  subtract_availability(row, w, i);
  return row;
}

// Where a resident's bytes are at the key before the window: in itself, or in its new value.
std::int32_t WindowRows::holder_of(std::int32_t i, std::int32_t w) const {
  const std::optional<std::int32_t> next = step_.tensors[i].new_value;
  return next && *step_.tensors[*next].maker <= begin(w) ? *next : i;
}

Row WindowRows::memory(std::int32_t w) const {
  if (w == 0) return std::nullopt;
  const ProofOperation& key = step_.operations[begin(w)];
  ProofInequality row;
  row.most = static_cast<double>(step_.budget_bytes - step_.least_room_bytes(key));
  for (std::size_t n = 0; n < step_.tensors.size(); ++n) {
    const std::int32_t i = index(n);
    const double size = static_cast<double>(step_.tensors[n].size_bytes);
    add_term(row, size, present(w, i));
    if (!step_.tensors[n].may_be_resident) continue;
    const std::int32_t holder = holder_of(i, w);
    const bool counted = surely_present(i, w) || surely_present(holder, w) || present(w, holder);
    if (!counted) add_term(row, size, residency(i));
  }
  return row;
}

Row WindowRows::stays(std::int32_t w, std::int32_t i) const {
  if (w == 0 || !step_.tensors[i].may_be_resident) return std::nullopt;
  const std::int32_t holder = holder_of(i, w);
  if (surely_present(i, w) || !present(w, holder)) return std::nullopt;
  ProofInequality row;
  add_term(row, 1, residency(i));
  add_term(row, -1, present(w, holder));
  return row;
}

// --- an operation that runs again in a stage that is a window of its own -------------------------

bool WindowRows::is_crowdable(std::int32_t w, std::int32_t v) const {
  return w + 1 < windows() && begin(w) + 1 == end(w) && made(w, v);
}

// The operation's own room, and what else is in RAM then; holds whether it runs or not.
Row WindowRows::crowded(std::int32_t w, std::int32_t v) {
  if (!is_crowdable(w, v)) return std::nullopt;
  const ProofOperation& operation = step_.operations[v];
  ProofInequality row;
  row.most = static_cast<double>(step_.budget_bytes);
  add_term(row, static_cast<double>(step_.least_room_bytes(operation)), made(w, v));
  for (std::size_t n = 0; n < step_.tensors.size(); ++n) {
    const std::int32_t i = index(n);
    const ProofTensor& tensor = step_.tensors[n];
    if (!tensor.moves || tensor.size_bytes == 0 || reasons(w, v, i).empty()) continue;
    add_term(row, static_cast<double>(tensor.size_bytes), in_ram(w, v, i));
  }
  return row;
}

std::int32_t WindowRows::in_ram(std::int32_t w, std::int32_t v, std::int32_t i) {
  const WindowColumnName name = name_of_column(WindowColumnKind::InRam, w, v, i);
  const Column there = column(name);
  return there ? *there : add_column(name, 0, false);
}

// Why the tensor, which the operation does not use itself, would be in RAM when it runs: unless it
// comes behind it, because the stage reads it, or the next key has it, or a later reader runs
// again.
std::vector<WindowRowName> WindowRows::reasons(std::int32_t w, std::int32_t v,
                                               std::int32_t i) const {
  const ProofOperation& operation = step_.operations[v];
  if (!exists(i, w) || operation.reads(i) || operation.makes(i) || residency(i)) return {};
  if (step_.operations[end(w)].reads(i)) return {{WindowRowKind::CrowdedNeed, {w, v, i}}};
  std::vector<WindowRowName> list;
  if (present(w + 1, i)) list.push_back({WindowRowKind::CrowdedLater, {w, v, i}});
  for (const std::int32_t reader : step_.tensors[i].readers)
    if (reader > v && made(w, reader))
      list.push_back({WindowRowKind::CrowdedReader, {w, v, i, reader}});
  return list;
}

Row WindowRows::crowded_reason(const WindowRowName& name) {
  const auto [w, v, i, reader] = name.ids;
  if (!is_crowdable(w, v)) return std::nullopt;
  const std::vector<WindowRowName> known = reasons(w, v, i);
  if (std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;
  ProofInequality row;
  if (name.kind == WindowRowKind::CrowdedNeed) row.most = -1;
  if (name.kind == WindowRowKind::CrowdedLater) add_term(row, 1, present(w + 1, i));
  if (name.kind == WindowRowKind::CrowdedReader) add_term(row, 1, made(w, reader));
  add_term(row, -1, in_ram(w, v, i));
  add_term(row, -1, read(w, i));
  const std::optional<std::int32_t> maker = step_.tensors[i].maker;
  if (maker && *maker > v) add_term(row, -1, made(w, *maker));
  return row;
}

// --- budgets of the whole step -------------------------------------------------------------------

Row WindowRows::deadline() const {
  if (!step_.deadline_s) return std::nullopt;
  ProofInequality row{{}, *step_.deadline_s - step_.once_s};
  for (std::int32_t w = 0; w < windows(); ++w) {
    for (std::int32_t v = 0; v < step_.stages(); ++v)
      add_term(row, step_.operations[v].time_s, made(w, v));
    for (std::size_t i = 0; i < step_.tensors.size(); ++i)
      add_term(row, step_.tensors[i].read_s, read(w, index(i)));
  }
  for (std::size_t i = 0; i < step_.tensors.size(); ++i) {
    const ProofTensor& tensor = step_.tensors[i];
    add_term(row, tensor.write_s, stored(index(i)));
    if (!tensor.must_be_written) continue;
    row.most -= tensor.write_s;
    add_term(row, -tensor.write_s, residency(index(i)));
  }
  return row;
}

Row WindowRows::storage() const {
  if (!step_.storage_room_bytes) return std::nullopt;
  ProofInequality row{{}, static_cast<double>(*step_.storage_room_bytes)};
  for (std::size_t i = 0; i < step_.tensors.size(); ++i)
    add_term(row, static_cast<double>(step_.tensors[i].size_bytes), stored(index(i)));
  return row;
}

Row WindowRows::writes() const {
  if (!step_.write_room_bytes) return std::nullopt;
  ProofInequality row{{}, static_cast<double>(*step_.write_room_bytes)};
  for (std::size_t i = 0; i < step_.tensors.size(); ++i) {
    const ProofTensor& tensor = step_.tensors[i];
    const double size = static_cast<double>(tensor.size_bytes);
    add_term(row, size, stored(index(i)));
    if (!tensor.must_be_written) continue;
    row.most -= size;
    add_term(row, -size, residency(index(i)));
  }
  return row;
}

}  // namespace poet
