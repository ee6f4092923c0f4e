#include "poet/model/constant_folding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "poet/base/checked_math.h"

namespace poet {
namespace {

Error too_large() {
  return bad_input(
      fmt::format("makes more than {} values before the network runs", kLargestKnownArray));
}

// Calls `visit` with every index into the shape, in row-major order.
template <typename Visit>
void for_each_index(const Shape& shape, Visit visit) {
  std::vector<std::int64_t> index(shape.size());
  const std::int64_t count = value_count(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(index);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

// The place in an array of that shape, whose dimensions are the last ones of the index; where it
// has extent 1, it is broadcast.
std::size_t place_of(const Shape& shape, const std::vector<std::int64_t>& index) {
  std::int64_t place = 0;
  const std::size_t skipped = index.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d)
    place = place * shape[d] + (shape[d] == 1 ? 0 : index[d + skipped]);
  return static_cast<std::size_t>(place);
}

std::int64_t wrapped(std::int64_t value, ElementType element) {
  switch (element) {
    case ElementType::Int32:
      return static_cast<std::int32_t>(value);
    case ElementType::Uint8:
      return static_cast<std::uint8_t>(value);
    case ElementType::Bool:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

// The nearest that the element type has.
std::int64_t saturated(std::int64_t value, ElementType element) {
  switch (element) {
    case ElementType::Int32:
      return std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                      std::numeric_limits<std::int32_t>::max());
    case ElementType::Uint8:
      return std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::uint8_t>::max());
    case ElementType::Bool:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

bool is_comparison(PairFold what) {
  return what >= PairFold::And;
}

template <typename T>
bool compare(PairFold what, T a, T b) {
  switch (what) {
    case PairFold::And:
      return a != 0 && b != 0;
    case PairFold::Or:
      return a != 0 || b != 0;
    case PairFold::Equal:
      return a == b;
    case PairFold::Less:
      return a < b;
    case PairFold::LessOrEqual:
      return a <= b;
    case PairFold::Greater:
      return a > b;
    default:
      return a >= b;
  }
}

std::optional<std::int64_t> divided(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == std::numeric_limits<std::int64_t>::min() && b == -1)) return std::nullopt;
  return a / b;
}

std::optional<std::int64_t> modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<std::int64_t> calculate(PairFold what, std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  switch (what) {
    case PairFold::Add:
      return checked_add(a, b);
    case PairFold::Sub:
      if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
      return difference;
    case PairFold::Mul:
      return checked_multiply(a, b);
    case PairFold::Div:
      return divided(a, b);
    case PairFold::Mod:
      return modulo(a, b);
    case PairFold::Min:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

std::optional<float> calculate(PairFold what, float a, float b) {
  switch (what) {
    case PairFold::Add:
      return a + b;
    case PairFold::Sub:
      return a - b;
    case PairFold::Mul:
      return a * b;
    case PairFold::Div:
      return a / b;
    case PairFold::Mod:
      return std::nullopt;
    case PairFold::Min:
      return std::isnan(b) || b < a ? b : a;
    default:
      return std::isnan(b) || b > a ? b : a;
  }
}

template <typename T>
Result<KnownArray> fold_values(PairFold what, const KnownArray& a, const KnownArray& b,
                               const Shape& shape) {
  const std::vector<T>& left = std::get<std::vector<T>>(a.values);
  const std::vector<T>& right = std::get<std::vector<T>>(b.values);
  std::vector<T> values;
  std::vector<std::int64_t> truths;
  bool all_there = true;
  for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
    const T x = left[place_of(a.type.shape, index)];
    const T y = right[place_of(b.type.shape, index)];
    if (is_comparison(what)) {
      truths.push_back(compare(what, x, y) ? 1 : 0);
      return;
    }
    const std::optional<T> value = calculate(what, x, y);
    all_there = all_there && value.has_value();
    values.push_back(value.value_or(T{}));
  });
  if (!all_there)
    return bad_input("calculates a shape that divides by 0 or does not fit in 64 bits");
  if (is_comparison(what)) return KnownArray{{ElementType::Bool, shape}, std::move(truths)};
  if constexpr (std::is_same_v<T, std::int64_t>)
    for (std::int64_t& value : values) value = wrapped(value, a.type.element);
  return KnownArray{{a.type.element, shape}, std::move(values)};
}

// The values of `x` at the places, under another shape.
KnownArray picked(const KnownArray& x, Shape shape, const std::vector<std::size_t>& places) {
  KnownArray result{{x.type.element, std::move(shape)}, {}};
  std::visit(
      [&](const auto& values) {
        std::decay_t<decltype(values)> taken;
        taken.reserve(places.size());
        for (const std::size_t place : places) taken.push_back(values[place]);
        result.values = std::move(taken);
      },
      x.values);
  return result;
}

bool is_too_large(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    const std::optional<std::int64_t> product =
        checked_multiply(count, std::max<std::int64_t>(extent, 1));
    if (!product || *product > kLargestKnownArray) return true;
    count = *product;
  }
  return false;
}

float unary(UnaryFold what, float x) {
  switch (what) {
    case UnaryFold::Neg:
      return -x;
    case UnaryFold::Abs:
      return std::abs(x);
    case UnaryFold::Floor:
      return std::floor(x);
    case UnaryFold::Ceil:
      return std::ceil(x);
    case UnaryFold::Sqrt:
      return std::sqrt(x);
    case UnaryFold::Not:
      break;
  }
  return x;
}

// All of which fit in 64 bits but the negative of the least number, which stays itself.
std::int64_t unary(UnaryFold what, std::int64_t x) {
  const auto negative = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
  if (what == UnaryFold::Neg || (what == UnaryFold::Abs && x < 0)) return negative;
  if (what == UnaryFold::Not) return x == 0 ? 1 : 0;
  return x;
}

std::int64_t whole_of(float value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63F) return std::numeric_limits<std::int64_t>::max();
  if (value <= -0x1p63F) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

template <typename T>
std::optional<T> reduced(ReduceFold what, T so_far, T value) {
  switch (what) {
    case ReduceFold::Sum:
      return calculate(PairFold::Add, so_far, value);
    case ReduceFold::Product:
      return calculate(PairFold::Mul, so_far, value);
    case ReduceFold::Min:
      return calculate(PairFold::Min, so_far, value);
    case ReduceFold::Max:
      break;
  }
  return calculate(PairFold::Max, so_far, value);
}

// Left to right over `count` values that lie `step` apart.
template <typename T>
std::optional<T> reduce_row(ReduceFold what, const std::vector<T>& values, std::size_t count) {
  std::optional<T> result;
  if (what == ReduceFold::Sum) result = T{0};
  if (what == ReduceFold::Product) result = T{1};
  for (std::size_t i = 0; i < count; ++i) {
    result = result ? reduced(what, *result, values[i]) : values[i];
    if (!result) break;
  }
  return result;
}

template <typename T>
Result<KnownArray> range_of(T start, T end, T step, ElementType element) {
  if (!(step > 0 || step < 0)) return bad_input("counts in steps of 0");
  // Within what a double holds exactly, no sum below can overflow.
  for (const T bound : {start, end})
    if (!(std::abs(static_cast<double>(bound)) <= 0x1p53)) return too_large();
  const double steps = std::ceil((static_cast<double>(end) - static_cast<double>(start)) /
                                 static_cast<double>(step));
  if (!(steps <= static_cast<double>(kLargestKnownArray))) return too_large();
  std::vector<T> values;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(std::max(steps, 0.0)); ++i)
    values.push_back(static_cast<T>(start + static_cast<T>(i) * step));
  const auto count = static_cast<std::int64_t>(values.size());
  return KnownArray{{element, {count}}, std::move(values)};
}

}  // namespace

