// The bound of a walk part in exact arithmetic (docs/model/bounds.md §1 and §4).
#include "poet/exact/walk.h"

#include <algorithm>
#include <map>
#include <string>

namespace poet::exact {
namespace {

using Cost = std::optional<Number>;                   // nothing: it cannot be
using Event = std::pair<std::int32_t, std::int32_t>;  // stage, operation

Cost plus(const Cost& cost, const Number& more) {
  if (!cost) return std::nullopt;
  return Cost(*cost + more);
}
Cost cheaper(const Cost& a, const Cost& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}
Number at_most_zero(Number value) {
  return value < 0 ? value : Number(0);
}

std::string name_of(const EventMultipliers& event) {
  return "the event of operation " + std::to_string(event.operation) + " in stage " +
         std::to_string(event.stage);
}
bool is_certain(const EventMultipliers& event) {
  return event.stage == event.operation;
}

// Of a cover inequality from later needs: weight * (comings of the chain in the stages (after,
// until]). A weight goes up to a multiple of 2^-kCutBits, which weakens the inequality by a trifle
// and keeps numbers short.
struct Need {
  bool stored = true;
  std::int32_t after = 0;
  std::int32_t until = 0;
  Number value;  // the multiplier times the weight
};

// An event that makes or reads one chain, and what each way through it costs.
struct Passed {
  bool makes = false;
  bool certain = false;
  Number hold;      // staying in RAM from the event before to here
  Number here;      // being in RAM during the event
  Number use;       // and what its use earns, at most 0
  Number make;      // being made
  Cost read;        // being read just before it
  Number keep;      // staying on afterwards
  Number resident;  // what a chain that is always there has of the event
};

class Walks {
 public:
  Walks(const Step& step, const WalkPart& part)
      : step_(step), part_(part), needs_(step.chains.size()) {}

  Result<Number> bound() {
    if (const Failure fault = fault_of_budgets()) return *fault;
    for (std::size_t e = 0; e < part_.events.size(); ++e)
      if (const Failure fault = fault_of_event(e)) return *fault;
    for (std::size_t n = 0; n < part_.cuts.size(); ++n)
      if (const Failure fault = add_cut(n)) return *fault;
    memory_before_.emplace_back(0);
    for (const EventMultipliers& event : part_.events) {
      memory_before_.push_back(memory_before_.back() + number_of(event.memory));
      listed_[{event.stage, event.operation}] = &event;
    }
    add_right_hand_sides();
    for (const EventMultipliers& event : part_.events) add_event(event);
    for (std::size_t i = 0; i < step_.chains.size(); ++i) add_chain(id_of(i));
    return bound_;
  }

 private:
  // --- what a part may say -----------------------------------------------------------------------

  Failure fault_of_budgets() const {
    const auto no_row = [](const std::string& what) {
      return bad_input("it has a multiplier for a " + what + ", which the problem does not have");
    };
    if (part_.deadline > 0 && !step_.latest_s) return no_row("deadline");
    if (part_.storage > 0 && !step_.storage_room_bytes) return no_row("storage capacity");
    if (part_.writes > 0 && !step_.write_room_bytes) return no_row("write budget");
    return {};
  }

  Failure fault_of_event(std::size_t e) const {
    const EventMultipliers& event = part_.events[e];
    if (event.operation >= step_.stages() || event.stage < event.operation ||
        event.stage > step_.operations[event.operation].last_stage)
      return bad_input(name_of(event) + " does not exist, or can be of no use");
    if (e > 0) {
      const EventMultipliers& before = part_.events[e - 1];
      if (Event(before.stage, before.operation) >= Event(event.stage, event.operation))
        return bad_input(name_of(event) + " must come before " + name_of(before));
    }
    const StepOperation& operation = step_.operations[event.operation];
    if (Failure fault = fault_of_list(event, "reads", event.uses, operation.inputs)) return fault;
    if (event.outputs)
      if (Failure fault = fault_of_list(event, "makes", *event.outputs, operation.outputs))
        return fault;
    const bool shares = event.shared_runs > 0 || event.shared_dies > 0 || event.shared_moves > 0 ||
                        event.shared_takes > 0;
    if (shares && !operation.sharing)
      return bad_input(name_of(event) + " has a multiplier for sharing a buffer, which it cannot");
    return {};
  }

