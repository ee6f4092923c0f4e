#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "poet/solve/step.h"

namespace poet {

// "Operation `operation` runs in stage `stage`": between the first executions of stage - 1 and of
// stage, or as that first execution itself when they are equal (a certain event).
struct Event {
  std::int32_t stage = 0;
  std::int32_t operation = 0;

  bool certain() const { return stage == operation; }
  auto operator<=>(const Event&) const = default;
};

// A set of events in their order in time; every certain event is always in it.
class EventSet {
 public:
  // The certain events alone.
  explicit EventSet(std::int32_t stages);

  // Keeps the set sorted; events that are there already are ignored.
  void insert(std::vector<Event> more);

  const std::vector<Event>& events() const { return events_; }
  std::int32_t size() const { return static_cast<std::int32_t>(events_.size()); }
  // The position of an event; nothing when it is not in the set.
  std::optional<std::int32_t> find(Event event) const;
  // The position of the first event that is not before `event`; size() when there is none.
  std::int32_t lower_bound(Event event) const;
  // The events of stage t are at positions [begin(t), begin(t + 1)).
  std::int32_t begin(std::int32_t stage) const { return begins_[stage]; }

 private:
  void index();

  std::int32_t stages_;
  std::vector<Event> events_;
  std::vector<std::int32_t> begins_;
};

// The certain events, and before each stage that may need it the re-executions of its ancestors
// within `depth` edges. On a graph with a backward pass: forward ancestors of backward stages; on
// others: of every stage.
EventSet shallow_events(const Step& step, std::int32_t depth);

// Every event of the class.
EventSet every_event(const Step& step);

}  // namespace poet
