#include "poet/use/generate_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/forms/unlimited_stop.h"
#include "poet/text/tokenizer_file.h"
#include "poet/text/unicode_text.h"
#include "poet/train/evaluation.h"
#include "poet/use/ready_network.h"

namespace poet {
namespace {

constexpr std::string_view kNoCharacter = "\xEF\xBF\xBD";

// The end of a text as the one example of a dataset: its tokens, and behind them what fills the
// sequence.
class Context final : public Dataset {
 public:
  explicit Context(std::vector<ExamplePart> parts) : parts_(std::move(parts)) {}

  std::int64_t size() const override { return 1; }
  const std::vector<ExamplePart>& parts() const override { return parts_; }

  Failure read(std::int64_t, std::size_t part, std::span<std::byte> into) const override {
    const ExamplePart& wanted = parts_[part];
    const std::int64_t length = value_count(wanted.type.shape);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t value = value_at(part, i);
      if (wanted.type.element == ElementType::Float32)
        put(static_cast<float>(value), i, into);
      else
        put(value, i, into);
    }
    return std::nullopt;
  }

  void show(std::vector<std::int64_t> tokens, std::int64_t filling) {
    tokens_ = std::move(tokens);
    filling_ = filling;
  }

 private:
  // Tokens, which of them are there, and types of tokens, which are 0.
  std::int64_t value_at(std::size_t part, std::int64_t place) const {
    const bool is_there = place < std::ssize(tokens_);
    if (part == 0) return is_there ? tokens_[static_cast<std::size_t>(place)] : filling_;
    return parts_[part].name == "attention_mask" && is_there ? 1 : 0;
  }

  template <typename T>
  static void put(T value, std::int64_t place, std::span<std::byte> into) {
    std::memcpy(into.data() + static_cast<std::size_t>(place) * sizeof value, &value, sizeof value);
  }

  std::vector<ExamplePart> parts_;
  std::vector<std::int64_t> tokens_ = {};
  std::int64_t filling_ = 0;
};

Failure check_inputs(const WantedParts& wanted) {
  const TensorType& tokens = wanted.parts.front().type;
  bool fits = tokens.element == ElementType::Int64 && tokens.shape.size() == 1;
  for (std::size_t k = 1; k < wanted.parts.size(); ++k) {
    const ExamplePart& part = wanted.parts[k];
    const bool is_known = part.name == "attention_mask" || part.name == "token_type_ids";
    const bool has_kind =
        part.type.element == ElementType::Int64 || part.type.element == ElementType::Float32;
    fits = fits && is_known && has_kind && part.type.shape == tokens.shape;
  }
  if (fits) return std::nullopt;
  return bad_input("text is written by a network whose inputs are the tokens of a sequence");
}

Failure check_output(const Shape& shape, std::int64_t length) {
  if (shape.size() == 3 && shape[1] == length) return std::nullopt;
  return bad_input(
      fmt::format("the network does not say what comes next: for {} tokens its output is {}, and "
                  "should be (1, {}, words)",
                  length, to_text(shape), length));
}

// Bytes to whole characters.
class Characters {
 public:
  Failure add(std::string_view bytes, const TakeWritten& take) {
    bytes_ += bytes;
    return give(unfinished_bytes(bytes_), take);
  }
  Failure finish(const TakeWritten& take) { return give(0, take); }

 private:
  Failure give(std::size_t kept, const TakeWritten& take) {
    std::string text;
    std::string_view rest = std::string_view(bytes_).substr(0, bytes_.size() - kept);
    while (!rest.empty()) {
      const std::size_t good = first_not_utf8(rest).value_or(rest.size());
      text += rest.substr(0, good);
      rest.remove_prefix(good);
      if (rest.empty()) break;
      text += kNoCharacter;
      rest.remove_prefix(1);
    }
    bytes_.erase(0, bytes_.size() - kept);
    return text.empty() ? std::nullopt : take(text);
  }

  std::string bytes_ = {};
};

class Writing {
 public:
  Writing(const TextRequest& request, const Stop& stop, const TakeWritten& take)
      : request_(request), stop_(stop), take_(take) {}

  Result<TextReport> run() {
    if (Failure failure = read_prompt()) return *failure;
    if (Failure failure = prepare()) return *failure;
    if (!network_.running) return ended();
    if (Failure failure = check_order()) return *failure;
    if (Failure failure = write()) return *failure;
    if (Failure failure = characters_.finish(take_)) return *failure;
    return ended();
  }

 private:
  TextReport ended() {
    report_.use = std::move(network_.report);
    report_.use.examples = 0;
    report_.use.stopped = report_.end == TextEnd::Stopped;
    return std::move(report_);
  }

