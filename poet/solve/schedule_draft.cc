// A schedule that changes move by move, with its cost and RAM kept up to date (docs/model/search.md
// §2.2).
#include "poet/solve/schedule_draft.h"

#include <algorithm>

namespace poet {
namespace {

// Events as numbers that stand in the same order.
std::uint64_t in_order(Event event) {
  return static_cast<std::uint64_t>(event.stage) << 32 |
         static_cast<std::uint64_t>(event.operation);
}

}  // namespace

ScheduleDraft::ScheduleDraft(const Step& step)
    : step_(step),
      touches_(step.chains.size()),
      again_(step.stages()),
      reads_(step.chains.size(), 0),
      own_bytes_(step.stages(), 0),
      ram_(step.stages(), step.budget_bytes),
      is_changed_(step.stages(), false) {
  for (std::int32_t t = 0; t < step.stages(); ++t) {
    count_run(Event{t, t}, 1);
    for (const std::int32_t c : step.operations[t].inputs) place(c, Touch{Event{t, t}});
    for (const std::int32_t c : step.operations[t].outputs)
      place(c, Touch{.event = Event{t, t}, .makes = true});
  }
  for (std::size_t n = 0; n < step.chains.size(); ++n) {
    const auto c = static_cast<std::int32_t>(n);
    const Chain& chain = step.chains[n];
    if (!chain.producer && !touches_[n].empty()) set_read(c, touches_[n].front().event, true);
    if (!chain.must_be_written) continue;
    cost_ += chain.write_cost;
    time_s_ += chain.write_s;
    written_bytes_ += chain.size_bytes;
  }
  settle();
  forget_changes();
}

ScheduleDraft::ScheduleDraft(const Step& step, const EventChoice& choice) : ScheduleDraft(step) {
  for (const Execution& execution : choice.executions)
    if (!execution.event.certain()) run(execution.event);
  for (const Execution& execution : choice.executions)
    for (const std::int32_t c : execution.reads)
      if (!touches_[c][find(c, execution.event)].read) set_read(c, execution.event, true);
  settle();
  forget_changes();
}

std::size_t ScheduleDraft::find(std::int32_t chain, Event event) const {
  const std::vector<Touch>& list = touches_[chain];
  const Touch* const touches = list.data();
  const std::uint64_t sought = in_order(event);
  // Every change asks for it: halves are chosen without a jump that nobody could foresee.
  std::size_t begin = 0;
  for (std::size_t size = list.size(); size > 0;) {
    const std::size_t half = size / 2;
    const bool is_before = in_order(touches[begin + half].event) < sought;
    begin += is_before ? half + 1 : 0;
    size = is_before ? size - half - 1 : half;
  }
  return begin;
}

bool ScheduleDraft::runs(Event event) const {
  const std::vector<std::int32_t>& list = again_[event.stage];
  return event.certain() || std::binary_search(list.begin(), list.end(), event.operation);
}

bool ScheduleDraft::keeps_limits() const {
  if (step_.deadline_s && time_s_ > *step_.deadline_s) return false;
  if (step_.storage_room_bytes && stored_bytes_ > *step_.storage_room_bytes) return false;
  return !step_.write_room_bytes || written_bytes_ <= *step_.write_room_bytes;
}

// --- changes

void ScheduleDraft::run(Event event) {
  count_run(event, 1);
  note(Change{Kind::Ran, 0, Touch{event}});
  for (const std::int32_t c : step_.operations[event.operation].inputs) place(c, Touch{event});
  for (const std::int32_t c : step_.operations[event.operation].outputs)
    place(c, Touch{.event = event, .makes = true});
}

void ScheduleDraft::cancel(Event event) {
  const StepOperation& operation = step_.operations[event.operation];
  for (const std::int32_t c : operation.outputs) take(c, event);
  for (const std::int32_t c : operation.inputs) {
    const std::size_t n = find(c, event);
    const bool moves_on = touches_[c][n].read && stays_after(c, event);
    if (touches_[c][n].read) set_read(c, event, false);
    take(c, event);
    if (moves_on) set_read(c, touches_[c][n].event, true);
    if (n > 0) cancel_if_useless(c, n - 1);
  }
  count_run(event, -1);
  note(Change{Kind::Cancelled, 0, Touch{event}});
}

// What made the chain at touch `made` may have done so for a touch that is gone.
void ScheduleDraft::cancel_if_useless(std::int32_t chain, std::size_t made) {
  const Touch touch = touches_[chain][made];
  if (!touch.makes || touch.event.certain() || !runs(touch.event)) return;
  for (const std::int32_t c : step_.operations[touch.event.operation].outputs)
    if (stays_after(c, touch.event)) return;
  cancel(touch.event);
}

void ScheduleDraft::set_read(std::int32_t chain, Event event, bool read) {
  mark_read(chain, event, read);
  note(Change{read ? Kind::Read : Kind::Unread, chain, Touch{event}});
}

void ScheduleDraft::undo(std::size_t mark) {
  while (changes_.size() > mark) {
    const Change change = changes_.back();
    ++all_changes_;
    switch (change.kind) {
      case Kind::Placed:
        take(change.chain, change.touch.event);
        changes_.pop_back();
        break;
      case Kind::Taken:
        place(change.chain, change.touch);
        changes_.pop_back();
        break;
      case Kind::Read:
      case Kind::Unread:
        mark_read(change.chain, change.touch.event, change.kind == Kind::Unread);
        break;
      case Kind::Ran:
      case Kind::Cancelled:
        count_run(change.touch.event, change.kind == Kind::Ran ? -1 : 1);
        break;
    }
    changes_.pop_back();
  }
  settle();
}

void ScheduleDraft::note(const Change& change) {
  changes_.push_back(change);
  ++all_changes_;
}

std::vector<ScheduleDraft::Place> ScheduleDraft::placed_since(std::size_t mark) const {
  std::vector<Place> places;
  for (std::size_t n = mark; n < changes_.size(); ++n)
    if (changes_[n].kind == Kind::Placed || changes_[n].kind == Kind::Unread)
      places.push_back(Place{changes_[n].chain, changes_[n].touch.event});
  return places;
}

void ScheduleDraft::place(std::int32_t chain, const Touch& touch) {
  std::vector<Touch>& list = touches_[chain];
  const std::size_t n = find(chain, touch.event);
  touch_stage(touch.event.stage);
  if (n < list.size()) count_stay(chain, n, -1);
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(n), touch);
  count_stay(chain, n, 1);
  if (n + 1 < list.size()) count_stay(chain, n + 1, 1);
  note(Change{Kind::Placed, chain, touch});
}

