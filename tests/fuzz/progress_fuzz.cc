// Whatever the bytes, a line of a progress file is read or is none; what was read has the members
// of its kind and nothing else, fits into one line of JSON, and written it reads back equal.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "poet/base/check.h"
#include "poet/tell/progress_rows.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const std::optional<poet::ProgressRow> row = poet::read_progress_row(line);
  if (!row) return 0;
  POET_CHECK(line.size() <= poet::kLongestProgressRow && row->members.is_object());
  poet::JsonOut written = {{"event", row->event}};
  for (const auto& [name, value] : row->members.items()) {
    POET_CHECK(!value.is_structured());
    POET_CHECK(!value.is_string() || value.get<std::string>().size() < 1100);
    written[name] = value;
  }
  const std::string text = poet::json_line(written);
  POET_CHECK(text.find('\n') == std::string::npos);
  if (text.size() > poet::kLongestProgressRow) return 0;
  const std::optional<poet::ProgressRow> again = poet::read_progress_row(text);
  POET_CHECK(again && again->event == row->event);
  return 0;
}
