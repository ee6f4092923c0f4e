#include "poet/solve/tensor_walk.h"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Where a chain is before or after an event, and the cheapest way to be there.
struct Places {
  double out = 0;
  double in = kNever;

  double cheapest() const { return std::min(out, in); }
};

// One event that makes or reads the chain, with what each way through it costs.
struct Stop {
  Event event;
  bool first_production = false;  // happens in every schedule
  double hold_before = 0;         // staying in RAM from the stop before to here
  double stay = 0;                // being in RAM during the event, and what that earns
  double make = kNever;           // being produced by it
  double read = kNever;           // being read just before it (stay included)
  double keep_after = 0;          // charged for staying in RAM afterwards
};

// All that the walks of different chains share.
class WalkPrices {
 public:
  WalkPrices(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
             const Multipliers& multipliers, EventObjective objective)
      : step_(step), events_(events), multipliers_(multipliers) {
    cost_weight_ = objective == EventObjective::Cost ? 1 : 0;
    sum_memory();
    charge_operations();
    gather_gains(cuts);
  }

  double total_memory() const { return memory_before_.back(); }

  // Charge of running the event, without its outputs' own bytes.
  double charge(Event event, std::optional<std::int32_t> position) const {
    if (position) return charges_[*position];
    const StepOperation& operation = step_.operations[event.operation];
    return cost_weight_ * operation.cost + multipliers_.deadline * operation.time_s;
  }

  // The part of the charge that the walk of the output at `output` bears.
  double output_share(Event event, std::optional<std::int32_t> position,
                      std::int32_t output) const {
    const std::size_t outputs = step_.operations[event.operation].outputs.size();
    if (outputs == 1) return charge(event, position);
    if (event.certain()) return 0;
    if (position) return multipliers_.ties[*position][output];
    return charge(event, position) / static_cast<double>(outputs);
  }

  std::vector<Stop> stops_of(std::int32_t chain) const {
    std::vector<Stop> stops;
    const Chain& c = step_.chains[chain];
    if (c.readers.empty() && !c.producer) return stops;
    const std::int32_t first = c.producer ? *c.producer : c.readers.front();
    std::int32_t seen = -1;  // position after the last stop's
    for (std::int32_t t = first; t <= c.last_stage; ++t) {
      if (c.producer && step_.operations[*c.producer].last_stage >= t)
        add_stop(stops, chain, Event{t, *c.producer}, seen);
      for (const std::int32_t reader : c.readers) {
        if (reader > t) break;
        if (step_.operations[reader].last_stage >= t)
          add_stop(stops, chain, Event{t, reader}, seen);
      }
    }
    return stops;
  }

  // Cost of o[i] = 1.
  double storing(std::int32_t chain) const {
    const Chain& c = step_.chains[chain];
    const double size = static_cast<double>(c.size_bytes);
    return writing(chain) + size * multipliers_.storage_room - stored_gain_[chain];
  }
  // Cost of writing a new value.
  double writing(std::int32_t chain) const {
    const Chain& c = step_.chains[chain];
    return cost_weight_ * c.write_cost + multipliers_.deadline * c.write_s +
           static_cast<double>(c.size_bytes) * multipliers_.write_room;
  }

 private:
  void sum_memory() {
    memory_before_.assign(1, 0.0);
    for (const double lambda : multipliers_.memory)
      memory_before_.push_back(memory_before_.back() + lambda);
  }

  void charge_operations() {
    for (std::int32_t e = 0; e < events_.size(); ++e) {
      const Event& event = events_.events()[e];
      const StepOperation& operation = step_.operations[event.operation];
      double charge = 0;
      if (!event.certain())
        charge = cost_weight_ * operation.cost + multipliers_.deadline * operation.time_s;
      charge += multipliers_.memory[e] * static_cast<double>(operation.workspace_bytes);
      charge -= multipliers_.shared_runs[e];
      for (const double sigma : multipliers_.uses[e]) charge += sigma;
      charges_.push_back(charge);
    }
  }