void ScheduleDraft::take(std::int32_t chain, Event event) {
  std::vector<Touch>& list = touches_[chain];
  const std::size_t n = find(chain, event);
  const Touch touch = list[n];
  touch_stage(event.stage);
  count_stay(chain, n, -1);
  if (n + 1 < list.size()) count_stay(chain, n + 1, -1);
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(n));
  if (n < list.size()) count_stay(chain, n, 1);
  note(Change{Kind::Taken, chain, touch});
}

void ScheduleDraft::mark_read(std::int32_t chain, Event event, bool read) {
  const std::size_t n = find(chain, event);
  touch_stage(event.stage);
  count_stay(chain, n, -1);
  touches_[chain][n].read = read;
  count_stay(chain, n, 1);
  count_reads(chain, read ? 1 : -1);
}

// --- figures

void ScheduleDraft::count_run(Event event, int sign) {
  const StepOperation& operation = step_.operations[event.operation];
  cost_ += sign * operation.cost;
  time_s_ += sign * operation.time_s;
  touch_stage(event.stage);
  if (event.certain()) return;
  std::vector<std::int32_t>& list = again_[event.stage];
  const auto place = std::lower_bound(list.begin(), list.end(), event.operation);
  if (sign > 0)
    list.insert(place, event.operation);
  else
    list.erase(place);
}

void ScheduleDraft::count_reads(std::int32_t chain, int sign) {
  const Chain& c = step_.chains[chain];
  const bool was_stored = reads_[chain] > 0;
  reads_[chain] += sign;
  cost_ += sign * c.read_cost;
  time_s_ += sign * c.read_s;
  if (!c.may_be_written || was_stored == (reads_[chain] > 0)) return;
  cost_ += sign * c.write_cost;
  time_s_ += sign * c.write_s;
  stored_bytes_ += sign * c.size_bytes;
  written_bytes_ += sign * c.size_bytes;
}

