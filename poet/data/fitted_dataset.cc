#include "poet/data/fitted_dataset.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

// Where a wanted part comes from: a part of the data, or nowhere, and then it is one number.
struct PartSource {
  std::optional<std::size_t> part = {};
  std::int64_t filling = 0;
};

template <typename T>
void fill_with(std::int64_t number, std::span<std::byte> into) {
  const T value = static_cast<T>(number);
  for (std::size_t at = 0; at < into.size(); at += sizeof(T))
    std::memcpy(into.data() + at, &value, sizeof(T));
}

void fill(const TensorType& type, std::int64_t number, std::span<std::byte> into) {
  switch (type.element) {
    case ElementType::Float32:
      return fill_with<float>(number, into);
    case ElementType::Int64:
      return fill_with<std::int64_t>(number, into);
    case ElementType::Int32:
      return fill_with<std::int32_t>(number, into);
    case ElementType::Uint8:
    case ElementType::Bool:
      return fill_with<std::uint8_t>(number, into);
  }
}

// The first Int64 value that is not in [0, limit), and not the one that is ignored.
std::optional<std::int64_t> beyond(std::int64_t limit, std::optional<std::int64_t> ignored,
                                   std::span<const std::byte> values) {
  for (std::size_t at = 0; at < values.size(); at += sizeof(std::int64_t)) {
    std::int64_t value = 0;
    std::memcpy(&value, values.data() + at, sizeof value);
    if ((value < 0 || value >= limit) && value != ignored) return value;
  }
  return std::nullopt;
}

class FittedDataset final : public Dataset {
 public:
  FittedDataset(std::unique_ptr<Dataset> data, std::vector<ExamplePart> wanted,
                std::vector<PartSource> sources)
      : data_(std::move(data)), wanted_(std::move(wanted)), sources_(std::move(sources)) {}

  std::int64_t size() const override { return data_->size(); }
  const std::vector<ExamplePart>& parts() const override { return wanted_; }

  Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const override {
    const ExamplePart& wanted = wanted_[part];
    const PartSource& source = sources_[part];
    if (!source.part) {
      fill(wanted.type, source.filling, into);
      return std::nullopt;
    }
    if (Failure failure = data_->read(example, *source.part, into)) return failure;
    if (wanted.type.element != ElementType::Int64 || !wanted.value_limit) return std::nullopt;
    const std::optional<std::int64_t> wrong =
        beyond(*wanted.value_limit, wanted.ignored_value, into);
    if (!wrong) return std::nullopt;
    return bad_input(
        fmt::format("example {} of the data has {} in its {}: the network knows 0 to "
                    "{}",
                    example, *wrong, in_quotes(wanted.name), *wanted.value_limit - 1));
  }

 private:
  std::unique_ptr<Dataset> data_;
  std::vector<ExamplePart> wanted_;
  std::vector<PartSource> sources_;
};

class DatasetRange final : public Dataset {
 public:
  DatasetRange(std::shared_ptr<const Dataset> data, std::int64_t begin, std::int64_t end)
      : data_(std::move(data)), begin_(begin), end_(end) {}

  std::int64_t size() const override { return end_ - begin_; }
  const std::vector<ExamplePart>& parts() const override { return data_->parts(); }
  Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const override {
    POET_CHECK(example >= 0 && example < size());
    return data_->read(begin_ + example, part, into);
  }

 private:
  std::shared_ptr<const Dataset> data_;
  std::int64_t begin_;
  std::int64_t end_;
};

Shape without_ones(Shape shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

// What stands in for a part that data seldom have.
std::optional<std::int64_t> filling_of(const std::string& name) {
  if (name == "token_type_ids") return 0;
  if (name == "attention_mask") return 1;
  return std::nullopt;
}

Error no_part(const ExamplePart& wanted, const std::vector<ExamplePart>& there) {
  std::string names;
  for (const ExamplePart& part : there)
    names +=
        fmt::format("{}{} {}", names.empty() ? "" : ", ", in_quotes(part.name), to_text(part.type));
  return bad_input(fmt::format("the network wants {} {} of every example, and the data have {}",
                               in_quotes(wanted.name), to_text(wanted.type), names));
}

std::optional<std::size_t> part_named(const std::vector<ExamplePart>& parts,
                                      const std::string& name) {
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].name == name) return k;
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Dataset>> fitted_dataset(std::unique_ptr<Dataset> data,
                                                const std::vector<ExamplePart>& wanted) {
  const std::vector<ExamplePart>& there = data->parts();
  std::vector<bool> used(there.size());
  std::vector<PartSource> sources(wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (const std::optional<std::size_t> part = part_named(there, wanted[k].name)) {
      sources[k].part = part;
      used[*part] = true;
    }
  std::size_t next = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (sources[k].part) continue;
    if (const std::optional<std::int64_t> filling = filling_of(wanted[k].name)) {
      sources[k].filling = *filling;
      continue;
    }
    while (next < there.size() && used[next]) ++next;
    if (next == there.size()) return no_part(wanted[k], there);
    used[next] = true;
    sources[k].part = next;
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (!sources[k].part) continue;
    const TensorType& from = there[*sources[k].part].type;
    if (from.element != wanted[k].type.element ||
        without_ones(from.shape) != without_ones(wanted[k].type.shape))
      return no_part(wanted[k], there);
  }
  return std::unique_ptr<Dataset>(
      std::make_unique<FittedDataset>(std::move(data), wanted, std::move(sources)));
}

std::unique_ptr<Dataset> dataset_range(std::shared_ptr<const Dataset> data, std::int64_t begin,
                                       std::int64_t end) {
  POET_CHECK(0 <= begin && begin < end && end <= data->size());
  return std::make_unique<DatasetRange>(std::move(data), begin, end);
}

}  // namespace poet
