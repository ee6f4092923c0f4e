// What it would cost to make again what is not in RAM around a tensor, exactly or by classes that
// never split (Kirisame et al., arXiv 2006.09616).
#include "poet/methods/evicted_neighbourhood.h"

#include <algorithm>

#include "poet/problem/facts.h"

namespace poet {
namespace {

bool is_read_again(const Tensor& tensor) {
  return tensor.home == Home::Storage || tensor.updates;
}

}  // namespace

EvictedNeighbourhood::EvictedNeighbourhood(const Problem& problem, Neighbours kind)
    : kind_(kind),
      own_cost_s_(problem.tensors.size(), 0),
      parents_(problem.tensors.size()),
      children_(problem.tensors.size()),
      evicted_(problem.tensors.size(), false),
      sums_s_(problem.tensors.size()),
      seen_(problem.tensors.size(), 0),
      node_(problem.tensors.size(), -1) {
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    const OperationId operation{static_cast<std::int32_t>(v)};
    for (const TensorId output : made_outputs(problem, operation)) {
      own_cost_s_[index_of(output)] = problem.operations[v].compute_s;
      parents_[index_of(output)] = ram_inputs(problem, operation);
      for (const TensorId input : parents_[index_of(output)])
        children_[index_of(input)].push_back(output);
    }
  }
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    if (is_read_again(problem.tensors[i])) own_cost_s_[i] = problem.tensors[i].page_in_s;
}

void EvictedNeighbourhood::evict(TensorId tensor) {
  evicted_[index_of(tensor)] = true;
  if (kind_ == Neighbours::Exact) {
    forget_sums_along(tensor, children_);
    forget_sums_along(tensor, parents_);
  }
  if (kind_ != Neighbours::Classes) return;
  std::int32_t mine = static_cast<std::int32_t>(parent_of_node_.size());
  parent_of_node_.push_back(mine);
  class_cost_s_.push_back(own_cost_s(tensor));
  node_[index_of(tensor)] = mine;
  for (const Edges* edges : {&parents_, &children_}) {
    for (const TensorId other : (*edges)[index_of(tensor)]) {
      if (!evicted_[index_of(other)]) continue;
      const std::int32_t root = class_of(other);
      if (root == mine) continue;
      parent_of_node_[mine] = root;
      class_cost_s_[root] += class_cost_s_[mine];
      mine = root;
    }
  }
}

void EvictedNeighbourhood::bring_back(TensorId tensor) {
  if (!evicted_[index_of(tensor)]) return;
  if (kind_ == Neighbours::Classes) class_cost_s_[class_of(tensor)] -= own_cost_s(tensor);
  evicted_[index_of(tensor)] = false;
  if (kind_ != Neighbours::Exact) return;
  forget_sums_along(tensor, children_);
  forget_sums_along(tensor, parents_);
}

bool EvictedNeighbourhood::has_evicted_dependent(TensorId tensor) const {
  const std::vector<TensorId>& dependents = children_[index_of(tensor)];
  return std::any_of(dependents.begin(), dependents.end(),
                     [&](TensorId dependent) { return evicted_[index_of(dependent)]; });
}

double EvictedNeighbourhood::cost_s(TensorId tensor) {
  if (kind_ == Neighbours::None) return 0;
  if (kind_ == Neighbours::Classes) return of_classes(tensor);
  std::optional<double>& sum_s = sums_s_[index_of(tensor)];
  if (!sum_s) sum_s = evicted_along(tensor, parents_) + evicted_along(tensor, children_);
  return *sum_s;
}

// The evicted tensors that are reached through evicted tensors alone.
double EvictedNeighbourhood::evicted_along(TensorId tensor, const Edges& edges) {
  ++walk_;
  double sum_s = 0;
  std::vector<TensorId> open = {tensor};
  while (!open.empty()) {
    const TensorId next = open.back();
    open.pop_back();
    for (const TensorId other : edges[index_of(next)]) {
      if (!evicted_[index_of(other)] || seen_[index_of(other)] == walk_) continue;
      seen_[index_of(other)] = walk_;
      sum_s += own_cost_s(other);
      open.push_back(other);
    }
  }
  return sum_s;
}

// Those in RAM whose neighbourhood changes with this tensor are where the same walk ends.
void EvictedNeighbourhood::forget_sums_along(TensorId tensor, const Edges& edges) {
  ++walk_;
  sums_s_[index_of(tensor)].reset();
  std::vector<TensorId> open = {tensor};
  while (!open.empty()) {
    const TensorId next = open.back();
    open.pop_back();
    for (const TensorId other : edges[index_of(next)]) {
      if (seen_[index_of(other)] == walk_) continue;
      seen_[index_of(other)] = walk_;
      sums_s_[index_of(other)].reset();
      if (evicted_[index_of(other)]) open.push_back(other);
    }
  }
}

std::int32_t EvictedNeighbourhood::class_of(TensorId tensor) {
  std::int32_t node = node_[index_of(tensor)];
  while (parent_of_node_[node] != node) {
    parent_of_node_[node] = parent_of_node_[parent_of_node_[node]];
    node = parent_of_node_[node];
  }
  return node;
}

double EvictedNeighbourhood::of_classes(TensorId tensor) {
  std::vector<std::int32_t> classes;
  for (const Edges* edges : {&parents_, &children_})
    for (const TensorId other : (*edges)[index_of(tensor)])
      if (evicted_[index_of(other)]) classes.push_back(class_of(other));
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  double sum_s = 0;
  for (const std::int32_t root : classes) sum_s += class_cost_s_[root];
  return sum_s;
}

}  // namespace poet
