#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// The energy counters of a Linux machine: running average power limit, as the kernel shows it under
// /sys/class/powercap (Intel, and AMD from Zen on). One counts what the processor's packages and
// the memory behind them have drawn, in microjoules; it begins again at zero after a while.
class EnergyCounters {
 public:
  // Those in a folder of that form. Those for parts of another one, and for the whole machine, are
  // left out, so that nothing is counted twice. Refuses, in a sentence that says why: no folder, no
  // counters in it, counters that may not be read.
  static Result<EnergyCounters> find(const std::string& folder);

  // Joules since find(). None when a counter can no longer be read. Two calls must not lie further
  // apart than a counter needs for one round, which takes minutes.
  std::optional<double> total_j();

  std::string names() const;  // "package-0 and dram"

 private:
  struct Counter {
    std::string path;  // of its file
    std::string name;
    std::int64_t range_uj = 0;  // it counts up to this
    std::int64_t last_uj = 0;
  };

  std::vector<Counter> counters_;
  std::int64_t total_uj_ = 0;
};

}  // namespace poet
