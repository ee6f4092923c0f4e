#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "poet/solve/event_choice.h"
#include "poet/solve/event_set.h"
#include "poet/solve/stage_bytes.h"
#include "poet/solve/step.h"

namespace poet {

// An event that makes or reads a chain. Otherwise than by being made or read from storage, the
// chain stays in RAM from the touch before.
struct Touch {
  Event event = {};
  bool makes = false;
  bool read = false;  // from storage, just before the event

  bool stays() const { return !makes && !read; }
};

// A schedule that is changed move by move: re-executions and reads come and go, and what they cost
// and how much RAM each stage needs is known at any time. Every change can be taken back. Nothing
// is resident but what has no choice.
class ScheduleDraft {
 public:
  // Everything stays in RAM from its first use to its last.
  explicit ScheduleDraft(const Step& step);
  // As the choice says, in which nothing is resident.
  ScheduleDraft(const Step& step, const EventChoice& choice);

  const Step& step() const { return step_; }
  const std::vector<Touch>& touches(std::int32_t chain) const { return touches_[chain]; }
  // Position of the first touch that is not before the event.
  std::size_t find(std::int32_t chain, Event event) const;
  bool stored(std::int32_t chain) const { return reads_[chain] > 0; }
  bool runs(Event event) const;

  double cost() const { return cost_; }
  // The most that is in RAM in a stage, and the bytes beyond the budget, over all stages.
  std::int64_t ram_bytes(std::int32_t stage) const { return ram_.at(stage); }
  std::int64_t excess_bytes() const { return ram_.excess(); }
  // Every limit but RAM.
  bool keeps_limits() const;

  // A re-execution; its inputs stay from wherever they were last.
  void run(Event event);
  // Takes a re-execution back, with those that only it needed. Its reads move on.
  void cancel(Event event);
  void set_read(std::int32_t chain, Event event, bool read);
  // Works out the RAM of stages that changed: before ram_bytes and excess_bytes are looked at.
  void settle();

  // Changes since a mark can be undone, the last first.
  std::size_t mark() const { return changes_.size(); }
  void undo(std::size_t mark);
  void forget_changes() { changes_.clear(); }
  // Made and undone so far, as effort.
  std::int64_t all_changes() const { return all_changes_; }
  // Touches that came, and where a chain stays from now on.
  struct Place {
    std::int32_t chain = 0;
    Event event = {};
  };
  std::vector<Place> placed_since(std::size_t mark) const;

  EventChoice choice() const;

 private:
  enum class Kind { Placed, Taken, Read, Unread, Ran, Cancelled };
  struct Change {
    Kind kind;
    std::int32_t chain;  // of Placed to Unread
    Touch touch;
  };

  // Through the events of one stage.
  struct StageWalk {
    std::int64_t arriving_bytes = 0;  // of chains that stay from an earlier stage
    std::int64_t there_bytes = 0;     // what came and left since, and the most of it
    std::int64_t most_bytes = std::numeric_limits<std::int64_t>::min();
  };

  void note(const Change& change);
  void place(std::int32_t chain, const Touch& touch);
  void take(std::int32_t chain, Event event);
  void mark_read(std::int32_t chain, Event event, bool read);
  void count_run(Event event, int sign);
  void count_reads(std::int32_t chain, int sign);
  void count_stay(std::int32_t chain, std::size_t to, std::int64_t sign);
  void touch_stage(std::int32_t stage);
  void cancel_if_useless(std::int32_t chain, std::size_t made);
  bool stays_after(std::int32_t chain, Event event) const;
  std::int64_t own_bytes(std::int32_t stage) const;
  void pass(Event event, StageWalk& walk) const;
  std::vector<Event> events_of(std::int32_t stage) const;

  const Step& step_;
  std::vector<std::vector<Touch>> touches_;       // per chain, in order
  std::vector<std::vector<std::int32_t>> again_;  // per stage: what runs again, ascending
  std::vector<std::int32_t> reads_;               // per chain
  std::vector<std::int64_t> own_bytes_;           // per stage: of chains that it touches
  StageBytes ram_;                                // and of those that stay all through it
  std::vector<bool> is_changed_;                  // stages
  std::vector<std::int32_t> changed_;
  double cost_ = 0;
  double time_s_ = 0;
  std::int64_t stored_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
  std::vector<Change> changes_;
  std::int64_t all_changes_ = 0;
};

}  // namespace poet
