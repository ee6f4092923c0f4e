// Better schedules by rebuilding parts of the best so far; what is better in some stages is tried
// in others that look alike (docs/model/search.md §4.2).
#include "poet/solve/rebuild_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "poet/solve/greedy_moves.h"

namespace poet {
namespace {

constexpr int kEdges = 3;  // how far apart alike stages look the same

// What two operations must have in common: compared whole, so that no two are alike by accident.
using Signature = std::vector<std::int64_t>;

std::int64_t bits(double value) {
  return std::bit_cast<std::int64_t>(value);
}

void describe(const Chain& chain, Signature& signature) {
  signature.insert(signature.end(),
                   {chain.size_bytes, chain.producer ? 1 : 0, chain.may_be_written ? 1 : 0,
                    chain.must_be_written ? 1 : 0, chain.may_be_read ? 1 : 0,
                    chain.may_be_resident ? 1 : 0, bits(chain.read_cost), bits(chain.write_cost),
                    bits(chain.read_s), bits(chain.write_s), std::ssize(chain.readers)});
}

Signature alone(const Step& step, const StepOperation& operation) {
  Signature signature = {operation.workspace_bytes,    bits(operation.cost),
                         bits(operation.time_s),       operation.backward ? 1 : 0,
                         std::ssize(operation.inputs), std::ssize(operation.outputs),
                         operation.in_place ? 1 : 0};
  for (const std::int32_t c : operation.inputs) describe(step.chains[c], signature);
  for (const std::int32_t c : operation.outputs) describe(step.chains[c], signature);
  return signature;
}

// Its own kind, those that its inputs come from, and those that read its outputs.
Signature with_neighbours(const Step& step, const StepOperation& operation, std::int32_t own,
                          const std::vector<std::int32_t>& kinds) {
  constexpr std::int64_t kHome = -1, kNext = -2;
  Signature signature = {own};
  for (const std::int32_t c : operation.inputs) {
    const std::optional<std::int32_t>& producer = step.chains[c].producer;
    signature.push_back(producer ? kinds[*producer] : kHome);
  }
  for (const std::int32_t c : operation.outputs) {
    signature.push_back(kNext);
    for (const std::int32_t reader : step.chains[c].readers) signature.push_back(kinds[reader]);
  }
  return signature;
}

// Numbers for signatures, in the order in which they first come.
std::vector<std::int32_t> numbered(const std::vector<Signature>& signatures) {
  std::map<Signature, std::int32_t> numbers;
  std::vector<std::int32_t> kinds;
  for (const Signature& signature : signatures)
    kinds.push_back(
        numbers.try_emplace(signature, static_cast<std::int32_t>(numbers.size())).first->second);
  return kinds;
}

constexpr std::array<std::int32_t, 6> kWidths = {8, 16, 32, 64, 128, 256};
// Stages before and after in which stays may end as well.
constexpr std::int32_t kMargin = 20;
constexpr double kRounding = 1e-12;    // of the cost: no gain
constexpr double kUnitsPerTry = 2300;  // as Stop::count
constexpr double kUnitsPerStage = 5;   // of each part: it walks through what comes back anywhere

class Rebuilder {
 public:
  Rebuilder(const Step& step, const RebuildOptions& options, const Stop& stop, SearchState& state)
      : step_(step),
        stop_(stop),
        state_(state),
        random_(options.seed),
        moves_(step, ScheduleDraft(step, *state.answer.best), stop) {
    if (options.twins) alike_.emplace(step);
  }

  void run(std::int64_t most_tries) {
    // A part may take no tries at all.
    for (std::int64_t n = 0; n < most_tries && moves_.tries() < most_tries; ++n) {
      if (stop_.requested()) return;
      const std::int64_t tries_before = moves_.tries();
      const StageRange where = some_stages();
      const GreedyRule rule = some_rule();
      if (improve(where, rule) && alike_) improve_twins(where, rule, most_tries);
      stop_.count(kUnitsPerTry * static_cast<double>(moves_.tries() - tries_before) +
                  kUnitsPerStage * step_.stages());
    }
  }

