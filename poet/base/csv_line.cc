#include "poet/base/csv_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "poet/base/text_file.h"

namespace poet {

std::string_view csv_field(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string_view> csv_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos;
       comma = line.find(',')) {
    fields.push_back(csv_field(line.substr(0, comma)));
    line.remove_prefix(comma + 1);
  }
  fields.push_back(csv_field(line));
  return fields;
}

std::optional<double> csv_number(std::string_view field) {
  double number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::string_view without_byte_order_mark(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return line;
}

Failure for_each_line(const std::string& path, std::int64_t most_bytes_of_a_line,
                      const std::function<Failure(std::string_view)>& take) {
  if (Failure failure = require_regular_file(path)) return failure;
  const auto most = static_cast<std::size_t>(most_bytes_of_a_line);
  std::string line;
  std::int64_t number = 1;
  const auto too_long = [&] {
    constexpr std::int64_t kMostLines = std::numeric_limits<int>::max();
    return bad_input("the line has more than " + std::to_string(most) + " bytes",
                     {path, static_cast<int>(std::min(number, kMostLines)), 0});
  };
  const Failure failure = read_file_in_pieces(path, [&](std::string_view piece) -> Failure {
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos;
         end = piece.find('\n')) {
      if (line.size() + end > most) return too_long();
      line += piece.substr(0, end);
      piece.remove_prefix(end + 1);
      if (Failure refused = take(line)) return refused;
      line.clear();
      ++number;
    }
    if (line.size() + piece.size() > most) return too_long();
    line += piece;
    return std::nullopt;
  });
  if (failure) return failure;
  return take(line);
}

}  // namespace poet