Result<Shape> folded_shape(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (std::size_t back = 1; back <= shape.size(); ++back) {
    const std::int64_t x = back <= a.size() ? a[a.size() - back] : 1;
    const std::int64_t y = back <= b.size() ? b[b.size() - back] : 1;
    if (x != y && x != 1 && y != 1)
      return bad_input(
          fmt::format("the shapes {} and {} do not go together", to_text(a), to_text(b)));
    shape[shape.size() - back] = x == 1 ? y : x;
  }
  return shape;
}

Result<KnownArray> fold_pair(PairFold what, const KnownArray& a, const KnownArray& b) {
  if (a.type.element != b.type.element)
    return bad_input(fmt::format("calculates with {} and {}: the element types differ",
                                 to_text(a.type), to_text(b.type)));
  const Result<Shape> shape = folded_shape(a.type.shape, b.type.shape);
  if (!shape.ok()) return shape.error();
  if (is_too_large(*shape)) return too_large();
  return a.is_float() ? fold_values<float>(what, a, b, *shape)
                      : fold_values<std::int64_t>(what, a, b, *shape);
}

Result<KnownArray> fold_unary(UnaryFold what, const KnownArray& x) {
  KnownArray result = x;
  if (what == UnaryFold::Not && x.is_float()) return bad_input("takes truth values, not float32");
  if (what == UnaryFold::Sqrt && !x.is_float())
    return bad_input(fmt::format("takes float32 values, not {}", to_text(x.type)));
  if (auto* const floats = std::get_if<std::vector<float>>(&result.values))
    for (float& value : *floats) value = unary(what, value);
  else
    for (std::int64_t& value : std::get<0>(result.values))
      value = wrapped(unary(what, value), x.type.element);
  return result;
}

