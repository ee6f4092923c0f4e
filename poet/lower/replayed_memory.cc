#include "poet/lower/replayed_memory.h"

#include <algorithm>

namespace poet {

// The first stretch that ends after `begin_bytes`.
ReplayedMemory::Stretches::const_iterator ReplayedMemory::first_at(std::int64_t begin_bytes) const {
  auto next = stretches_.upper_bound(begin_bytes);
  if (next == stretches_.begin()) return next;
  const auto before = std::prev(next);
  return before->second.end_bytes > begin_bytes ? before : next;
}

void ReplayedMemory::split(std::int64_t at_bytes) {
  const auto next = stretches_.lower_bound(at_bytes);
  if (next == stretches_.begin()) return;
  const auto before = std::prev(next);
  if (before->second.end_bytes <= at_bytes) return;
  stretches_.emplace_hint(next, at_bytes, before->second);
  before->second.end_bytes = at_bytes;
}

void ReplayedMemory::put(std::int64_t begin_bytes, std::int64_t size_bytes, const Stretch& what) {
  if (size_bytes <= 0) return;
  const std::int64_t end_bytes = begin_bytes + size_bytes;
  split(begin_bytes);
  split(end_bytes);
  stretches_.erase(stretches_.lower_bound(begin_bytes), stretches_.lower_bound(end_bytes));
  Stretch& made = stretches_[begin_bytes] = what;
  made.end_bytes = end_bytes;
  made.begins_at_bytes = begin_bytes;
}

std::optional<ReplayedMemory::Stretch> ReplayedMemory::first_other(std::int64_t begin_bytes,
                                                                   std::int64_t size_bytes,
                                                                   TensorId value) const {
  const std::int64_t end_bytes = begin_bytes + size_bytes;
  std::int64_t right_bytes = begin_bytes;
  for (auto it = first_at(begin_bytes); right_bytes < end_bytes; ++it) {
    if (it == stretches_.end() || it->first > right_bytes) return Stretch{.end_bytes = end_bytes};
    if (it->second.value != value || it->second.begins_at_bytes != begin_bytes) return it->second;
    right_bytes = it->second.end_bytes;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ReplayedMemory::last_transfer(std::int64_t begin_bytes,
                                                          std::int64_t size_bytes) const {
  std::optional<std::int64_t> last;
  for (auto it = first_at(begin_bytes);
       it != stretches_.end() && it->first < begin_bytes + size_bytes; ++it)
    if (it->second.transfer) last = std::max(last.value_or(0), *it->second.transfer);
  return last;
}

}  // namespace poet
