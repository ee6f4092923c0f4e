// States the event model over a set of events as a linear model, and reads answers back
// (docs/model/event-model.md §2.2 to §2.4).
#include "poet/solve/event_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace poet {
namespace {

// sum of terms + constant
struct Sum {
  std::vector<LinearTerm> terms = {};
  double constant = 0;

  void add(double coefficient, const EventQuantity& quantity) {
    if (quantity.column)
      terms.push_back(LinearTerm{*quantity.column, coefficient});
    else
      constant += coefficient * quantity.constant;
  }
  void add(double coefficient, const std::optional<std::int32_t>& column) {
    if (column) terms.push_back(LinearTerm{*column, coefficient});
  }
};

// Several terms on one column become one.
void merge_terms(std::vector<LinearTerm>& terms) {
  std::stable_sort(terms.begin(), terms.end(),
                   [](const LinearTerm& a, const LinearTerm& b) { return a.column < b.column; });
  std::size_t kept = 0;
  for (std::size_t n = 0; n < terms.size(); ++n) {
    if (kept > 0 && terms[kept - 1].column == terms[n].column)
      terms[kept - 1].coefficient += terms[n].coefficient;
    else
      terms[kept++] = terms[n];
  }
  terms.resize(kept);
  std::erase_if(terms, [](const LinearTerm& term) { return term.coefficient == 0; });
}

class EventModelBuilder {
 public:
  EventModelBuilder(const Step& step, const EventSet& events, const EventModelOptions& options)
      : step_(step), events_(events), options_(options) {}

  EventModel build(const std::vector<LaterNeed>& cuts) {
    model_.byte_unit = byte_unit_of(step_);
    memory_.resize(events_.events().size());
    add_runs();
    add_chain_columns();
    find_occurrences();
    for (std::size_t c = 0; c < step_.chains.size(); ++c) add_chain_rows(index(c));
    add_sharing();
    add_memory_rows();
    add_deadline();
    add_storage_rows();
    for (std::size_t n = 0; n < cuts.size(); ++n) add_cut(cuts[n], index(n));
    return std::move(model_);
  }

 private:
  static std::int32_t index(std::size_t n) { return static_cast<std::int32_t>(n); }
  double in_units(double cost) const {
    const bool counts = options_.objective == EventObjective::Cost;
    return counts ? std::min(cost, options_.most_cost) / options_.cost_unit : 0;
  }
  double in_units(std::int64_t bytes) const {
    return static_cast<double>(bytes) / model_.byte_unit;
  }
  // Rows on bytes are put together in whole bytes, which doubles hold exactly, and divided by the
  // unit last: what is left of a budget may be a few bytes of it, and a rounding of the whole would
  // be a large part of them.
  static double in_bytes(std::int64_t bytes) { return static_cast<double>(bytes); }

  std::int32_t add_column(double cost, ColumnTag tag) {
    model_.column_tags.push_back(tag);
    return model_.linear.add_column(LinearColumn{cost, 0, 1, ColumnKind::Integer});
  }

  // sum <= upper
  void add_row(Sum sum, double upper, RowTag tag) {
    merge_terms(sum.terms);
    LinearRow row;
    row.upper = upper - sum.constant;
    row.terms = std::move(sum.terms);
    model_.linear.add_row(std::move(row));
    model_.row_tags.push_back(tag);
  }

  void add_runs() {
    for (std::size_t e = 0; e < events_.events().size(); ++e) {
      const Event& event = events_.events()[e];
      if (event.certain()) {
        model_.runs.push_back(EventQuantity{{}, 1});
        continue;
      }
      const double cost = in_units(step_.operations[event.operation].cost);
      model_.runs.push_back(EventQuantity{add_column(cost, {ColumnMeaning::Runs, index(e), 0}), 0});
    }
  }

  void add_chain_columns() {
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const Chain& chain = step_.chains[c];
      EventQuantity stored{{}, chain.may_be_read ? 1.0 : 0.0};
      if (chain.may_be_written && !chain.readers.empty())
        stored = EventQuantity{
            add_column(in_units(chain.write_cost), {ColumnMeaning::Stored, 0, index(c)}), 0};
      else if (chain.may_be_written)
        stored = EventQuantity{{}, 0};
      model_.stored.push_back(stored);
      model_.resident.emplace_back();
      if (!chain.may_be_resident) continue;
      const double saved = chain.new_value ? step_.chains[*chain.new_value].write_cost : 0;
      model_.resident.back() = add_column(-in_units(saved), {ColumnMeaning::Resident, 0, index(c)});
    }
    for (const Chain& chain : step_.chains)
      if (chain.must_be_written) model_.constant_cost += in_units(chain.write_cost);
  }

