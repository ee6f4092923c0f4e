// Cover inequalities from later needs: what must be absent, and must come back whole
// (docs/model/bounds.md §4).
#include "poet/solve/later_need.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace poet {
namespace {

// The chains of one stage and how much of each comes back, most first.
struct Candidate {
  WaitingChain waiting;
  std::int64_t size_bytes = 0;
  double coming = 0;
};

// sum of min(size, demand) z >= demand, rounded by `divisor` (docs/model/bounds.md §4.2): the
// coefficient of z is floor(m/d) + min(1, frac(m/d)/f), the right-hand side ceil(b) with b =
// demand/d and f = frac(b) > 0.
class Rounding {
 public:
  Rounding(std::int64_t demand_bytes, std::int64_t divisor_bytes)
      : demand_(demand_bytes), divisor_(divisor_bytes) {}

  bool useful() const { return demand_ % divisor_ != 0; }
  double right_hand_side() const { return static_cast<double>(demand_ / divisor_ + 1); }
  double coefficient(std::int64_t size_bytes) const {
    const std::int64_t size = std::min(size_bytes, demand_);
    const double share =
        static_cast<double>(size % divisor_) / static_cast<double>(demand_ % divisor_);
    return static_cast<double>(size / divisor_) + std::min(1.0, share);
  }

 private:
  std::int64_t demand_;
  std::int64_t divisor_;
};

std::optional<FoundCut> best_rounding(LaterNeed::Family family, std::int32_t stage,
                                      const std::vector<Candidate>& candidates, std::size_t absent,
                                      std::int64_t demand_bytes,
                                      const std::vector<std::int64_t>& divisors,
                                      double least_violation) {
  std::optional<std::int64_t> best_divisor;
  double best_violation = least_violation;
  for (const std::int64_t divisor : divisors) {
    const Rounding rounding(demand_bytes, divisor);
    if (!rounding.useful()) continue;
    double left = 0;
    for (std::size_t n = absent; n < candidates.size(); ++n)
      if (candidates[n].coming > 0)
        left += rounding.coefficient(candidates[n].size_bytes) * candidates[n].coming;
    const double violation = 1 - left / rounding.right_hand_side();
    if (violation > best_violation) {
      best_violation = violation;
      best_divisor = divisor;
    }
  }
  if (!best_divisor) return std::nullopt;
  const Rounding rounding(demand_bytes, *best_divisor);
  FoundCut found{LaterNeed{family, stage, {}, *best_divisor}, best_violation};
  for (std::size_t n = absent; n < candidates.size(); ++n) {
    const double weight =
        rounding.coefficient(candidates[n].size_bytes) / rounding.right_hand_side();
    if (weight > 0)
      found.cut.terms.push_back(
          LaterNeed::Term{candidates[n].waiting.chain, candidates[n].waiting.until, weight});
  }
  return found;
}

std::vector<std::int64_t> distinct_sizes(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> sizes;
  for (const Candidate& candidate : candidates) sizes.push_back(candidate.size_bytes);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  // More divisors rarely find more, and cost a pass each.
  constexpr std::size_t kMostDivisors = 12;
  if (sizes.size() > kMostDivisors) {
    std::vector<std::int64_t> some;
    for (std::size_t n = 0; n < kMostDivisors; ++n)
      some.push_back(sizes[n * (sizes.size() - 1) / (kMostDivisors - 1)]);
    sizes = std::move(some);
  }
  if (!sizes.empty() && sizes.front() == 0) sizes.erase(sizes.begin());
  return sizes;
}

// A chain at home in storage has no o[i]: only family Read speaks of it, so Stored leaves it
// present at no cost, which is valid only when it is taken as absent: it goes into A.
void add_cuts(LaterNeed::Family family, std::int32_t stage, std::int64_t demand_bytes,
              std::vector<Candidate> candidates, double least_violation,
              std::vector<FoundCut>& found) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.coming > b.coming; });
  std::vector<std::int64_t> divisors = distinct_sizes(candidates);
  for (std::size_t absent = 0; absent < candidates.size() && demand_bytes > 0; ++absent) {
    // A prefix that ends between equal values would only permute the same inequality.
    const bool boundary = absent == 0 || candidates[absent].coming < candidates[absent - 1].coming;
    if (boundary) {
      std::vector<std::int64_t> all = divisors;
      all.push_back(demand_bytes + 1);
      if (auto cut =
              best_rounding(family, stage, candidates, absent, demand_bytes, all, least_violation))
        found.push_back(std::move(*cut));
    }
    demand_bytes -= candidates[absent].size_bytes;
  }
}

}  // namespace