  Failure read_prompt() {
    if (request_.tokenizer.empty())
      return bad_input("text needs the tokenizer of the network: give --tokenizer FILE");
    const std::string path = tokenizer_path(request_.tokenizer);
    Result<Tokenizer> tokenizer = load_tokenizer(path);
    if (!tokenizer.ok()) return tokenizer.error();
    tokenizer_ = *std::move(tokenizer);
    const Result<std::int32_t> end = end_token(tokenizer_, path, request_.end_token);
    if (!end.ok()) return end.error();
    end_ = *end;
    const Result<std::vector<std::int32_t>> prompt = encode(tokenizer_, request_.prompt);
    if (!prompt.ok()) return prompt.error();
    text_.assign(tokenizer_.before.begin(), tokenizer_.before.end());
    text_.insert(text_.end(), prompt->begin(), prompt->end());
    // What comes first is what follows the text before.
    if (text_.empty()) text_.push_back(end_);
    return std::nullopt;
  }

  Failure prepare() {
    UseRequest use = request_.use;
    use.plan.batch_size = 1;
    use.make_data = [this](const WantedParts& wanted) -> Result<std::shared_ptr<const Dataset>> {
      if (Failure failure = check_inputs(wanted)) return *failure;
      if (Failure failure = check_prompt(wanted.parts.front())) return *failure;
      context_ = std::make_shared<Context>(wanted.parts);
      length_ = wanted.parts.front().type.shape.front();
      return std::shared_ptr<const Dataset>(context_);
    };
    Result<ReadyNetwork> network = make_ready(use, Targets::NotLookedAt, stop_);
    if (!network.ok()) return network.error();
    network_ = *std::move(network);
    if (!network_.running) return std::nullopt;
    return check_output(network_.running->ready.front().output_shape, length_);
  }

  Failure check_prompt(const ExamplePart& tokens) const {
    for (const std::int64_t token : text_)
      if (tokens.value_limit && token >= *tokens.value_limit)
        return bad_input(
            fmt::format("the prompt has the token {}, and the network knows 0 to {}: the tokenizer "
                        "is another network's",
                        token, *tokens.value_limit - 1));
    return std::nullopt;
  }

  // The scores of what comes next; none after a stop.
  Result<std::optional<std::vector<float>>> scores(std::int64_t filling) {
    const std::int64_t count = std::min(std::ssize(text_), length_);
    context_->show({text_.end() - count, text_.end()}, filling);
    std::optional<std::vector<float>> found;
    const Failure failure =
        for_each_batch(network_.running->ready.front(), *network_.reader, without_limit(stop_),
                       [&](const BatchOutput& batch) -> Failure {
                         const auto words = static_cast<std::size_t>(batch.shape[2]);
                         found.emplace(words);
                         std::memcpy(found->data(),
                                     batch.outputs.data() + static_cast<std::size_t>(count - 1) *
                                                                words * sizeof(float),
                                     words * sizeof(float));
                         return std::nullopt;
                       });
    if (failure) return *failure;
    // Of what the tokenizer has no text for, nothing could be shown.
    if (found && found->size() > tokenizer_.texts.size()) found->resize(tokenizer_.texts.size());
    if (found)
      for (const float score : *found)
        if (!std::isfinite(score))
          return bad_input("the network's scores of what comes next are not finite");
    return found;
  }

  // Whether what fills the sequence makes no difference.
  Failure check_order() {
    if (std::ssize(text_) >= length_) return std::nullopt;
    const auto with = [this](std::int64_t filling) { return scores(filling); };
    const auto first = with(0);
    if (!first.ok()) return first.error();
    const auto second = with(1);
    if (!second.ok()) return second.error();
    if (*first == *second) return std::nullopt;
    if (!*first || !*second) return std::nullopt;  // stopped
    return bad_input(
        "the network looks at tokens that come later: it cannot write what comes next");
  }

  Failure write() {
    for (std::int64_t k = 0; k < request_.most_tokens; ++k) {
      const auto next = scores(0);
      if (!next.ok()) return next.error();
      if (!*next) {
        report_.end = TextEnd::Stopped;
        return std::nullopt;
      }
      const std::int64_t token = next_token(**next, request_.sampling, k);
      if (token == end_) {
        report_.end = TextEnd::EndToken;
        return std::nullopt;
      }
      report_.tokens.push_back(token);
      text_.push_back(token);
      if (Failure failure =
              characters_.add(text_of(tokenizer_, static_cast<std::int32_t>(token)), take_))
        return failure;
    }
    return std::nullopt;
  }

  const TextRequest& request_;
  const Stop& stop_;
  const TakeWritten& take_;
  Tokenizer tokenizer_ = {};
  std::int32_t end_ = 0;
  std::vector<std::int64_t> text_ = {};  // the prompt's tokens, and what was written
  std::shared_ptr<Context> context_ = {};
  std::int64_t length_ = 0;
  ReadyNetwork network_ = {};
  Characters characters_ = {};
  TextReport report_ = {};
};

}  // namespace

Result<TextReport> generate_text(const TextRequest& request, const Stop& stop,
                                 const TakeWritten& take) {
  return Writing(request, stop, take).run();
}

}  // namespace poet
