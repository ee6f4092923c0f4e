#pragma once

#include <cstdint>
#include <vector>

#include "poet/solve/event_set.h"
#include "poet/solve/step.h"

namespace poet {

// A cover inequality from later needs. At the certain event (stage, stage) the chains named cannot
// all be in RAM; one that is absent must come back until the certain event that reads it next:
//
//   sum over terms of  weight * (comings of the chain in stages (stage, until])  >=  1
//
// where the comings are its productions in that window, and with Family::Stored its copy o[i], with
// Family::Read its reads from storage in the window. Valid for every schedule of the class: comings
// are counted over all events.
struct LaterNeed {
  enum class Family { Stored, Read };
  struct Term {
    std::int32_t chain = 0;
    std::int32_t until = 0;  // stage
    double weight = 0;

    bool operator==(const Term&) const = default;
  };
  Family family = Family::Stored;
  std::int32_t stage = 0;
  std::vector<Term> terms = {};    // chains that wait and have none are taken as absent
  std::int64_t divisor_bytes = 1;  // that it is rounded by

  bool operator==(const LaterNeed&) const = default;
};

// One chain that exists before a certain event, is not read by it, and is read by a later certain
// event.
struct WaitingChain {
  std::int32_t chain = 0;
  std::int32_t until = 0;  // the stage of that later event
};

// What each certain event has to leave room for.
struct StagePressure {
  std::vector<WaitingChain> waiting = {};
  std::int64_t demand_bytes = 0;  // bytes of `waiting` that must be absent; <= 0: all of them fit
};
std::vector<StagePressure> stage_pressures(const Step& step);
// The demand alone, per stage: in memory that grows with the stages and not with their square.
std::vector<std::int64_t> stage_demands_bytes(const Step& step);

// How much of a chain a relaxation brings back: counted for one stage, aligned with
// StagePressure::waiting.
struct Comings {
  std::vector<double> made = {};    // productions in the window
  std::vector<double> stored = {};  // o[i]; chains at home count as not storable
  std::vector<double> read = {};    // reads in the window
};

// Inequalities of one stage that the given comings violate by more than `least_violation`, most
// violated first.
struct FoundCut {
  LaterNeed cut;
  double violation = 0;
};
std::vector<FoundCut> violated_cuts(const Step& step, std::int32_t stage,
                                    const StagePressure& pressure, const Comings& comings,
                                    double least_violation);

}  // namespace poet