std::vector<std::int64_t> stage_demands_bytes(const Step& step) {
  // What begins or ends to wait in each stage, and then what waits there.
  std::vector<std::int64_t> waiting_bytes(step.operations.size() + 1, 0);
  for (const Chain& chain : step.chains) {
    std::int32_t next = chain.producer ? *chain.producer + 1 : 0;
    for (const std::int32_t reader : chain.readers) {
      if (next < reader) {
        waiting_bytes[next] += chain.size_bytes;
        waiting_bytes[reader] -= chain.size_bytes;
      }
      next = std::max(next, reader + 1);
    }
  }
  std::partial_sum(waiting_bytes.begin(), waiting_bytes.end(), waiting_bytes.begin());
  waiting_bytes.pop_back();
  for (std::int32_t t = 0; t < step.stages(); ++t)
    waiting_bytes[t] += least_room_bytes(step, step.operations[t]) - step.budget_bytes;
  return waiting_bytes;
}

std::vector<StagePressure> stage_pressures(const Step& step) {
  std::vector<StagePressure> pressures(step.operations.size());
  for (std::size_t c = 0; c < step.chains.size(); ++c) {
    const Chain& chain = step.chains[c];
    const std::int32_t from = chain.producer ? *chain.producer + 1 : 0;
    std::int32_t next = from;
    for (const std::int32_t reader : chain.readers) {
      for (; next < reader; ++next)
        pressures[next].waiting.push_back(WaitingChain{static_cast<std::int32_t>(c), reader});
      next = std::max(next, reader + 1);
    }
  }
  const std::vector<std::int64_t> demands_bytes = stage_demands_bytes(step);
  for (std::size_t t = 0; t < pressures.size(); ++t) pressures[t].demand_bytes = demands_bytes[t];
  return pressures;
}

std::vector<FoundCut> violated_cuts(const Step& step, std::int32_t stage,
                                    const StagePressure& pressure, const Comings& comings,
                                    double least_violation) {
  std::vector<FoundCut> found;
  if (pressure.demand_bytes <= 0) return found;
  std::vector<Candidate> stored, read;
  std::int64_t stored_demand_bytes = pressure.demand_bytes;
  for (std::size_t n = 0; n < pressure.waiting.size(); ++n) {
    const WaitingChain& waiting = pressure.waiting[n];
    const Chain& chain = step.chains[waiting.chain];
    read.push_back(Candidate{waiting, chain.size_bytes, comings.made[n] + comings.read[n]});
    if (!chain.producer || chain.must_be_written) {
      stored_demand_bytes -= chain.size_bytes;  // taken as absent: it has a copy anyway
      continue;
    }
    stored.push_back(Candidate{waiting, chain.size_bytes, comings.made[n] + comings.stored[n]});
  }
  add_cuts(LaterNeed::Family::Stored, stage, stored_demand_bytes, std::move(stored),
           least_violation, found);
  add_cuts(LaterNeed::Family::Read, stage, pressure.demand_bytes, std::move(read), least_violation,
           found);
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundCut& a, const FoundCut& b) { return a.violation > b.violation; });
  return found;
}

}  // namespace poet