KnownArray fold_cast(const KnownArray& x, ElementType to) {
  KnownArray result{{to, x.type.shape}, {}};
  if (to == ElementType::Float32) {
    if (x.is_float()) return x;
    result.values = std::vector<float>(x.wholes().begin(), x.wholes().end());
    return result;
  }
  std::vector<std::int64_t> values;
  if (!x.is_float()) {
    values = x.wholes();
  } else {
    for (const float value : x.floats())
      values.push_back(to == ElementType::Bool ? (value != 0 ? 1 : 0) : whole_of(value));
  }
  for (std::int64_t& value : values) value = saturated(value, to);
  result.values = std::move(values);
  return result;
}

Result<KnownArray> fold_where(const KnownArray& condition, const KnownArray& yes,
                              const KnownArray& no) {
  if (yes.type.element != no.type.element || condition.is_float())
    return bad_input(fmt::format("chooses by {} between {} and {}", to_text(condition.type),
                                 to_text(yes.type), to_text(no.type)));
  const Result<Shape> both = folded_shape(yes.type.shape, no.type.shape);
  if (!both.ok()) return both.error();
  const Result<Shape> shape = folded_shape(condition.type.shape, *both);
  if (!shape.ok()) return shape.error();
  if (is_too_large(*shape)) return too_large();
  KnownArray result{{yes.type.element, *shape}, {}};
  std::visit(
      [&](const auto& chosen) {
        using Values = std::decay_t<decltype(chosen)>;
        const Values& other = std::get<Values>(no.values);
        Values values;
        for_each_index(*shape, [&](const std::vector<std::int64_t>& index) {
          const bool is_yes = condition.wholes()[place_of(condition.type.shape, index)] != 0;
          values.push_back(is_yes ? chosen[place_of(yes.type.shape, index)]
                                  : other[place_of(no.type.shape, index)]);
        });
        result.values = std::move(values);
      },
      yes.values);
  return result;
}

Result<KnownArray> fold_reduce(ReduceFold what, const KnownArray& x,
                               const std::vector<std::int64_t>& axes) {
  // The reduced dimensions go to the back, so that what is put together lies together.
  std::vector<std::int64_t> permutation;
  Shape shape;
  for (std::int64_t d = 0; d < std::ssize(x.type.shape); ++d) {
    if (std::find(axes.begin(), axes.end(), d) != axes.end()) continue;
    permutation.push_back(d);
    shape.push_back(x.type.shape[static_cast<std::size_t>(d)]);
  }
  permutation.insert(permutation.end(), axes.begin(), axes.end());
  const KnownArray sorted = fold_transpose(x, permutation);
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= x.type.shape[static_cast<std::size_t>(axis)];

  KnownArray result{{x.type.element, shape}, {}};
  bool all_there = true;
  std::visit(
      [&](const auto& values) {
        std::decay_t<decltype(values)> sums;
        for (std::int64_t row = 0; row < value_count(shape); ++row) {
          const auto begin = values.begin() + row * count;
          const std::decay_t<decltype(values)> of_row(begin, begin + count);
          const auto sum = reduce_row(what, of_row, of_row.size());
          all_there = all_there && sum.has_value();
          sums.push_back(sum.value_or(0));
        }
        result.values = std::move(sums);
      },
      sorted.values);
  if (!all_there) return bad_input("reduces no values, or to more than 64 bits");
  if (auto* const wholes = std::get_if<0>(&result.values))
    for (std::int64_t& value : *wholes) value = wrapped(value, x.type.element);
  return result;
}

Result<KnownArray> fold_range(const KnownArray& start, const KnownArray& end,
                              const KnownArray& step) {
  const ElementType element = start.type.element;
  for (const KnownArray* const bound : {&start, &end, &step})
    if (value_count(bound->type.shape) != 1 || bound->type.element != element)
      return bad_input("counts between what is not one number each, of one element type");
  return element == ElementType::Float32
             ? range_of(start.floats()[0], end.floats()[0], step.floats()[0], element)
             : range_of(start.wholes()[0], end.wholes()[0], step.wholes()[0], element);
}