  void gather_gains(const std::vector<LaterNeed>& cuts) {
    stored_gain_.assign(step_.chains.size(), 0.0);
    make_gain_.resize(step_.chains.size());
    read_gain_.resize(step_.chains.size());
    for (std::size_t n = 0; n < cuts.size(); ++n) {
      if (multipliers_.cuts[n] <= 0) continue;
      for (const LaterNeed::Term& term : cuts[n].terms) {
        const double gain = multipliers_.cuts[n] * term.weight;
        add_gain(make_gain_[term.chain], cuts[n].stage + 1, term.until + 1, gain);
        if (cuts[n].family == LaterNeed::Family::Stored)
          stored_gain_[term.chain] += gain;
        else
          add_gain(read_gain_[term.chain], cuts[n].stage + 1, term.until + 1, gain);
      }
    }
    for (std::vector<double>& gains : make_gain_) sum_up(gains);
    for (std::vector<double>& gains : read_gain_) sum_up(gains);
  }
  // Differences first: `gain` in stages [begin, end).
  void add_gain(std::vector<double>& gains, std::int32_t begin, std::int32_t end, double gain) {
    if (gains.empty()) gains.assign(step_.operations.size() + 2, 0.0);
    gains[begin] += gain;
    gains[end] -= gain;
  }
  static void sum_up(std::vector<double>& gains) {
    for (std::size_t n = 1; n < gains.size(); ++n) gains[n] += gains[n - 1];
  }
  static double gain_at(const std::vector<double>& gains, std::int32_t stage) {
    return gains.empty() ? 0.0 : gains[stage];
  }

  void add_stop(std::vector<Stop>& stops, std::int32_t chain, Event event,
                std::int32_t& seen) const {
    const Chain& c = step_.chains[chain];
    const StepOperation& operation = step_.operations[event.operation];
    const double size = static_cast<double>(c.size_bytes);
    const std::int32_t place = events_.lower_bound(event);
    const bool known = place < events_.size() && events_.events()[place] == event;
    const std::optional<std::int32_t> position =
        known ? std::optional<std::int32_t>(place) : std::nullopt;

    Stop stop;
    stop.event = event;
    if (seen >= 0) stop.hold_before = size * (memory_before_[place] - memory_before_[seen]);
    seen = known ? place + 1 : place;
    const double hold = known ? size * multipliers_.memory[place] : 0;
    stop.stay = hold;
    if (c.producer == event.operation) {
      stop.first_production = event.certain();
      stop.make = hold + output_share(event, position, slot(operation.outputs, chain)) -
                  gain_at(make_gain_[chain], event.stage);
    } else {
      const std::int32_t input = slot(operation.inputs, chain);
      if (known) stop.stay -= multipliers_.uses[place][input];
      if (c.may_be_read)
        stop.read = stop.stay + cost_weight_ * c.read_cost + multipliers_.deadline * c.read_s -
                    gain_at(read_gain_[chain], event.stage);
      if (known && operation.in_place && operation.in_place->input == input)
        stop.keep_after = multipliers_.shared_dies[place];
    }
    stops.push_back(stop);
  }

  static std::int32_t slot(const std::vector<std::int32_t>& list, std::int32_t chain) {
    return static_cast<std::int32_t>(std::find(list.begin(), list.end(), chain) - list.begin());
  }

  const Step& step_;
  const EventSet& events_;
  const Multipliers& multipliers_;
  double cost_weight_ = 1;
  std::vector<double> memory_before_;           // sum of lambda over the events before a position
  std::vector<double> charges_;                 // per event of the set
  std::vector<double> stored_gain_;             // per chain
  std::vector<std::vector<double>> make_gain_;  // per chain and stage; empty: none
  std::vector<std::vector<double>> read_gain_;
};

