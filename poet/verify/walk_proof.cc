// The bound of a certificate's multipliers, by one walk for each tensor (docs/model/bounds.md §1.3,
// docs/model/certificates.md §2.1).
#include "poet/verify/walk_proof.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "poet/verify/proof_step.h"
#include "poet/verify/proof_sum.h"

namespace poet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
const std::string kNotInRange = " that is not from 0 to 1e100";

std::string event_name(const EventMultipliers& event) {
  return "the event of operation " + std::to_string(event.operation) + " in stage " +
         std::to_string(event.stage);
}

bool is_certain(const EventMultipliers& event) {
  return event.stage == event.operation;
}

double value_for(const std::vector<TensorMultiplier>& list, std::int32_t tensor) {
  for (const TensorMultiplier& one : list)
    if (index_of(one.tensor) == tensor) return one.value;
  return 0;
}

// --- what a proof may say ------------------------------------------------------------------------

// The first thing that does not speak of this problem.
class WalkReader {
 public:
  WalkReader(const ProofStep& step, const WalkProof& proof) : step_(step), proof_(proof) {}

  Failure first_fault() const {
    for (const double value : {proof_.deadline, proof_.storage, proof_.writes})
      if (!is_multiplier(value)) return bad_input("a budget has a multiplier" + kNotInRange);
    if (proof_.deadline > 0 && !step_.deadline_s) return no_row("deadline");
    if (proof_.storage > 0 && !step_.storage_room_bytes) return no_row("storage capacity");
    if (proof_.writes > 0 && !step_.write_room_bytes) return no_row("write budget");
    for (std::size_t e = 0; e < proof_.events.size(); ++e)
      if (Failure fault = fault_of(e)) return fault;
    for (const NeedCut& cut : proof_.cuts)
      if (!is_multiplier(cut.multiplier)) return bad_input("a cut has a multiplier" + kNotInRange);
    return {};
  }

 private:
  static Failure no_row(const std::string& what) {
    return bad_input("it has a multiplier for a " + what + ", which the problem does not have");
  }

  Failure fault_of(std::size_t e) const {
    const EventMultipliers& event = proof_.events[e];
    const std::string name = event_name(event);
    if (event.operation < 0 || event.operation >= step_.stages() || event.stage < event.operation ||
        event.stage > step_.operations[event.operation].last_stage)
      return bad_input(name + " does not exist, or can be of no use");
    if (e > 0) {
      const EventMultipliers& before = proof_.events[e - 1];
      if (std::pair(before.stage, before.operation) >= std::pair(event.stage, event.operation))
        return bad_input(name + " must come before " + event_name(before));
    }
    const ProofOperation& operation = step_.operations[event.operation];
    for (const double value : {event.memory, event.shared_runs, event.shared_dies,
                               event.shared_moves, event.shared_takes})
      if (!is_multiplier(value)) return bad_input(name + " has a multiplier" + kNotInRange);
    if (Failure fault = fault_in(name, "reads", event.uses, operation.inputs)) return fault;
    for (const TensorMultiplier& use : event.uses)
      if (!is_multiplier(use.value)) return bad_input(name + " has a multiplier" + kNotInRange);
    if (event.outputs) {
      if (Failure fault = fault_in(name, "makes", *event.outputs, operation.outputs)) return fault;
      for (const TensorMultiplier& tie : *event.outputs)
        if (!is_multiplier(std::abs(tie.value)))
          return bad_input(name + " has a multiplier that is not from -1e100 to 1e100");
    }
    const double shared =
        event.shared_runs + event.shared_dies + event.shared_moves + event.shared_takes;
    if (shared > 0 && !operation.sharing)
      return bad_input(name + " has a multiplier for sharing a buffer, which it cannot");
    return {};
  }

  static Failure fault_in(const std::string& name, const std::string& verb,
                          const std::vector<TensorMultiplier>& list,
                          const std::vector<std::int32_t>& known) {
    std::vector<std::int32_t> seen;
    for (const TensorMultiplier& one : list) {
      const std::int32_t tensor = index_of(one.tensor);
      if (std::find(known.begin(), known.end(), tensor) == known.end())
        return bad_input(name + " has a multiplier for tensor " + std::to_string(tensor) +
                         ", which is none that it " + verb);
      if (std::find(seen.begin(), seen.end(), tensor) != seen.end())
        return bad_input(name + " has two multipliers for tensor " + std::to_string(tensor));
      seen.push_back(tensor);
    }
    return {};
  }

