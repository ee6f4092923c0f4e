#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/train/next_token.h"
#include "poet/use/use_network.h"

namespace poet {

// What a network that learnt what comes next is to go on with.
struct TextRequest {
  UseRequest use = {};  // its data are not looked at, and its batch is of 1
  std::string tokenizer = {};
  std::string end_token = {};  // empty: what the tokenizer says
  std::string prompt = {};
  std::int64_t most_tokens = 100;
  Sampling sampling = {};
};

enum class TextEnd {
  EndToken,    // the network said that the text ends
  MostTokens,  // no more were asked for
  Stopped,
};
inline constexpr Named<TextEnd> kTextEnds[] = {{"end-token", TextEnd::EndToken},
                                               {"most-tokens", TextEnd::MostTokens},
                                               {"stopped", TextEnd::Stopped}};

struct TextReport {
  UseReport use = {};
  std::vector<std::int64_t> tokens = {};  // those that the network wrote, but for the end
  TextEnd end = TextEnd::MostTokens;
};

// Calls `take` with the text as it comes, in whole characters; bytes that are none are U+FFFD.
using TakeWritten = std::function<Failure(std::string_view)>;

// Goes on with the prompt, one token after the other: for each, the network's forward pass runs
// over the whole sequence, with the numbers of predict_network(). Of a text that is longer than the
// network's sequence it sees the end. Refuses networks that do not say what comes next, and those
// that look at tokens that come later, where the prompt leaves room to see it.
Result<TextReport> generate_text(const TextRequest& request, const Stop& stop,
                                 const TakeWritten& take);

}  // namespace poet
