// Makes a choice fit by reading again what storage has a copy of (docs/model/windows.md §2.2).
#include "poet/solve/mend_reads.h"

#include <algorithm>
#include <optional>

namespace poet {
namespace {

constexpr int kMostMends = 200;

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class ReadMender {
 public:
  ReadMender(const Step& step, EventChoice choice)
      : step_(step), choice_(std::move(choice)), uses_(step.chains.size()) {
    for (std::size_t x = 0; x < choice_.executions.size(); ++x)
      for (const std::vector<std::int32_t>* const list :
           {&operation_of(x).inputs, &operation_of(x).outputs})
        for (const std::int32_t c : *list)
          if (uses_[c].empty() || uses_[c].back() != x) uses_[c].push_back(x);
  }

  EventChoice run() {
    const EventChoice before = choice_;
    for (int n = 0; n < kMostMends; ++n) {
      const std::optional<std::size_t> crowded = first_crowded();
      if (!crowded) return std::move(choice_);
      if (!make_room_at(*crowded)) break;
    }
    return before;
  }

 private:
  std::optional<std::size_t> first_crowded() {
    const std::vector<std::int64_t> bytes = ram_in_use(step_, choice_);
    for (std::size_t x = 0; x < bytes.size(); ++x)
      if (bytes[x] > step_.budget_bytes) {
        excess_bytes_ = bytes[x] - step_.budget_bytes;
        return x;
      }
    return std::nullopt;
  }

  // One chain leaves; of those that are enough by themselves the cheapest, else the cheapest for
  // its bytes.
  bool make_room_at(std::size_t x) {
    struct Leaving {
      std::int32_t chain = 0;
      std::size_t next_use = 0;
      bool is_enough = false;
      double cost = 0;
    };
    std::optional<Leaving> best;
    for (std::size_t n = 0; n < step_.chains.size(); ++n) {
      const auto c = static_cast<std::int32_t>(n);
      const Chain& chain = step_.chains[c];
      if (chain.size_bytes == 0 || !has_copy(c) || uses(x, c)) continue;
      const std::optional<std::size_t> next_use = next_use_without_coming(x, c);
      if (!next_use || !is_there_before(x, c)) continue;
      const double bytes = static_cast<double>(chain.size_bytes);
      const bool is_enough = chain.size_bytes >= excess_bytes_;
      const Leaving leaving{c, *next_use, is_enough,
                            is_enough ? chain.read_cost : chain.read_cost / bytes};
      const bool better = !best || (is_enough && !best->is_enough) ||
                          (is_enough == best->is_enough && leaving.cost < best->cost);
      if (better) best = leaving;
    }
    if (!best) return false;
    choice_.executions[best->next_use].reads.push_back(best->chain);
    return true;
  }

  bool has_copy(std::int32_t c) const {
    const Chain& chain = step_.chains[c];
    if (!chain.may_be_read || is_resident(step_, choice_, c)) return false;
    return choice_.stored[c] || !chain.may_be_written;
  }

  const StepOperation& operation_of(std::size_t x) const {
    return step_.operations[choice_.executions[x].event.operation];
  }
  bool makes(std::size_t x, std::int32_t c) const { return contains(operation_of(x).outputs, c); }
  bool uses(std::size_t x, std::int32_t c) const {
    return makes(x, c) || contains(operation_of(x).inputs, c);
  }

  // The next execution that reads the chain and neither makes nor brings it.
  std::optional<std::size_t> next_use_without_coming(std::size_t x, std::int32_t c) const {
    const std::vector<std::size_t>& uses = uses_[c];
    const auto next = std::upper_bound(uses.begin(), uses.end(), x);
    if (next == uses.end() || makes(*next, c)) return std::nullopt;
    if (contains(choice_.executions[*next].reads, c)) return std::nullopt;
    return *next;
  }

  bool is_there_before(std::size_t x, std::int32_t c) const {
    return !uses_[c].empty() && uses_[c].front() < x;
  }

  const Step& step_;
  EventChoice choice_;
  // Executions that make or read each chain, in their order, which mending does not change.
  std::vector<std::vector<std::size_t>> uses_;
  std::int64_t excess_bytes_ = 0;
};

}  // namespace

EventChoice mend_with_reads(const Step& step, EventChoice choice) {
  return ReadMender(step, std::move(choice)).run();
}

}  // namespace poet
