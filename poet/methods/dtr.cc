// Evicts, where RAM is short, what is cheap, large and stale, without knowing what is to come
// (Kirisame et al., arXiv 2006.09616).
#include "poet/methods/dtr.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "poet/methods/evicted_neighbourhood.h"
#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

enum class Whereabouts {
  NotYet,   // never made or read so far
  InRam,    // or wherever it can be read: rom, residents
  Evicted,  // it can be had again
  Lost,     // it can never be had again
};

Neighbours neighbours_of(DtrHeuristic heuristic) {
  if (heuristic == DtrHeuristic::Classes) return Neighbours::Classes;
  return heuristic == DtrHeuristic::Local ? Neighbours::None : Neighbours::Exact;
}

// An operation that is to be executed, and what it waits for. Its other inputs are locked.
struct Waiting {
  OperationId operation{};
  std::vector<TensorId> missing = {};  // the last one first
};

class Runtime {
 public:
  Runtime(const Problem& problem, DtrHeuristic heuristic)
      : problem_(problem),
        heuristic_(heuristic),
        neighbourhood_(problem, neighbours_of(heuristic)),
        makers_(producers(problem)),
        whereabouts_(problem.tensors.size(), Whereabouts::NotYet),
        stored_(problem.tensors.size(), false),
        locks_(problem.tensors.size(), 0),
        reads_to_come_(problem.tensors.size(), 0),
        last_access_s_(problem.tensors.size(), 0),
        executed_(problem.operations.size(), false),
        used_bytes_(resident_bytes(problem)) {
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
      const Tensor& tensor = problem.tensors[i];
      const bool fixed = tensor.home == Home::Rom || tensor.home == Home::Resident;
      if (fixed && !tensor.updates) whereabouts_[i] = Whereabouts::InRam;
      stored_[i] = tensor.home == Home::Storage;
    }
    for (std::size_t v = 0; v < problem.operations.size(); ++v) {
      plain_work_s_ += problem.operations[v].compute_s;
      for (const TensorId input : ram_inputs(problem, OperationId{static_cast<std::int32_t>(v)}))
        ++reads_to_come_[index_of(input)];
    }
  }

  DtrRun run(const Stop& stop) {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      const OperationId operation{static_cast<std::int32_t>(v)};
      const DtrEnd end = execute(operation, stop);
      if (end != DtrEnd::Complete) return {end, {}};
      release(operation);
    }
    return {DtrEnd::Complete, std::move(schedule_)};
  }

 private:
  std::int64_t size_bytes(TensorId tensor) const { return at(problem_.tensors, tensor).size_bytes; }
  bool in_ram(TensorId tensor) const {
    return whereabouts_[index_of(tensor)] == Whereabouts::InRam;
  }
  bool moves(TensorId tensor) const {
    const Home home = at(problem_.tensors, tensor).home;
    return home == Home::Made || home == Home::Storage;
  }

  bool can_return(TensorId tensor) const {
    if (stored_[index_of(tensor)]) return true;
    const std::optional<OperationId> maker = makers_[index_of(tensor)];
    if (!maker || at(problem_.operations, *maker).once) return false;
    const std::vector<TensorId> inputs = ram_inputs(problem_, *maker);
    return std::none_of(inputs.begin(), inputs.end(), [&](TensorId input) {
      return whereabouts_[index_of(input)] == Whereabouts::Lost;
    });
  }

  Waiting wait_for(OperationId operation) {
    Waiting waiting{operation, {}};
    for (const TensorId input : ram_inputs(problem_, operation)) {
      last_access_s_[index_of(input)] = now_s_;
      if (in_ram(input))
        ++locks_[index_of(input)];
      else
        waiting.missing.push_back(input);
    }
    std::reverse(waiting.missing.begin(), waiting.missing.end());
    return waiting;
  }

  // Their rematerialisation is a recursion; a chain may be thousands long.
  DtrEnd execute(OperationId operation, const Stop& stop) {
    std::vector<Waiting> open = {wait_for(operation)};
    while (!open.empty()) {
      if (stop.requested()) return DtrEnd::Stopped;
      if (is_thrashing()) return DtrEnd::Thrashing;
      Waiting& last = open.back();
      if (last.missing.empty()) {
        const OperationId ready = last.operation;
        open.pop_back();
        compute(ready);
        continue;
      }
      const TensorId wanted = last.missing.back();
      if (in_ram(wanted)) {
        ++locks_[index_of(wanted)];
        last.missing.pop_back();
      } else if (stored_[index_of(wanted)]) {
        read(wanted);
      } else if (whereabouts_[index_of(wanted)] != Whereabouts::Lost && can_return(wanted)) {
        open.push_back(wait_for(*makers_[index_of(wanted)]));
      } else {
        return DtrEnd::Lost;
      }
    }
    return DtrEnd::Complete;
  }

  bool is_thrashing() const {
    return now_s_ > kThrashingFactor * plain_work_s_ + reading_s_ ||
           static_cast<double>(executions_) >
               kThrashingFactor * static_cast<double>(problem_.operations.size());
  }

  void read(TensorId tensor) {
    make_room(size_bytes(tensor));
    schedule_.actions.emplace_back(PageIn{tensor});
    now_s_ += at(problem_.tensors, tensor).page_in_s;
    reading_s_ += at(problem_.tensors, tensor).page_in_s;
    enter(tensor);
  }

  void compute(OperationId id) {
    const Operation& operation = at(problem_.operations, id);
    const std::vector<TensorId> outputs = made_outputs(problem_, id);
    const std::optional<TensorId> shared = input_to_take_over(id);
    std::int64_t extra_bytes = operation.workspace_bytes;
    for (const TensorId output : outputs)
      if (!in_ram(output)) extra_bytes += size_bytes(output);
    if (shared) extra_bytes -= size_bytes(operation.in_place->output);
    make_room(extra_bytes);
    schedule_.actions.emplace_back(Compute{id});
    now_s_ += operation.compute_s;
    ++executions_;
    for (const TensorId output : operation.outputs)
      if (!at(problem_.tensors, output).view_of) enter(output);
    for (const TensorId input : ram_inputs(problem_, id)) --locks_[index_of(input)];
    if (shared) leave(*shared);
    replace_old_values(operation);
    executed_[index_of(id)] = true;
  }

  // Of an operation that runs for the first time: later ones must leave the input to those that
  // wait for it.
  std::optional<TensorId> input_to_take_over(OperationId id) const {
    const std::optional<InPlace>& in_place = at(problem_.operations, id).in_place;
    if (!in_place || executed_[index_of(id)]) return std::nullopt;
    const TensorId input = root_of(problem_, in_place->input);
    const bool dies = moves(input) && reads_to_come_[index_of(input)] == 1 &&
                      locks_[index_of(input)] == 1 && may_be_freed_for_good(input);
    const bool takes = at(problem_.tensors, in_place->output).home == Home::Made;
    return dies && takes ? std::optional(input) : std::nullopt;
  }

  bool may_be_freed_for_good(TensorId tensor) const {
    return can_return(tensor) || !neighbourhood_.has_evicted_dependent(tensor);
  }

  void replace_old_values(const Operation& operation) {
    for (const TensorId output : operation.outputs) {
      const std::optional<TensorId> old = at(problem_.tensors, output).updates;
      if (!old) continue;
      stored_[index_of(*old)] = false;
      if (in_ram(*old) && moves(*old)) leave(*old);
      lose(*old);
      if (at(problem_.tensors, *old).home != Home::Storage) continue;
      schedule_.actions.emplace_back(PageOut{output});
      stored_[index_of(output)] = true;
    }
  }

  // What can only be made from it is lost with it.
  void lose(TensorId tensor) {
    std::vector<TensorId> open = {tensor};
    while (!open.empty()) {
      const TensorId next = open.back();
      open.pop_back();
      if (whereabouts_[index_of(next)] == Whereabouts::Evicted) neighbourhood_.bring_back(next);
      whereabouts_[index_of(next)] = Whereabouts::Lost;
      for (const TensorId dependent : neighbourhood_.made_from(next))
        if (whereabouts_[index_of(dependent)] == Whereabouts::Evicted && !can_return(dependent))
          open.push_back(dependent);
    }
  }

  void enter(TensorId tensor) {
    const std::size_t i = static_cast<std::size_t>(index_of(tensor));
    if (whereabouts_[i] == Whereabouts::InRam) return;
    if (whereabouts_[i] == Whereabouts::Evicted) neighbourhood_.bring_back(tensor);
    if (whereabouts_[i] == Whereabouts::NotYet) last_access_s_[i] = now_s_;
    whereabouts_[i] = Whereabouts::InRam;
    if (moves(tensor)) used_bytes_ += size_bytes(tensor);
  }

  void leave(TensorId tensor) {
    const bool returns = can_return(tensor);
    schedule_.actions.emplace_back(Drop{tensor});
    used_bytes_ -= size_bytes(tensor);
    whereabouts_[index_of(tensor)] = Whereabouts::Evicted;
    if (returns)
      neighbourhood_.evict(tensor);
    else
      lose(tensor);
  }

  // The program's references to an operation's tensors, after its first execution.
  void release(OperationId operation) {
    for (const TensorId input : ram_inputs(problem_, operation)) {
      --reads_to_come_[index_of(input)];
      dying_.push_back(input);
    }
    for (const TensorId output : made_outputs(problem_, operation)) dying_.push_back(output);
    std::erase_if(dying_, [&](TensorId tensor) {
      if (reads_to_come_[index_of(tensor)] > 0 || !in_ram(tensor) || !moves(tensor)) return true;
      if (!may_be_freed_for_good(tensor)) return false;
      leave(tensor);
      return true;
    });
  }

  void make_room(std::int64_t bytes) {
    while (used_bytes_ + bytes > problem_.ram_budget_bytes) {
      const std::optional<TensorId> next = least();
      if (!next) return;
      leave(*next);
    }
  }

  // Ties: the one that was not used for the longest time, then the first.
  std::optional<TensorId> least() {
    std::optional<TensorId> best;
    std::tuple<double, double> best_h;
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const TensorId tensor{static_cast<std::int32_t>(i)};
      if (!in_ram(tensor) || locks_[i] > 0 || !moves(tensor) || size_bytes(tensor) == 0 ||
          !can_return(tensor))
        continue;
      const std::tuple<double, double> h_of_it{h(tensor), last_access_s_[i]};
      if (best && h_of_it >= best_h) continue;
      best = tensor;
      best_h = h_of_it;
    }
    return best;
  }

  double h(TensorId tensor) {
    const double cost_s = neighbourhood_.own_cost_s(tensor) + neighbourhood_.cost_s(tensor);
    if (heuristic_ == DtrHeuristic::Neighbourhood) return cost_s;
    const double staleness_s = now_s_ - last_access_s_[index_of(tensor)];
    if (staleness_s <= 0) return std::numeric_limits<double>::infinity();
    return cost_s / (static_cast<double>(size_bytes(tensor)) * staleness_s);
  }

  const Problem& problem_;
  DtrHeuristic heuristic_;
  EvictedNeighbourhood neighbourhood_;
  std::vector<std::optional<OperationId>> makers_;
  std::vector<Whereabouts> whereabouts_;     // per root
  std::vector<bool> stored_;                 // storage has a copy of the value that is to be read
  std::vector<std::int32_t> locks_;          // of operations that wait or run
  std::vector<std::int32_t> reads_to_come_;  // by first executions
  std::vector<double> last_access_s_;        // on the clock of the work done
  std::vector<bool> executed_;
  std::vector<TensorId> dying_;  // no reads to come, perhaps still needed by what is evicted
  std::int64_t used_bytes_ = 0;
  double now_s_ = 0;
  double reading_s_ = 0;  // of now_s_
  double plain_work_s_ = 0;
  std::int64_t executions_ = 0;
  Schedule schedule_ = {};
};

