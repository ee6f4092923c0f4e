// Residents taken out of a step (docs/model/search.md §8).
#include "poet/solve/fixed_residents.h"

#include <utility>

namespace poet {

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
}

EventChoice FixedResidents::without(const EventChoice& choice) const {
  EventChoice fixed = choice;
  fixed.resident.assign(choice.resident.size(), false);
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