  const ProofStep& step_;
  const WalkProof& proof_;
};

// --- the walks -----------------------------------------------------------------------------------

// An event that makes or reads one tensor, and what each way through it costs, rounding taken off.
struct WalkedEvent {
  bool makes = false;
  bool certain = false;
  double hold = 0;       // staying in RAM from the event before to here
  double here = 0;       // being in RAM during the event
  double use = 0;        // and what its use earns
  double make = kNever;  // being made (here not included)
  double read = kNever;  // being read just before it (here and use not included)
  double keep = 0;       // staying on afterwards
  double resident = 0;   // what a tensor that is always there has of the event
};

class WalkChecker {
 public:
  WalkChecker(const ProofStep& step, const WalkProof& proof) : step_(step), proof_(proof) {}

  Result<double> run() {
    if (const Failure fault = WalkReader(step_, proof_).first_fault()) return *fault;
    if (const Failure fault = read_cuts()) return *fault;
    add_right_hand_sides();
    for (const EventMultipliers& event : proof_.events) add_event(event);
    for (std::size_t i = 0; i < step_.tensors.size(); ++i) add_tensor(static_cast<std::int32_t>(i));
    return bound_.value();
  }

 private:
  struct Gain {
    NeedKind kind = NeedKind::Stored;
    std::int32_t after = 0;  // stages (after, until]
    std::int32_t until = 0;
    double value = 0;
  };

  Failure read_cuts() {
    gains_.resize(step_.tensors.size());
    for (std::size_t n = 0; n < proof_.cuts.size(); ++n) {
      const NeedCut& cut = proof_.cuts[n];
      const Result<std::vector<NeedTerm>> terms = terms_of(step_, cut, "cut " + std::to_string(n));
      if (!terms.ok()) return terms.error();
      bound_.add(cut.multiplier);
      for (const NeedTerm& term : *terms)
        gains_[term.tensor].push_back(
            {cut.kind, cut.stage, term.until, cut.multiplier * term.weight});
    }
    return {};
  }

  void add_right_hand_sides() {
    bound_.add(step_.once_cost);
    for (const EventMultipliers& event : proof_.events) {
      all_memory_.push_back(event.memory);
      bound_.add(-event.memory * static_cast<double>(step_.budget_bytes));
    }
    if (step_.deadline_s) {
      bound_.add(-proof_.deadline * *step_.deadline_s);
      bound_.add(proof_.deadline * step_.once_s);
    }
    if (step_.storage_room_bytes)
      bound_.add(-proof_.storage * static_cast<double>(*step_.storage_room_bytes));
    if (step_.write_room_bytes)
      bound_.add(-proof_.writes * static_cast<double>(*step_.write_room_bytes));
  }

  // What belongs to an event and to no walk: the charge of operations that make none or several,
  // and sharing in place, which happens where that is cheaper.
  void add_event(const EventMultipliers& event) {
    const ProofOperation& operation = step_.operations[event.operation];
    if (operation.outputs.size() != 1) {
      ProofSum rest;
      rest.add(charge(event.stage, event.operation, &event));
      if (event.outputs)
        for (const TensorMultiplier& tie : *event.outputs) rest.add(-tie.value);
      if (is_certain(event))
        bound_.add(charge(event.stage, event.operation, &event));
      else if (event.outputs)
        bound_.add(std::min(0.0, rest.value()));
    }
    if (!operation.sharing) return;
    const double excluded = event.shared_dies + event.shared_moves + event.shared_takes;
    const double size = static_cast<double>(step_.tensors[operation.sharing->output].size_bytes);
    const double rent = event.shared_runs + excluded - event.memory * size;
    bound_.add(std::min(0.0, rent));
    bound_.add(-excluded);
  }

