#include "poet/graph/attributes_text.h"

#include <fmt/core.h>

#include <type_traits>

namespace poet {
namespace {

template <typename T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return fmt::format("{}", static_cast<int>(value));
  else
    return fmt::format("{}", value);
}

template <typename T>
std::string text_of(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += text_of(value) + ",";
  return text + "]";
}

template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "none";
}

template <typename... Fields>
std::string fields(const Fields&... field) {
  std::string text = "(";
  ((text += text_of(field) + ";"), ...);
  return text + ")";
}

// A field that is added to one of these structs does not compile here until it is written, too.
struct Writer {
  std::string operator()(std::monostate /*none*/) const { return "()"; }
  std::string operator()(const ScalarAttributes& of) const {
    const auto& [alpha, beta] = of;
    return fields(alpha, beta);
  }
  std::string operator()(const MatMulAttributes& of) const {
    const auto& [transpose_a, transpose_b, alpha, beta, sum_to] = of;
    return fields(transpose_a, transpose_b, alpha, beta, sum_to);
  }
  std::string operator()(const WindowAttributes& of) const {
    const auto& [kernel, stride, begin, end, dilation, groups, up, counts, output] = of;
    return fields(kernel, stride, begin, end, dilation, groups, up, counts, output);
  }
  std::string operator()(const NormAttributes& of) const {
    const auto& [epsilon, groups, axis] = of;
    return fields(epsilon, groups, axis);
  }
  std::string operator()(const RunningAttributes& of) const {
    const auto& [rate, unbiased, epsilon, count] = of;
    return fields(rate, unbiased, epsilon, count);
  }
  std::string operator()(const RowPartAttributes& of) const {
    const auto& [by_channel, axis, begin, extent, images, continues, epsilon] = of;
    return fields(by_channel, axis, begin, extent, images, continues, epsilon);
  }
  std::string operator()(const ReducePartAttributes& of) const {
    const auto& [axes, keeps_dimensions, count] = of;
    return fields(axes, keeps_dimensions, count);
  }
  std::string operator()(const GatherPartAttributes& of) const {
    const auto& [axis, begin, count, extent] = of;
    return fields(axis, begin, count, extent);
  }
  std::string operator()(const DropoutPartAttributes& of) const {
    const auto& [probability, number, begin, whole] = of;
    return fields(probability, number, begin, whole);
  }
  std::string operator()(const ClassPartAttributes& of) const {
    const auto& [reduction, ignored_label, label_smoothing, begin, classes, continues] = of;
    return fields(reduction, ignored_label, label_smoothing, begin, classes, continues);
  }
  std::string operator()(const AxisAttributes& of) const {
    const auto& [axis] = of;
    return fields(axis);
  }
  std::string operator()(const TopKAttributes& of) const {
    const auto& [axis, count, largest] = of;
    return fields(axis, count, largest);
  }
  std::string operator()(const ArgAttributes& of) const {
    const auto& [axis, last] = of;
    return fields(axis, last);
  }
  std::string operator()(const GatherNdAttributes& of) const {
    const auto& [batch] = of;
    return fields(batch);
  }
  std::string operator()(const ScatterAttributes& of) const {
    const auto& [axis, adds] = of;
    return fields(axis, adds);
  }
  std::string operator()(const ReduceAttributes& of) const {
    const auto& [axes, keeps_dimensions] = of;
    return fields(axes, keeps_dimensions);
  }
  std::string operator()(const ShapeAttributes& of) const {
    const auto& [shape] = of;
    return fields(shape);
  }
  std::string operator()(const TransposeAttributes& of) const {
    const auto& [permutation] = of;
    return fields(permutation);
  }
  std::string operator()(const SliceAttributes& of) const {
    const auto& [start, step, extent] = of;
    return fields(start, step, extent);
  }
  std::string operator()(const PadAttributes& of) const {
    const auto& [begin, end, mode, value] = of;
    return fields(begin, end, mode, value);
  }
  std::string operator()(const CastAttributes& of) const {
    const auto& [to] = of;
    return fields(to);
  }
  std::string operator()(const DropoutAttributes& of) const {
    const auto& [probability, number] = of;
    return fields(probability, number);
  }
  std::string operator()(const LossAttributes& of) const {
    const auto& [reduction, ignored_label, label_smoothing] = of;
    return fields(reduction, ignored_label, label_smoothing);
  }
  std::string operator()(const UpdateAttributes& of) const {
    const auto& [weight_decay, momentum, dampening, beta1, beta2, epsilon, largest_norm] = of;
    return fields(weight_decay, momentum, dampening, beta1, beta2, epsilon, largest_norm);
  }
  std::string operator()(const DecodeAttributes& of) const {
    const auto& [blocks, row] = of;
    return fields(blocks.bits, blocks.values, row);
  }
  std::string operator()(const WeightUpdateAttributes& of) const {
    const auto& [gradient, of_gradient, update, of_update] = of;
    return fields(gradient, std::visit(*this, of_gradient), update, (*this)(of_update));
  }
};

}  // namespace

std::string attributes_text(const Attributes& attributes) {
  return fmt::format("{}{}", attributes.index(), std::visit(Writer(), attributes));
}

}  // namespace poet