  void find_occurrences() {
    model_.occurrences.resize(step_.chains.size());
    for (std::size_t e = 0; e < events_.events().size(); ++e) {
      const StepOperation& operation = step_.operations[events_.events()[e].operation];
      for (const std::int32_t chain : operation.inputs)
        model_.occurrences[chain].push_back(Occurrence{index(e), false});
      for (const std::int32_t chain : operation.outputs)
        model_.occurrences[chain].push_back(Occurrence{index(e), true});
    }
  }

  // r of the chain itself, or of the old value whose place it takes.
  std::optional<std::int32_t> residency(std::int32_t chain) const {
    const std::optional<std::int32_t> old = step_.chains[chain].old_value;
    return model_.resident[old ? *old : chain];
  }

  void add_chain_rows(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    std::vector<Occurrence>& list = model_.occurrences[c];
    std::size_t uses_left = 0;
    for (const Occurrence& occurrence : list) uses_left += occurrence.makes ? 0 : 1;
    const double size = in_bytes(chain.size_bytes);
    std::optional<std::int32_t> before;
    for (std::size_t n = 0; n < list.size(); ++n) {
      Occurrence& here = list[n];
      const EventQuantity runs = model_.runs[here.event];
      if (before) cover(size, *before, list[n - 1].event + 1, here.event + 1);
      if (!here.makes) --uses_left;
      if (here.makes)
        memory_[here.event].add(size, runs);
      else if (chain.may_be_read)
        add_read(c, here, size);
      if (uses_left > 0) here.stay = add_column(0, {ColumnMeaning::Stays, here.event, c});
      if (here.makes)
        add_production_rows(c, here, runs, before);
      else
        add_use_rows(c, here, runs, before);
      before = here.stay;
    }
    add_residency(c, size);
  }

  // The column puts the chain in RAM during events [begin, end).
  void cover(double size, std::int32_t column, std::int32_t begin, std::int32_t end) {
    for (std::int32_t e = begin; e < end; ++e) memory_[e].terms.push_back({column, size});
  }

  void add_read(std::int32_t c, Occurrence& here, double size) {
    const Chain& chain = step_.chains[c];
    here.read = add_column(in_units(chain.read_cost), {ColumnMeaning::Read, here.event, c});
    memory_[here.event].add(size, here.read);
    if (!model_.stored[c].column) return;
    Sum sum;
    sum.add(1, here.read);
    sum.add(-1, model_.stored[c]);
    add_row(std::move(sum), 0, {RowKind::ReadNeedsCopy, here.event, c});
  }

  void add_production_rows(std::int32_t c, const Occurrence& here, const EventQuantity& runs,
                           std::optional<std::int32_t> before) {
    if (before) {
      Sum once;
      once.add(1, before);
      once.add(1, runs);
      add_row(std::move(once), 1, {RowKind::Production, here.event, c});
    }
    if (!here.stay || !runs.column) return;
    Sum sum;
    sum.add(1, here.stay);
    sum.add(-1, runs);
    sum.add(-1, before);
    add_row(std::move(sum), 0, {RowKind::StayAfterMake, here.event, c});
  }

  void add_use_rows(std::int32_t c, const Occurrence& here, const EventQuantity& runs,
                    std::optional<std::int32_t> before) {
    Sum use;
    use.add(1, runs);
    use.add(-1, before);
    use.add(-1, here.read);
    use.add(-1, residency(c));
    add_row(std::move(use), 0, {RowKind::Use, here.event, c});
    // After a certain use the chain is there: nothing limits its staying.
    const bool surely_there = !runs.column && !residency(c);
    if (!here.stay || surely_there) return;
    Sum sum;
    sum.add(1, here.stay);
    sum.add(-1, before);
    sum.add(-1, here.read);
    add_row(std::move(sum), 0, {RowKind::StayAfterUse, here.event, c});
  }

  // A resident takes its bytes in every row; its new value takes none when it is made.
  void add_residency(std::int32_t c, double size) {
    if (!model_.resident[c]) return;
    for (Sum& row : memory_) row.add(size, model_.resident[c]);
    const std::optional<std::int32_t> next = step_.chains[c].new_value;
    if (!next) return;
    const Event made{*step_.chains[*next].producer, *step_.chains[*next].producer};
    memory_[*events_.find(made)].add(-size, model_.resident[c]);
  }

  void add_sharing() {
    model_.shared.resize(events_.events().size());
    model_.always_shared.assign(events_.events().size(), false);
    for (std::size_t e = 0; e < events_.events().size(); ++e)
      if (step_.operations[events_.events()[e].operation].in_place) add_sharing_at(index(e));
  }

