// The dynamic programme of recomputation with offloading beside it on a chain (Beaumont,
// Eyraud-Dubois and Shilova, NeurIPS 2021).
#include "poet/methods/pofo.h"

#include <algorithm>
#include <cmath>

#include "poet/base/check.h"
#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/overlap/reads_ahead.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kFreeLink_bytes_per_s = 1e30;  // where transfers take no time
constexpr std::int32_t kMostBlocks = 80;
constexpr double kMostWork = 6e7;  // steps of the dynamic programme, about

constexpr double kRounding = 1e-9;  // of a coarse slot: so much more is none

std::int32_t slots_for(std::int32_t blocks) {
  const double pairs = static_cast<double>(blocks) * blocks;
  return static_cast<std::int32_t>(std::clamp(kMostWork / (150 * pairs), 60.0, 300.0));
}

double rate(double bytes, double time_s) {
  return bytes > 0 && time_s > 0 ? bytes / time_s : kFreeLink_bytes_per_s;
}

class Pofo final : public Solver {
 public:
  std::string_view name() const override { return "pofo"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    if (Failure failure = needs_paging(problem)) return *failure;
    const Result<ChainBlocks> chain = chain_of(problem);
    if (!chain.ok()) return chain.error();
    const ChainBlocks blocks = at_most(problem, *chain, kMostBlocks);
    const std::vector<BlockFigures> figures = chain_figures(problem, blocks);
    const LinkRates rates = link_rates(problem, blocks);
    const double budget_bytes =
        static_cast<double>(problem.ram_budget_bytes - resident_bytes(problem));
    Proposals proposals(problem);
    bool found = false;
    for (const double ratio : planned_ratios()) {
      if (stop.requested() || budget_bytes < 2 || (found && ratio > kMostPlannedRatio)) break;
      PofoTable table(figures, rates, static_cast<std::int64_t>(ratio * budget_bytes),
                      slots_for(static_cast<std::int32_t>(figures.size())));
      if (!std::isfinite(table.time_s())) continue;
      found = true;
      offer(problem, blocks, table.moves(), proposals);
    }
    return proposals.report(name());
  }

 private:
  static void offer(const Problem& problem, const ChainBlocks& blocks,
                    const std::vector<ChainMove>& chain_moves, Proposals& proposals) {
    for (const HomeReads home_reads : ways_to_read_homes(problem)) {
      const auto moves = play_chain_moves(problem, blocks, chain_moves, home_reads);
      if (!moves) continue;
      proposals.offer(*moves);
      if (problem.time_mode == TimeMode::Overlapped)
        proposals.offer(with_reads_ahead(problem, *moves));
    }
  }
};

}  // namespace

LinkRates link_rates(const Problem& problem, const ChainBlocks& blocks) {
  double bytes = 0;
  double out_s = 0;
  double in_s = 0;
  const auto add = [&](const std::vector<TensorId>& tensors) {
    for (const TensorId id : tensors) {
      const Tensor& tensor = at(problem.tensors, id);
      bytes += static_cast<double>(tensor.size_bytes);
      out_s += tensor.page_out_s;
      in_s += tensor.page_in_s;
    }
  };
  for (auto b = chain_origin(problem, blocks); b < static_cast<std::int32_t>(blocks.size()); ++b) {
    add(state_of(blocks, b));
    add(record_of(problem, blocks, b));
  }
  if (problem.time_mode == TimeMode::Free) out_s = in_s = 0;
  return {rate(bytes, out_s), rate(bytes, in_s)};
}

PofoTable::PofoTable(const std::vector<BlockFigures>& figures, const LinkRates& rates,
                     std::int64_t ram_bytes, std::int32_t slots)
    : figures_(figures),
      rates_(rates),
      ram_bytes_(static_cast<double>(ram_bytes)),
      slot_count_(slots),
      slots_(in_slots(figures, ram_bytes_ / slots)),
      turned_(figures, slots_, slots) {
  const std::size_t coarse = kCoarseSlots + 1;
  cells_.resize(figures.size() * 2 * (static_cast<std::size_t>(slots) + 1) * coarse * coarse);
  find_groups();
}

