// Residents taken out of a step (docs/model/search.md §8).
#include "poet/solve/fixed_residents.h"

#include <utility>

namespace poet {
namespace {

// What takes over a buffer that stays, or stays itself, takes over nothing.
void part_from(StepOperation& operation, const std::vector<bool>& stays) {
  if (!operation.in_place) return;
  if (stays[operation.inputs[operation.in_place->input]] ||
      stays[operation.outputs[operation.in_place->output]])
    operation.in_place.reset();
}

}  // namespace

FixedResidents::FixedResidents(const Step& step, std::vector<bool> resident)
    : resident_(std::move(resident)), fixed_(step) {
  for (std::size_t c = 0; c < fixed_.chains.size(); ++c) {
    Chain& chain = fixed_.chains[c];
    stays_.push_back(resident_[c] || (chain.old_value && resident_[*chain.old_value]));
    if (resident_[c]) fixed_.budget_bytes -= step.chains[c].size_bytes;
    if (!stays_.back()) continue;
    chain.size_bytes = 0;
    chain.read_cost = chain.write_cost = chain.read_s = chain.write_s = 0;
  }
  for (StepOperation& operation : fixed_.operations) part_from(operation, stays_);
}

EventChoice FixedResidents::without(const EventChoice& choice) const {
  EventChoice fixed = choice;
  fixed.resident.assign(choice.resident.size(), false);
  // Once there, it stays: a home is read when it is used first.
  std::vector<bool> is_there(stays_.size(), false);
  for (Execution& execution : fixed.executions)
    for (const std::int32_t c : fixed_.operations[execution.event.operation].inputs) {
      if (!stays_[c] || fixed_.chains[c].producer || is_there[c]) continue;
      is_there[c] = true;
      execution.reads.push_back(c);
    }
  return fixed;
}

EventChoice FixedResidents::with(const EventChoice& choice) const {
  EventChoice whole = choice;
  whole.resident = resident_;
  for (Execution& execution : whole.executions)
    std::erase_if(execution.reads, [this](std::int32_t c) { return bool{stays_[c]}; });
  for (std::size_t c = 0; c < stays_.size(); ++c)
    if (stays_[c]) whole.stored[c] = false;
  return whole;
}

}  // namespace poet
