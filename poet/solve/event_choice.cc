// What a choice of events costs and needs, by our own arithmetic, and the schedule that it means
// (docs/model/event-model.md §2.5 and §3.1).
#include "poet/solve/event_choice.h"

#include <algorithm>
#include <variant>

#include "poet/problem/facts.h"

namespace poet {
namespace {

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// For each execution, which of its inputs and outputs stay in RAM afterwards.
struct Stays {
  std::vector<std::vector<bool>> inputs;   // [execution][position in operation.inputs]
  std::vector<std::vector<bool>> outputs;  // [execution][position in operation.outputs]
  bool complete = true;
};

Stays find_stays(const Step& step, const EventChoice& choice) {
  Stays stays;
  stays.inputs.resize(choice.executions.size());
  stays.outputs.resize(choice.executions.size());
  std::vector<bool> needed(step.chains.size(),
                           false);  // by the next execution that touches the chain
  for (std::size_t x = choice.executions.size(); x-- > 0;) {
    const Execution& execution = choice.executions[x];
    const StepOperation& operation = step.operations[execution.event.operation];
    for (const std::int32_t chain : operation.outputs) {
      stays.outputs[x].push_back(needed[chain]);
      needed[chain] = false;
    }
    for (const std::int32_t chain : operation.inputs) {
      stays.inputs[x].push_back(needed[chain]);
      needed[chain] = !contains(execution.reads, chain) && !is_resident(step, choice, chain);
    }
  }
  for (const bool missing : needed) stays.complete = stays.complete && !missing;
  return stays;
}

bool is_written(const Step& step, const EventChoice& choice, std::int32_t chain) {
  if (step.chains[chain].must_be_written) return !is_resident(step, choice, chain);
  return choice.stored[chain];
}

// Whether input and output of the execution share a buffer: the input must die with it.
bool shares(const Step& step, const EventChoice& choice, const Stays& stays, std::size_t x) {
  const StepOperation& operation = step.operations[choice.executions[x].event.operation];
  if (!operation.in_place) return false;
  const std::int32_t input = operation.inputs[operation.in_place->input];
  const std::int32_t output = operation.outputs[operation.in_place->output];
  return !is_resident(step, choice, input) && !is_resident(step, choice, output) &&
         !stays.inputs[x][operation.in_place->input];
}

// Follows the bytes in RAM through the executions.
class RamWalk {
 public:
  RamWalk(const Step& step, const EventChoice& choice, const Stays& stays)
      : step_(step), choice_(choice), stays_(stays) {
    for (std::size_t c = 0; c < step.chains.size(); ++c)
      if (choice.resident[c]) ram_bytes_ += step.chains[c].size_bytes;
  }

  // Bytes in use while execution x runs.
  std::int64_t run(std::size_t x) {
    const Execution& execution = choice_.executions[x];
    const StepOperation& operation = step_.operations[execution.event.operation];
    for (const std::int32_t chain : execution.reads) ram_bytes_ += size(chain);
    std::int64_t running_bytes = ram_bytes_ + operation.workspace_bytes;
    for (std::size_t n = 0; n < operation.outputs.size(); ++n) {
      running_bytes += size(operation.outputs[n]);
      if (stays_.outputs[x][n]) ram_bytes_ += size(operation.outputs[n]);
    }
    for (std::size_t n = 0; n < operation.inputs.size(); ++n)
      if (!stays_.inputs[x][n]) ram_bytes_ -= size(operation.inputs[n]);
    if (shares(step_, choice_, stays_, x))
      running_bytes -= size(operation.outputs[operation.in_place->output]);
    return running_bytes;
  }

 private:
  std::int64_t size(std::int32_t chain) const {
    return is_resident(step_, choice_, chain) ? 0 : step_.chains[chain].size_bytes;
  }

  const Step& step_;
  const EventChoice& choice_;
  const Stays& stays_;
  std::int64_t ram_bytes_ = 0;
};

void add_write(const Chain& chain, ChoiceFigures& figures) {
  figures.cost += chain.write_cost;
  figures.time_s += chain.write_s;
  figures.written_bytes += chain.size_bytes;
  if (!chain.must_be_written) figures.stored_bytes += chain.size_bytes;
}

void add_read(const Chain& chain, ChoiceFigures& figures) {
  figures.cost += chain.read_cost;
  figures.time_s += chain.read_s;
}

class ScheduleWriter {
 public:
  ScheduleWriter(const Step& step, const EventChoice& choice)
      : step_(step), choice_(choice), stays_(find_stays(step, choice)) {}

  Schedule write() {
    for (std::size_t c = 0; c < step_.chains.size(); ++c)
      if (choice_.resident[c]) schedule_.resident.push_back(step_.chains[c].tensor);
    for (std::size_t x = 0; x < choice_.executions.size(); ++x) write_execution(x);
    return std::move(schedule_);
  }

