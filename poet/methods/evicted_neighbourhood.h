#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/problem/problem.h"

namespace poet {

// Which evicted tensors count with a tensor (Kirisame et al., ICLR 2021).
enum class Neighbours {
  Exact,    // e*: those that it needs to be made again, and those that need it, however far
  Classes,  // the classes that touch it, of evicted tensors that touch each other
  None,
};

// What it would cost to make again what is not in RAM around a tensor. Costs are seconds, of the
// operation that makes a tensor, or of the read of one that storage has.
class EvictedNeighbourhood {
 public:
  EvictedNeighbourhood(const Problem& problem, Neighbours kind);

  void evict(TensorId tensor);
  void bring_back(TensorId tensor);

  double own_cost_s(TensorId tensor) const { return own_cost_s_[index_of(tensor)]; }
  // Of the neighbourhood of a tensor in RAM, without its own.
  double cost_s(TensorId tensor);
  bool has_evicted_dependent(TensorId tensor) const;
  // The tensors that are made from this one.
  const std::vector<TensorId>& made_from(TensorId tensor) const {
    return children_[index_of(tensor)];
  }

 private:
  using Edges = std::vector<std::vector<TensorId>>;

  double evicted_along(TensorId tensor, const Edges& edges);
  void forget_sums_along(TensorId tensor, const Edges& edges);
  double of_classes(TensorId tensor);
  std::int32_t class_of(TensorId tensor);

  Neighbours kind_;
  std::vector<double> own_cost_s_;
  Edges parents_;   // what its maker reads
  Edges children_;  // what its readers make
  std::vector<bool> evicted_;
  // Exact: sums that still hold, and marks of a walk.
  std::vector<std::optional<double>> sums_s_;
  std::vector<std::int32_t> seen_;
  std::int32_t walk_ = 0;
  // Classes: a forest in which a tensor's tree begins at node_[tensor]. A tensor that comes back
  // leaves its cost out of the sum and its node where it is, so classes never split.
  std::vector<std::int32_t> node_;
  std::vector<std::int32_t> parent_of_node_;
  std::vector<double> class_cost_s_;  // per root of the forest
};

}  // namespace poet
