#include "poet/measure/ram_rate.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "poet/base/check.h"
#include "poet/measure/aligned_bytes.h"

namespace poet {
namespace {

constexpr std::size_t kCopied = std::size_t{64} << 20;
constexpr int kCopies = 15;

}  // namespace

Quartiles ram_bytes_per_s(const Instruments& instruments, const Stop& stop) {
  POET_CHECK(stop.elapsed_s != nullptr);
  const AlignedBytes from(kCopied);
  const AlignedBytes to(kCopied);
  std::vector<double> rates;
  for (int i = 0; i < kCopies && (i == 0 || !stop.requested()); ++i) {
    const double begin_s = work_s(instruments, stop);
    std::memcpy(to.data(), from.data(), kCopied);
    // Every copy is another one, so that none can be left out.
    from.data()[i] = to.data()[i + 1];
    const double copied_s = std::max(1e-9, work_s(instruments, stop) - begin_s);
    rates.push_back(2 * static_cast<double>(kCopied) / copied_s);
  }
  return quartiles_of(rates);
}

}  // namespace poet