 private:
  void write_execution(std::size_t x) {
    const Execution& execution = choice_.executions[x];
    const StepOperation& operation = step_.operations[execution.event.operation];
    for (const std::int32_t chain : execution.reads)
      schedule_.actions.emplace_back(PageIn{step_.chains[chain].tensor});
    schedule_.actions.emplace_back(Compute{OperationId{execution.event.operation}});

    // The input whose buffer an output takes over leaves first: the sharing rests on it.
    const bool shared = shares(step_, choice_, stays_, x);
    const std::int32_t shared_input = shared ? operation.in_place->input : 0;
    if (shared) drop(operation.inputs[shared_input]);
    if (execution.event.certain()) write_copies(operation);
    for (std::size_t n = 0; n < operation.inputs.size(); ++n)
      if (!stays_.inputs[x][n] && !(shared && static_cast<std::int32_t>(n) == shared_input))
        drop(operation.inputs[n]);
    for (std::size_t n = 0; n < operation.outputs.size(); ++n)
      if (!stays_.outputs[x][n]) drop(operation.outputs[n]);
  }

  void write_copies(const StepOperation& operation) {
    for (const std::int32_t chain : operation.outputs)
      if (is_written(step_, choice_, chain))
        schedule_.actions.emplace_back(PageOut{step_.chains[chain].tensor});
  }

  void drop(std::int32_t chain) {
    if (!is_resident(step_, choice_, chain))
      schedule_.actions.emplace_back(Drop{step_.chains[chain].tensor});
  }

  const Step& step_;
  const EventChoice& choice_;
  Stays stays_;
  Schedule schedule_;
};

}  // namespace

bool is_resident(const Step& step, const EventChoice& choice, std::int32_t chain) {
  const std::optional<std::int32_t> old = step.chains[chain].old_value;
  return choice.resident[chain] || (old && choice.resident[*old]);
}

ChoiceFigures figures_of(const Step& step, const EventChoice& choice) {
  const Stays stays = find_stays(step, choice);
  ChoiceFigures figures;
  figures.complete = stays.complete;
  RamWalk ram(step, choice, stays);
  // Costs and times are added in the order of the schedule's actions, as a replay adds them, so
  // that both come to the same bits and agree on which side of a deadline a step ends.
  for (std::size_t x = 0; x < choice.executions.size(); ++x) {
    const Execution& execution = choice.executions[x];
    const StepOperation& operation = step.operations[execution.event.operation];
    figures.peak_bytes = std::max(figures.peak_bytes, ram.run(x));
    for (const std::int32_t chain : execution.reads) {
      const bool has_copy = !step.chains[chain].producer || is_written(step, choice, chain);
      figures.complete = figures.complete && has_copy;
      add_read(step.chains[chain], figures);
    }
    figures.cost += operation.cost;
    figures.time_s += operation.time_s;
    if (!execution.event.certain()) continue;
    for (const std::int32_t chain : operation.outputs)
      if (is_written(step, choice, chain)) add_write(step.chains[chain], figures);
  }
  return figures;
}

std::vector<std::int64_t> ram_in_use(const Step& step, const EventChoice& choice) {
  const Stays stays = find_stays(step, choice);
  RamWalk ram(step, choice, stays);
  std::vector<std::int64_t> bytes;
  for (std::size_t x = 0; x < choice.executions.size(); ++x) bytes.push_back(ram.run(x));
  return bytes;
}

bool keeps_budgets(const Step& step, const ChoiceFigures& figures) {
  return keeps_budgets(step, figures, step.budget_bytes);
}

bool keeps_budgets(const Step& step, const ChoiceFigures& figures, std::int64_t budget_bytes) {
  if (!figures.complete || figures.peak_bytes > budget_bytes) return false;
  if (step.deadline_s && figures.time_s > *step.deadline_s) return false;
  if (step.storage_room_bytes && figures.stored_bytes > *step.storage_room_bytes) return false;
  return !step.write_room_bytes || figures.written_bytes <= *step.write_room_bytes;
}

namespace {

// Walks a choice from its end and keeps what something later needs.
class WasteRemover {
 public:
  WasteRemover(const Step& step, EventChoice choice) : step_(step), choice_(std::move(choice)) {
    needed_by_.resize(step.chains.size());
    read_.assign(step.chains.size(), false);
  }

  EventChoice run() {
    for (std::size_t x = choice_.executions.size(); x-- > 0;) {
      Execution& execution = choice_.executions[x];
      if (execution.event.certain() || is_useful(execution.event))
        keep(std::move(execution));
      else
        hand_on_reads(execution);
    }
    std::reverse(kept_.begin(), kept_.end());
    choice_.executions = std::move(kept_);
    for (std::size_t c = 0; c < step_.chains.size(); ++c)
      choice_.stored[c] = choice_.stored[c] && read_[c];
    return std::move(choice_);
  }