void PofoTable::find_groups() {
  forward_.resize(figures_.size() * figures_.size());
  least_s_.assign(figures_.size() + 1, 0);
  for (std::int32_t first = last(); first >= 0; --first) {
    least_s_[first] = least_s_[first + 1] + figures_[first].advance_s + figures_[first].backward_s;
    Group group;
    for (std::int32_t b = first; b <= last(); ++b) {
      const std::int32_t peak = b == first ? slots_.advance_peak[b] : slots_.passing_peak[b];
      const double gone_slots = group.forward_s * rates_.out_bytes_per_s / ram_bytes_ * slot_count_;
      group.peak_slots = std::max(group.peak_slots, peak);
      group.used_slots = std::max(group.used_slots, peak - gone_slots);
      group.forward_s += figures_[b].advance_s;
      forward_[static_cast<std::size_t>(first) * figures_.size() + b] = group;
    }
  }
}

std::size_t PofoTable::place(const State& state) const {
  std::size_t place = static_cast<std::size_t>(state.block) * 2 + (state.after_record ? 1 : 0);
  place = place * (static_cast<std::size_t>(slot_count_) + 1) + state.kept;
  place = place * (kCoarseSlots + 1) + state.out;
  return place * (kCoarseSlots + 1) + state.in;
}

std::int32_t PofoTable::input_slots(const State& state) const {
  return slots_.state[state.block] + (state.after_record ? slots_.record[state.block - 1] : 0);
}

double PofoTable::input_bytes(const State& state) const {
  return static_cast<double>(figures_[state.block].state_bytes +
                             (state.after_record ? figures_[state.block - 1].record_bytes : 0));
}

std::int32_t PofoTable::room_slots(const State& state) const {
  return slot_count_ - state.kept - input_slots(state);
}

std::int32_t PofoTable::room_slots_with(const State& state, std::int32_t coarse) const {
  return room_slots(state) - (coarse * slot_count_ + kCoarseSlots - 1) / kCoarseSlots;
}

// By how much what is used and what waits exceed the room; only the link can make it.
double PofoTable::excess_bytes(const State& state, double used_slots, std::int32_t coarse) const {
  const double slot_bytes = ram_bytes_ / slot_count_;
  return std::max(0.0, (used_slots - room_slots(state)) * slot_bytes + coarse * coarse_bytes());
}

std::optional<PofoTable::Passage> PofoTable::record(const State& state) const {
  const std::int32_t b = state.block;
  if (std::max(slots_.record_peak[b], slots_.turn_peak[b]) > room_slots(state)) return std::nullopt;
  const double out_excess = excess_bytes(state, slots_.record_peak[b], state.out);
  const double in_excess = excess_bytes(state, slots_.turn_peak[b], state.in);
  const BlockFigures& figures = figures_[b];
  return Passage{.time_s = figures.advance_s + figures.backward_s +
                           out_excess / rates_.out_bytes_per_s + in_excess / rates_.in_bytes_per_s,
                 .out_bytes = figures.advance_s * rates_.out_bytes_per_s + out_excess,
                 .in_bytes = figures.backward_s * rates_.in_bytes_per_s + in_excess};
}

// Slots in which a group is turned: beside what must come back meanwhile, or after it has come.
std::int32_t PofoTable::slots_to_turn_in(const State& state, std::int32_t until) const {
  const std::int32_t beside = room_slots_with(state, state.in);
  const double idle_s = state.in * coarse_bytes() / rates_.in_bytes_per_s;
  return turned_.cost_s(state.block, until, beside) <=
                 turned_.cost_s(state.block, until, room_slots(state)) + idle_s
             ? beside
             : room_slots(state);
}

std::optional<PofoTable::Passage> PofoTable::turn_group(const State& state,
                                                        std::int32_t until) const {
  const Group& group = this->group(state.block, until);
  if (group.peak_slots > room_slots(state)) return std::nullopt;
  const std::int32_t slots = slots_to_turn_in(state, until);
  const double turn_s = turned_.cost_s(state.block, until, slots);
  if (!std::isfinite(turn_s)) return std::nullopt;
  const double out_excess = excess_bytes(state, group.used_slots, state.out);
  const bool waits = slots == room_slots(state);
  const double in_bytes = waits ? state.in * coarse_bytes() : 0;
  return Passage{.time_s = group.forward_s + turn_s + out_excess / rates_.out_bytes_per_s +
                           in_bytes / rates_.in_bytes_per_s,
                 .out_bytes = group.forward_s * rates_.out_bytes_per_s + out_excess,
                 .in_bytes = turn_s * rates_.in_bytes_per_s + in_bytes};
}

