#include "poet/measure/transfer_fit.h"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

// With x = 1/t and y = size/t the wish is latency x + y / rate = 1 for every size.
struct Sums {
  double xx = 0, xy = 0, yy = 0, x = 0, y = 0;
};

Sums sums_of(const std::vector<TransferTime>& times) {
  Sums sums;
  for (const TransferTime& time : times) {
    const double x = 1 / time.seconds;
    const double y = static_cast<double>(time.size_bytes) / time.seconds;
    sums.xx += x * x;
    sums.xy += x * y;
    sums.yy += y * y;
    sums.x += x;
    sums.y += y;
  }
  return sums;
}

double largest_error(const std::vector<TransferTime>& times, const TransferFit& fit) {
  double largest = 0;
  for (const TransferTime& time : times) {
    const double fitted =
        fit.latency_s + static_cast<double>(time.size_bytes) / fit.rate_bytes_per_s;
    largest = std::max(largest, std::abs(fitted / time.seconds - 1));
  }
  return largest;
}

}  // namespace

Result<TransferFit> fit_transfers(const std::vector<TransferTime>& times) {
  const auto is_no_time = [](const TransferTime& one) { return !(one.seconds > 0); };
  if (times.size() < 2 || std::any_of(times.begin(), times.end(), is_no_time))
    return bad_input("a rate needs the times, above 0, of transfers of two sizes");
  const Sums sums = sums_of(times);
  const double determinant = sums.xx * sums.yy - sums.xy * sums.xy;
  double latency_s = (sums.x * sums.yy - sums.y * sums.xy) / determinant;
  double s_per_byte = (sums.y * sums.xx - sums.x * sums.xy) / determinant;
  // Noise may want less than no latency: then the best rate without one.
  if (!(latency_s >= 0)) {
    latency_s = 0;
    s_per_byte = sums.y / sums.yy;
  }
  if (!(s_per_byte > 0) || !std::isfinite(1 / s_per_byte))
    return bad_input("larger transfers took no longer than small ones, so they have no rate");
  TransferFit fit{.latency_s = latency_s, .rate_bytes_per_s = 1 / s_per_byte};
  fit.largest_error = largest_error(times, fit);
  return fit;
}

}  // namespace poet
