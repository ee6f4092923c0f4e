#pragma once

#include <vector>

#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

// A step in which some chains stay in RAM for good, for methods that know no residents: these
// chains have no bytes and cost nothing to move, and the budget is what they leave.
class FixedResidents {
 public:
  // `resident`: per chain of the step, as in EventChoice.
  FixedResidents(const Step& step, std::vector<bool> resident);

  const Step& step() const { return fixed_; }
  // A choice of the one step as one of the other.
  EventChoice without(const EventChoice& choice) const;
  EventChoice with(const EventChoice& choice) const;

 private:
  std::vector<bool> resident_;
  std::vector<bool> stays_;  // itself, or as the new value of a resident
  Step fixed_;
};

}  // namespace poet
