#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "poet/autodiff/training_graph.h"

namespace poet {

// What moves between RAM and storage while operations of a step are executed in an order, in a RAM
// that holds `room_bytes`: what is given is read when it is needed, what has to leave is what is
// needed again last (Belady, A study of replacement algorithms for a virtual-storage computer, IBM
// Systems Journal 5, 1966), and of that is written what was made since, and is needed again.
//
// An estimate for orders that are compared with each other, not a plan: whole tensors come and go
// one by one, inputs that are used for the last time make room for outputs, nothing is executed
// twice, and what is needed after the last of the operations costs nothing.
class PagingEstimate {
 public:
  // Of each operation: `only_rows`, that it meets rows of its first input where they lie;
  // `by_slices`, that what it makes is used up slice by slice and never lies in RAM.
  PagingEstimate(const TrainingGraph& step, const std::vector<bool>& only_rows,
                 const std::vector<bool>& by_slices, std::int64_t room_bytes);

  // Of the operations in `order`, each of them once, inputs after what makes them.
  double moved_bytes(const std::vector<std::int32_t>& order);

 private:
  struct Touch {
    std::int32_t tensor = 0;
    bool is_made = false;  // here, and not read
  };

  // Of a tensor, while an order is looked at; between two it is nowhere, and never used.
  struct State {
    std::int64_t bytes = 0;
    std::int32_t next_use = std::numeric_limits<std::int32_t>::max();
    bool is_here = false;    // in RAM
    bool is_stored = false;  // in storage too
  };

  State& state_of(const Touch& touch) { return states_[static_cast<std::size_t>(touch.tensor)]; }
  std::span<const Touch> touches_of(std::int32_t operation) const;
  void find_next_uses(const std::vector<std::int32_t>& order);
  void come(const Touch& touch, std::int32_t next_use);
  void make_room();
  void let_wait(const Touch& touch);

  std::int64_t room_bytes_;
  std::vector<Touch> touches_ = {};            // of all operations: inputs, then outputs
  std::vector<std::size_t> first_touch_ = {};  // of each operation, and behind the last
  std::vector<State> states_ = {};             // of the tensors
  std::vector<std::int32_t> next_uses_ = {};   // of the touches, the last of all first
  // A heap of what waits in RAM: next use, and below it the tensor, as one number, which is
  // compared at once. What has been used or has left since is there no more.
  std::vector<std::uint64_t> waiting_ = {};
  std::int64_t used_bytes_ = 0;
  double moved_bytes_ = 0;
};

}  // namespace poet
