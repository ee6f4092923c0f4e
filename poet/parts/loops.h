#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "poet/graph/graph.h"
#include "poet/parts/grids.h"

namespace poet {

// Which part of which operation of the whole step an operation is.
struct PlacedPart {
  std::int32_t operation = 0;
  // The block of each axis of the operation; none of what only puts a region together.
  std::vector<std::int32_t> blocks = {};
};

// A loop that an operation is in: where it stands in the list that the loop is one of, and along
// which class the loop goes; none: it is not a loop but the operation itself.
struct Level {
  std::int32_t position = 0;
  std::optional<std::int32_t> cut_class = {};

  bool operator==(const Level&) const = default;
};

// The loops around each operation of a whole step, outermost first: operations that follow each
// other and walk along the same class may do so together, block by block, and an operation by
// itself walks along one of its classes outside the others.
class Loops {
 public:
  // What parts of these operations of the whole step move when they are executed by the loops
  // around them, in bytes (poet/parts/moved_bytes.h).
  using Moved = std::function<double(const Loops& loops, const std::vector<std::size_t>& list)>;

  // Finds those that save most. `order`: of the operations of `graph`.
  Loops(const Graph& graph, const Grids& grids, const std::vector<std::size_t>& order, Moved moved);

  const std::vector<Level>& of(std::size_t operation) const { return levels_[operation]; }

 private:
  using Operations = std::vector<std::size_t>;
  using Classes = std::set<std::int32_t>;

  // The first operations of a list, and the loops around each of them inside those of the list.
  struct Run {
    std::size_t length = 1;
    std::vector<std::vector<Level>> levels = {};
    double moved_bytes = 0;
    double saved_bytes = 0;  // against each of them by itself
    double shared_bytes = 0;
  };

  // Where in the order a run begins, how long it is, and along which classes the loops around it
  // go, outermost first: all that its best loops depend on.
  using Question = std::tuple<std::size_t, std::size_t, std::vector<std::int32_t>>;

  Question question(const Operations& run) const;
  std::vector<std::size_t> lengths_of_runs(const Operations& list, std::int32_t cut_class) const;
  double shared_bytes(const Operations& run, std::int32_t cut_class) const;
  const std::vector<Level>& alone(std::size_t operation, const Classes& around);
  double find_moved_alone(const Operations& run, const Classes& around);
  double moved_alone(const Operations& run, const Classes& around);
  Run find_run_along(const Operations& run, std::int32_t cut_class, const Classes& around);
  Run run_along(const Operations& run, std::int32_t cut_class, const Classes& around);
  Run best_run(const Operations& list, const Classes& around);
  void nest(const Operations& list, const Classes& around);
  void append(const Operations& run, const std::vector<std::vector<Level>>& levels,
              std::int32_t first_position);

  const Graph& graph_;
  const Grids& grids_;
  Moved moved_;
  std::vector<Classes> cut_classes_ = {};  // along which each operation has several blocks
  std::vector<std::vector<Level>> levels_ = {};
  std::map<std::pair<std::size_t, Classes>, std::vector<Level>> alone_ = {};
  // Of runs inside the one that is looked at now: a longer one asks again what a shorter one asked.
  std::map<Question, double> moved_alone_ = {};
  std::map<std::pair<Question, std::int32_t>, Run> runs_along_ = {};  // with their classes
};

// Less than the number of any block.
inline constexpr std::int32_t kBeforeBlocks = -1;

// Where the parts of an operation stand: the blocks of the loops around it, outermost first, and
// then its own.
class PlacesInLoops {
 public:
  PlacesInLoops() = default;
  PlacesInLoops(const Loops& loops, const Grids& grids, std::size_t operation) {
    turn_to(loops, grids, operation);
  }

  // To another operation; many are looked at for each order, in the same memory.
  void turn_to(const Loops& loops, const Grids& grids, std::size_t operation);

  // Puts the place of a part at the end of a list. What only puts a region together for a part
  // stands before all blocks of each loop.
  void append(const PlacedPart& part, std::vector<std::int32_t>& places) const;

 private:
  struct Step {
    std::int32_t number = 0;
    std::optional<std::size_t> axis = {};  // whose block it is, where the part has any
  };

  std::vector<Step> around_ = {};
  std::vector<std::size_t> own_ = {};  // axes that no loop goes along
  std::vector<bool> used_ = {};        // axes that one does
};

}  // namespace poet
