// Whatever the bytes, a plan with a layout is read or refused in one line; a layout that is read
// keeps every rule, and reads back equal from its own text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/layout/layout_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<LaidOutPlan> read = parse_laid_out_plan(text, "fuzz.json");
  if (!read.ok()) {
    const std::string message = to_string(read.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  if (!read->layout) return 0;
  POET_CHECK(!check_layout(read->plan, *read->layout));
  const Result<LaidOutPlan> back =
      parse_laid_out_plan(laid_out_plan_text(read->plan, *read->layout), "fuzz.json");
  POET_CHECK(back.ok() && *back == *read);
  return 0;
}
