// Whatever the text, sizes, times, budgets and deadlines are read or refused in one line, and what
// is read makes sense.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "poet/ask/plan_request.h"
#include "poet/base/byte_text.h"
#include "poet/base/check.h"
#include "poet/base/duration_text.h"

namespace {

using namespace poet;

template <typename T>
bool is_read(const Result<T>& result) {
  if (result.ok()) return true;
  const std::string message = to_string(result.error());
  POET_CHECK(!message.empty() && message.find('\n') == std::string::npos);
  return false;
}

bool is_amount(double number) {
  return std::isfinite(number) && number >= 0;
}

void check_bytes(std::string_view text) {
  const Result<std::int64_t> bytes = parse_bytes(text);
  if (!is_read(bytes)) return;
  POET_CHECK(*bytes >= 0);
  const Result<std::int64_t> back = parse_bytes(format_bytes(*bytes));
  POET_CHECK(back.ok() && *back == *bytes);
}

void check_ram_budget(std::string_view text) {
  const Result<RamBudget> budget = parse_ram_budget(text);
  if (!is_read(budget)) return;
  if (const auto* const bytes = std::get_if<RamBytes>(&*budget)) POET_CHECK(bytes->bytes >= 0);
  if (const auto* const part = std::get_if<RamOfPlainPeak>(&*budget))
    POET_CHECK(is_amount(part->ratio));
  if (const auto* const way = std::get_if<RamOnTheWay>(&*budget)) POET_CHECK(is_amount(way->ratio));
}

void check_deadline(std::string_view text) {
  const Result<Deadline> deadline = parse_deadline(text);
  if (!is_read(deadline)) return;
  if (const auto* const time = std::get_if<DeadlineSeconds>(&*deadline))
    POET_CHECK(is_amount(time->seconds));
  if (const auto* const part = std::get_if<DeadlineRatio>(&*deadline))
    POET_CHECK(is_amount(part->ratio));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<double> duration = parse_duration(text);
  if (is_read(duration)) POET_CHECK(is_amount(*duration));
  check_bytes(text);
  check_ram_budget(text);
  check_deadline(text);
  return 0;
}
