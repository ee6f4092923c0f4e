#include "poet/base/closest_name.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace poet {
namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Changed, missing, added and swapped neighbouring letters (optimal string alignment), by rows of
// the usual table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> closest_name(std::string_view word,
                                             const std::vector<std::string_view>& names) {
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view name : names) {
    const auto [shorter, longer] = std::minmax({word.size(), name.size()});
    // About every third letter may be wrong, but never all of a short word.
    const std::size_t most =
        std::min(std::max<std::size_t>(1, (longer + 1) / 3), shorter - (shorter > 0));
    if (longer - shorter > most) continue;
    const std::size_t distance = edit_distance(word, name);
    if (distance > most || (best && distance >= best_distance)) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& names) {
  const std::optional<std::string_view> name = closest_name(word, names);
  return name ? "; did you mean '" + std::string(*name) + "'?" : "";
}

}  // namespace poet
