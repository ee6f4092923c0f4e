// A schedule by the rules of docs/model/problem.md §2.2 and the time of §3, in exact numbers.
#include "poet/exact/replay.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "poet/exact/uncertainty.h"

namespace poet::exact {
namespace {

constexpr Named<Action::Kind> kActions[] = {{"compute", Action::Kind::Compute},
                                            {"page_out", Action::Kind::PageOut},
                                            {"page_in", Action::Kind::PageIn},
                                            {"drop", Action::Kind::Drop}};

struct State {
  bool fixed = false;     // in rom, or resident for the whole step, as is its new value
  bool present = false;   // its value is in RAM, or in rom
  bool copied = false;    // a copy of its value is in storage
  bool replaced = false;  // its update has run
};

// What an execution does to buffers.
struct Execution {
  std::int32_t operation = 0;
  std::vector<std::int32_t> inputs = {};        // with a buffer of their own
  std::vector<std::int32_t> new_outputs = {};   // that take a buffer
  std::vector<std::int32_t> old_outputs = {};   // that are in RAM already
  std::optional<std::int32_t> taken_over = {};  // the input whose buffer an output takes over
  std::int64_t shared_bytes = 0;
};

// When actions run and how much RAM is in use: in free and blocking time one after the other, in
// overlapped time with one channel beside the processor (docs/model/problem.md §3.2).
class Clock {
 public:
  Clock(const Problem& problem, std::int64_t fixed_bytes)
      : problem_(problem),
        overlapped_(problem.time_mode == TimeMode::Overlapped),
        held_bytes_(fixed_bytes),
        peak_bytes_(fixed_bytes),
        buffers_(problem.tensors.size()) {}

  // False where RAM has no room, also of the other actions.
  bool compute(const Execution& execution) {
    const Operation& operation = problem_.operations[execution.operation];
    std::int64_t more_bytes = operation.workspace_bytes - execution.shared_bytes;
    for (const std::int32_t output : execution.new_outputs) more_bytes += size_bytes(output);
    Number ready_s = now_s_;
    for (const std::int32_t input : execution.inputs)
      ready_s = std::max(ready_s, buffers_[input].readable_s);
    for (const std::int32_t output : execution.old_outputs)
      ready_s = std::max(ready_s, buffers_[output].quiet_s);
    if (execution.taken_over) ready_s = std::max(ready_s, buffers_[*execution.taken_over].quiet_s);
    wait_until(ready_s);
    wait_for_room(more_bytes);
    for (const std::int32_t output : execution.new_outputs) take(output);
    held_bytes_ -= execution.shared_bytes;
    const bool fits = use(operation.workspace_bytes);
    const Number end_s = now_s_ + number_of(operation.compute_s);
    wait_until(end_s);
    held_bytes_ += execution.shared_bytes;  // until the Drop that follows
    return fits;
  }

  void page_out(std::int32_t i) { send(i, problem_.tensors[i].page_out_s); }

  bool page_in(std::int32_t i, bool has_buffer) {
    if (!has_buffer) {
      wait_for_room(size_bytes(i));
      take(i);
    }
    const bool fits = use(0);
    send(i, problem_.tensors[i].page_in_s);
    if (!has_buffer) buffers_[i].readable_s = buffers_[i].quiet_s;
    return fits;
  }

  void drop(std::int32_t i) {
    held_bytes_ -= size_bytes(i);
    if (buffers_[i].quiet_s <= now_s_) return;
    lingering_.emplace(buffers_[i].quiet_s, size_bytes(i));
    lingering_bytes_ += size_bytes(i);
  }

  Number time_s() const { return std::max(now_s_, channel_free_s_); }
  std::int64_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Buffer {
    Number readable_s;  // its value has arrived
    Number quiet_s;     // no transfer touches it
  };
  using Lingering = std::pair<Number, std::int64_t>;

  std::int64_t size_bytes(std::int32_t i) const { return problem_.tensors[i].size_bytes; }
  std::int64_t used_bytes() const { return held_bytes_ + lingering_bytes_; }

  bool use(std::int64_t more_bytes) {
    peak_bytes_ = std::max(peak_bytes_, used_bytes() + more_bytes);
    return used_bytes() + more_bytes <= problem_.ram_budget_bytes;
  }

  void take(std::int32_t i) {
    held_bytes_ += size_bytes(i);
    buffers_[i] = {now_s_, now_s_};
  }

  void wait_until(const Number& time_s) {
    now_s_ = std::max(now_s_, time_s);
    while (!lingering_.empty() && lingering_.top().first <= now_s_) {
      lingering_bytes_ -= lingering_.top().second;
      lingering_.pop();
    }
  }

  void wait_for_room(std::int64_t more_bytes) {
    while (!lingering_.empty() && used_bytes() > problem_.ram_budget_bytes - more_bytes)
      wait_until(Number(lingering_.top().first));
  }

  void send(std::int32_t i, double duration_s) {
    if (problem_.time_mode == TimeMode::Free) return;
    if (!overlapped_) {
      now_s_ += number_of(duration_s);
      return;
    }
    channel_free_s_ = time_s() + number_of(duration_s);
    buffers_[i].quiet_s = channel_free_s_;
  }