  // Of running the event, the bytes of its outputs not counted, rounding taken off. The first
  // execution's own cost is in once_cost.
  double charge(std::int32_t stage, std::int32_t v, const EventMultipliers* listed) const {
    const ProofOperation& operation = step_.operations[v];
    ProofSum sum;
    if (stage != v) {
      sum.add(operation.cost);
      sum.add(proof_.deadline * operation.time_s);
    }
    if (listed == nullptr) return sum.value();
    sum.add(listed->memory * static_cast<double>(operation.workspace_bytes));
    sum.add(-listed->shared_runs);
    for (const TensorMultiplier& use : listed->uses) sum.add(use.value);
    return sum.value();
  }

  // The part of it that the walk of one output bears.
  double share(std::int32_t stage, std::int32_t v, const EventMultipliers* listed,
               std::int32_t tensor) const {
    const double whole = charge(stage, v, listed);
    const std::size_t outputs = step_.operations[v].outputs.size();
    if (outputs == 1) return whole;
    if (stage == v) return 0;
    if (listed != nullptr && listed->outputs) return value_for(*listed->outputs, tensor);
    return whole / static_cast<double>(outputs);
  }

  void add_tensor(std::int32_t i) {
    const ProofTensor& tensor = step_.tensors[i];
    if (!tensor.moves || (tensor.old_value && step_.may_stay(i))) return;
    const std::vector<WalkedEvent> events = events_of(i);
    if (tensor.may_be_resident) {
      bound_.add(std::min(moving(i, events), staying(i, events)));
      return;
    }
    if (!tensor.may_be_written) {
      bound_.add(moving(i, events));
      return;
    }
    const double stored = cheapest_walk(events, true) + storing(i);
    bound_.add(std::min(cheapest_walk(events, false), stored));
  }

  // A tensor with a copy at home, and its new value if it has one.
  double moving(std::int32_t i, const std::vector<WalkedEvent>& events) const {
    const ProofTensor& tensor = step_.tensors[i];
    double cost = cheapest_walk(events, !tensor.maker || tensor.must_be_written);
    if (tensor.must_be_written) cost += writing(i);
    if (tensor.may_be_resident && tensor.new_value)
      cost += moving(*tensor.new_value, events_of(*tensor.new_value));
    return cost;
  }

  // In RAM for the whole step, as itself and then as its new value.
  double staying(std::int32_t i, const std::vector<WalkedEvent>& events) const {
    const double size = static_cast<double>(step_.tensors[i].size_bytes);
    ProofSum sum;
    for (const double lambda : all_memory_) sum.add(lambda * size);
    for (const WalkedEvent& event : events) sum.add(event.resident);
    const std::optional<std::int32_t> next = step_.tensors[i].new_value;
    if (!next) return sum.value();
    for (const WalkedEvent& event : events_of(*next)) sum.add(event.resident);
    // An update of a resident in its own place needs no other room: there the row of shared_runs
    // reads s + r <= R, not s <= R.
    const std::int32_t v = *step_.tensors[*next].maker;
    const auto& sharing = step_.operations[v].sharing;
    const EventMultipliers* const update = find_event(v, v);
    if (update != nullptr && sharing && sharing->input == i && sharing->output == *next)
      sum.add(update->shared_runs);
    return sum.value();
  }

  double writing(std::int32_t i) const {
    const ProofTensor& tensor = step_.tensors[i];
    return lowered({tensor.write_cost, proof_.deadline * tensor.write_s,
                    proof_.writes * static_cast<double>(tensor.size_bytes)});
  }
  double storing(std::int32_t i) const {
    ProofSum sum;
    sum.add(writing(i));
    sum.add(proof_.storage * static_cast<double>(step_.tensors[i].size_bytes));
    for (const Gain& gain : gains_[i])
      if (gain.kind == NeedKind::Stored) sum.add(-gain.value);
    return sum.value();
  }

  static double lowered(std::initializer_list<double> terms) {
    ProofSum sum;
    for (const double term : terms) sum.add(term);
    return sum.value();
  }

  const EventMultipliers* find_event(std::int32_t stage, std::int32_t v) const {
    for (const EventMultipliers& event : proof_.events)
      if (event.stage == stage && event.operation == v) return &event;
    return nullptr;
  }