// The cheapest walk of one chain through its stops, and through each stop in particular.
class ChainWalk {
 public:
  // `may_read`: a copy is in storage.
  ChainWalk(const std::vector<Stop>& stops, bool may_read) : stops_(stops), may_read_(may_read) {
    before_.resize(stops.size() + 1);
    after_.resize(stops.size() + 1);
    for (std::size_t n = 0; n < stops.size(); ++n) before_[n + 1] = step_over(stops[n], before_[n]);
    after_[stops.size()] = Places{0, 0};
    for (std::size_t n = stops.size(); n-- > 0;) after_[n] = step_back(stops[n], after_[n + 1]);
  }

  double cheapest() const { return before_.back().cheapest(); }
  // Of the walks in which the chain is produced, or read, at stop n.
  double cheapest_making(std::size_t n) const {
    return before_[n].out + stops_[n].make + onwards(n);
  }
  double cheapest_reading(std::size_t n) const {
    return may_read_ ? before_[n].out + stops_[n].read + onwards(n) : kNever;
  }

 private:
  double onwards(std::size_t n) const {
    return std::min(after_[n + 1].out, stops_[n].keep_after + after_[n + 1].in);
  }

  // Places before a stop's gap to places before the next: leaving RAM is free, right after a stop.
  Places step_over(const Stop& stop, const Places& from) const {
    const double in = from.in + stop.hold_before;
    double here = from.out + stop.make;
    if (may_read_) here = std::min(here, from.out + stop.read);
    if (stop.first_production) return Places{here, here + stop.keep_after};
    here = std::min(here, in + stop.stay);
    return Places{std::min({from.out, in, here}), here + stop.keep_after};
  }

  Places step_back(const Stop& stop, const Places& to) const {
    const double leave_or_keep = std::min(to.out, stop.keep_after + to.in);
    double enter = stop.make + leave_or_keep;
    if (may_read_) enter = std::min(enter, stop.read + leave_or_keep);
    if (stop.first_production) return Places{enter, kNever};
    const double out = std::min(to.out, enter);
    const double in = stop.hold_before + std::min(stop.stay + leave_or_keep, out);
    return Places{out, in};
  }

  const std::vector<Stop>& stops_;
  bool may_read_;
  std::vector<Places> before_;
  std::vector<Places> after_;
};

class Bounder {
 public:
  Bounder(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
          const Multipliers& multipliers, EventObjective objective)
      : step_(step),
        events_(events),
        multipliers_(multipliers),
        prices_(step, events, cuts, multipliers, objective),
        result_{0, EventPrices(step, 0), EventPrices(step, kNever)} {
    add_right_hand_sides(objective);
  }