  void add_sharing_at(std::int32_t e) {
    const StepOperation& operation = step_.operations[events_.events()[e].operation];
    const std::int32_t input = operation.inputs[operation.in_place->input];
    const std::int32_t output = operation.outputs[operation.in_place->output];
    const double size = in_bytes(step_.chains[output].size_bytes);
    const std::optional<std::int32_t> stay = occurrence_at(input, e).stay;
    const bool is_update = step_.chains[output].old_value == input;
    const std::optional<std::int32_t> input_resident = residency(input);
    const std::optional<std::int32_t> output_resident = residency(output);
    if (!stay && (is_update || (!input_resident && !output_resident))) {
      model_.always_shared[e] = true;
      memory_[e].add(-size, model_.runs[e]);
      memory_[e].add(size, output_resident);
      return;
    }
    const std::int32_t shared = add_column(0, {ColumnMeaning::Shared, e, input});
    model_.shared[e] = shared;
    memory_[e].add(-size, model_.shared[e]);
    if (model_.runs[e].column) {
      Sum sum;
      sum.add(1, model_.shared[e]);
      sum.add(-1, model_.runs[e]);
      add_row(std::move(sum), 0, {RowKind::SharedRuns, e, input});
    }
    exclude(RowKind::SharedDies, e, input, stay);
    exclude(RowKind::SharedMoves, e, input, input_resident);
    exclude(RowKind::SharedMoves, e, output, output_resident);
  }

  // s[e] + other <= 1
  void exclude(RowKind kind, std::int32_t e, std::int32_t chain,
               std::optional<std::int32_t> other) {
    if (!other) return;
    Sum sum;
    sum.add(1, model_.shared[e]);
    sum.add(1, other);
    add_row(std::move(sum), 1, {kind, e, chain});
  }

  const Occurrence& occurrence_at(std::int32_t chain, std::int32_t e) const {
    const std::vector<Occurrence>& list = model_.occurrences[chain];
    return *std::lower_bound(list.begin(), list.end(), e,
                             [](const Occurrence& o, std::int32_t p) { return o.event < p; });
  }

  void add_memory_rows() {
    if (options_.objective == EventObjective::RamBudget) {
      model_.budget = add_column(1, {ColumnMeaning::Budget, 0, 0});
      LinearColumn& column = model_.linear.columns[*model_.budget];
      column.upper = kInfinity;
      column.kind = ColumnKind::Continuous;
    }
    for (std::size_t e = 0; e < memory_.size(); ++e) {
      Sum& row = memory_[e];
      const StepOperation& operation = step_.operations[events_.events()[e].operation];
      row.add(in_bytes(operation.workspace_bytes), model_.runs[e]);
      merge_terms(row.terms);
      if (!model_.budget && most_bytes(row) <= step_.budget_bytes) continue;
      const double room_bytes =
          (model_.budget ? 0 : in_bytes(step_.budget_bytes)) - std::exchange(row.constant, 0);
      row = in_units(std::move(row));
      row.add(-1, model_.budget);
      const double room = room_bytes / model_.byte_unit;
      add_row(std::move(row), model_.budget ? room : whole_units(room),
              {RowKind::Memory, index(e), 0, 0, 1 / model_.byte_unit});
    }
  }

  Sum in_units(Sum of_bytes) const {
    for (LinearTerm& term : of_bytes.terms) term.coefficient /= model_.byte_unit;
    of_bytes.constant /= model_.byte_unit;
    return of_bytes;
  }

  // The most that a sum of bytes can be.
  static std::int64_t most_bytes(const Sum& sum) {
    std::int64_t bytes = std::llround(sum.constant);
    for (const LinearTerm& term : sum.terms) bytes += std::llround(std::max(0.0, term.coefficient));
    return bytes;
  }

  // sum of bytes <= room
  void add_byte_row(Sum sum, std::int64_t room_bytes, RowKind kind) {
    const double left_bytes = in_bytes(room_bytes) - std::exchange(sum.constant, 0);
    add_row(in_units(std::move(sum)), left_bytes / model_.byte_unit,
            {kind, 0, 0, 0, 1 / model_.byte_unit});
  }

  // When every size is a whole number of units, so is what fits.
  double whole_units(double room) const {
    const auto whole = [&](std::int64_t bytes) {
      return in_units(bytes) == std::floor(in_units(bytes));
    };
    for (const Chain& chain : step_.chains)
      if (!whole(chain.size_bytes)) return room;
    for (const StepOperation& operation : step_.operations)
      if (!whole(operation.workspace_bytes)) return room;
    return std::floor(room);
  }

