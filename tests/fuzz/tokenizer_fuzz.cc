// Whatever the bytes, they are a tokenizer or refused in one line; what a tokenizer makes of text
// that it does not normalise or leave out stands for bytes of that text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "poet/base/check.h"
#include "poet/text/tokenizer_file.h"

namespace {

using namespace poet;

// As bytes alone: the text is what follows the first line that has nothing on it.
constexpr std::string_view kBetween = "\n\n";

bool keeps_all(const Tokenizer& tokenizer) {
  if (!tokenizer.normal_forms.empty() || !tokenizer.added.empty()) return false;
  for (const WordSplit& split : tokenizer.splits) {
    const auto* const pattern = std::get_if<PatternSplit>(&split);
    if (pattern == nullptr || !pattern->keeps_matches || !pattern->keeps_rest) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t between = bytes.find(kBetween);
  const std::string_view text =
      between == std::string_view::npos ? "" : bytes.substr(between + kBetween.size());
  const Result<Tokenizer> tokenizer = parse_tokenizer(bytes.substr(0, between), "fuzz.json");
  if (!tokenizer.ok()) {
    const std::string message = to_string(tokenizer.error());
    POET_CHECK(message.starts_with("fuzz.json:") && message.find('\n') == std::string::npos);
    return 0;
  }
  const Result<std::vector<std::int32_t>> tokens = encode(*tokenizer, text);
  if (!tokens.ok()) {
    POET_CHECK(tokens.error().message.find('\n') == std::string::npos);
    return 0;
  }
  std::string again;
  for (const std::int32_t token : *tokens) again += text_of(*tokenizer, token);
  if (keeps_all(*tokenizer)) POET_CHECK(again == text);
  return 0;
}
