// What multipliers make of the costs of a step, for the walks of all chains (docs/model/bounds.md
// §1.2), and the cheapest walk of one chain through its events, and through each of them in
// particular (docs/model/bounds.md §1.2 and §2.1).
#include "poet/solve/walk_prices.h"

#include <algorithm>

namespace poet {

Places step_over(const WalkStop& stop, bool may_read, const Places& from) {
  const double in = from.in + stop.hold_before;
  double here = from.out + stop.make;
  if (may_read) here = std::min(here, from.out + stop.read);
  if (stop.first_production) return Places{here, here + stop.keep_after};
  here = std::min(here, in + stop.stay);
  return Places{std::min({from.out, in, here}), here + stop.keep_after};
}

Places step_back(const WalkStop& stop, bool may_read, const Places& to) {
  const double leave_or_keep = std::min(to.out, stop.keep_after + to.in);
  double enter = stop.make + leave_or_keep;
  if (may_read) enter = std::min(enter, stop.read + leave_or_keep);
  if (stop.first_production) return Places{enter, kNever};
  const double out = std::min(to.out, enter);
  const double in = stop.hold_before + std::min(stop.stay + leave_or_keep, out);
  return Places{out, in};
}

ChainWalk::ChainWalk(const std::vector<WalkStop>& stops, bool may_read)
    : stops_(stops), may_read_(may_read) {
  before_.resize(stops.size() + 1);
  after_.resize(stops.size() + 1);
  for (std::size_t n = 0; n < stops.size(); ++n)
    before_[n + 1] = step_over(stops[n], may_read, before_[n]);
  after_[stops.size()] = Places{0, 0};
  for (std::size_t n = stops.size(); n-- > 0;)
    after_[n] = step_back(stops[n], may_read, after_[n + 1]);
}

double ChainWalk::cheapest_making(std::size_t n) const {
  return before_[n].out + stops_[n].make + onwards(n);
}

double ChainWalk::cheapest_reading(std::size_t n) const {
  return may_read_ ? before_[n].out + stops_[n].read + onwards(n) : kNever;
}

double ChainWalk::cheapest_present(std::size_t n) const {
  const WalkStop& stop = stops_[n];
  return std::min(before_[n].in + stop.hold_before + stop.stay + onwards(n), cheapest_reading(n));
}

double ChainWalk::onwards(std::size_t n) const {
  return std::min(after_[n + 1].out, stops_[n].keep_after + after_[n + 1].in);
}

namespace {

std::int32_t slot_of(const std::vector<std::int32_t>& list, std::int32_t chain) {
  return static_cast<std::int32_t>(std::find(list.begin(), list.end(), chain) - list.begin());
}

void sum_up(std::vector<double>& gains) {
  for (std::size_t n = 1; n < gains.size(); ++n) gains[n] += gains[n - 1];
}

double gain_at(const std::vector<double>& gains, std::int32_t stage) {
  return gains.empty() ? 0.0 : gains[stage];
}

}  // namespace

WalkPrices::WalkPrices(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
                       const Multipliers& multipliers, EventObjective objective)
    : step_(step), events_(events), multipliers_(multipliers) {
  cost_weight_ = objective == EventObjective::Cost ? 1 : 0;
  sum_memory();
  charge_operations();
  gather_gains(cuts);
}

double WalkPrices::charge(Event event, std::optional<std::int32_t> known) const {
  if (known) return charges_[*known];
  const StepOperation& operation = step_.operations[event.operation];
  return cost_weight_ * operation.cost + multipliers_.deadline * operation.time_s +
         multipliers_.other_uses.sum(event);
}

// The part of the charge that the walk of the output at `output` bears.
double WalkPrices::output_share(Event event, std::optional<std::int32_t> known,
                                std::int32_t output) const {
  const std::size_t outputs = step_.operations[event.operation].outputs.size();
  if (outputs == 1) return charge(event, known);
  if (event.certain()) return 0;
  if (known) return multipliers_.ties[*known][output];
  return charge(event, known) / static_cast<double>(outputs);
}

std::vector<WalkStop> WalkPrices::stops_of(std::int32_t chain) const {
  return list_stops(chain, false);
}

std::vector<WalkStop> WalkPrices::known_stops_of(std::int32_t chain) const {
  return list_stops(chain, true);
}

std::vector<WalkStop> WalkPrices::list_stops(std::int32_t chain, bool known_only) const {
  std::vector<WalkStop> stops;
  const Chain& c = step_.chains[chain];
  if (c.readers.empty() && !c.producer) return stops;
  const double size = static_cast<double>(c.size_bytes);
  std::optional<std::int32_t> seen;  // place after the last stop
  const auto add = [&](std::int32_t t, std::int32_t operation, bool makes, std::int32_t slot) {
    if (step_.operations[operation].last_stage < t) return;
    const Event event{t, operation};
    const std::int32_t place = events_.lower_bound(event);
    const bool is_known = place < events_.size() && events_.events()[place] == event;
    if (known_only && !is_known) return;
    WalkStop stop = stop_at(chain, event, place, is_known, makes, slot);
    if (seen) stop.hold_before = size * (memory_before_[place] - memory_before_[*seen]);
    seen = is_known ? place + 1 : place;
    stops.push_back(stop);
  };
  std::vector<std::int32_t> slots;
  for (const std::int32_t reader : c.readers)
    slots.push_back(slot_of(step_.operations[reader].inputs, chain));
  const std::int32_t output =
      c.producer ? slot_of(step_.operations[*c.producer].outputs, chain) : 0;
  const std::int32_t first = c.producer ? *c.producer : c.readers.front();
  for (std::int32_t t = first; t <= c.last_stage; ++t) {
    if (c.producer) add(t, *c.producer, true, output);
    for (std::size_t n = 0; n < c.readers.size() && c.readers[n] <= t; ++n)
      add(t, c.readers[n], false, slots[n]);
  }
  return stops;
}

WalkStop WalkPrices::stop_at(std::int32_t chain, Event event, std::int32_t place, bool is_known,
                             bool makes, std::int32_t slot) const {
  const Chain& c = step_.chains[chain];
  const StepOperation& operation = step_.operations[event.operation];
  WalkStop stop;
  stop.event = event;
  stop.place = place;
  stop.slot = slot;
  stop.makes = makes;
  if (is_known) stop.known = place;
  const double hold = is_known ? static_cast<double>(c.size_bytes) * multipliers_.memory[place] : 0;
  stop.stay = hold;
  if (makes) {
    stop.first_production = event.certain();
    stop.make =
        hold + output_share(event, stop.known, slot) - gain_at(make_gain_[chain], event.stage);
    return stop;
  }
  stop.stay -= is_known ? multipliers_.uses[place][slot] : multipliers_.other_uses.at(event, slot);
  if (c.may_be_read)
    stop.read = stop.stay + cost_weight_ * c.read_cost + multipliers_.deadline * c.read_s -
                gain_at(read_gain_[chain], event.stage);
  if (is_known && operation.in_place && operation.in_place->input == slot)
    stop.keep_after = multipliers_.shared_dies[place];
  return stop;
}

double WalkPrices::storing(std::int32_t chain) const {
  const Chain& c = step_.chains[chain];
  const double size = static_cast<double>(c.size_bytes);
  return writing(chain) + size * multipliers_.storage_room - stored_gain_[chain];
}

double WalkPrices::writing(std::int32_t chain) const {
  const Chain& c = step_.chains[chain];
  return cost_weight_ * c.write_cost + multipliers_.deadline * c.write_s +
         static_cast<double>(c.size_bytes) * multipliers_.write_room;
}

void WalkPrices::sum_memory() {
  memory_before_.assign(1, 0.0);
  for (const double lambda : multipliers_.memory)
    memory_before_.push_back(memory_before_.back() + lambda);
}

void WalkPrices::charge_operations() {
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

void WalkPrices::gather_gains(const std::vector<LaterNeed>& cuts) {
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
void WalkPrices::add_gain(std::vector<double>& gains, std::int32_t begin, std::int32_t end,
                          double gain) {
  if (gains.empty()) gains.assign(step_.operations.size() + 2, 0.0);
  gains[begin] += gain;
  gains[end] -= gain;
}

}  // namespace poet