  void add_deadline() {
    if (!step_.deadline_s) return;
    Sum sum;
    double most = 0;
    for (std::size_t e = 0; e < events_.events().size(); ++e) {
      const Event& event = events_.events()[e];
      if (!event.certain()) sum.add(step_.operations[event.operation].time_s, model_.runs[e]);
    }
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const Chain& chain = step_.chains[c];
      if (chain.read_s != 0)
        for (const Occurrence& here : model_.occurrences[c]) sum.add(chain.read_s, here.read);
      if (chain.must_be_written)
        sum.constant += chain.write_s;
      else if (model_.stored[c].column)
        sum.add(chain.write_s, model_.stored[c]);
      if (chain.old_value) sum.add(-chain.write_s, model_.resident[*chain.old_value]);
    }
    for (const LinearTerm& term : sum.terms) most += std::max(0.0, term.coefficient);
    const double left_s = *step_.deadline_s - step_.once_s;
    if (most + sum.constant <= left_s) return;
    const double scale = step_.once_s > 0 ? 1 / step_.once_s : 1;
    for (LinearTerm& term : sum.terms) term.coefficient *= scale;
    sum.constant *= scale;
    add_row(std::move(sum), left_s * scale, {RowKind::Deadline, 0, 0, 0, scale});
  }

  void add_storage_rows() {
    Sum storage, written;
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const Chain& chain = step_.chains[c];
      const double size = in_bytes(chain.size_bytes);
      if (chain.must_be_written) {
        written.constant += size;
        if (chain.old_value) written.add(-size, model_.resident[*chain.old_value]);
      } else if (model_.stored[c].column) {
        storage.add(size, model_.stored[c]);
        written.add(size, model_.stored[c]);
      }
    }
    if (step_.storage_room_bytes && most_bytes(storage) > *step_.storage_room_bytes)
      add_byte_row(std::move(storage), *step_.storage_room_bytes, RowKind::StorageRoom);
    if (step_.write_room_bytes && most_bytes(written) > *step_.write_room_bytes)
      add_byte_row(std::move(written), *step_.write_room_bytes, RowKind::WriteRoom);
  }

  void add_cut(const LaterNeed& cut, std::int32_t n) {
    Sum sum;
    for (const LaterNeed::Term& term : cut.terms) {
      for (const Occurrence& here : model_.occurrences[term.chain]) {
        const Event& event = events_.events()[here.event];
        if (event.stage <= cut.stage || event > Event{term.until, term.until}) continue;
        if (here.makes) sum.add(-term.weight, model_.runs[here.event]);
        if (cut.family == LaterNeed::Family::Read) sum.add(-term.weight, here.read);
      }
      if (cut.family == LaterNeed::Family::Stored) sum.add(-term.weight, model_.stored[term.chain]);
    }
    add_row(std::move(sum), -1, {RowKind::Cut, 0, 0, n, 1});
  }

  const Step& step_;
  const EventSet& events_;
  const EventModelOptions& options_;
  EventModel model_;
  std::vector<Sum> memory_;  // per event: what lies in RAM during it
};

}  // namespace

EventModel make_event_model(const Step& step, const EventSet& events,
                            const std::vector<LaterNeed>& cuts, const EventModelOptions& options) {
  return EventModelBuilder(step, events, options).build(cuts);
}

ComingsOf::ComingsOf(const Step& step, const EventSet& events, const EventModel& model,
                     const std::vector<double>& values) {
  sums_.resize(step.chains.size());
  for (std::size_t c = 0; c < step.chains.size(); ++c) {
    Sums& sums = sums_[c];
    double made = 0, read = 0;
    for (const Occurrence& here : model.occurrences[c]) {
      if (here.makes) made += model.runs[here.event].value(values);
      if (here.read) read += values[*here.read];
      sums.stages.push_back(events.events()[here.event].stage);
      sums.made.push_back(made);
      sums.read.push_back(read);
    }
    stored_.push_back(model.stored[c].value(values));
  }
}

Comings ComingsOf::at_stage(std::int32_t stage, const StagePressure& pressure) const {
  Comings comings;
  for (const WaitingChain& waiting : pressure.waiting) {
    const Sums& sums = sums_[waiting.chain];
    const auto sum_until = [&sums](const std::vector<double>& list, std::int32_t last) {
      const auto end = std::upper_bound(sums.stages.begin(), sums.stages.end(), last);
      return end == sums.stages.begin() ? 0.0 : list[end - sums.stages.begin() - 1];
    };
    comings.made.push_back(sum_until(sums.made, waiting.until) - sum_until(sums.made, stage));
    comings.read.push_back(sum_until(sums.read, waiting.until) - sum_until(sums.read, stage));
    comings.stored.push_back(stored_[waiting.chain]);
  }
  return comings;
}

