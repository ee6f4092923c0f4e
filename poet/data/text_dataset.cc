#include "poet/data/text_dataset.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

class NextTokens final : public Dataset {
 public:
  NextTokens(NumberArray tokens, std::int64_t length)
      : tokens_(std::move(tokens)),
        length_(length),
        parts_{{.name = "tokens", .type = {ElementType::Int64, {length}}},
               {.name = "labels", .type = {ElementType::Int64, {length}}}} {}

  std::int64_t size() const override { return (tokens_.shape.front() - 1) / length_; }
  const std::vector<ExamplePart>& parts() const override { return parts_; }

  Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const override {
    POET_CHECK(example >= 0 && example < size());
    const auto later = static_cast<std::int64_t>(part);  // 1 for the labels
    return read_numbers(tokens_.values, example * length_ + later, ElementType::Int64, into);
  }

 private:
  NumberArray tokens_;
  std::int64_t length_;
  std::vector<ExamplePart> parts_;
};

enum TextPart : std::size_t { kTokensPart, kLabelsPart, kMaskPart };

template <typename T, typename Change>
Failure change_each(std::span<std::byte> values, const Change& change) {
  for (std::size_t at = 0; at < values.size(); at += sizeof(T)) {
    T value{};
    std::memcpy(&value, values.data() + at, sizeof value);
    value = change(value);
    std::memcpy(values.data() + at, &value, sizeof value);
  }
  return std::nullopt;
}

std::int64_t token_in(std::int64_t stored) {
  if (stored == kNoToken) return 0;
  return stored < 0 ? -1 - stored : stored;
}

template <typename T>
Failure make_mask(std::span<std::byte> values) {
  return change_each<T>(values, [](T stored) { return T(stored == T(kNoToken) ? 0 : 1); });
}

class TextSequences final : public Dataset {
 public:
  TextSequences(TextTokens tokens, const TextExamples& options)
      : tokens_(std::move(tokens)),
        options_(options),
        stride_(options.form == SequenceForm::Padded ? options.length + 1 : options.length),
        parts_{{.name = "tokens", .type = {ElementType::Int64, {options.length}}},
               {.name = "labels", .type = {ElementType::Int64, {options.length}}}} {
    if (options.attention_mask)
      parts_.push_back(
          {.name = "attention_mask", .type = {*options.attention_mask, {options.length}}});
  }

  std::int64_t size() const override {
    const bool is_padded = options_.form == SequenceForm::Padded;
    return (is_padded ? tokens_.count : tokens_.count - 1) / stride_;
  }
  const std::vector<ExamplePart>& parts() const override { return parts_; }

  Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const override {
    POET_CHECK(example >= 0 && example < size());
    const std::int64_t later = part == kLabelsPart ? 1 : 0;
    if (Failure failure = read_numbers(tokens_.values, example * stride_ + later,
                                       parts_[part].type.element, into))
      return failure;
    if (part == kLabelsPart) return make_labels(example, into);
    if (part == kTokensPart) return change_each<std::int64_t>(into, token_in);
    if (*options_.attention_mask == ElementType::Float32) return make_mask<float>(into);
    return make_mask<std::int64_t>(into);
  }

 private:
  Failure make_labels(std::int64_t example, std::span<std::byte> into) const {
    bool has_ignored = false;
    const std::int64_t ignored = options_.ignored_label.value_or(-1);
    change_each<std::int64_t>(into, [&](std::int64_t stored) {
      has_ignored = has_ignored || stored < 0;
      return stored < 0 ? ignored : stored;
    });
    if (!has_ignored || options_.ignored_label) return std::nullopt;
    return bad_input(fmt::format(
        "example {} of the data has tokens that are not to be learnt, and all labels count",
        example));
  }

  TextTokens tokens_;
  TextExamples options_;
  std::int64_t stride_;
  std::vector<ExamplePart> parts_;
};

}  // namespace

Result<NumberArray> open_tokens(const std::string& path, StoredNumber number) {
  Result<DataFile> file = DataFile::open(path);
  if (!file.ok()) return file.error();
  const std::int64_t size_bytes = file->size_bytes();
  if (size_bytes % byte_size(number) != 0)
    return bad_input(fmt::format("{} has {} bytes, which is not a whole number of {}",
                                 quoted_path(path), size_bytes, name_of(kStoredNumbers, number)));
  return NumberArray{
      .name = quoted_path(path),
      .shape = {size_bytes / byte_size(number)},
      .values = {.file = std::make_shared<const DataFile>(*std::move(file)), .number = number}};
}

Result<std::unique_ptr<Dataset>> next_token_dataset(NumberArray tokens, std::int64_t length) {
  POET_CHECK(length >= 1);
  if (tokens.shape.size() != 1 || has_fractions(tokens.values.number))
    return bad_input(fmt::format("{} is {} {}: tokens should be one row of whole numbers",
                                 tokens.name, name_of(kStoredNumbers, tokens.values.number),
                                 to_text(tokens.shape)));
  if (tokens.shape.front() <= length)
    return bad_input(
        fmt::format("{} has {} tokens: an example of {} tokens and the one after it "
                    "needs {}",
                    tokens.name, tokens.shape.front(), length, length + 1));
  return std::unique_ptr<Dataset>(std::make_unique<NextTokens>(std::move(tokens), length));
}

Result<std::unique_ptr<Dataset>> text_dataset(TextTokens tokens, const TextExamples& options) {
  POET_CHECK(options.length >= 1);
  const std::int64_t count = tokens.count;
  auto data = std::make_unique<TextSequences>(std::move(tokens), options);
  if (data->size() >= 1) return std::unique_ptr<Dataset>(std::move(data));
  if (options.form == SequenceForm::Padded)
    return bad_input("the texts have no token to learn: they are empty, or nothing but prompts");
  return bad_input(
      fmt::format("the texts have {} tokens: a sequence of {} and the one after it needs {}; "
                  "--sequences padded fills up what is missing",
                  count, options.length, options.length + 1));
}

}  // namespace poet
