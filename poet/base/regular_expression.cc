#include "poet/base/regular_expression.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

// "?=" and "?!" look ahead, "?<=" and "?<!" look back, "\1" refers back: what others have, and what
// no search in linear time can do.
bool asks_for_what_is_left_out(const re2::RE2& compiled) {
  const std::string& piece = compiled.error_arg();
  return piece.starts_with("(?=") || piece.starts_with("(?!") || piece.starts_with("(?<") ||
         (piece.size() == 2 && piece[0] == '\\' && std::isdigit(piece[1]) != 0);
}

std::string what_is_wrong(const re2::RE2& compiled) {
  if (asks_for_what_is_left_out(compiled))
    return fmt::format("it has {}, but look-around and back-references are not supported",
                       in_quotes(compiled.error_arg()));
  return one_line(compiled.error());
}

// A search takes time in proportion to the text times what the pattern is compiled to, which a
// counted repetition makes a thousand times as long as it looks: 160,000 bytes on a name as long
// took 40 s, and 18 bytes on a million took 45 s.
constexpr std::size_t kMostWork = 1'000'000'000;

re2::StringPiece piece_of(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

RegularExpression::RegularExpression(std::shared_ptr<const re2::RE2> compiled)
    : compiled_(std::move(compiled)) {}

Result<RegularExpression> RegularExpression::parse(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);  // it would print
  auto compiled = std::make_shared<const re2::RE2>(piece_of(pattern), options);
  if (!compiled->ok())
    return bad_input(fmt::format("{} is not a regular expression: {}", in_quotes(pattern),
                                 what_is_wrong(*compiled)));
  return RegularExpression(std::move(compiled));
}

Result<RegularExpression> RegularExpression::parse_for_names(std::string_view pattern,
                                                             std::size_t names_bytes) {
  const std::size_t most_size = kMostWork / std::max<std::size_t>(1, names_bytes);
  const std::string on_names = fmt::format(" would take too long on names of {} together: give a ",
                                           bytes_text(static_cast<std::int64_t>(names_bytes)));
  if (pattern.size() > most_size)
    return bad_input(fmt::format("a regular expression of {}{}shorter one",
                                 bytes_text(std::ssize(pattern)), on_names));
  Result<RegularExpression> expression = parse(pattern);
  if (expression.ok() &&
      static_cast<std::size_t>(expression->compiled_->ProgramSize()) / 2 > most_size)
    return bad_input(fmt::format("the regular expression {}{}simpler one, or one that repeats less",
                                 in_quotes(pattern), on_names));
  return expression;
}

bool RegularExpression::is_found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(piece_of(text), *compiled_);
}

std::vector<RegularExpression::Match> RegularExpression::matches_in(std::string_view text) const {
  const re2::StringPiece piece = piece_of(text);
  std::vector<re2::StringPiece> parts(
      static_cast<std::size_t>(1 + compiled_->NumberOfCapturingGroups()));
  std::vector<Match> matches;
  for (std::size_t from = 0; from <= text.size();) {
    if (!compiled_->Match(piece, from, text.size(), re2::RE2::UNANCHORED, parts.data(),
                          static_cast<int>(parts.size())))
      break;
    Match match{.begin = static_cast<std::size_t>(parts[0].data() - text.data())};
    match.end = match.begin + parts[0].size();
    for (std::size_t k = 1; k < parts.size(); ++k)
      match.groups.emplace_back(parts[k].data(), parts[k].size());
    from = match.end > match.begin ? match.end : match.end + 1;
    matches.push_back(std::move(match));
  }
  return matches;
}

}  // namespace poet