 private:
  bool is_useful(Event event) const {
    const std::vector<std::int32_t>& outputs = step_.operations[event.operation].outputs;
    return std::any_of(outputs.begin(), outputs.end(),
                       [this](std::int32_t chain) { return needed_by_[chain].has_value(); });
  }

  void keep(Execution execution) {
    const StepOperation& operation = step_.operations[execution.event.operation];
    for (const std::int32_t chain : operation.outputs) needed_by_[chain].reset();
    for (const std::int32_t chain : operation.inputs) {
      needed_by_[chain].reset();
      if (contains(execution.reads, chain))
        read_[chain] = true;
      else if (!is_resident(step_, choice_, chain))
        needed_by_[chain] = kept_.size();
    }
    kept_.push_back(std::move(execution));
  }

  // What was read for the dropped execution and stayed for a later one is read there instead.
  void hand_on_reads(const Execution& execution) {
    for (const std::int32_t chain : execution.reads) {
      if (!needed_by_[chain]) continue;
      kept_[*needed_by_[chain]].reads.push_back(chain);
      needed_by_[chain].reset();
      read_[chain] = true;
    }
  }

  const Step& step_;
  EventChoice choice_;
  std::vector<Execution> kept_;                        // from the end
  std::vector<std::optional<std::size_t>> needed_by_;  // position in kept_, per chain
  std::vector<bool> read_;
};

}  // namespace

EventChoice without_waste(const Step& step, EventChoice choice) {
  return WasteRemover(step, std::move(choice)).run();
}

Schedule to_schedule(const Step& step, const EventChoice& choice) {
  return ScheduleWriter(step, choice).write();
}

namespace {

// Reads a schedule action by action. A PageIn belongs to the next execution that uses the tensor.
class ScheduleReader {
 public:
  ScheduleReader(const Problem& problem, const Step& step) : step_(step) {
    chain_of_.resize(problem.tensors.size());
    for (std::size_t c = 0; c < step.chains.size(); ++c)
      at(chain_of_, step.chains[c].tensor) = static_cast<std::int32_t>(c);
    choice_.stored.assign(step.chains.size(), false);
    choice_.resident.assign(step.chains.size(), false);
    arrived_.assign(step.chains.size(), false);
  }

  std::optional<EventChoice> read(const Schedule& schedule) {
    for (const TensorId tensor : schedule.resident)
      if (at(chain_of_, tensor)) choice_.resident[*at(chain_of_, tensor)] = true;
    for (const Action& action : schedule.actions)
      std::visit([this](const auto& a) { take(a); }, action);
    if (!in_class_ || stage_ != step_.stages()) return std::nullopt;
    return choice_;
  }

 private:
  void take(const Compute& action) {
    const std::int32_t k = index_of(action.operation);
    Execution execution{Event{stage_, k}};
    if (k > stage_ || (k < stage_ && step_.operations[k].last_stage < stage_) ||
        (!choice_.executions.empty() && choice_.executions.back().event >= execution.event)) {
      in_class_ = false;
      return;
    }
    for (const std::int32_t chain : step_.operations[k].inputs) {
      if (arrived_[chain]) execution.reads.push_back(chain);
      arrived_[chain] = false;
    }
    for (const std::int32_t chain : step_.operations[k].outputs) arrived_[chain] = false;
    choice_.executions.push_back(std::move(execution));
    if (k == stage_) ++stage_;
  }
  void take(const PageOut& action) {
    const auto chain = at(chain_of_, action.tensor);
    if (!chain || step_.chains[*chain].must_be_written) return;
    if (!step_.chains[*chain].may_be_written || choice_.stored[*chain]) in_class_ = false;
    choice_.stored[*chain] = true;
  }
  void take(const PageIn& action) {
    if (const auto chain = at(chain_of_, action.tensor)) arrived_[*chain] = true;
  }
  void take(const Drop& action) {
    if (const auto chain = at(chain_of_, action.tensor)) arrived_[*chain] = false;
  }

  const Step& step_;
  std::vector<std::optional<std::int32_t>> chain_of_;
  std::vector<bool> arrived_;  // read from storage and not used since
  EventChoice choice_;
  std::int32_t stage_ = 0;
  bool in_class_ = true;
};

}  // namespace

std::optional<EventChoice> from_schedule(const Problem& problem, const Step& step,
                                         const Schedule& schedule) {
  return ScheduleReader(problem, step).read(schedule);
}

bool is_in_class(const Problem& problem, const Schedule& schedule) {
  return from_schedule(problem, make_step(problem), schedule).has_value();
}

}  // namespace poet
