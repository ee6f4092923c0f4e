#pragma once

#include <cstdint>
#include <vector>

namespace poet {

// A directed network whose arcs have capacities.
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
  friend class MaximumFlow;

  // Arc 2k and its reverse, 2k + 1.
  struct Arc {
    std::int32_t to = 0;
    std::int64_t capacity = 0;
  };
  std::vector<Arc> arcs_;
  std::vector<std::vector<std::int32_t>> leaving_;  // per node, arcs
};

}  // namespace poet