PofoTable::State PofoTable::after(const State& state, const Choice& choice,
                                  const Passage& passage) const {
  const double offloaded = choice.offloads ? input_bytes(state) : 0;
  const double out = state.out * coarse_bytes() + offloaded - passage.out_bytes;
  const double in = std::max(0.0, state.in * coarse_bytes() - passage.in_bytes) + offloaded;
  // What waits is rounded up; more than all of RAM does not fit in any case.
  const auto coarse = [&](double bytes) {
    return static_cast<std::int32_t>(
        std::ceil(std::clamp(bytes / coarse_bytes(), 0.0, kCoarseSlots + 1.0) - kRounding));
  };
  return {.block = choice.until + 1,
          .after_record = choice.records,
          .kept = state.kept + (choice.offloads ? 0 : input_slots(state)),
          .out = coarse(out),
          .in = coarse(in)};
}

bool PofoTable::fits(const State& state) const {
  return state.out <= kCoarseSlots && state.in <= kCoarseSlots && room_slots(state) >= 0;
}

double PofoTable::cost_at_the_end(const State& state) const {
  const std::optional<Passage> passage = record(state);
  if (!passage) return kNever;
  const double out = std::max(0.0, state.out * coarse_bytes() - passage->out_bytes);
  const double in = std::max(0.0, state.in * coarse_bytes() - passage->in_bytes);
  return passage->time_s + out / rates_.out_bytes_per_s + in / rates_.in_bytes_per_s;
}

PofoTable::Cell PofoTable::best(const State& state) {
  if (state.block == last()) return {cost_at_the_end(state), {}};
  Cell best{kNever, {}};
  const auto consider = [&](const std::optional<Passage>& passage, Choice choice) {
    if (!passage || passage->time_s + least_s_[choice.until + 1] >= best.cost_s) return;
    for (const bool offloads : {false, true}) {
      choice.offloads = offloads;
      const double all_s = passage->time_s + cost_s(after(state, choice, *passage));
      if (all_s < best.cost_s) best = {all_s, choice};
    }
  };
  consider(record(state), {.records = true, .until = state.block});
  double again_s = 0;
  for (std::int32_t until = state.block; until < last(); ++until) {
    again_s += figures_[until].again_s;
    if (least_s_[state.block] + again_s >= best.cost_s) break;
    consider(turn_group(state, until), {.until = until});
  }
  return best;
}

double PofoTable::cost_s(const State& state) {
  if (!fits(state)) return kNever;
  const std::size_t at_place = place(state);
  if (cells_[at_place].cost_s == kNotKnownYet) cells_[at_place] = best(state);
  return cells_[at_place].cost_s;
}

std::vector<ChainMove> PofoTable::moves() {
  POET_CHECK(std::isfinite(time_s()));
  std::vector<ChainMove> moves;
  append_moves({}, moves);
  return moves;
}

void PofoTable::append_moves(const State& state, std::vector<ChainMove>& moves) {
  const std::int32_t b = state.block;
  cost_s(state);
  const Choice choice = cells_[place(state)].choice;
  if (b == last()) return moves.push_back({ChainStep::Turn, b});
  moves.push_back({choice.offloads ? ChainStep::Write : ChainStep::Keep, b});
  if (choice.offloads && state.after_record) moves.push_back({ChainStep::WriteRecord, b - 1});
  if (choice.records) moves.push_back({ChainStep::Record, b});
  for (std::int32_t i = b; i <= choice.until && !choice.records; ++i)
    moves.push_back({ChainStep::Advance, i});

  append_moves(
      after(state, choice, *(choice.records ? record(state) : turn_group(state, choice.until))),
      moves);
  if (choice.offloads) moves.push_back({ChainStep::Read, b});
  if (choice.records)
    moves.push_back({ChainStep::Turn, b});
  else
    turned_.append_moves(b, choice.until, slots_to_turn_in(state, choice.until), moves);
  if (choice.offloads && state.after_record) moves.push_back({ChainStep::ReadRecord, b - 1});
}

std::unique_ptr<Solver> make_pofo() {
  return std::make_unique<Pofo>();
}

}  // namespace poet
