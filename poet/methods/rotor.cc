// The dynamic programme over chains of unequal blocks and slots of memory (Beaumont et al., arXiv
// 1911.13214).
#include "poet/methods/rotor.h"

#include <algorithm>
#include <cmath>

#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr std::int32_t kMostBlocks = 120;
constexpr std::int32_t kSlots = 200;

std::int32_t rounded(double slots) {
  return static_cast<std::int32_t>(
      std::lround(std::clamp(slots, 0.0, 1e9)));  // more than any table has
}

template <typename Member>
std::vector<std::int32_t> each_in_slots(const std::vector<BlockFigures>& figures, Member member,
                                        double slot_bytes) {
  std::vector<std::int32_t> slots;
  for (const BlockFigures& block : figures)
    slots.push_back(rounded(static_cast<double>(block.*member) / slot_bytes));
  return slots;
}

template <typename Member>
std::vector<std::int32_t> adding_up(const std::vector<BlockFigures>& figures, Member member,
                                    double slot_bytes) {
  std::vector<std::int32_t> slots;
  double sum_bytes = 0;
  for (const BlockFigures& block : figures) {
    const std::int32_t before = rounded(sum_bytes / slot_bytes);
    sum_bytes += static_cast<double>(block.*member);
    slots.push_back(rounded(sum_bytes / slot_bytes) - before);
  }
  return slots;
}

class Rotor final : public Solver {
 public:
  std::string_view name() const override { return "rotor"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    const Result<ChainBlocks> chain = chain_of(problem);
    if (!chain.ok()) return chain.error();
    const ChainBlocks blocks = at_most(problem, *chain, kMostBlocks);
    const std::vector<BlockFigures> figures = chain_figures(problem, blocks);
    const double budget_bytes =
        static_cast<double>(problem.ram_budget_bytes - resident_bytes(problem));
    Proposals proposals(problem);
    bool found = false;
    for (const double ratio : planned_ratios()) {
      if (stop.requested() || budget_bytes < 1 || (found && ratio > kMostPlannedRatio)) break;
      const SlotFigures slots = in_slots(figures, ratio * budget_bytes / kSlots);
      const std::int32_t free_slots = kSlots - slots.state.front();
      if (free_slots < 0) continue;
      const auto last = static_cast<std::int32_t>(figures.size()) - 1;
      const RotorTable table(figures, slots, kSlots);
      if (!std::isfinite(table.cost_s(0, last, free_slots))) continue;
      found = true;
      std::vector<ChainMove> chain_moves;
      table.append_moves(0, last, free_slots, chain_moves);
      for (const HomeReads home_reads : ways_to_read_homes(problem))
        if (const auto moves = play_chain_moves(problem, blocks, chain_moves, home_reads))
          proposals.offer(*moves);
    }
    return proposals.report(name());
  }
};

}  // namespace

SlotFigures in_slots(const std::vector<BlockFigures>& figures, double slot_bytes) {
  return {.state = adding_up(figures, &BlockFigures::state_bytes, slot_bytes),
          .record = adding_up(figures, &BlockFigures::record_bytes, slot_bytes),
          .advance_peak = each_in_slots(figures, &BlockFigures::advance_peak_bytes, slot_bytes),
          .passing_peak = each_in_slots(figures, &BlockFigures::passing_peak_bytes, slot_bytes),
          .record_peak = each_in_slots(figures, &BlockFigures::record_peak_bytes, slot_bytes),
          .turn_peak = each_in_slots(figures, &BlockFigures::turn_peak_bytes, slot_bytes),
          .gradient = each_in_slots(figures, &BlockFigures::gradient_bytes, slot_bytes)};
}

RotorTable::RotorTable(const std::vector<BlockFigures>& figures, const SlotFigures& slots,
                       std::int32_t most_slots)
    : figures_(figures), slots_(slots), most_slots_(most_slots) {
  const auto length = static_cast<std::int32_t>(figures.size());
  turned_s_ = {0};
  for (const BlockFigures& block : figures)
    turned_s_.push_back(turned_s_.back() + block.again_s + block.backward_s);
  cells_.resize(figures.size() * figures.size() * (static_cast<std::size_t>(most_slots) + 1));
  for (std::int32_t span = 0; span < length; ++span)
    for (std::int32_t first = 0; first + span < length; ++first)
      for (std::int32_t free_slots = 0; free_slots <= most_slots; ++free_slots)
        cells_[place(first, first + span, free_slots)] =
            span == 0 ? turn(first, free_slots) : best(first, first + span, free_slots);
}