Result<KnownArray> fold_expand(const KnownArray& x, const Shape& shape) {
  const Result<Shape> both = folded_shape(x.type.shape, shape);
  if (!both.ok()) return both.error();
  if (*both != shape)
    return bad_input(fmt::format("cannot expand {} to {}", to_text(x.type), to_text(shape)));
  if (is_too_large(shape)) return too_large();
  std::vector<std::size_t> places;
  for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
    places.push_back(place_of(x.type.shape, index));
  });
  return picked(x, shape, places);
}

KnownArray fold_transpose(const KnownArray& x, const std::vector<std::int64_t>& permutation) {
  Shape shape;
  for (const std::int64_t d : permutation)
    shape.push_back(x.type.shape[static_cast<std::size_t>(d)]);
  std::vector<std::size_t> places;
  std::vector<std::int64_t> source(shape.size());
  for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
    for (std::size_t d = 0; d < index.size(); ++d)
      source[static_cast<std::size_t>(permutation[d])] = index[d];
    places.push_back(place_of(x.type.shape, source));
  });
  return picked(x, shape, places);
}

Result<KnownArray> fold_gather(const KnownArray& x, const KnownArray& indices, std::int64_t axis) {
  if (indices.is_float()) return bad_input("picks by float32 values, not whole numbers");
  const auto at_axis = static_cast<std::size_t>(axis);
  const std::int64_t extent = x.type.shape[at_axis];
  for (const std::int64_t index : indices.wholes())
    if (index < -extent || index >= extent)
      return bad_input(fmt::format("picks value {} of {}", index, extent));
  const Shape& inserted = indices.type.shape;
  Shape shape(x.type.shape.begin(), x.type.shape.begin() + axis);
  shape.insert(shape.end(), inserted.begin(), inserted.end());
  shape.insert(shape.end(), x.type.shape.begin() + axis + 1, x.type.shape.end());
  if (is_too_large(shape)) return too_large();

  std::vector<std::size_t> places;
  for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
    const auto middle = index.begin() + axis;
    const std::vector<std::int64_t> which(middle, middle + std::ssize(inserted));
    std::int64_t chosen = indices.wholes()[place_of(inserted, which)];
    if (chosen < 0) chosen += extent;
    std::vector<std::int64_t> source(index.begin(), middle);
    source.push_back(chosen);
    source.insert(source.end(), middle + std::ssize(inserted), index.end());
    places.push_back(place_of(x.type.shape, source));
  });
  return picked(x, shape, places);
}

Result<KnownArray> fold_concat(const std::vector<KnownArray>& parts, std::int64_t axis) {
  const auto at_axis = static_cast<std::size_t>(axis);
  Shape shape = parts[0].type.shape;
  shape[at_axis] = 0;
  for (const KnownArray& part : parts) {
    Shape without = part.type.shape;
    if (at_axis < without.size()) without[at_axis] = shape[at_axis];
    if (part.type.element != parts[0].type.element || without != shape)
      return bad_input(
          fmt::format("cannot put {} beside {}", to_text(part.type), to_text(parts[0].type)));
    shape[at_axis] += part.type.shape[at_axis];
  }
  if (is_too_large(shape)) return too_large();
  KnownArray result{{parts[0].type.element, shape}, {}};
  std::visit(
      [&](const auto& first) {
        using Values = std::decay_t<decltype(first)>;
        Values values;
        for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
          std::vector<std::int64_t> source = index;
          std::size_t p = 0;
          while (source[at_axis] >= parts[p].type.shape[at_axis])
            source[at_axis] -= parts[p++].type.shape[at_axis];
          values.push_back(
              std::get<Values>(parts[p].values)[place_of(parts[p].type.shape, source)]);
        });
        result.values = std::move(values);
      },
      parts[0].values);
  return result;
}

KnownArray fold_slice(const KnownArray& x, const std::vector<std::int64_t>& start,
                      const std::vector<std::int64_t>& step, const Shape& extent) {
  std::vector<std::size_t> places;
  std::vector<std::int64_t> source(extent.size());
  for_each_index(extent, [&](const std::vector<std::int64_t>& index) {
    for (std::size_t d = 0; d < index.size(); ++d) source[d] = start[d] + index[d] * step[d];
    places.push_back(place_of(x.type.shape, source));
  });
  return picked(x, extent, places);
}

}  // namespace poet
