// Sets of events in their order in time (docs/model/event-model.md §2.1), and those to begin with
// (docs/model/search.md §5.1).
#include "poet/solve/event_set.h"

#include <algorithm>

namespace poet {
namespace {

std::vector<std::int32_t> parents(const Step& step, std::int32_t operation) {
  std::vector<std::int32_t> result;
  for (const std::int32_t chain : step.operations[operation].inputs)
    if (step.chains[chain].producer) result.push_back(*step.chains[chain].producer);
  return result;
}

void sort_unique(std::vector<std::int32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

EventSet::EventSet(std::int32_t stages) : stages_(stages) {
  for (std::int32_t t = 0; t < stages; ++t) events_.push_back(Event{t, t});
  index();
}

void EventSet::insert(std::vector<Event> more) {
  events_.insert(events_.end(), more.begin(), more.end());
  std::sort(events_.begin(), events_.end());
  events_.erase(std::unique(events_.begin(), events_.end()), events_.end());
  index();
}

std::int32_t EventSet::lower_bound(Event event) const {
  const auto first = events_.begin() + begins_[event.stage];
  const auto last = events_.begin() + begins_[event.stage + 1];
  return static_cast<std::int32_t>(std::lower_bound(first, last, event) - events_.begin());
}

std::optional<std::int32_t> EventSet::find(Event event) const {
  const std::int32_t position = lower_bound(event);
  if (position == begins_[event.stage + 1] || events_[position] != event) return std::nullopt;
  return position;
}

void EventSet::index() {
  begins_.assign(stages_ + 1, 0);
  for (const Event& event : events_) ++begins_[event.stage + 1];
  for (std::int32_t t = 0; t < stages_; ++t) begins_[t + 1] += begins_[t];
}

EventSet shallow_events(const Step& step, std::int32_t depth) {
  const bool has_backward = std::any_of(step.operations.begin(), step.operations.end(),
                                        [](const StepOperation& v) { return v.backward; });
  std::vector<Event> events;
  for (std::int32_t t = 0; t < step.stages(); ++t) {
    if (has_backward && !step.operations[t].backward) continue;
    std::vector<std::int32_t> ring = {t};
    for (std::int32_t d = 0; d < depth && !ring.empty(); ++d) {
      std::vector<std::int32_t> next;
      for (const std::int32_t v : ring)
        for (const std::int32_t u : parents(step, v))
          if (!has_backward || !step.operations[u].backward) next.push_back(u);
      sort_unique(next);
      for (const std::int32_t u : next)
        if (step.operations[u].last_stage >= t) events.push_back(Event{t, u});
      ring = std::move(next);
    }
  }
  EventSet set(step.stages());
  set.insert(std::move(events));
  return set;
}

EventSet every_event(const Step& step) {
  std::vector<Event> events;
  for (std::int32_t k = 0; k < step.stages(); ++k)
    for (std::int32_t t = k + 1; t <= step.operations[k].last_stage; ++t)
      events.push_back(Event{t, k});
  EventSet set(step.stages());
  set.insert(std::move(events));
  return set;
}

}  // namespace poet