  static Failure fault_of_list(const EventMultipliers& event, const std::string& verb,
                               const std::vector<Weight>& list,
                               const std::vector<std::int32_t>& known) {
    for (std::size_t n = 0; n < list.size(); ++n) {
      const std::string tensor = "tensor " + std::to_string(list[n].place);
      if (std::find(known.begin(), known.end(), list[n].place) == known.end())
        return bad_input(name_of(event) + " has a multiplier for " + tensor +
                         ", which is none that it " + verb);
      for (std::size_t m = 0; m < n; ++m)
        if (list[m].place == list[n].place)
          return bad_input(name_of(event) + " has two multipliers for " + tensor);
    }
    return {};
  }

  // --- cover inequalities from later needs (docs/model/bounds.md §4) -----------------------------

  // The first operation behind `stage` that reads the chain, where it exists before `stage` and the
  // stage itself does not read it.
  static std::optional<std::int32_t> waits_until(const Chain& chain, std::int32_t stage) {
    if (!chain.moves || (chain.maker && *chain.maker >= stage)) return std::nullopt;
    for (const std::int32_t reader : chain.readers) {
      if (reader == stage) return std::nullopt;
      if (reader > stage) return reader;
    }
    return std::nullopt;
  }

  Failure add_cut(std::size_t n) {
    const NeedCut& cut = part_.cuts[n];
    const std::string name = "cut " + std::to_string(n);
    if (cut.stage >= step_.stages())
      return bad_input(name + " is about stage " + std::to_string(cut.stage) +
                       ", which does not exist");
    std::vector<bool> absent(step_.chains.size(), false);
    for (const std::int32_t tensor : cut.absent) {
      const bool exists = static_cast<std::size_t>(tensor) < absent.size();
      if (!exists || absent[tensor] || !waits_until(step_.chains[tensor], cut.stage))
        return bad_input(name + " takes tensor " + std::to_string(tensor) +
                         " as absent, which does not wait at stage " + std::to_string(cut.stage));
      absent[tensor] = true;
    }
    std::int64_t demand = step_.least_room_bytes(step_.operations[cut.stage]) - step_.budget_bytes;
    std::vector<std::pair<std::int32_t, std::int32_t>> terms;  // chain, until
    for (std::size_t i = 0; i < step_.chains.size(); ++i) {
      const auto until = waits_until(step_.chains[i], cut.stage);
      if (!until || absent[i] || (cut.stored && step_.chains[i].has_copy_anyway())) continue;
      demand += step_.chains[i].size_bytes;
      terms.emplace_back(id_of(i), *until);
    }
    const std::int64_t divisor = cut.divisor_bytes;
    if (demand <= 0 || demand % divisor == 0)
      return bad_input(name + " says nothing: " + std::to_string(demand) +
                       " bytes must be absent, which its divisor of " + std::to_string(divisor) +
                       " bytes does not round");
    const Number multiplier = number_of(cut.multiplier);
    bound_ += multiplier;
    for (const auto& [chain, until] : terms) {
      const std::int64_t size = std::min(step_.chains[chain].size_bytes, demand);
      const Number share = number_of(size % divisor) / number_of(demand % divisor);
      const Number weight = (number_of(size / divisor) + std::min(Number(1), share)) /
                            number_of(demand / divisor + 1);
      needs_[chain].push_back(
          {cut.stored, cut.stage, until, multiplier * rounded_up(weight, kCutBits)});
    }
    return {};
  }

  // --- what belongs to no walk -------------------------------------------------------------------

  void add_right_hand_sides() {
    bound_ += step_.once_cost - memory_before_.back() * number_of(step_.budget_bytes);
    if (step_.latest_s) bound_ -= number_of(part_.deadline) * (*step_.latest_s - step_.once_s);
    if (step_.storage_room_bytes)
      bound_ -= number_of(part_.storage) * number_of(*step_.storage_room_bytes);
    if (step_.write_room_bytes)
      bound_ -= number_of(part_.writes) * number_of(*step_.write_room_bytes);
  }