  WalkBound run() {
    price_shared_operations();
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      if (step_.chains[c].old_value && step_.chains[*step_.chains[c].old_value].may_be_resident)
        continue;  // walked with its old value
      walk(static_cast<std::int32_t>(c));
    }
    add_sharing();
    return std::move(result_);
  }

 private:
  void add_right_hand_sides(EventObjective objective) {
    double& bound = result_.bound;
    if (objective == EventObjective::Cost)
      bound -= static_cast<double>(step_.budget_bytes) * prices_.total_memory();
    if (step_.deadline_s) bound -= multipliers_.deadline * (*step_.deadline_s - step_.once_s);
    if (step_.storage_room_bytes)
      bound -= multipliers_.storage_room * static_cast<double>(*step_.storage_room_bytes);
    if (step_.write_room_bytes)
      bound -= multipliers_.write_room * static_cast<double>(*step_.write_room_bytes);
    for (const double mu : multipliers_.cuts) bound += mu;
  }

  // Operations whose charge no single chain bears: several outputs, or none.
  void price_shared_operations() {
    for (std::int32_t e = 0; e < events_.size(); ++e) {
      const Event& event = events_.events()[e];
      if (step_.operations[event.operation].outputs.size() == 1) continue;
      double charge = prices_.charge(event, e);
      if (event.certain()) {
        result_.bound += charge;
        continue;
      }
      for (const double tau : multipliers_.ties[e]) charge -= tau;
      result_.bound += std::min(0.0, charge);
      result_.run_price.at(event) += std::max(0.0, charge);
    }
  }

  // s[e]: happens when that is cheaper than not.
  void add_sharing() {
    for (std::int32_t e = 0; e < events_.size(); ++e) {
      const StepOperation& operation = step_.operations[events_.events()[e].operation];
      if (!operation.in_place) continue;
      const Chain& output = step_.chains[operation.outputs[operation.in_place->output]];
      const double excluded =
          multipliers_.shared_dies[e] + multipliers_.shared_moves[e] + multipliers_.shared_takes[e];
      const double rent = multipliers_.shared_runs[e] + excluded -
                          multipliers_.memory[e] * static_cast<double>(output.size_bytes);
      result_.bound += std::min(0.0, rent) - excluded;
    }
  }

  void walk(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    if (chain.may_be_resident) {
      walk_resident(c);
      return;
    }
    const std::vector<Stop> stops = prices_.stops_of(c);
    if (stops.empty()) return;
    const bool has_copy = !chain.producer || chain.must_be_written;
    const double fixed = chain.must_be_written ? prices_.writing(c) : 0;
    const ChainWalk plain(stops, has_copy);
    double best = plain.cheapest() + fixed;
    if (!chain.may_be_written) {
      result_.bound += best;
      price(c, stops, plain, fixed, nullptr, 0, best);
      return;
    }
    const double storing = prices_.storing(c);
    const ChainWalk stored(stops, true);
    best = std::min(best, stored.cheapest() + storing);
    result_.bound += best;
    price(c, stops, plain, fixed, &stored, storing, best);
  }

  // A parameter that may be resident, with its new value: both in RAM for the whole step, or both
  // not.
  void walk_resident(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    const std::vector<Stop> stops = prices_.stops_of(c);
    const ChainWalk moving(stops, true);
    double move_cost = moving.cheapest();
    double stay_cost =
        static_cast<double>(chain.size_bytes) * prices_.total_memory() + resident_rent(c, stops);
    if (!chain.new_value) {
      result_.bound += std::min(move_cost, stay_cost);
      price(c, stops, moving, 0, nullptr, 0, std::min(move_cost, stay_cost));
      return;
    }
    const std::int32_t next = *chain.new_value;
    const std::vector<Stop> next_stops = prices_.stops_of(next);
    const ChainWalk next_moving(next_stops, true);
    const double next_cost = next_moving.cheapest() + prices_.writing(next);
    stay_cost += resident_rent(next, next_stops) + unshared(next);
    const double best = std::min(move_cost + next_cost, stay_cost);
    result_.bound += best;
    price(c, stops, moving, next_cost, nullptr, 0, best);
    price(next, next_stops, next_moving, prices_.writing(next) + move_cost, nullptr, 0, best);
  }

  // A resident's update in its own place shares nothing: it has no room to share. Its charge
  // counted on sharing.
  double unshared(std::int32_t next) const {
    const std::int32_t v = *step_.chains[next].producer;
    const StepOperation& operation = step_.operations[v];
    if (!operation.in_place || operation.outputs[operation.in_place->output] != next ||
        operation.inputs[operation.in_place->input] != step_.chains[next].old_value)
      return 0;
    return multipliers_.shared_runs[*events_.find(Event{v, v})];
  }

  // What uses earn a chain that is always there, and its production without room of its own.
  double resident_rent(std::int32_t c, const std::vector<Stop>& stops) const {
    const double size = static_cast<double>(step_.chains[c].size_bytes);
    double rent = 0;
    for (const Stop& stop : stops) {
      const std::optional<std::int32_t> place = events_.find(stop.event);
      if (!place) continue;
      const double hold = size * multipliers_.memory[*place];
      rent += stop.first_production ? stop.make - hold : stop.stay - hold;
      const StepOperation& operation = step_.operations[stop.event.operation];
      if (!operation.in_place) continue;
      if (operation.inputs[operation.in_place->input] == c)
        rent += multipliers_.shared_moves[*place];
      if (operation.outputs[operation.in_place->output] == c)
        rent += multipliers_.shared_takes[*place];
    }
    return rent;
  }

  // The walks through each re-execution against the cheapest of all.
  void price(std::int32_t c, const std::vector<Stop>& stops, const ChainWalk& plain, double fixed,
             const ChainWalk* stored, double storing, double best) {
    for (std::size_t n = 0; n < stops.size(); ++n) {
      const Event& event = stops[n].event;
      if (event.certain()) continue;
      const bool makes = step_.chains[c].producer == event.operation;
      double through = fixed + (makes ? plain.cheapest_making(n) : plain.cheapest_reading(n));
      if (stored)
        through = std::min(
            through, storing + (makes ? stored->cheapest_making(n) : stored->cheapest_reading(n)));
      const double more = through - best;
      if (makes) result_.run_price.at(event) += more;
      result_.add_price.at(event) = std::min(result_.add_price.at(event), more);
    }
  }

  const Step& step_;
  const EventSet& events_;
  const Multipliers& multipliers_;
  WalkPrices prices_;
  WalkBound result_;
};

