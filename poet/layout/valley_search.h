#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/stop.h"
#include "poet/layout/failed_states.h"
#include "poet/layout/first_fit.h"
#include "poet/layout/sections.h"
#include "poet/layout/valley_state.h"

namespace poet {

enum class SearchEnd {
  Found,
  Impossible,  // proved: no packing fits into the capacity
  Stopped,
};

// In which section to decide next what comes to lie there.
enum class NextSection {
  FewestChoices,   // per failure so far
  LowestFewest,    // the lowest floor, then the fewest choices
  LowestTightest,  // the lowest floor, then the least slack
};

struct SearchStyle {
  NextSection next = NextSection::FewestChoices;
  std::vector<double> rank = {};  // by block: the highest is tried first
  std::int64_t max_nodes = 0;
};

// Looks for a packing within a capacity, and proves that there is none.
//
// Any packing can be slid down until every block lies on the ground or on another. So in a valley
// some section is chosen, at height h, and either one of the blocks that lie wholly in the valley
// and live in that section lies at h, or nothing there does and its floor rises to the next height
// at which anything can lie. A state of floors and unplaced blocks that was shown to fail is not
// entered again, by any way or style. Parts that no unplaced block connects are searched one by
// one: where one fails, the others are not asked.
//
// After M. D. Moffitt, MiniMalloc, ASPLOS 2023, come the ideas that blocks be placed from below,
// each as low as it can be, that floors rise in sections where nothing can lie lower, and the
// parts. Its order of offsets is not kept: any valley may be filled next, which is what finds
// failures early.
class ValleySearch {
 public:
  ValleySearch(const Sections& sections, std::int64_t capacity);

  // May be called again with another style: what has failed is remembered.
  SearchEnd run(const SearchStyle& style, const Stop& stop);

  const UnitOffsets& offsets() const { return state_.offsets(); }  // of a packing that was found
  std::int64_t nodes() const { return nodes_; }                    // over all runs

 private:
  using Blocks = std::vector<std::int32_t>;
  // Blocks that are not placed, and the sections [first, last) in which they live.
  struct Part {
    Blocks blocks = {};
    std::int32_t first = 0;
    std::int32_t last = 0;
  };
  // The blocks that may lie at the floor of one section.
  struct Choice {
    std::int32_t section = 0;
    Blocks blocks = {};
    // The next height at which anything can lie there; nothing when one of them must lie at the
    // floor.
    std::optional<std::int64_t> otherwise = {};
  };

  SearchEnd solve(Part part);
  SearchEnd solve_within(Part& part);
  bool place_what_is_free(Part& part);
  std::vector<Part> split(Part& part) const;
  SearchEnd solve_all(std::vector<Part>& parts);
  SearchEnd branch(const Part& part);
  SearchEnd take(const Part& part, std::int32_t b, std::int64_t height);
  SearchEnd leave(const Part& part, const Choice& choice);

  StateKey key_of(const Part& part) const;
  std::int32_t choose_section(const Part& part);
  double cost(std::int32_t section) const;
  Choice choice_at(std::int32_t section, const Part& part) const;
  std::int64_t next_height(std::int32_t section, const Part& part) const;
  bool leaves_room_for_one(const Choice& choice, std::int64_t height, const Part& part) const;
  bool lives_in(std::int32_t b, std::int32_t section) const;
  bool meet(std::int32_t a, std::int32_t b) const;
  bool are_twins(std::int32_t a, std::int32_t b) const;

  const Sections& sections_;
  ValleyState state_;
  FailedStates failed_;
  const SearchStyle* style_ = nullptr;  // of the run
  const Stop* stop_ = nullptr;
  std::int64_t nodes_ = 0;
  std::int64_t last_node_ = 0;  // of the run
  // By section, for choose_section(): blocks that may lie at its floor, and whether one lies there
  // only if something may lie under it.
  std::vector<std::int32_t> choices_;
  std::vector<char> open_below_;
};

}  // namespace poet
