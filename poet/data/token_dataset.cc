#include "poet/data/token_dataset.h"

#include <fmt/core.h>

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

}  // namespace poet