std::optional<EventChoice> choice_of(const Step& step, const EventSet& events,
                                     const EventModel& model, const std::vector<double>& values) {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (model.linear.columns[j].kind == ColumnKind::Integer &&
        std::abs(values[j] - std::round(values[j])) > 1e-6)
      return std::nullopt;
  const auto is_one = [&values](std::optional<std::int32_t> column) {
    return column && values[*column] > 0.5;
  };
  EventChoice choice;
  for (std::size_t c = 0; c < step.chains.size(); ++c) {
    choice.resident.push_back(is_one(model.resident[c]));
    choice.stored.push_back(is_one(model.stored[c].column));
  }
  std::vector<Execution> executions;
  for (const Event& event : events.events()) executions.push_back(Execution{event});
  for (std::size_t c = 0; c < step.chains.size(); ++c) {
    if (is_resident(step, choice, static_cast<std::int32_t>(c))) continue;
    bool arrived = false;  // read before an event that does not happen: the next use gets it
    for (const Occurrence& here : model.occurrences[c]) {
      const bool happens = model.runs[here.event].value(values) > 0.5;
      arrived = arrived || is_one(here.read);
      if (!happens) continue;
      if (!here.makes && arrived)
        executions[here.event].reads.push_back(static_cast<std::int32_t>(c));
      arrived = false;
    }
  }
  for (std::size_t e = 0; e < executions.size(); ++e)
    if (model.runs[e].value(values) > 0.5) choice.executions.push_back(std::move(executions[e]));
  return choice;
}

namespace {

// Fills in the columns that follow from a choice: what stays, what is shared, the budget.
class ValueWriter {
 public:
  ValueWriter(const Step& step, const EventSet& events, const EventModel& model,
              const EventChoice& choice)
      : step_(step), events_(events), model_(model), choice_(choice) {
    values_.assign(model.linear.columns.size(), 0.0);
    happens_.assign(events.events().size(), nullptr);
  }

  std::optional<std::vector<double>> write() {
    for (const Execution& execution : choice_.executions) {
      const std::optional<std::int32_t> position = events_.find(execution.event);
      if (!position) return std::nullopt;
      happens_[*position] = &execution;
      set(model_.runs[*position].column);
    }
    for (std::size_t c = 0; c < step_.chains.size(); ++c) write_chain(static_cast<std::int32_t>(c));
    for (std::size_t e = 0; e < happens_.size(); ++e) write_sharing(static_cast<std::int32_t>(e));
    if (model_.budget)
      values_[*model_.budget] =
          static_cast<double>(figures_of(step_, choice_).peak_bytes) / model_.byte_unit;
    return std::move(values_);
  }

 private:
  void set(std::optional<std::int32_t> column) {
    if (column) values_[*column] = 1;
  }

  void write_chain(std::int32_t c) {
    if (choice_.resident[c]) set(model_.resident[c]);
    if (choice_.stored[c]) set(model_.stored[c].column);
    if (is_resident(step_, choice_, c)) return;
    bool needed = false;
    const std::vector<Occurrence>& list = model_.occurrences[c];
    for (std::size_t n = list.size(); n-- > 0;) {
      const Occurrence& here = list[n];
      if (needed) set(here.stay);
      const Execution* execution = happens_[here.event];
      if (!execution) continue;
      const bool is_read =
          std::find(execution->reads.begin(), execution->reads.end(), c) != execution->reads.end();
      if (is_read) set(here.read);
      needed = !here.makes && !is_read;
    }
  }

  void write_sharing(std::int32_t e) {
    if (!model_.shared[e] || !happens_[e]) return;
    const StepOperation& operation = step_.operations[events_.events()[e].operation];
    const std::int32_t input = operation.inputs[operation.in_place->input];
    if (is_resident(step_, choice_, input)) return;
    for (const Occurrence& here : model_.occurrences[input])
      if (here.event == e && here.stay && values_[*here.stay] > 0.5) return;
    set(model_.shared[e]);
  }

  const Step& step_;
  const EventSet& events_;
  const EventModel& model_;
  const EventChoice& choice_;
  std::vector<double> values_;
  std::vector<const Execution*> happens_;
};

}  // namespace

std::optional<std::vector<double>> values_of(const Step& step, const EventSet& events,
                                             const EventModel& model, const EventChoice& choice) {
  return ValueWriter(step, events, model, choice).write();
}

}  // namespace poet
