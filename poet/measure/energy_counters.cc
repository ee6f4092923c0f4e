#include "poet/measure/energy_counters.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

Result<std::string> first_line(const fs::path& path) {
  Result<std::string> text = read_text_file(path.string(), 4096);
  if (!text.ok()) return text.error();
  return text->substr(0, text->find('\n'));
}

std::optional<std::int64_t> whole_number(const fs::path& path) {
  const Result<std::string> line = first_line(path);
  if (!line.ok()) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = line->data() + line->size();
  const auto [stop, status] = std::from_chars(line->data(), end, number);
  if (status != std::errc{} || stop != end || number < 0) return std::nullopt;
  return number;
}

// Packages, and the memory that belongs to one. A package's cores and graphics are parts of it, and
// "psys" is the whole machine.
bool is_counted(const std::string& name) {
  return name.starts_with("package") || name == "dram";
}

std::vector<fs::path> sorted_entries(const std::string& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    entries.push_back(entry->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

Error unsupported(std::string message) {
  return {ErrorCode::Unsupported, std::move(message), {}};
}

}  // namespace

Result<EnergyCounters> EnergyCounters::find(const std::string& folder) {
  EnergyCounters found;
  bool is_closed = false;
  for (const fs::path& entry : sorted_entries(folder)) {
    const Result<std::string> name = first_line(entry / "name");
    if (!name.ok() || !is_counted(*name)) continue;
    const std::optional<std::int64_t> range = whole_number(entry / "max_energy_range_uj");
    const std::optional<std::int64_t> now = whole_number(entry / "energy_uj");
    is_closed = is_closed || !now || !range;
    if (now && range)
      found.counters_.push_back({(entry / "energy_uj").string(), *name, *range, *now});
  }
  if (!found.counters_.empty()) return found;
  if (is_closed)
    return unsupported(fmt::format("the energy counters in {} may not be read", in_quotes(folder)));
  return unsupported(fmt::format("there are no energy counters in {}", in_quotes(folder)));
}

std::optional<double> EnergyCounters::total_j() {
  for (Counter& counter : counters_) {
    const std::optional<std::int64_t> now = whole_number(counter.path);
    if (!now) return std::nullopt;
    const bool began_again = *now < counter.last_uj;
    total_uj_ += *now - counter.last_uj + (began_again ? counter.range_uj : 0);
    counter.last_uj = *now;
  }
  return static_cast<double>(total_uj_) * 1e-6;
}

std::string EnergyCounters::names() const {
  std::string text;
  for (std::size_t i = 0; i < counters_.size(); ++i)
    text += (i == 0 ? "" : i + 1 == counters_.size() ? " and " : ", ") + counters_[i].name;
  return text;
}

}  // namespace poet
