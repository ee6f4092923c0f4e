#pragma once

#include <optional>
#include <vector>

#include "poet/overlap/moves.h"
#include "poet/problem/problem.h"

namespace poet {

// What happens to tensors with their home in storage, of which most publications do not speak.
enum class HomeReads {
  Once,     // read before the first use, kept to the last
  EachUse,  // read before each use: the least RAM
};

// Plays a method's decisions: executes operations, and before each brings what is missing, by
// reading what storage has and by executing again what makes the rest, in increasing order of
// operations. What is in RAM is what was brought and not forgotten since; the moves alone decide
// what lies there in the end (with_drops).
class Player {
 public:
  explicit Player(const Problem& problem, HomeReads home_reads = HomeReads::Once);

  bool holds(TensorId root) const;
  // The method lets go of it. What lies in no RAM (rom, resident) stays.
  void forget(TensorId root);
  // False when something that it needs can never be brought again: its maker may run only once, or
  // needs a value that is gone. The moves are as they were then.
  [[nodiscard]] bool execute(OperationId operation);
  // Copies to storage, from where it comes back when it is missing.
  void write(TensorId root);
  // Brings it back by a read; it was written, or storage is its home.
  void read(TensorId root);

  const Moves& moves() const { return moves_; }

 private:
  bool add_missing(OperationId operation, std::vector<bool>& wanted,
                   std::vector<OperationId>& order) const;
  void run(OperationId operation);

  const Problem& problem_;
  HomeReads home_reads_;
  std::vector<std::optional<OperationId>> makers_;
  std::vector<bool> held_;
  std::vector<bool> stored_;    // storage has a copy of the value that is to be read
  std::vector<bool> executed_;  // per operation
  Moves moves_ = {};
};

}  // namespace poet
