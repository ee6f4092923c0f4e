// A least cut by Dinic's algorithm, nearest to the sink.
#include "poet/methods/least_cut.h"

#include <algorithm>
#include <utility>

namespace poet {

namespace {

// Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation",
// 1970: while the sink can be reached, saturate all shortest paths.
class MaximumFlow {
 public:
  MaximumFlow(const std::vector<std::vector<std::int32_t>>& leaving, std::vector<FlowArc> arcs,
              std::int32_t source, std::int32_t sink)
      : leaving_(leaving), arcs_(std::move(arcs)), source_(source), sink_(sink) {
    while (find_distances()) {
      next_.assign(leaving_.size(), 0);
      while (push_along_a_path()) continue;
    }
  }

  // Nodes from which the sink can still be reached.
  std::vector<bool> sink_side() const {
    std::vector<bool> reaches(leaving_.size(), false);
    std::vector<std::int32_t> open = {sink_};
    reaches[sink_] = true;
    while (!open.empty()) {
      const std::int32_t node = open.back();
      open.pop_back();
      for (const std::int32_t arc : leaving_[node]) {
        const std::int32_t before = arcs_[arc].to;
        if (reaches[before] || arcs_[arc ^ 1].capacity == 0) continue;
        reaches[before] = true;
        open.push_back(before);
      }
    }
    return reaches;
  }

 private:
  bool find_distances() {
    distance_.assign(leaving_.size(), -1);
    distance_[source_] = 0;
    std::vector<std::int32_t> order = {source_};
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (const std::int32_t arc : leaving_[order[k]]) {
        const std::int32_t to = arcs_[arc].to;
        if (arcs_[arc].capacity == 0 || distance_[to] >= 0) continue;
        distance_[to] = distance_[order[k]] + 1;
        order.push_back(to);
      }
    }
    return distance_[sink_] >= 0;
  }

  // Depth first, each arc at most once per round of distances.
  bool push_along_a_path() {
    std::vector<std::int32_t> path;
    std::int32_t node = source_;
    while (node != sink_) {
      const std::vector<std::int32_t>& arcs = leaving_[node];
      while (next_[node] < arcs.size() && !leads_on(node, arcs[next_[node]])) ++next_[node];
      if (next_[node] < arcs.size()) {
        path.push_back(arcs[next_[node]]);
        node = arcs_[path.back()].to;
      } else if (path.empty()) {
        return false;
      } else {
        node = arcs_[path.back() ^ 1].to;
        path.pop_back();
        ++next_[node];
      }
    }
    std::int64_t amount = FlowNetwork::kUnlimited;
    for (const std::int32_t arc : path) amount = std::min(amount, arcs_[arc].capacity);
    for (const std::int32_t arc : path) {
      arcs_[arc].capacity -= amount;
      arcs_[arc ^ 1].capacity += amount;
    }
    return true;
  }

  bool leads_on(std::int32_t node, std::int32_t arc) const {
    return arcs_[arc].capacity > 0 && distance_[arcs_[arc].to] == distance_[node] + 1;
  }

  const std::vector<std::vector<std::int32_t>>& leaving_;
  std::vector<FlowArc> arcs_;  // capacities are what is left
  std::int32_t source_;
  std::int32_t sink_;
  std::vector<std::int32_t> distance_;
  std::vector<std::size_t> next_;  // per node, the arc to try next
};

}  // namespace

void FlowNetwork::add_arc(std::int32_t from, std::int32_t to, std::int64_t capacity) {
  leaving_[from].push_back(static_cast<std::int32_t>(arcs_.size()));
  arcs_.push_back({to, capacity});
  leaving_[to].push_back(static_cast<std::int32_t>(arcs_.size()));
  arcs_.push_back({from, 0});
}

std::vector<bool> FlowNetwork::source_side_of_least_cut(std::int32_t source,
                                                        std::int32_t sink) const {
  std::vector<bool> side = MaximumFlow(leaving_, arcs_, source, sink).sink_side();
  side.flip();
  return side;
}

}  // namespace poet
