// Multipliers of relaxed rows, and how the duals of a relaxation become them (docs/model/bounds.md
// §1.1 and §1.4).
#include "poet/solve/multipliers.h"

#include <algorithm>

namespace poet {
namespace {

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

Multipliers for_bytes(Multipliers multipliers) {
  double sum = 0;
  for (const double lambda : multipliers.memory) sum += lambda;
  if (sum <= 1) return multipliers;
  const auto shrink = [sum](std::vector<double>& list) {
    for (double& value : list) value /= sum;
  };
  shrink(multipliers.memory);
  for (auto& list : multipliers.uses) shrink(list);
  for (auto& list : multipliers.ties) shrink(list);
  shrink(multipliers.shared_runs);
  shrink(multipliers.shared_dies);
  shrink(multipliers.shared_moves);
  shrink(multipliers.shared_takes);
  multipliers.deadline /= sum;
  multipliers.storage_room /= sum;
  multipliers.write_room /= sum;
  return multipliers;
}

OtherUses::OtherUses(const Step& step) {
  std::int64_t count = 0;
  for (std::int32_t k = 0; k < step.stages(); ++k) {
    const StepOperation& operation = step.operations[k];
    begins_.push_back(count);
    inputs_.push_back(static_cast<std::int32_t>(operation.inputs.size()));
    count += std::int64_t{operation.last_stage - k} * inputs_.back();
  }
  values_.assign(static_cast<std::size_t>(count), 0.0);
}

double OtherUses::sum(Event event) const {
  if (values_.empty()) return 0;
  double sum = 0;
  for (std::int32_t n = 0; n < inputs_[event.operation]; ++n) sum += at(event, n);
  return sum;
}

void EventPrices::keep_larger(const EventPrices& other, double added) {
  for (std::size_t n = 0; n < prices_.size(); ++n)
    prices_[n] = std::max(prices_[n], other.prices_[n] + added);
}

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

}  // namespace poet
