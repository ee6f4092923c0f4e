#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "poet/methods/rotor.h"
#include "poet/solve/solver.h"

namespace poet {

struct LinkRates {
  double out_bytes_per_s = 0;
  double in_bytes_per_s = 0;
};

// Recomputation and offloading beside it on a chain: Beaumont, Eyraud-Dubois and Shilova,
// "Efficient Combination of Rematerialization and Offloading for Training DNNs", NeurIPS 2021
// (POFO).
//
// The forward pass either records a block, or advances over a group of blocks i .. j that the
// backward pass turns by optimal recomputation (rotor). What a block or group begins with, its
// state and the record of the block before, is kept in RAM or offloaded during the forward pass
// and brought back during the backward pass, both at the rate of the link and beside the processor.
//
// A state of the dynamic programme is where the forward pass stands and
//   - the bytes that are kept,
//   - the bytes that wait to be offloaded when it stands there,
//   - the bytes that must have been brought back when the backward pass returns there;
// what waits takes RAM too, and where that is too much the processor idles.
//
// What differs from the publication:
//   - While a group is turned, what must be brought back is taken as there from its beginning, or
//     the processor idles until it is; the better of the two. Theirs is more precise there.
//   - What is kept is counted in finer slots than what waits.
//   - A record is brought back before its own block's turn, not with the state after it.
//   - When each transfer is issued follows from the order of moves (reads_ahead.h), and the
//     schedule is replayed by the rules of the problem, with one link for both directions.
class PofoTable {
 public:
  PofoTable(const std::vector<BlockFigures>& figures, const LinkRates& rates,
            std::int64_t ram_bytes, std::int32_t slots);

  // Of the whole chain, forward and backward; infinite where it does not fit.
  double time_s() { return cost_s({}); }
  std::vector<ChainMove> moves();  // only where it fits

 private:
  struct State {
    std::int32_t block = 0;
    bool after_record = false;  // of the block before
    std::int32_t kept = 0;      // slots
    std::int32_t out = 0;       // coarse slots that wait to be offloaded
    std::int32_t in = 0;        // coarse slots that must be there again
  };
  struct Choice {
    bool records = false;
    bool offloads = false;
    std::int32_t until = 0;  // the last block of the group
  };
  // There are millions of cells, which an optional would make half as large again.
  static constexpr double kNotKnownYet = -1;
  struct Cell {
    double cost_s = kNotKnownYet;
    Choice choice = {};
  };
  // A block or a group, before it is said where its input stays.
  struct Passage {
    double time_s = 0;
    double out_bytes = 0;  // what the link can do meanwhile, in the forward pass
    double in_bytes = 0;   // and in the backward pass
  };

  // The forward pass over a group, whatever it begins in.
  struct Group {
    double forward_s = 0;
    std::int32_t peak_slots = 0;
    double used_slots = 0;  // at its worst, less what the link has taken away by then
  };

  std::int32_t last() const { return static_cast<std::int32_t>(figures_.size()) - 1; }
  double coarse_bytes() const { return ram_bytes_ / kCoarseSlots; }
  std::int32_t input_slots(const State& state) const;
  double input_bytes(const State& state) const;
  std::int32_t room_slots(const State& state) const;  // beside what is kept and the input
  std::int32_t room_slots_with(const State& state, std::int32_t coarse) const;
  double excess_bytes(const State& state, double used_slots, std::int32_t coarse) const;

  void find_groups();
  const Group& group(std::int32_t first, std::int32_t until) const {
    return forward_[static_cast<std::size_t>(first) * figures_.size() + until];
  }
  std::optional<Passage> record(const State& state) const;
  std::optional<Passage> turn_group(const State& state, std::int32_t until) const;
  std::int32_t slots_to_turn_in(const State& state, std::int32_t until) const;
  State after(const State& state, const Choice& choice, const Passage& passage) const;
  double cost_at_the_end(const State& state) const;
  double cost_s(const State& state);
  Cell best(const State& state);
  bool fits(const State& state) const;
  std::size_t place(const State& state) const;
  void append_moves(const State& state, std::vector<ChainMove>& moves);

  static constexpr std::int32_t kCoarseSlots = 12;
  std::vector<BlockFigures> figures_;
  LinkRates rates_;
  double ram_bytes_;
  std::int32_t slot_count_;
  SlotFigures slots_;
  RotorTable turned_;
  std::vector<Group> forward_ = {};   // by first and last block
  std::vector<double> least_s_ = {};  // from a block on: everything once
  std::vector<Cell> cells_ = {};
};

// The mean rates at which states and records move; very high where transfers take no time.
LinkRates link_rates(const Problem& problem, const ChainBlocks& blocks);

std::unique_ptr<Solver> make_pofo();

}  // namespace poet
