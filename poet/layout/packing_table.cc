#include "poet/layout/packing_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "poet/base/check.h"
#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

// The columns that count, and what others call them.
struct ColumnRow {
  std::string_view name;
  std::string_view meaning;
};
constexpr ColumnRow kColumns[] = {
    {"id", "id"},       {"buffer", "id"},     {"buffer_id", "id"}, {"lower", "lower"},
    {"begin", "lower"}, {"start", "lower"},   {"upper", "upper"},  {"end", "upper"},
    {"size", "size"},   {"offset", "offset"},
};
// Asked of single buffers by tables of others; not to heed them would be wrong.
constexpr std::string_view kNotKnown[] = {"alignment", "gaps"};
// A column of this name holds the last moment of a life, not the first after it.
constexpr std::string_view kInclusive = "end";

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

// A number of more than 63 bits is the largest, or the smallest, of them: both are refused for
// that.
std::optional<std::int64_t> whole(const std::string& cell) {
  std::int64_t number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, status] = std::from_chars(cell.data(), end, number);
  if (stop != end || status == std::errc::invalid_argument) return std::nullopt;
  if (status == std::errc{}) return number;
  return cell.starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                               : std::numeric_limits<std::int64_t>::max();
}

class TableReader {
 public:
  explicit TableReader(std::string file) : file_(std::move(file)) {}

  Result<PackingTable> read(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      const std::string_view line = without_return(text.substr(begin, end - begin));
      begin = end + 1;
      if (line.empty()) continue;
      const Failure failure =
          table_.columns.empty() ? read_heading(cells_of(line)) : read_row(cells_of(line));
      if (failure) return *failure;
    }
    if (table_.columns.empty())
      return bad_input("the table is empty; its first line names the columns id,lower,upper,size",
                       {.file = file_});
    return table_;
  }

 private:
  Error refused(std::string message) const {
    return bad_input(std::move(message), {.file = file_, .line = line_});
  }

  Failure read_heading(std::vector<std::string> names) {
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (std::find(std::begin(kNotKnown), std::end(kNotKnown), names[c]) != std::end(kNotKnown))
        return refused(fmt::format("the column {} is not one that POET packs by; leave it out",
                                   in_quotes(names[c])));
      for (const ColumnRow& row : kColumns) {
        if (row.name != names[c]) continue;
        if (column(row.meaning))
          return refused(
              fmt::format("a second column for '{}': {}", row.meaning, in_quotes(names[c])));
        known_.push_back({row.meaning, c});
      }
    }
    for (const std::string_view needed : {"id", "lower", "upper", "size"})
      if (!column(needed))
        return refused(
            fmt::format("there is no column '{}'; a table of buffers has the columns "
                        "id,lower,upper,size",
                        needed));
    table_.columns = std::move(names);
    return std::nullopt;
  }

  Failure read_row(std::vector<std::string> cells) {
    if (cells.size() != table_.columns.size())
      return refused(fmt::format("expected {} cells as in the heading, found {}",
                                 table_.columns.size(), cells.size()));
    const std::string& id = cells[*column("id")];
    const auto [first, is_new] = line_of_id_.try_emplace(id, line_);
    if (!is_new)
      return refused(
          fmt::format("the id {} stands in line {} already", in_quotes(id), first->second));
    PackPiece piece;
    if (const Failure bad = read_cell(cells, "lower", piece.lower)) return bad;
    if (const Failure bad = read_cell(cells, "upper", piece.upper)) return bad;
    if (const Failure bad = read_cell(cells, "size", piece.size)) return bad;
    if (table_.columns[*column("upper")] == kInclusive) ++piece.upper;
    if (piece.size < 0) return refused(fmt::format("a size is not negative, found {}", piece.size));
    if (piece.lower >= piece.upper)
      return refused(fmt::format("a buffer's life must end after it begins, found {} to {}",
                                 cells[*column("lower")], cells[*column("upper")]));
    sum_ = checked_add(sum_, piece.size).value_or(kMostBytes + 1);
    if (sum_ > kMostBytes) return refused("the sizes up to here do not add up to a 62-bit number");
    table_.blocks.push_back({.pieces = {piece}});
    table_.rows.push_back(std::move(cells));
    return std::nullopt;
  }

  Failure read_cell(const std::vector<std::string>& cells, std::string_view name,
                    std::int64_t& into) const {
    const std::string& cell = cells[*column(name)];
    const std::optional<std::int64_t> number = whole(cell);
    if (!number)
      return refused(
          fmt::format("expected a whole number for '{}', found {}", name, in_quotes(cell)));
    if (*number > kMostBytes)
      return refused(fmt::format("{} is too large for '{}'; the largest that works is {}",
                                 in_quotes(cell), name, kMostBytes));
    if (*number < -kMostBytes)
      return refused(fmt::format("{} is too small for '{}'; the smallest that works is {}",
                                 in_quotes(cell), name, -kMostBytes));
    into = *number;
    return std::nullopt;
  }

  std::optional<std::size_t> column(std::string_view meaning) const {
    for (const auto& known : known_)
      if (known.first == meaning) return known.second;
    return std::nullopt;
  }

  const std::string file_;
  int line_ = 0;
  std::vector<std::pair<std::string_view, std::size_t>> known_;  // meaning, column
  std::map<std::string, int> line_of_id_;
  std::int64_t sum_ = 0;
  PackingTable table_;
};

std::string line_of(const std::vector<std::string>& cells) {
  return fmt::format("{}\n", fmt::join(cells, ","));
}

}  // namespace

Result<PackingTable> parse_packing_table(std::string_view text, const std::string& file) {
  return TableReader(file).read(text);
}

std::string packing_table_text(const PackingTable& table,
                               const std::vector<std::int64_t>& offsets) {
  POET_CHECK(offsets.size() == table.rows.size());
  const auto known = std::find(table.columns.begin(), table.columns.end(), "offset");
  const auto column = static_cast<std::size_t>(known - table.columns.begin());
  const auto with = [&](std::vector<std::string> cells, std::string offset) {
    cells.resize(std::max(cells.size(), column + 1));
    cells[column] = std::move(offset);
    return line_of(cells);
  };
  std::string text = with(table.columns, "offset");
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    text += with(table.rows[i], std::to_string(offsets[i]));
  return text;
}

}  // namespace poet
