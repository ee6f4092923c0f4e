#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "poet/methods/chain_figures.h"
#include "poet/methods/chain_moves.h"
#include "poet/solve/solver.h"

namespace poet {

// Memory in equal slots, as dynamic programmes over it need. Sizes are rounded so that those of
// neighbours add up to what they are together, within half a slot.
struct SlotFigures {
  std::vector<std::int32_t> state = {};
  std::vector<std::int32_t> record = {};
  std::vector<std::int32_t> advance_peak = {};
  std::vector<std::int32_t> passing_peak = {};
  std::vector<std::int32_t> record_peak = {};
  std::vector<std::int32_t> turn_peak = {};
  std::vector<std::int32_t> gradient = {};
};
SlotFigures in_slots(const std::vector<BlockFigures>& figures, double slot_bytes);

// Rematerialisation on a chain of unequal blocks: Beaumont, Eyraud-Dubois, Herrmann, Joly and
// Shilova, "Optimal checkpointing for heterogeneous chains: how to train deep neural networks with
// limited memory", arXiv 1911.13214, 2019 ("rotor"). C(s, t, m), the least time to turn blocks t
// down to s when state s is at hand and m slots are free beside it, is the least of
//
//   advance s .. s'-1 without a record, then C(s', t, m - state s') and C(s, s'-1, m);
//   execute s with its record, then C(s+1, t, m - state s+1 - record s) and its backward
//   operations.
//
// What differs: peaks come from the operations within the blocks, and a turn executes no more of
// its block again than its backward operations read.
class RotorTable {
 public:
  RotorTable(const std::vector<BlockFigures>& figures, const SlotFigures& slots,
             std::int32_t most_slots);

  // Infinite where it does not fit.
  double cost_s(std::int32_t first, std::int32_t last, std::int32_t free_slots) const;
  void append_moves(std::int32_t first, std::int32_t last, std::int32_t free_slots,
                    std::vector<ChainMove>& moves) const;

 private:
  static constexpr std::int32_t kRecord = -1;
  static constexpr std::int32_t kTurn = -2;
  struct Cell {
    double cost_s = std::numeric_limits<double>::infinity();
    std::int32_t choice = kTurn;  // or kRecord, or s'
  };

  std::size_t place(std::int32_t first, std::int32_t last, std::int32_t free_slots) const;
  Cell turn(std::int32_t block, std::int32_t free_slots) const;
  Cell best(std::int32_t first, std::int32_t last, std::int32_t free_slots) const;

  std::vector<BlockFigures> figures_;
  SlotFigures slots_;
  std::int32_t most_slots_;
  std::vector<double> turned_s_ = {};  // of the blocks before one: each turned once
  std::vector<Cell> cells_ = {};
};

// The blocks that a dynamic programme over memory can take: where there are more, every few are
// one.
ChainBlocks at_most(const Problem& problem, const ChainBlocks& blocks, std::int32_t most);

// Parts of the RAM budget to plan for: sizes are rounded, and what a publication counts is not to
// the byte what a replay counts. Those above kMostPlannedRatio are for comparison, where nothing
// smaller has a plan.
const std::vector<double>& planned_ratios();
inline constexpr double kMostPlannedRatio = 1.5;

std::unique_ptr<Solver> make_rotor();

}  // namespace poet
