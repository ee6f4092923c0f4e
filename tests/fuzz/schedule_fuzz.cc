// Whatever the bytes, a schedule is read or refused in one line, and what is read reads back equal
// from its own text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/problem/schedule_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Schedule> schedule = parse_schedule(text, "fuzz.json");
  if (!schedule.ok()) {
    const std::string message = to_string(schedule.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  const Result<Schedule> back = parse_schedule(schedule_text(*schedule), "fuzz.json");
  POET_CHECK(back.ok() && *back == *schedule);
  return 0;
}
