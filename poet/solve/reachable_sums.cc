// The largest sum of some sizes within a limit (docs/model/numbers.md §2.3).
#include "poet/solve/reachable_sums.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace poet {
namespace {

// Beyond this many sums that are still open, nearly every sum is reachable.
constexpr std::size_t kMostOpenSums = 20'000;

// Sums of the sizes seen so far, the largest sizes first. A sum that leaves room for all the sizes
// to come is settled: it takes them all.
class SumSearch {
 public:
  SumSearch(std::int64_t total, std::int64_t limit) : rest_(total), limit_(limit) { settle(); }

  // `size` times 0, 1, ..., `count`: by pieces of 1, 2, 4, ... of them, and what is left.
  void add(std::int64_t size, std::int64_t count) {
    for (std::int64_t piece = 1; count > 0 && !is_over(); piece *= 2) {
      const std::int64_t taken = std::min(piece, count);
      add_once(taken * size);
      count -= taken;
    }
  }

  bool is_over() const { return gave_up_ || open_.empty() || best_ == limit_; }
  std::int64_t answer() const { return gave_up_ ? limit_ : best_; }

 private:
  void add_once(std::int64_t bytes) {
    rest_ -= bytes;
    std::vector<std::int64_t> with;
    for (const std::int64_t sum : open_)
      if (sum <= limit_ - bytes) with.push_back(sum + bytes);
    std::vector<std::int64_t> both;
    std::set_union(open_.begin(), open_.end(), with.begin(), with.end(), std::back_inserter(both));
    open_ = std::move(both);
    settle();
    gave_up_ = open_.size() > kMostOpenSums;
  }

  void settle() {
    const auto first_open = std::upper_bound(open_.begin(), open_.end(), limit_ - rest_);
    if (first_open != open_.begin()) best_ = std::max(best_, *(first_open - 1) + rest_);
    open_.erase(open_.begin(), first_open);
  }

  std::vector<std::int64_t> open_ = {0};  // ascending
  std::int64_t rest_ = 0;                 // of the sizes to come
  std::int64_t limit_ = 0;
  std::int64_t best_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::int64_t largest_reachable_sum(std::vector<std::int64_t> sizes, std::int64_t limit) {
  std::erase_if(sizes, [limit](std::int64_t size) { return size == 0 || size > limit; });
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  SumSearch search(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), limit);
  for (std::size_t n = 0; n < sizes.size() && !search.is_over();) {
    const std::int64_t size = sizes[n];
    const auto end = std::find_if(sizes.begin() + static_cast<std::ptrdiff_t>(n), sizes.end(),
                                  [size](std::int64_t other) { return other != size; });
    const auto next = static_cast<std::size_t>(end - sizes.begin());
    search.add(size, static_cast<std::int64_t>(next - n));
    n = next;
  }
  return search.answer();
}

}  // namespace poet
