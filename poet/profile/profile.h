#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/plan_request.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/cost/measured_costs.h"
#include "poet/device/device.h"
#include "poet/measure/instruments.h"
#include "poet/measure/power_fit.h"
#include "poet/measure/power_terms.h"
#include "poet/measure/profile_graph.h"
#include "poet/measure/profile_storage.h"

namespace poet {

// The machine that a profile is of, as its owner knows it.
struct Machine {
  std::string name = "this-machine";  // of the device
  std::string title = {};             // one line: which processor
  std::string date = {};              // "2026-03-01"
  std::int64_t ram_bytes = 0;
  std::string energy_counters = {};  // what Instruments::energy_j counts; or why there is none
};

// The way to a store whose speed is measured.
struct StorageRequest {
  std::string folder = ".";  // where plans will page to
  bool direct = false;       // past the page cache
};

struct ProfileRequest {
  PlanRequest network = {};  // a real network; its platform and limits are not looked at
  TimingOptions timing = {};
  Machine machine = {};
  std::optional<StorageRequest> storage = {};  // for a device; none: costs alone
  // How often the whole step is executed by evaluate() too, to compare it with the sum of its
  // operations. This takes RAM for every value of the step.
  std::int64_t passes = 0;
  // Above idle, while computing and transferring; where it cannot be measured.
  std::optional<double> power_w = {};
};

// What a log of power says of a board's step.
struct PowerLogReport {
  std::string log = {};  // its path
  PowerRows rows = {};   // of which the figures of whole steps are told
  std::vector<PowerTerm> terms = {};
  PowerFit fit = {};       // but for its terms, which stand there
  std::string worst = {};  // the actions of the row that the fit misses most
};

// What was measured. A profile that was stopped has fewer operations and may have no device.
struct ProfileReport {
  ProfileRequest request = {};
  MeasuredCosts costs = {};
  std::int64_t operations = 0;  // of the step, without views
  std::int64_t different = 0;   // operations
  std::int64_t timed_flop = 0;  // of a step, as far as its operations were timed
  double timed_s = 0;           // by their medians
  double timed_j = 0;
  std::optional<Quartiles> pass_s = {};  // of the whole step, where that was asked for
  std::optional<StorageProfile> storage = {};
  std::optional<Device> device = {};
  std::optional<PowerLogReport> power = {};
  std::vector<std::string> derivation = {};  // of the device's figures, line by line
  std::vector<std::string> warnings = {};
};

// Times the operations of a network's training step, and for a device RAM and storage too, on the
// machine that it runs on. Stopped before its end, it answers with what it has. Refuses what
// step_of() refuses, released graphs, and a store that cannot be made. `stop` must have a
// clock.
Result<ProfileReport> profile(const ProfileRequest& request, const Instruments& instruments,
                              const Stop& stop, const ProfileSink& progress);

}  // namespace poet