  // Every event of the class that makes or reads the tensor, in order, listed or not.
  std::vector<WalkedEvent> events_of(std::int32_t i) const {
    const ProofTensor& tensor = step_.tensors[i];
    std::vector<std::int32_t> operations = tensor.readers;
    if (tensor.maker) operations.insert(operations.begin(), *tensor.maker);
    const auto [reads, makes] = gains_by_stage(i);
    std::vector<WalkedEvent> events;
    if (operations.empty()) return events;
    std::size_t passed = 0;  // listed events so far
    double memory = 0;       // of those passed since the last event of the tensor
    for (std::int32_t t = operations.front(); t <= tensor.last_stage; ++t)
      for (const std::int32_t v : operations) {
        if (v > t || step_.operations[v].last_stage < t) continue;
        for (; passed < proof_.events.size() && is_before(proof_.events[passed], t, v); ++passed)
          memory += proof_.events[passed].memory;
        const EventMultipliers* listed = nullptr;
        if (passed < proof_.events.size() && proof_.events[passed].stage == t &&
            proof_.events[passed].operation == v)
          listed = &proof_.events[passed++];
        WalkedEvent event = event_at(i, t, v, listed, v == tensor.maker ? makes[t] : reads[t]);
        event.hold = lowered({memory * static_cast<double>(tensor.size_bytes)});
        memory = 0;
        events.push_back(event);
      }
    return events;
  }

  static bool is_before(const EventMultipliers& event, std::int32_t stage, std::int32_t v) {
    return std::pair(event.stage, event.operation) < std::pair(stage, v);
  }

  // What cuts pay for a read or a production in each stage.
  std::pair<std::vector<double>, std::vector<double>> gains_by_stage(std::int32_t i) const {
    std::vector<double> reads(step_.operations.size(), 0.0), makes = reads;
    for (const Gain& gain : gains_[i])
      for (std::int32_t t = gain.after + 1; t <= gain.until; ++t) {
        makes[t] += gain.value;
        if (gain.kind == NeedKind::Read) reads[t] += gain.value;
      }
    return {reads, makes};
  }

  WalkedEvent event_at(std::int32_t i, std::int32_t t, std::int32_t v,
                       const EventMultipliers* listed, double gain) const {
    const ProofTensor& tensor = step_.tensors[i];
    const auto& sharing = step_.operations[v].sharing;
    WalkedEvent event;
    event.makes = v == tensor.maker;
    event.certain = t == v;
    if (listed != nullptr)
      event.here = lowered({listed->memory * static_cast<double>(tensor.size_bytes)});
    if (event.makes) {
      const double part = share(t, v, listed, i);
      event.make = lowered({part, -gain});
      if (event.certain) event.resident = part;
      if (event.certain && listed != nullptr && sharing && sharing->output == i)
        event.resident = lowered({part, listed->shared_takes});
      return event;
    }
    if (listed != nullptr) event.use = lowered({-value_for(listed->uses, i)});
    if (tensor.may_be_read)
      event.read = lowered({tensor.read_cost, proof_.deadline * tensor.read_s, -gain});
    event.resident = event.use;
    if (listed == nullptr || !sharing || sharing->input != i) return event;
    event.keep = listed->shared_dies;
    event.resident = lowered({event.use, listed->shared_moves});
    return event;
  }

  // The cheapest way through the events: out of RAM at first, anywhere in the end.
  static double cheapest_walk(const std::vector<WalkedEvent>& events, bool has_copy) {
    double out = 0, in = kNever;
    for (const WalkedEvent& event : events) {
      const double stayed = in + event.hold;
      double during = kNever;  // in RAM during the event
      if (event.makes) during = out + event.make + event.here;
      if (!event.makes && has_copy) during = out + event.read + event.here + event.use;
      if (event.makes && event.certain) {
        out = during;
      } else {
        during = std::min(during, stayed + event.here + event.use);
        out = std::min(out, during);
      }
      in = during + event.keep;
    }
    return std::min(out, in);
  }

  const ProofStep& step_;
  const WalkProof& proof_;
  std::vector<std::vector<Gain>> gains_;  // per tensor
  std::vector<double> all_memory_;
  ProofSum bound_;
};

}  // namespace

Result<double> bound_of(const ProofStep& step, const WalkProof& proof) {
  return WalkChecker(step, proof).run();
}

}  // namespace poet