// Reads the row duals back into the words of the event model.
class DualReader {
 public:
  DualReader(const Step& step, const EventSet& events, const EventModel& model,
             const std::vector<LaterNeed>& cuts, const std::vector<double>& row_duals,
             double cost_unit)
      : step_(step), events_(events), model_(model), cuts_(cuts) {
    for (std::size_t n = 0; n < row_duals.size(); ++n)
      prices_.push_back(price_of(row_duals[n], model.row_tags[n].scale * cost_unit));
    const std::size_t count = events.events().size();
    read_.memory.assign(count, 0.0);
    read_.shared_runs.assign(count, 0.0);
    read_.shared_dies.assign(count, 0.0);
    read_.shared_moves.assign(count, 0.0);
    read_.shared_takes.assign(count, 0.0);
    read_.uses.resize(count);
    read_.ties.resize(count);
    read_.cuts.assign(cuts.size(), 0.0);
    for (std::size_t e = 0; e < count; ++e) {
      const StepOperation& operation = step.operations[events.events()[e].operation];
      read_.uses[e].assign(operation.inputs.size(), 0.0);
      if (has_ties(e)) read_.ties[e].assign(operation.outputs.size(), 0.0);
    }
  }

  Multipliers read() {
    for (std::size_t n = 0; n < prices_.size(); ++n) read_row(model_.row_tags[n], prices_[n]);
    for (std::size_t e = 0; e < read_.ties.size(); ++e) charge_ties(e);
    for (std::size_t n = 0; n < cuts_.size(); ++n) credit_ties(cuts_[n], read_.cuts[n]);
    for (std::size_t e = 0; e < model_.always_shared.size(); ++e)
      if (model_.always_shared[e]) read_.shared_runs[e] = shared_rent(e);
    return std::move(read_);
  }

 private:
  // Every row is stated as <=, so its dual is <= 0; what is not is rounding.
  static double price_of(double dual, double scale) {
    constexpr double kRounding = 1e-13;
    return dual < -kRounding ? -dual * scale : 0.0;
  }

  bool has_ties(std::size_t e) const {
    const Event& event = events_.events()[e];
    return !event.certain() && step_.operations[event.operation].outputs.size() > 1;
  }

