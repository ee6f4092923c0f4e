// Whatever the bytes, a plan is read or refused in one line, and what is read reads back equal from
// its own text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/plan/plan_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Plan> plan = parse_plan(text, "fuzz.json");
  if (!plan.ok()) {
    const std::string message = to_string(plan.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  const Result<Plan> back = parse_plan(plan_text(*plan), "fuzz.json");
  POET_CHECK(back.ok() && *back == *plan);
  return 0;
}
