// Whatever the bytes, a log of power is read, aligned with a small step and fitted, or refused in
// one line; what is fitted is finite and not below zero.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "poet/base/check.h"
#include "poet/measure/power_fit.h"
#include "tests/fuzz/bytes_as_file.h"

namespace {

using namespace poet;

const std::vector<LoggedAction> kStep = {
    {{{0, 1}}, 1e-2}, {{{1, 512}, {2, 1}}, 1e-3}, {{{1, 64}, {2, 1}}, 2e-4}, {}};
const std::vector<ExpectedTerm> kTerms = {{1e-2}, {1e-6, 1}, {1e-4, 1}};

void check(const Result<PowerRows>& rows) {
  if (!rows.ok()) {
    const std::string& message = rows.error().message;
    POET_CHECK(!message.empty() && message.find('\n') == std::string::npos);
    return;
  }
  POET_CHECK(rows->all_steps() > 0);
  for (const TermFit& term : fit_power(kStep, *rows, kTerms).terms)
    for (const double value : {term.joules.value, term.seconds.value})
      POET_CHECK(value >= 0 && std::isfinite(value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const poet::fuzz::BytesAsFile file(data, size);
  AlignOptions options{.log = {.supply_v = 3.0}};
  check(align_by_pins(file.path(), kStep, options));
  options.pins = 2;
  check(align_by_pins(file.path(), kStep, options));
  check(align_by_durations(file.path(), kStep, options));
  return 0;
}