  void read_row(const RowTag& tag, double price) {
    switch (tag.kind) {
      case RowKind::Memory:
        read_.memory[tag.event] = price;
        break;
      case RowKind::Use:
        read_.uses[tag.event][input_slot(tag)] = price;
        break;
      case RowKind::StayAfterMake:
        add_tie(tag.event, tag.chain, price);
        break;
      case RowKind::Production:
        add_tie(tag.event, tag.chain, -price);
        break;
      case RowKind::SharedRuns:
        read_.shared_runs[tag.event] = price;
        break;
      case RowKind::SharedDies:
        read_.shared_dies[tag.event] = price;
        break;
      case RowKind::SharedMoves:
        (is_input(tag) ? read_.shared_moves : read_.shared_takes)[tag.event] = price;
        break;
      case RowKind::Deadline:
        read_.deadline = price;
        break;
      case RowKind::StorageRoom:
        read_.storage_room = price;
        break;
      case RowKind::WriteRoom:
        read_.write_room = price;
        break;
      case RowKind::Cut:
        read_.cuts[tag.cut] = price;
        break;
      case RowKind::ReadNeedsCopy:
      case RowKind::StayAfterUse:
        break;  // kept in the walk
    }
  }

  std::size_t input_slot(const RowTag& tag) const {
    const auto& inputs = step_.operations[events_.events()[tag.event].operation].inputs;
    return std::find(inputs.begin(), inputs.end(), tag.chain) - inputs.begin();
  }

  bool is_input(const RowTag& tag) const {
    return input_slot(tag) < step_.operations[events_.events()[tag.event].operation].inputs.size();
  }

  // tau of an output is what its flow rows and cuts pay for the production, less its own bytes.
  void add_tie(std::int32_t event, std::int32_t chain, double price) {
    if (!has_ties(event)) return;
    const auto& outputs = step_.operations[events_.events()[event].operation].outputs;
    read_.ties[event][std::find(outputs.begin(), outputs.end(), chain) - outputs.begin()] += price;
  }
  void charge_ties(std::size_t e) {
    for (std::size_t n = 0; n < read_.ties[e].size(); ++n) {
      const std::int32_t chain = step_.operations[events_.events()[e].operation].outputs[n];
      read_.ties[e][n] -= read_.memory[e] * static_cast<double>(step_.chains[chain].size_bytes);
    }
  }
  void credit_ties(const LaterNeed& cut, double mu) {
    if (mu <= 0) return;
    for (const LaterNeed::Term& term : cut.terms)
      for (const Occurrence& here : model_.occurrences[term.chain]) {
        const std::int32_t stage = events_.events()[here.event].stage;
        if (here.makes && stage > cut.stage && stage <= term.until)
          add_tie(here.event, term.chain, mu * term.weight);
      }
  }

  double shared_rent(std::size_t e) const {
    const StepOperation& operation = step_.operations[events_.events()[e].operation];
    const Chain& output = step_.chains[operation.outputs[operation.in_place->output]];
    return read_.memory[e] * static_cast<double>(output.size_bytes);
  }

  const Step& step_;
  const EventSet& events_;
  const EventModel& model_;
  const std::vector<LaterNeed>& cuts_;
  std::vector<double> prices_;  // per row
  Multipliers read_;
};

}  // namespace

EventPrices::EventPrices(const Step& step, double initial) {
  std::int64_t count = 0;
  for (std::int32_t k = 0; k < step.stages(); ++k) {
    begins_.push_back(count - k - 1);
    count += step.operations[k].last_stage - k;
  }
  prices_.assign(static_cast<std::size_t>(count), initial);
}

Multipliers multipliers_of(const Step& step, const EventSet& events, const EventModel& model,
                           const std::vector<LaterNeed>& cuts, const std::vector<double>& row_duals,
                           double cost_unit) {
  return DualReader(step, events, model, cuts, row_duals, cost_unit).read();
}

WalkBound walk_bound(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
                     const Multipliers& multipliers, EventObjective objective) {
  return Bounder(step, events, cuts, multipliers, objective).run();
}

}  // namespace poet
