#include "poet/data/array_dataset.h"

#include <fmt/core.h>

#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

class ArrayDataset final : public Dataset {
 public:
  explicit ArrayDataset(std::vector<ArrayPart> arrays) : arrays_(std::move(arrays)) {
    for (const ArrayPart& one : arrays_) parts_.push_back(one.part);
  }

  std::int64_t size() const override { return arrays_.front().array.shape.front(); }
  const std::vector<ExamplePart>& parts() const override { return parts_; }

  Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const override {
    POET_CHECK(example >= 0 && example < size());
    const ArrayPart& from = arrays_[part];
    const TensorType& type = from.part.type;
    const std::int64_t row = value_count(type.shape);
    if (Failure failure = read_numbers(from.array.values, example * row, type.element, into))
      return failure;
    if (from.scale) scale_pixels(*from.scale, type.shape.front(), into);
    return std::nullopt;
  }

 private:
  std::vector<ArrayPart> arrays_;
  std::vector<ExamplePart> parts_;
};

Error no_examples(const NumberArray& array) {
  return bad_input(
      fmt::format("{} is {}: its first dimension should be that of the examples, at "
                  "least 1",
                  array.name, to_text(array.shape)));
}

}  // namespace

Result<ArrayPart> array_part(const std::string& name, NumberArray array,
                             const std::optional<PixelScale>& scale) {
  if (array.shape.empty() || array.shape.front() < 1) return no_examples(array);
  Shape shape(array.shape.begin() + 1, array.shape.end());
  if (scale && shape.size() == 2) shape.insert(shape.begin(), 1);
  if (scale && shape.size() != 3)
    return bad_input(fmt::format("{} is {}: pictures are (N, H, W) or (N, C, H, W)", array.name,
                                 to_text(array.shape)));
  if (scale)
    if (Failure failure = check_scale(*scale, shape.front())) return *failure;
  if (Failure failure = check_shape(shape, "an example of " + array.name)) return *failure;
  const bool fractions = scale || has_fractions(array.values.number);
  return ArrayPart{
      .part = {.name = name,
               .type = {fractions ? ElementType::Float32 : ElementType::Int64, std::move(shape)}},
      .array = std::move(array),
      .scale = scale};
}

Result<std::unique_ptr<Dataset>> array_dataset(std::vector<ArrayPart> parts) {
  POET_CHECK(!parts.empty());
  const NumberArray& first = parts.front().array;
  for (const ArrayPart& one : parts)
    if (one.array.shape.front() != first.shape.front())
      return bad_input(fmt::format("{} has {} examples and {} has {}: they should be as many",
                                   first.name, first.shape.front(), one.array.name,
                                   one.array.shape.front()));
  return std::unique_ptr<Dataset>(std::make_unique<ArrayDataset>(std::move(parts)));
}

}  // namespace poet