  const Problem& problem_;
  const bool overlapped_;
  std::int64_t held_bytes_;
  std::int64_t peak_bytes_;
  std::int64_t lingering_bytes_ = 0;  // of dropped buffers that a transfer touches
  std::priority_queue<Lingering, std::vector<Lingering>, std::greater<>> lingering_;
  std::vector<Buffer> buffers_;
  Number now_s_;
  Number channel_free_s_;
};

class Player {
 public:
  Player(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        schedule_(schedule),
        states_(problem.tensors.size()),
        executed_(problem.operations.size(), false) {}

  Replay run() {
    Replay replay;
    replay.fault = first_fault();
    if (replay.fault) return replay;
    replay.time_s = clock_->time_s();
    replay.peak_ram_bytes = clock_->peak_bytes();
    replay.objective = problem_.objective == Objective::Time
                           ? replay.time_s
                           : joules_ + number_of(problem_.idle_w) * replay.time_s;
    return replay;
  }

 private:
  using Fault = std::optional<std::string>;

  Fault first_fault() {
    if (Fault fault = begin()) return fault;
    for (place_ = 0; place_ < schedule_.actions.size(); ++place_)
      if (Fault fault = play(schedule_.actions[place_]))
        return "action " + std::to_string(place_) + " " + *fault;
    return end();
  }

  Fault begin() {
    std::vector<bool> chosen(problem_.tensors.size(), false);
    for (const std::int32_t i : schedule_.resident) {
      if (!exists(i) || !problem_.tensors[i].may_be_resident)
        return "tensor " + std::to_string(i) + " may not be resident";
      chosen[i] = true;
    }
    std::int64_t fixed_bytes = 0;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Tensor& tensor = problem_.tensors[i];
      State& state = states_[i];
      const bool stays = tensor.home == Home::Resident ||
                         chosen[static_cast<std::size_t>(tensor.updates.value_or(id_of(i)))];
      state.fixed = stays || tensor.home == Home::Rom;
      state.present = state.fixed && !tensor.updates;
      state.copied = tensor.home == Home::Storage;
      if (tensor.view_of) continue;
      if (tensor.home == Home::Storage) storage_bytes_ += tensor.size_bytes;
      if (stays && !tensor.updates) fixed_bytes += tensor.size_bytes;
    }
    if (fixed_bytes > problem_.ram_budget_bytes) return "residents alone exceed the RAM budget";
    if (!keeps_storage()) return "the homes in storage exceed its capacity";
    clock_.emplace(problem_, fixed_bytes);
    return std::nullopt;
  }

  Fault end() const {
    for (std::size_t v = 0; v < executed_.size(); ++v)
      if (!executed_[v]) return "operation " + std::to_string(v) + " never runs";
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (problem_.tensors[i].updates && !states_[i].fixed && !states_[i].copied)
        return "the new value " + std::to_string(i) + " is not in storage at the end";
    if (problem_.deadline_s && clock_->time_s() > number_of(latest_end_s(*problem_.deadline_s)))
      return "the step takes longer than its deadline";
    if (problem_.uncertainty && problem_.uncertainty->deadline_s &&
        worst_s(problem_, schedule_, clock_->time_s()) >
            number_of(latest_end_s(*problem_.uncertainty->deadline_s)))
      return "in the worst case the step takes longer than its deadline";
    return std::nullopt;
  }

  bool exists(std::int32_t i) const {
    return i >= 0 && static_cast<std::size_t>(i) < problem_.tensors.size();
  }
  bool keeps_storage() const {
    return !problem_.storage_capacity_bytes || storage_bytes_ <= *problem_.storage_capacity_bytes;
  }
  // Schedules may write as often as they like: the sum stays at the largest number.
  bool may_write(std::int64_t bytes) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    written_bytes_ = written_bytes_ > most - bytes ? most : written_bytes_ + bytes;
    return !problem_.write_budget_bytes || written_bytes_ <= *problem_.write_budget_bytes;
  }

  Fault play(const Action& action) {
    if (action.kind == Action::Kind::Compute) return compute(action.id);
    const std::string tensor = "tensor " + std::to_string(action.id);
    if (!exists(action.id) || problem_.tensors[action.id].view_of)
      return "names " + tensor + ", which is none that can be moved";
    if (states_[action.id].fixed) return "moves " + tensor + ", which stays where it is";
    switch (action.kind) {
      case Action::Kind::PageOut:
        return page_out(action.id, tensor);
      case Action::Kind::PageIn:
        return page_in(action.id, tensor);
      default:
        return drop(action.id, tensor);
    }
  }

