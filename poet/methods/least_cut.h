#pragma once

#include <cstdint>
#include <vector>

namespace poet {

// Arc 2k of a network, and its reverse, 2k + 1.
struct FlowArc {
  std::int32_t to = 0;
  std::int64_t capacity = 0;
};

// A directed network whose arcs have capacities. Boost.Graph has the same, but would be a
// dependency of every build for one method of comparison.
class FlowNetwork {
 public:
  // More than any sum of sizes (check_problem holds those within 62 bits).
  static constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;

  explicit FlowNetwork(std::int32_t nodes) : leaving_(nodes) {}

  void add_arc(std::int32_t from, std::int32_t to, std::int64_t capacity);

  // Of the cuts of least capacity between two nodes the one nearest to the sink: for each node
  // whether it is on the source's side. Some such cut must have a capacity below kUnlimited.
  std::vector<bool> source_side_of_least_cut(std::int32_t source, std::int32_t sink) const;

 private:
  std::vector<FlowArc> arcs_;
  std::vector<std::vector<std::int32_t>> leaving_;  // per node, arcs
};

}  // namespace poet
