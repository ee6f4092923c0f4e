#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/schedule_draft.h"
#include "poet/solve/step.h"

namespace poet {

// How a draft is made to fit. None is best everywhere.
struct GreedyRule {
  bool reads = true;     // what was made may be read back, and not only be made again
  double haste = 1.1;    // a move that costs this much more than was thought is made at once
  double near_full = 8;  // stages with room for this many of the largest chain count as full
  // What is still too much counts towards the cost at which fit() ends, at the price of now: it
  // only rises.
  bool looks_ahead = false;
  // Looks only at stays through stages where RAM is too small: for a draft that nearly fits.
  bool only_crowded = false;
};

// When fit() gives up.
struct FitLimits {
  double most_cost = std::numeric_limits<double>::infinity();
  std::int64_t most_tries = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_changes = std::numeric_limits<std::int64_t>::max();  // of the draft
};

// Stages, half-open.
struct StageRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  bool contains(std::int32_t stage) const { return begin <= stage && stage < end; }
};

// Moves on a draft by their cost for the excess bytes that they take away: a stay ends, and what
// stayed is read or made again for its next use, and so is what that needs.
class GreedyMoves {
 public:
  GreedyMoves(const Step& step, ScheduleDraft draft, const Stop& stop);

  const ScheduleDraft& draft() const { return draft_; }
  std::int64_t tries() const { return tries_; }  // of moves, so far

  // Ends stays whose next use is in these stages, the cheapest first, until RAM does everywhere.
  // False when it does not, or when a limit is reached.
  bool fit(const GreedyRule& rule, const StageRange& where, const FitLimits& limits = {});
  // Everything that comes back in these stages stays instead. False when there is nothing.
  bool keep_all(const StageRange& where);
  // Lets stay what there is room for, and brings back in the other way what is cheaper so. Where
  // `relieves`, what that needs may come in its stage too, and not stay until then, so that there
  // is room.
  void restore(double units_each = 0, bool relieves = false);

  std::size_t mark() const { return draft_.mark(); }
  void undo(std::size_t mark) { draft_.undo(mark); }
  void forget_changes() { draft_.forget_changes(); }

  // Single moves, whatever becomes of cost and RAM, for a search that judges them itself. Where one
  // cannot be made it says false, and what was done of it is to be undone.
  // What they reckon with: a byte costs `price` in each stage that is full.
  void set_prices(const GreedyRule& rule, double price);
  // Or so much in each stage, whatever is full.
  void set_prices(const std::vector<double>& of_stages);
  enum class Ending { Cheaper, Dearer };
  // Touch n of the chain, to which it stays: it is read or made again instead.
  bool end_stay_at(std::int32_t c, std::size_t n, Ending ending);
  // Touch n, for which it comes back: it stays until then instead; comes in the other way; or is
  // made in an earlier stage and stays.
  bool keep_until(std::int32_t c, std::size_t n);
  bool exchange_at(std::int32_t c, std::size_t n);
  bool make_sooner(std::int32_t c, std::size_t n, std::int32_t stage);

 private:
  // The stay that ends at `event`.
  struct Stay {
    double price = 0;  // cost per byte at which it may be worth ending
    std::int32_t chain = 0;
    Event event = {};

    bool operator>(const Stay& other) const;
  };
  enum class Way { Stay, Read, Make };
  // How a chain comes to be in RAM in the stage of one question.
  struct Plan {
    std::int64_t question = -1;
    Way way = Way::Stay;
    double cost = 0;
  };
  // A read or re-execution by which a chain is there again.
  struct Comeback {
    double cost = 0;
    std::int32_t chain = 0;
    Event event = {};
  };

  void add_stays(const StageRange& where);
  void find_crowded();
  bool is_crowded_between(std::int32_t from, std::int32_t to) const;
  void add_stay(std::int32_t c, Event event, double price);
  double least_price(std::int32_t c, Event event) const;
  bool is_stay(std::int32_t c, Event event) const;
  void set_prices();
  double reckoned_cost() const;
  void consider(const Stay& stay);
  double end_stay(const Stay& stay);
  Way cheaper_end(const Stay& stay);
  double try_end(const Stay& stay, Way way);

  bool may_make(std::int32_t c, std::int32_t stage) const;
  double cost_of_reading(std::int32_t c) const;
  double cost_of_making(std::int32_t c, Event event, int depth = 0);
  double cost_of_having(std::int32_t c, Event event, int depth);
  static void take_cheaper(Plan& plan, Way way, double cost);
  double rent(std::int32_t c, std::int32_t from, std::int32_t to) const;
  double saved_later(std::int32_t c, std::size_t n, std::int32_t stage) const;

  void make(std::int32_t c, Event event);
  void bring(std::int32_t c, Event event);
  void connect(std::int32_t c, std::size_t n);

  std::vector<Comeback> comebacks() const;
  bool comes_at(const Comeback& comeback) const;
  void exchange(const Comeback& comeback);
  void improve(const std::function<void()>& change, bool relieves);
  void relieve(std::size_t mark);

  const Step& step_;
  const Stop& stop_;
  ScheduleDraft draft_;
  GreedyRule rule_;
  std::int64_t largest_bytes_ = 0;  // of a chain
  std::priority_queue<Stay, std::vector<Stay>, std::greater<>> stays_;
  std::vector<std::int32_t> crowded_;  // stages where RAM is too small; of rules that ask for it
  std::int64_t tries_ = 0;
  double price_ = 0;      // of a byte in a stage that is full
  double price_set_ = 0;  // as price_before_ has it
  int moves_ = 0;         // since then
  std::vector<double> price_before_;
  std::vector<Plan> plans_;  // per chain
  std::int64_t question_ = 0;
  std::size_t mark_ = 0;
};

}  // namespace poet