 private:
  // What was better here may be better wherever the network repeats itself.
  void improve_twins(const StageRange& where, const GreedyRule& rule, std::int64_t most_tries) {
    for (const StageRange& twin : alike_->twins_of(where)) {
      if (moves_.tries() >= most_tries || stop_.requested()) return;
      improve(twin, rule);
    }
  }

  bool improve(const StageRange& where, const GreedyRule& rule) {
    const std::size_t mark = moves_.mark();
    if (!rebuild(where, rule)) {
      moves_.undo(mark);
      return false;
    }
    moves_.restore();
    state_.offer(moves_.draft().choice());
    return true;
  }

  bool rebuild(const StageRange& where, const GreedyRule& rule) {
    const double cost = moves_.draft().cost();
    if (!moves_.keep_all(where)) return false;
    const StageRange wider{where.begin - kMargin, where.end + kMargin};
    return moves_.fit(rule, wider, {.most_cost = cost * (1 - kRounding)});
  }

  StageRange some_stages() {
    const std::int32_t width = one_of(kWidths);
    const auto begin = static_cast<std::int32_t>(random_() % step_.operations.size());
    return {begin, std::min(begin + width, step_.stages())};
  }

  GreedyRule some_rule() {
    GreedyRule rule;
    rule.reads = one_of<bool, 2>({false, true});
    rule.haste = one_of<double, 3>({1.02, 1.1, 1.3});
    rule.near_full = one_of<double, 4>({0, 3, 8, 1000});
    return rule;
  }

  template <typename T, std::size_t N>
  T one_of(const std::array<T, N>& list) {
    return list[static_cast<std::size_t>(random_() % N)];
  }

  const Step& step_;
  const Stop& stop_;
  SearchState& state_;
  std::mt19937_64 random_;
  std::optional<AlikeStages> alike_;
  GreedyMoves moves_;
};

}  // namespace

AlikeStages::AlikeStages(const Step& step) {
  std::vector<Signature> signatures;
  for (const StepOperation& operation : step.operations)
    signatures.push_back(alone(step, operation));
  kinds_ = numbered(signatures);
  for (int edge = 0; edge < kEdges; ++edge) {
    for (std::size_t v = 0; v < signatures.size(); ++v)
      signatures[v] = with_neighbours(step, step.operations[v], kinds_[v], kinds_);
    kinds_ = numbered(signatures);
  }
  for (std::size_t v = 0; v < kinds_.size(); ++v) {
    stages_of_.resize(std::max(stages_of_.size(), static_cast<std::size_t>(kinds_[v]) + 1));
    stages_of_[kinds_[v]].push_back(static_cast<std::int32_t>(v));
  }
}

std::vector<StageRange> AlikeStages::twins_of(const StageRange& where) const {
  std::vector<StageRange> twins;
  const std::int32_t width = where.end - where.begin;
  const auto first = kinds_.begin() + where.begin, last = kinds_.begin() + where.end;
  for (const std::int32_t begin : stages_of_[kinds_[where.begin]]) {
    const bool is_apart = std::abs(begin - where.begin) >= width;
    if (!is_apart || begin + width > std::ssize(kinds_)) continue;
    if (std::equal(first, last, kinds_.begin() + begin)) twins.push_back({begin, begin + width});
  }
  return twins;
}

void rebuild_parts(const Step& step, const RebuildOptions& options, const Stop& stop,
                   SearchState& state) {
  if (!state.has_best()) return;
  const std::vector<bool>& resident = state.answer.best->resident;
  if (std::find(resident.begin(), resident.end(), true) != resident.end()) return;
  Rebuilder(step, options, stop, state).run(options.most_tries);
}

}  // namespace poet