std::size_t RotorTable::place(std::int32_t first, std::int32_t last,
                              std::int32_t free_slots) const {
  const std::size_t pair = static_cast<std::size_t>(first) * figures_.size() + last;
  return pair * (static_cast<std::size_t>(most_slots_) + 1) + free_slots;
}

double RotorTable::cost_s(std::int32_t first, std::int32_t last, std::int32_t free_slots) const {
  if (free_slots < 0) return std::numeric_limits<double>::infinity();
  return cells_[place(first, last, std::min(free_slots, most_slots_))].cost_s;
}

RotorTable::Cell RotorTable::turn(std::int32_t block, std::int32_t free_slots) const {
  const BlockFigures& figures = figures_[block];
  const bool executes =
      figures.again_s > 0 || static_cast<std::size_t>(block) + 1 == figures_.size();
  const std::int32_t forward_slots =
      executes ? slots_.record_peak[block] + slots_.gradient[block] : 0;
  if (std::max(slots_.turn_peak[block], forward_slots) > free_slots) return {};
  return {figures.again_s + figures.backward_s, kTurn};
}

RotorTable::Cell RotorTable::best(std::int32_t first, std::int32_t last,
                                  std::int32_t free_slots) const {
  Cell best;
  const BlockFigures& begin = figures_[first];
  const std::int32_t room = free_slots - slots_.gradient[last];
  if (slots_.record_peak[first] <= room && slots_.turn_peak[first] <= free_slots) {
    const double rest_s =
        cost_s(first + 1, last, free_slots - slots_.state[first + 1] - slots_.record[first]);
    best = {begin.advance_s + rest_s + begin.backward_s, kRecord};
  }
  double advance_s = 0;
  std::int32_t peak = slots_.advance_peak[first];
  for (std::int32_t next = first + 1; next <= last && peak <= room; ++next) {
    advance_s += figures_[next - 1].advance_s;
    if (advance_s + turned_s_[last + 1] - turned_s_[first] >= best.cost_s) break;
    const double all_s = advance_s + cost_s(next, last, free_slots - slots_.state[next]) +
                         cost_s(first, next - 1, free_slots);
    if (all_s < best.cost_s) best = {all_s, next};
    peak = std::max(peak, slots_.passing_peak[next]);
  }
  return best;
}

void RotorTable::append_moves(std::int32_t first, std::int32_t last, std::int32_t free_slots,
                              std::vector<ChainMove>& moves) const {
  free_slots = std::min(free_slots, most_slots_);
  while (true) {
    const std::int32_t choice = cells_[place(first, last, free_slots)].choice;
    if (choice == kTurn) break;
    moves.push_back({ChainStep::Keep, first});
    if (choice == kRecord) {
      moves.push_back({ChainStep::Record, first});
      append_moves(first + 1, last, free_slots - slots_.state[first + 1] - slots_.record[first],
                   moves);
      break;
    }
    for (std::int32_t b = first; b < choice; ++b) moves.push_back({ChainStep::Advance, b});
    append_moves(choice, last, free_slots - slots_.state[choice], moves);
    last = choice - 1;
  }
  moves.push_back({ChainStep::Turn, first});
}

ChainBlocks at_most(const Problem& problem, const ChainBlocks& blocks, std::int32_t most) {
  const std::int32_t origin = chain_origin(problem, blocks);
  const std::int32_t each = (chain_length(problem, blocks) + most - 1) / most;
  ChainBlocks merged{.backward_begin = blocks.backward_begin};
  for (std::int32_t b = 0; b < static_cast<std::int32_t>(blocks.size()); ++b) {
    if (b < origin || (b - origin) % each == 0) {
      merged.forward.emplace_back();
      merged.border.emplace_back();
    }
    merged.forward.back().insert(merged.forward.back().end(), blocks.forward[b].begin(),
                                 blocks.forward[b].end());
    merged.border.back() = blocks.border[b];
  }
  return merged;
}

const std::vector<double>& planned_ratios() {
  static const std::vector<double> ratios = {0.7,  0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2,
                                             1.35, 1.5, 2,   3,    5,   10,   30,  100};
  return ratios;
}

std::unique_ptr<Solver> make_rotor() {
  return std::make_unique<Rotor>();
}

}  // namespace poet