const char* why(DtrEnd end) {
  switch (end) {
    case DtrEnd::Lost:
      return "an operation needs a value that was evicted and cannot be made again, since an "
             "update has replaced what it was made from";
    case DtrEnd::Thrashing:
      return "the method was stopped after 50 times the work of keeping everything";
    case DtrEnd::Stopped:
    case DtrEnd::Complete:
      break;
  }
  return "the method was stopped before it was through";
}

class Dtr final : public Solver {
 public:
  Dtr(std::string_view name, DtrHeuristic heuristic) : name_(name), heuristic_(heuristic) {}

  std::string_view name() const override { return name_; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    const DtrRun run = run_dtr(problem, heuristic_, stop);
    Proposals proposals(problem);
    if (run.end == DtrEnd::Complete) proposals.offer(run.schedule);
    SolveReport report = proposals.report(name_);
    if (run.end != DtrEnd::Complete) report.notes.emplace_back(why(run.end));
    return report;
  }

 private:
  std::string_view name_;
  DtrHeuristic heuristic_;
};

}  // namespace

DtrRun run_dtr(const Problem& problem, DtrHeuristic heuristic, const Stop& stop) {
  return Runtime(problem, heuristic).run(stop);
}

std::unique_ptr<Solver> make_dtr() {
  return std::make_unique<Dtr>("dtr", DtrHeuristic::Dtr);
}

std::unique_ptr<Solver> make_dtr_classes() {
  return std::make_unique<Dtr>("dtr-eq", DtrHeuristic::Classes);
}

std::unique_ptr<Solver> make_dtr_local() {
  return std::make_unique<Dtr>("dtr-local", DtrHeuristic::Local);
}

}  // namespace poet
