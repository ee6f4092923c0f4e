#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"

namespace poet {

// One operation of a costed graph, and its only output.
struct CostedNode {
  std::string name = {};
  std::vector<OperationId> inputs = {};  // nodes whose outputs it reads: earlier ones, each once
  std::int64_t output_bytes = 0;
  double duration_s = 0;
  double compute_j = 0;
  // One transfer of the output between storage and RAM.
  double page_in_j = 0;
  double page_out_j = 0;
  double page_in_s = 0;
  double page_out_s = 0;
  bool backward = false;

  bool operator==(const CostedNode&) const = default;
};

// A training step as measured by somebody: what each node costs, how large its output is, and who
// reads it. It says nothing about budgets (docs/formats/costed_graph.md). Nodes stand in a
// topological order; an id is a position in the list.
struct CostedGraph {
  std::string name = {};
  std::string source = {};  // where the figures come from, for people
  std::vector<CostedNode> nodes = {};
  // What is known besides durations. What is not is 0 in every node.
  bool has_energies = false;
  bool has_storage = false;         // energies of transfers
  bool has_transfer_times = false;  // only with storage
  // What the author says that keeping everything needs, and the most that one node needs.
  std::optional<std::int64_t> stated_plain_peak_bytes = {};
  std::optional<std::int64_t> stated_working_set_bytes = {};

  bool operator==(const CostedGraph&) const = default;
};

// The graph as a problem without budgets. Operation v is node v, and so is tensor v, its output.
// Without energies the objective is time, without storage there is no paging; the time mode is
// Blocking when transfer times are known, and Free otherwise.
Problem problem_of(const CostedGraph& graph);

}  // namespace poet