  Fault compute(std::int32_t v) {
    if (static_cast<std::size_t>(v) >= problem_.operations.size())
      return "runs operation " + std::to_string(v) + ", which does not exist";
    const Operation& operation = problem_.operations[v];
    const std::string name = "operation " + std::to_string(v);
    if (executed_[v] && (operation.once || !problem_.rematerialisation_allowed))
      return "runs " + name + " a second time, which it must not";
    if (!executed_[v] && v > 0 && !executed_[v - 1]) return "runs " + name + " out of order";
    executed_[v] = true;
    Execution execution{.operation = v};
    if (Fault fault = take_inputs(operation, name, execution)) return fault;
    make_outputs(operation, execution);
    share_in_place(operation, execution);
    joules_ += number_of(operation.compute_j);
    if (!may_write(operation.written_bytes)) return "writes more than the write budget";
    if (!clock_->compute(execution)) return "runs " + name + ", for which RAM has no room";
    return std::nullopt;
  }

  Fault take_inputs(const Operation& operation, const std::string& name, Execution& execution) {
    for (const std::int32_t input : operation.inputs) {
      const std::int32_t root = problem_.root_of(input);
      const State& state = states_[root];
      if (state.replaced) return "runs " + name + " on the old value of an updated tensor";
      if (!state.present)
        return "runs " + name + ", whose input " + std::to_string(input) + " is not in RAM";
      if (!state.fixed) execution.inputs.push_back(root);
    }
    return std::nullopt;
  }

  void make_outputs(const Operation& operation, Execution& execution) {
    for (const std::int32_t output : operation.outputs) {
      const Tensor& tensor = problem_.tensors[output];
      if (tensor.view_of) continue;
      State& state = states_[output];
      if (!state.fixed)
        (state.present ? execution.old_outputs : execution.new_outputs).push_back(output);
      state.present = true;
      if (tensor.updates) states_[*tensor.updates].replaced = true;
    }
  }

  // Where the very next action drops the input.
  void share_in_place(const Operation& operation, Execution& execution) const {
    if (!operation.in_place || place_ + 1 >= schedule_.actions.size()) return;
    const std::int32_t input = problem_.root_of(operation.in_place->input);
    const std::int32_t output = operation.in_place->output;
    const std::vector<std::int32_t>& taken = execution.new_outputs;
    if (schedule_.actions[place_ + 1] != Action{Action::Kind::Drop, input} ||
        states_[input].fixed || std::find(taken.begin(), taken.end(), output) == taken.end())
      return;
    execution.taken_over = input;
    execution.shared_bytes = problem_.tensors[output].size_bytes;
  }

  Fault page_out(std::int32_t i, const std::string& name) {
    const Tensor& tensor = problem_.tensors[i];
    State& state = states_[i];
    if (!problem_.paging_allowed && !tensor.updates) return "writes " + name + " without paging";
    if (state.replaced) return "writes the old value of " + name;
    if (!state.present) return "writes " + name + ", which is not in RAM";
    if (!state.copied && !tensor.updates) storage_bytes_ += tensor.size_bytes;
    if (!keeps_storage()) return "writes more than storage holds";
    if (!may_write(tensor.size_bytes)) return "writes more than the write budget";
    state.copied = true;
    joules_ += number_of(tensor.page_out_j);
    clock_->page_out(i);
    return std::nullopt;
  }

  Fault page_in(std::int32_t i, const std::string& name) {
    const Tensor& tensor = problem_.tensors[i];
    State& state = states_[i];
    if (!problem_.paging_allowed && tensor.home != Home::Storage && !tensor.updates)
      return "reads " + name + " without paging";
    if (state.replaced) return "reads the old value of " + name;
    if (!state.copied) return "reads " + name + ", of which storage has no copy";
    const bool has_buffer = state.present;
    state.present = true;
    joules_ += number_of(tensor.page_in_j);
    if (!clock_->page_in(i, has_buffer)) return "reads " + name + ", for which RAM has no room";
    return std::nullopt;
  }

  Fault drop(std::int32_t i, const std::string& name) {
    if (!states_[i].present) return "drops " + name + ", which is not in RAM";
    states_[i].present = false;
    clock_->drop(i);
    return std::nullopt;
  }

  const Problem& problem_;
  const Schedule& schedule_;
  std::vector<State> states_;
  std::vector<bool> executed_;
  std::optional<Clock> clock_;
  std::size_t place_ = 0;
  std::int64_t storage_bytes_ = 0;
  std::int64_t written_bytes_ = 0;
  Number joules_;
};

}  // namespace

Schedule read_schedule(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "the schedule", reader);
  Schedule schedule;
  object.format("poet-schedule", 1);
  if (object.has("resident"))
    for (const std::int64_t id : object.wholes("resident", kIndexRange))
      schedule.resident.push_back(id_of(id));
  for (const JsonValue& one : object.list("actions")) {
    const JsonList& two = reader.list(one, "actions");
    if (!reader.failure() && two.size() != 2)
      reader.refuse(one, "an action must be a word and an id, as in [\"drop\", 3]");
    if (reader.failure()) return schedule;
    const Action::Kind kind = reader.choice(two[0], "an action", kActions);
    schedule.actions.push_back({kind, id_of(reader.whole(two[1], "an action", kIndexRange))});
  }
  object.finish();
  return schedule;
}

Replay replay(const Problem& problem, const Schedule& schedule) {
  return Player(problem, schedule).run();
}

}  // namespace poet::exact