  void add_event(const EventMultipliers& event) {
    const StepOperation& operation = step_.operations[event.operation];
    if (operation.outputs.size() != 1) {
      Number rest = charge(event.stage, event.operation, &event);
      if (is_certain(event)) {
        bound_ += rest;
      } else if (event.outputs) {
        for (const Weight& tie : *event.outputs) rest -= number_of(tie.value);
        bound_ += at_most_zero(rest);
      }
    }
    if (!operation.sharing) return;
    const Number excluded = number_of(event.shared_dies) + number_of(event.shared_moves) +
                            number_of(event.shared_takes);
    const Number size = number_of(step_.chains[operation.sharing->output].size_bytes);
    bound_ +=
        at_most_zero(number_of(event.shared_runs) + excluded - number_of(event.memory) * size);
    bound_ -= excluded;
  }

  // Of running the event, the bytes of its outputs not counted. The first execution's own cost is
  // in once_cost.
  Number charge(std::int32_t stage, std::int32_t v, const EventMultipliers* listed) const {
    const StepOperation& operation = step_.operations[v];
    Number sum;
    if (stage != v) sum += operation.cost + number_of(part_.deadline) * operation.time_s;
    if (listed == nullptr) return sum;
    sum += number_of(listed->memory) * number_of(operation.workspace_bytes);
    sum -= number_of(listed->shared_runs);
    for (const Weight& use : listed->uses) sum += number_of(use.value);
    return sum;
  }

  // The part of it that the walk of one output bears.
  Number share(std::int32_t stage, std::int32_t v, const EventMultipliers* listed,
               std::int32_t chain) const {
    const std::size_t outputs = step_.operations[v].outputs.size();
    if (outputs == 1) return charge(stage, v, listed);
    if (stage == v) return 0;
    if (listed != nullptr && listed->outputs) return value_for(*listed->outputs, chain);
    return charge(stage, v, listed) / number_of(static_cast<std::int64_t>(outputs));
  }

  static Number value_for(const std::vector<Weight>& list, std::int32_t chain) {
    for (const Weight& one : list)
      if (one.place == chain) return number_of(one.value);
    return 0;
  }

  // --- walks (docs/model/bounds.md §1.2) ---------------------------------------------------------

  void add_chain(std::int32_t i) {
    const Chain& chain = step_.chains[i];
    if (!chain.moves || (chain.old_value && step_.may_stay(i))) return;
    const std::vector<Passed> events = events_of(i);
    if (chain.may_be_resident) {
      bound_ += std::min(moving(i, events), staying(i, events));
    } else if (!chain.may_be_written) {
      bound_ += moving(i, events);
    } else {
      const Number stored = cheapest_walk(events, true) + storing(i);
      bound_ += std::min(cheapest_walk(events, false), stored);
    }
  }

  // A chain with a copy at home, and its new value if it has one.
  Number moving(std::int32_t i, const std::vector<Passed>& events) const {
    const Chain& chain = step_.chains[i];
    Number cost = cheapest_walk(events, chain.has_copy_anyway());
    if (chain.must_be_written) cost += writing(i);
    if (chain.may_be_resident && chain.new_value)
      cost += moving(*chain.new_value, events_of(*chain.new_value));
    return cost;
  }

  // In RAM for the whole step, as itself and then as its new value.
  Number staying(std::int32_t i, const std::vector<Passed>& events) const {
    Number sum = memory_before_.back() * number_of(step_.chains[i].size_bytes);
    for (const Passed& event : events) sum += event.resident;
    const std::optional<std::int32_t> next = step_.chains[i].new_value;
    if (!next) return sum;
    for (const Passed& event : events_of(*next)) sum += event.resident;
    // An update of a resident in its own place needs no other room.
    const std::int32_t v = *step_.chains[*next].maker;
    const std::optional<Sharing>& sharing = step_.operations[v].sharing;
    const EventMultipliers* const update = find({v, v});
    if (update != nullptr && sharing && sharing->input == i && sharing->output == *next)
      sum += number_of(update->shared_runs);
    return sum;
  }

