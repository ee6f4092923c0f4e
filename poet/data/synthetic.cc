#include "poet/data/synthetic.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/data/synthetic_parts.h"

namespace poet {
namespace {

enum class Kind { Pictures, Masks, NextTokens, Topics, Points };

bool is_whole(const ExamplePart& part) {
  return part.type.element == ElementType::Int64;
}

// By the first input and the target.
Kind kind_of(const std::vector<ExamplePart>& parts, bool has_target) {
  const ExamplePart& input = parts.front();
  if (!has_target) return is_whole(input) ? Kind::NextTokens : Kind::Points;
  const ExamplePart& target = parts.back();
  if (!is_whole(target)) return Kind::Points;
  const bool one_label = value_count(target.type.shape) == 1;
  if (is_whole(input))
    return one_label && value_count(input.type.shape) > 1 ? Kind::Topics : Kind::NextTokens;
  if (input.type.shape.size() != 3) return Kind::Points;
  if (one_label) return Kind::Pictures;
  const Shape plane(input.type.shape.begin() + 1, input.type.shape.end());
  return target.type.shape == plane ? Kind::Masks : Kind::Points;
}

template <typename T>
std::span<T> values_in(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

class Synthetic final : public Dataset {
 public:
  Synthetic(std::vector<ExamplePart> parts, const SyntheticOptions& options)
      : parts_(std::move(parts)), options_(options), kind_(kind_of(parts_, options.has_target)) {}

  std::int64_t size() const override { return options_.examples; }
  const std::vector<ExamplePart>& parts() const override { return parts_; }

  Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const override {
    POET_CHECK(example >= 0 && example < size());
    const auto number = static_cast<std::uint64_t>(options_.first_example + example);
    const bool is_target = options_.has_target && part + 1 == parts_.size();
    if (is_whole(parts_[part]))
      draw_wholes(number, part, is_target, values_in<std::int64_t>(into));
    else
      draw_floats(number, part, is_target, values_in<float>(into));
    return std::nullopt;
  }

 private:
  void draw_floats(std::uint64_t number, std::size_t part, bool is_target,
                   std::span<float> values) const {
    if (is_target) return draw_products(point(number), values);
    const bool is_picture = kind_ == Kind::Pictures || kind_ == Kind::Masks;
    if (is_picture && part == 0)
      return draw_pixels(picture(number), parts_[part].type.shape, values);
    draw_point(point(number), values);
  }

  void draw_wholes(std::uint64_t number, std::size_t part, bool is_target,
                   std::span<std::int64_t> values) const {
    if (is_target) return draw_labels(number, values);
    if (part != 0) return std::fill(values.begin(), values.end(), 0);
    if (kind_ == Kind::Topics) return draw_topic(topic_row(number), values);
    draw_counting(counting_row(number), 0, values);
  }

  void draw_labels(std::uint64_t number, std::span<std::int64_t> values) const {
    switch (kind_) {
      case Kind::Pictures:
        return std::fill(values.begin(), values.end(), label_of(picture(number)));
      case Kind::Masks:
        return draw_mask(picture(number), parts_.back().type.shape, values);
      case Kind::NextTokens:
        return draw_counting(counting_row(number), 1, values);
      case Kind::Topics:
        return std::fill(values.begin(), values.end(), label_of(topic_row(number)));
      case Kind::Points:
        return std::fill(values.begin(), values.end(),
                         label_of(point(number), limit(parts_.back())));
    }
  }

  // Of parts that hold whole numbers, synthetic_dataset() made sure of it.
  static std::int64_t limit(const ExamplePart& part) { return part.value_limit.value_or(1); }

  Picture picture(std::uint64_t number) const {
    return {.seed = options_.seed, .example = number, .classes = limit(parts_.back())};
  }
  CountingRow counting_row(std::uint64_t number) const {
    const std::int64_t words = options_.has_target
                                   ? std::min(limit(parts_.front()), limit(parts_.back()))
                                   : limit(parts_.front());
    return {.seed = options_.seed, .example = number, .words = words};
  }
  TopicRow topic_row(std::uint64_t number) const {
    return {.seed = options_.seed,
            .example = number,
            .words = limit(parts_.front()),
            .topics = limit(parts_.back())};
  }
  Point point(std::uint64_t number) const {
    return {.seed = options_.seed,
            .example = number,
            .extents = value_count(parts_.front().type.shape)};
  }

  std::vector<ExamplePart> parts_;
  SyntheticOptions options_;
  Kind kind_;
};

}  // namespace

Result<std::unique_ptr<Dataset>> synthetic_dataset(const std::vector<ExamplePart>& parts,
                                                   const SyntheticOptions& options) {
  POET_CHECK(!parts.empty() && options.examples >= 1 && options.first_example >= 0);
  for (const ExamplePart& part : parts) {
    const bool whole = is_whole(part);
    if (whole && part.value_limit) continue;
    if (whole || part.type.element != ElementType::Float32)
      return bad_input(fmt::format("no examples can be made up for {}, {}: give data of your own",
                                   in_quotes(part.name), to_text(part.type)));
  }
  return std::unique_ptr<Dataset>(std::make_unique<Synthetic>(parts, options));
}

}  // namespace poet
