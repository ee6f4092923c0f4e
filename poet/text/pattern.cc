#include "poet/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/core.h>
#include <pcre2.h>

#include <array>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

// Steps of one match. Those of a run of blanks go once over the run and back.
constexpr std::uint32_t kMostSteps = 10'000'000;
constexpr std::uint32_t kMostHeapKiB = 20'000;
constexpr std::size_t kLongestExpression = 65'536;

struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
struct FreeLimits {
  void operator()(pcre2_match_context* limits) const { pcre2_match_context_free(limits); }
};

std::string sentence_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return one_line(reinterpret_cast<const char*>(text.data()));
}

// With \s and \S as properties; none with a \h, which would be a hexadecimal digit.
std::optional<std::string> rewritten(std::string_view expression) {
  std::string text;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const bool escapes = expression[i] == '\\' && i + 1 < expression.size();
    if (!escapes) {
      text += expression[i];
      continue;
    }
    const char escaped = expression[++i];
    if (escaped == 'h' || escaped == 'H') return std::nullopt;
    if (escaped == 's')
      text += "\\p{White_Space}";
    else if (escaped == 'S')
      text += "\\P{White_Space}";
    else
      text += {'\\', escaped};
  }
  return text;
}

std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

}  // namespace

struct Pattern::Compiled {
  pcre2_code* code = nullptr;

  explicit Compiled(pcre2_code* made) : code(made) {}
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { pcre2_code_free(code); }
};

Result<Pattern> Pattern::compile(std::string_view expression, const std::string& text,
                                 unsigned options) {
  if (expression.empty() || expression.size() > kLongestExpression)
    return bad_input(
        fmt::format("a pattern has 1 to {} bytes, not {}", kLongestExpression, expression.size()));
  int code = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* const compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                             options | PCRE2_UTF, &code, &place, nullptr);
  if (compiled == nullptr)
    return bad_input(fmt::format("the pattern {} is not a regular expression: {}",
                                 in_quotes(expression), sentence_of(code)));
  return Pattern(std::make_shared<const Compiled>(compiled));
}

Result<Pattern> Pattern::parse(std::string_view expression) {
  const std::optional<std::string> text = rewritten(expression);
  if (!text)
    return bad_input(fmt::format("the pattern {} has \\h, which is not known: write [0-9a-fA-F]",
                                 in_quotes(expression)));
  return compile(expression, *text, PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C);
}

Result<Pattern> Pattern::literal(std::string_view text) {
  return compile(text, std::string(text), PCRE2_LITERAL);
}

Failure Pattern::for_each_match(std::string_view text, const TakeMatch& take) const {
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(
      pcre2_match_data_create_from_pattern(compiled_->code, nullptr));
  const std::unique_ptr<pcre2_match_context, FreeLimits> limits(
      pcre2_match_context_create(nullptr));
  if (!match || !limits) return bad_input("there is not enough memory to look for a pattern");
  pcre2_set_match_limit(limits.get(), kMostSteps);
  pcre2_set_heap_limit(limits.get(), kMostHeapKiB);
  for (std::size_t from = 0; from < text.size();) {
    // Callers have looked at every byte; looking again at each match would take a square of them.
    const int found = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(), from, PCRE2_NO_UTF_CHECK, match.get(), limits.get());
    if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (found < 0)
      return bad_input(fmt::format("no match was found for a pattern at {}: {}",
                                   in_quotes(text.substr(from, 32)), sentence_of(found)));
    const PCRE2_SIZE* const bounds = pcre2_get_ovector_pointer(match.get());
    const std::size_t begin = bounds[0];
    const std::size_t end = bounds[1];
    // \K may set the beginning behind the end.
    if (begin < from || end < begin)
      return bad_input("a pattern of the tokenizer moves the beginning of its match");
    if (begin < end)
      if (Failure failure = take(begin, end)) return failure;
    from = begin < end ? end : next_character(text, end);
  }
  return std::nullopt;
}

}  // namespace poet
