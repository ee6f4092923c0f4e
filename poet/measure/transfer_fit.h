#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// How long transfers of one size took: the median.
struct TransferTime {
  std::int64_t size_bytes = 0;
  double seconds = 0;
};

// latency + size / rate.
struct TransferFit {
  double latency_s = 0;         // at least 0
  double rate_bytes_per_s = 0;  // above 0
  double largest_error = 0;     // of a time by this, as a part of the time that was measured
};

// The latency and rate that make the sum of the squares of relative errors least, so that small
// transfers count as much as large ones. Refuses times from which no rate follows: fewer than two
// sizes, or larger transfers that took no longer.
Result<TransferFit> fit_transfers(const std::vector<TransferTime>& times);

}  // namespace poet