// The stay that ends at touch `to`: stages that it spans whole, and the two at its ends.
void ScheduleDraft::count_stay(std::int32_t chain, std::size_t to, std::int64_t sign) {
  const std::vector<Touch>& list = touches_[chain];
  if (to == 0 || !list[to].stays()) return;
  const std::int32_t first = list[to - 1].event.stage;
  const std::int32_t last = list[to].event.stage;
  touch_stage(first);
  touch_stage(last);
  const std::int64_t bytes = sign * step_.chains[chain].size_bytes;
  ram_.add(first + 1, last, bytes);
}

void ScheduleDraft::touch_stage(std::int32_t stage) {
  if (is_changed_[stage]) return;
  is_changed_[stage] = true;
  changed_.push_back(stage);
}

void ScheduleDraft::settle() {
  for (const std::int32_t t : changed_) {
    const std::int64_t own = own_bytes(t);
    ram_.add(t, t + 1, own - own_bytes_[t]);
    own_bytes_[t] = own;
    is_changed_[t] = false;
  }
  changed_.clear();
  ram_.settle();
}

std::vector<Event> ScheduleDraft::events_of(std::int32_t stage) const {
  std::vector<Event> events;
  for (const std::int32_t k : again_[stage]) events.push_back(Event{stage, k});
  events.push_back(Event{stage, stage});
  return events;
}

bool ScheduleDraft::stays_after(std::int32_t chain, Event event) const {
  const std::vector<Touch>& list = touches_[chain];
  std::size_t n = find(chain, event);
  if (n < list.size() && list[n].event == event) ++n;
  return n < list.size() && list[n].stays();
}

// Of chains that the stage touches: the most of them at once, with workspace.
std::int64_t ScheduleDraft::own_bytes(std::int32_t stage) const {
  StageWalk walk;
  for (const std::int32_t k : again_[stage]) pass(Event{stage, k}, walk);
  pass(Event{stage, stage}, walk);
  return walk.arriving_bytes + walk.most_bytes;
}

// While the event runs, and then after it.
void ScheduleDraft::pass(Event event, StageWalk& walk) const {
  const StepOperation& operation = step_.operations[event.operation];
  std::int64_t leaving_bytes = 0;
  bool shares = false;
  for (std::size_t j = 0; j < operation.inputs.size(); ++j) {
    const std::int32_t c = operation.inputs[j];
    const std::vector<Touch>& list = touches_[c];
    const std::size_t n = find(c, event);
    const std::int64_t size = step_.chains[c].size_bytes;
    if (list[n].read)
      walk.there_bytes += size;
    else if (n > 0 && list[n - 1].event.stage < event.stage)
      walk.arriving_bytes += size;
    if (n + 1 < list.size() && list[n + 1].stays()) continue;
    leaving_bytes += size;
    shares = shares || (operation.in_place && operation.in_place->input == static_cast<int>(j));
  }
  std::int64_t running_bytes = walk.there_bytes + operation.workspace_bytes;
  for (const std::int32_t c : operation.outputs) {
    running_bytes += step_.chains[c].size_bytes;
    if (stays_after(c, event)) walk.there_bytes += step_.chains[c].size_bytes;
  }
  if (shares)
    running_bytes -= step_.chains[operation.outputs[operation.in_place->output]].size_bytes;
  walk.most_bytes = std::max(walk.most_bytes, running_bytes);
  walk.there_bytes -= leaving_bytes;
}

EventChoice ScheduleDraft::choice() const {
  EventChoice choice;
  choice.resident.assign(step_.chains.size(), false);
  for (std::size_t c = 0; c < step_.chains.size(); ++c)
    choice.stored.push_back(step_.chains[c].may_be_written && reads_[c] > 0);
  for (std::int32_t t = 0; t < step_.stages(); ++t)
    for (const Event& event : events_of(t)) {
      Execution execution{event};
      for (const std::int32_t c : step_.operations[event.operation].inputs)
        if (touches_[c][find(c, event)].read) execution.reads.push_back(c);
      choice.executions.push_back(std::move(execution));
    }
  return choice;
}

}  // namespace poet
