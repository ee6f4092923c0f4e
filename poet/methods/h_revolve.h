#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "poet/methods/chain_moves.h"
#include "poet/solve/solver.h"

namespace poet {

// Checkpointing on two levels, RAM and storage: Herrmann and Pallez, "H-Revolve: A Framework for
// Adjoint Computation on Synchronous Hierarchical Platforms", ACM TOMS 46(2), 2020; with unlimited
// storage Aupy, Herrmann, Hovland and Robert, "Optimal Multistage Algorithm for Adjoint
// Computation", SIAM J. Sci. Comput. 38(3), 2016. Transfers are synchronous, steps equal.
struct TwoLevels {
  std::int32_t ram_checkpoints = 0;                      // beside the state that is worked on
  std::optional<std::int32_t> storage_checkpoints = {};  // at one time; nothing: unlimited
  double advance_cost = 1;
  double write_cost = 0;
  double read_cost = 0;
};

// The cheapest way to turn chains of 1 .. most_steps steps around, by their dynamic programme:
//
//   Opt_0(l)      = t(l, c) advance                     the state at hand, in RAM alone (revolve)
//   Opt_1(l, m)   = min(Opt_0(l), write + Stored(l, m))             m free places in storage
//   Stored(l, m)  = min(Opt_0(l), min over i < l of
//                       i advance + Opt_1(l - i, m - 1) + read + Stored(i, m))
class TwoLevelPlan {
 public:
  TwoLevelPlan(const TwoLevels& levels, std::int32_t most_steps);

  // Advances and transfers; the steps right before their own adjoint are not counted. Infinite when
  // no checkpoint may be anywhere.
  double cost(std::int32_t steps) const { return at_hand_[places()][steps]; }
  std::vector<ChainMove> moves(std::int32_t steps) const;

 private:
  // Unlimited places are one row of the tables that refers to itself.
  std::size_t places() const { return stored_.size() - 1; }
  std::size_t places_behind(std::size_t m) const { return levels_.storage_checkpoints ? m - 1 : m; }
  void fill(std::size_t m, std::int32_t most_steps);
  void play_at_hand(std::int32_t state, std::int32_t steps, std::size_t m,
                    std::vector<ChainMove>& moves) const;
  void play_stored(std::int32_t state, std::int32_t steps, std::size_t m,
                   std::vector<ChainMove>& moves) const;
  void play_in_ram(std::int32_t state, std::int32_t steps, std::vector<ChainMove>& moves) const;

  TwoLevels levels_;
  std::vector<double> in_ram_ = {};                    // Opt_0, by steps
  std::vector<std::vector<double>> at_hand_ = {};      // Opt_1, by places and steps
  std::vector<std::vector<double>> stored_ = {};       // by places and steps
  std::vector<std::vector<std::int32_t>> split_ = {};  // the i of stored_; 0: in RAM
};

// On the blocks of the graph as if they were equal, at the mean of their costs; with the number of
// checkpoints in RAM, and where storage is limited in storage, that turns out best when replayed.
std::unique_ptr<Solver> make_h_revolve();

}  // namespace poet