  Number writing(std::int32_t i) const {
    const Chain& chain = step_.chains[i];
    return chain.write_cost + number_of(part_.deadline) * chain.write_s +
           number_of(part_.writes) * number_of(chain.size_bytes);
  }
  Number storing(std::int32_t i) const {
    Number cost = writing(i) + number_of(part_.storage) * number_of(step_.chains[i].size_bytes);
    for (const Need& need : needs_[i])
      if (need.stored) cost -= need.value;
    return cost;
  }

  const EventMultipliers* find(const Event& event) const {
    const auto found = listed_.find(event);
    return found == listed_.end() ? nullptr : found->second;
  }

  // Every event of the class that makes or reads the chain, in order, listed or not.
  std::vector<Passed> events_of(std::int32_t i) const {
    const Chain& chain = step_.chains[i];
    std::vector<std::int32_t> operations = chain.readers;
    if (chain.maker) operations.insert(operations.begin(), *chain.maker);
    std::vector<Passed> events;
    if (operations.empty()) return events;
    const Number size = number_of(chain.size_bytes);
    std::size_t held = 0;    // listed events up to and with the chain's last one
    std::size_t passed = 0;  // listed events before the one that is looked at
    for (std::int32_t t = operations.front(); t <= chain.last_stage; ++t)
      for (const std::int32_t v : operations) {
        if (v > t || step_.operations[v].last_stage < t) continue;
        while (passed < part_.events.size() &&
               Event(part_.events[passed].stage, part_.events[passed].operation) < Event(t, v))
          ++passed;
        Passed event = event_at(i, t, v);
        event.hold = (memory_before_[passed] - memory_before_[held]) * size;
        if (find({t, v}) != nullptr) ++passed;
        held = passed;
        events.push_back(std::move(event));
      }
    return events;
  }

  Passed event_at(std::int32_t i, std::int32_t t, std::int32_t v) const {
    const Chain& chain = step_.chains[i];
    const std::optional<Sharing>& sharing = step_.operations[v].sharing;
    const EventMultipliers* const listed = find({t, v});
    Passed event;
    event.makes = chain.maker == v;
    event.certain = t == v;
    Number gain;
    for (const Need& need : needs_[i])
      if (need.after < t && t <= need.until && (event.makes || !need.stored)) gain += need.value;
    if (listed != nullptr) event.here = number_of(listed->memory) * number_of(chain.size_bytes);
    if (event.makes) {
      const Number part = share(t, v, listed, i);
      event.make = part - gain;
      if (event.certain) event.resident = part;
      if (event.certain && listed != nullptr && sharing && sharing->output == i)
        event.resident += number_of(listed->shared_takes);
      return event;
    }
    if (listed != nullptr) event.use = -value_for(listed->uses, i);
    if (chain.may_be_read)
      event.read = chain.read_cost + number_of(part_.deadline) * chain.read_s - gain;
    event.resident = event.use;
    if (listed == nullptr || !sharing || sharing->input != i) return event;
    event.keep = number_of(listed->shared_dies);
    event.resident += number_of(listed->shared_moves);
    return event;
  }

  // The cheapest way through the events: out of RAM at first, anywhere in the end. A chain that is
  // certainly made is made by its first event; one without a copy cannot be read.
  static Number cheapest_walk(const std::vector<Passed>& events, bool has_copy) {
    Cost out = Number(0), in;
    for (const Passed& event : events) {
      Cost during;
      if (event.makes) during = plus(out, event.make + event.here);
      if (!event.makes && has_copy && event.read)
        during = plus(out, *event.read + event.here + event.use);
      if (event.makes && event.certain) {
        out = during;
      } else {
        during = cheaper(during, plus(in, event.hold + event.here + event.use));
        out = cheaper(out, during);
      }
      in = plus(during, event.keep);
    }
    return *cheaper(out, in);
  }

  const Step& step_;
  const WalkPart& part_;
  std::vector<std::vector<Need>> needs_;  // per chain
  std::vector<Number> memory_before_;     // of the listed events before each, and of all
  std::map<Event, const EventMultipliers*> listed_;
  Number bound_;
};

}  // namespace

Result<Number> bound_of(const Step& step, const WalkPart& part) {
  return Walks(step, part).bound();
}

}  // namespace poet::exact
