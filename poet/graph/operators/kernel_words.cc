#include "poet/graph/operators/kernel_words.h"

#include <fmt/format.h>

#include <limits>

#include "poet/base/check.h"
#include "poet/graph/operators/shape_rules.h"

namespace poet {

KernelWords& KernelWords::integer(std::string field, std::int64_t value) {
  POET_CHECK(value >= std::numeric_limits<std::int32_t>::min() &&
             value <= std::numeric_limits<std::int32_t>::max());
  words_.push_back({std::move(field), static_cast<std::int32_t>(value)});
  return *this;
}

KernelWords& KernelWords::bits(std::string field, std::uint32_t value) {
  words_.push_back({std::move(field), value});
  return *this;
}

KernelWords& KernelWords::real(std::string field, float value) {
  words_.push_back({std::move(field), value});
  return *this;
}

KernelWords& KernelWords::array(const std::string& field, const std::vector<std::int64_t>& values,
                                std::int64_t rest) {
  POET_CHECK(values.size() <= static_cast<std::size_t>(kMaxRank));
  static_assert(kMaxRank < 10);
  // Not by fmt: all networks that 'poet models' lists took a tenth of their time for such names.
  std::string place = field + "[0]";
  for (std::size_t i = 0; i < static_cast<std::size_t>(kMaxRank); ++i) {
    place[field.size() + 1] = static_cast<char>('0' + i);
    integer(place, i < values.size() ? values[i] : rest);
  }
  return *this;
}

std::int64_t whole_in(const KernelCall& call, std::string_view field) {
  for (const KernelWord& word : call.shape)
    if (word.field == field) return std::get<std::int32_t>(word.value);
  check_failed("a division names fields of its call's shape", __FILE__, __LINE__);
}

std::int64_t product_in(const KernelCall& call, std::string_view field, std::int64_t first,
                        std::int64_t end) {
  std::int64_t product = 1;
  for (std::int64_t i = first; i < end; ++i)
    product *= whole_in(call, fmt::format("{}[{}]", field, i));
  return product;
}

}  // namespace poet
