// Whatever the bytes, a cost table is read or refused in one line, and what is read reads back
// equal from its own text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/cost/measured_costs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<MeasuredCosts> costs = parse_measured_costs(text, "fuzz.json");
  if (!costs.ok()) {
    const std::string message = to_string(costs.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  const Result<MeasuredCosts> back = parse_measured_costs(measured_costs_text(*costs), "fuzz.json");
  POET_CHECK(back.ok() && *back == *costs);
  return 0;
}
