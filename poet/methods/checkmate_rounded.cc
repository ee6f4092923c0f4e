// Rounds the relaxation of optimal rematerialisation in two phases (Jain et al., MLSys 2020,
// section 5.2).
#include "poet/methods/checkmate_rounded.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/problem/facts.h"
#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/step.h"

namespace poet {
namespace {

// The stage from which on a made tensor must be kept, because its maker cannot run any more.
std::optional<std::int32_t> kept_from(const Problem& problem, OperationId maker,
                                      const std::vector<std::optional<OperationId>>& update_of) {
  if (at(problem.operations, maker).once) return index_of(maker) + 1;
  std::optional<std::int32_t> from;
  for (const TensorId input : ram_inputs(problem, maker)) {
    const std::optional<OperationId> update = update_of[index_of(input)];
    if (update && (!from || index_of(*update) + 1 < *from)) from = index_of(*update) + 1;
  }
  return from;
}

// For each tensor the operation that replaces it.
std::vector<std::optional<OperationId>> updates(const Problem& problem) {
  std::vector<std::optional<OperationId>> update_of(problem.tensors.size());
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    for (const TensorId output : problem.operations[v].outputs)
      if (const std::optional<TensorId> old = at(problem.tensors, output).updates)
        update_of[index_of(*old)] = OperationId{static_cast<std::int32_t>(v)};
  return update_of;
}

constexpr double kAllowances[] = {0.1, 0, 0.05, 0.2, 0.3};  // epsilon; theirs first
// The paper's first; their released code tries them all.
constexpr double kThresholds[] = {0.5, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9};
constexpr std::uint64_t kRandomRoundings = 20;
// Relaxations with more events than this take minutes.
constexpr std::int64_t kMostEvents = 3000;
constexpr std::int32_t kDepths[] = {24, 12, 6, 3, 2};

EventSet events_of(const Step& step) {
  if (step.stages() + count_reexecutions(step) <= kMostEvents) return every_event(step);
  for (const std::int32_t depth : kDepths) {
    EventSet events = shallow_events(step, depth);
    if (events.size() <= kMostEvents) return events;
  }
  return shallow_events(step, 1);
}

// What stays in RAM across the border between stage t - 1 and t: the stay that begins at the last
// occurrence before.
StageFractions fractions_of(const Problem& problem, const Step& step, const EventSet& events,
                            const EventModel& model, const std::vector<double>& values) {
  StageFractions fractions(step.operations.size(),
                           std::vector<double>(problem.tensors.size(), 0.0));
  for (std::size_t c = 0; c < step.chains.size(); ++c) {
    double stays = 0;
    auto next = model.occurrences[c].begin();
    for (std::int32_t t = 0; t < step.stages(); ++t) {
      for (; next != model.occurrences[c].end() && next->event < events.begin(t); ++next)
        stays = next->stay ? values[*next->stay] : 0;
      fractions[t][index_of(step.chains[c].tensor)] = stays;
    }
  }
  return fractions;
}

// Checkmate makes the time least and knows no other limit.
Problem asked_instead(const Problem& problem, double allowance) {
  Problem asked = problem;
  asked.paging_allowed = false;
  asked.objective = Objective::Time;
  asked.deadline_s.reset();
  asked.write_budget_bytes.reset();
  asked.storage_capacity_bytes.reset();
  asked.idle_w = 0;
  asked.ram_budget_bytes =
      static_cast<std::int64_t>((1 - allowance) * static_cast<double>(problem.ram_budget_bytes));
  return asked;
}

struct RelaxedAnswer {
  std::optional<StageFractions> fractions = {};
  SolveEffort effort = {};
};

RelaxedAnswer relax(const Problem& problem, double allowance, const LinearBackend& backend,
                    const Stop& stop) {
  constexpr double kUnits = 100;  // of cost, in one execution of everything
  const Step step = make_step(asked_instead(problem, allowance));
  const EventSet events = events_of(step);
  EventModelOptions options;
  if (step.once_cost > 0) options.cost_unit = step.once_cost / kUnits;
  const EventModel model = make_event_model(step, events, {}, options);
  const RelaxationAnswer answer = backend.relax(model.linear)->solve(stop);
  RelaxedAnswer relaxed;
  relaxed.effort.events = events.size();
  relaxed.effort.all_events = step.stages() + count_reexecutions(step);
  relaxed.effort.columns = static_cast<std::int64_t>(model.linear.columns.size());
  relaxed.effort.rows = static_cast<std::int64_t>(model.linear.rows.size());
  relaxed.effort.rounds = 1;
  relaxed.effort.iterations = answer.iterations;
  if (answer.status == LinearStatus::Optimal)
    relaxed.fractions = fractions_of(problem, step, events, model, answer.values);
  return relaxed;
}

void offer_roundings(Proposals& proposals, const Problem& problem, const StageFractions& fractions,
                     std::uint64_t seed, const Stop& stop) {
  std::set<StageKept> seen;
  const auto offer = [&](StageKept kept) {
    keep_what_cannot_return(problem, kept);
    if (!seen.insert(kept).second) return;
    const StageRuns runs = least_runs(problem, kept);
    for (const HomeReads home_reads : ways_to_read_homes(problem))
      if (const std::optional<Moves> moves = play_stages(problem, kept, runs, home_reads))
        proposals.offer(*moves);
  };
  for (const double threshold : kThresholds)
    if (!stop.requested()) offer(rounded_above(fractions, threshold));
  for (std::uint64_t k = 0; k < kRandomRoundings; ++k)
    if (!stop.requested()) offer(rounded_at_random(fractions, seed + k));
}

void add_effort(SolveEffort& sum, const SolveEffort& effort) {
  sum.events = std::max(sum.events, effort.events);
  sum.all_events = std::max(sum.all_events, effort.all_events);
  sum.columns = std::max(sum.columns, effort.columns);
  sum.rows = std::max(sum.rows, effort.rows);
  sum.rounds += effort.rounds;
  sum.iterations += effort.iterations;
}

class CheckmateRounded final : public Solver {
 public:
  std::string_view name() const override { return "checkmate-rounded"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions& options, const Stop& stop,
                            const ProgressSink&) const override {
    if (Failure failure = needs_rematerialisation(problem)) return *failure;
    const Result<std::unique_ptr<LinearBackend>> backend =
        open_backend(options.backend, options.library_directories);
    if (!backend.ok()) return backend.error();
    Proposals proposals(problem);
    SolveEffort effort;
    bool any = false;
    for (const double allowance : kAllowances) {
      if (stop.requested()) break;
      const RelaxedAnswer relaxed = relax(problem, allowance, **backend, stop);
      add_effort(effort, relaxed.effort);
      if (!relaxed.fractions) continue;
      any = true;
      offer_roundings(proposals, problem, *relaxed.fractions, options.seed, stop);
    }
    SolveReport report = proposals.report(name());
    report.effort = effort;
    report.backend = std::string((*backend)->name()) + " " + (*backend)->version();
    if (!any)
      report.notes.emplace_back(
          stop.requested() ? "the linear relaxation was not solved in time"
                           : "the linear relaxation has no solution within the RAM budget");
    return report;
  }
};

}  // namespace

StageKept rounded_above(const StageFractions& fractions, double threshold) {
  StageKept kept;
  for (const std::vector<double>& stage : fractions) {
    kept.emplace_back();
    for (const double fraction : stage) kept.back().push_back(fraction > threshold);
  }
  return kept;
}

StageKept rounded_at_random(const StageFractions& fractions, std::uint64_t seed) {
  // The distributions of the standard library differ from one library to the next.
  std::mt19937_64 dice(seed);
  const auto uniform = [&] { return static_cast<double>(dice() >> 11) * 0x1p-53; };
  StageKept kept;
  for (const std::vector<double>& stage : fractions) {
    kept.emplace_back();
    for (const double fraction : stage) kept.back().push_back(uniform() < fraction);
  }
  return kept;
}

void keep_what_cannot_return(const Problem& problem, StageKept& kept) {
  const std::vector<std::optional<OperationId>> update_of = updates(problem);
  const std::vector<std::vector<OperationId>> all_readers = readers(problem);
  const auto stages = static_cast<std::int32_t>(kept.size());
  for (std::int32_t k = 0; k < stages; ++k) {
    const std::optional<std::int32_t> from = kept_from(problem, OperationId{k}, update_of);
    if (!from) continue;
    for (const TensorId output : made_outputs(problem, OperationId{k})) {
      const std::vector<OperationId>& reads = all_readers[index_of(output)];
      if (reads.empty() || index_of(reads.back()) < *from) continue;
      for (std::int32_t t = *from; t < stages; ++t) kept[t][index_of(output)] = true;
    }
  }
}

StageRuns least_runs(const Problem& problem, const StageKept& kept) {
  const std::size_t stages = kept.size();
  const std::vector<std::optional<OperationId>> makers = producers(problem);
  std::vector<std::vector<TensorId>> inputs;
  for (std::size_t k = 0; k < stages; ++k) {
    inputs.push_back(ram_inputs(problem, OperationId{static_cast<std::int32_t>(k)}));
    std::erase_if(inputs.back(),
                  [&](TensorId input) { return at(problem.tensors, input).home != Home::Made; });
  }
  StageRuns runs(stages, std::vector<bool>(stages, false));
  for (std::size_t t = 0; t < stages; ++t) {
    runs[t][t] = true;
    for (std::size_t i = 0; t + 1 < stages && i < makers.size(); ++i)
      if (problem.tensors[i].home == Home::Made && makers[i] && kept[t + 1][i] && !kept[t][i])
        runs[t][index_of(*makers[i])] = true;
    for (std::size_t k = t + 1; k-- > 0;) {
      if (!runs[t][k]) continue;
      for (const TensorId input : inputs[k])
        if (!kept[t][index_of(input)]) runs[t][index_of(*makers[index_of(input)])] = true;
    }
  }
  return runs;
}

std::optional<Moves> play_stages(const Problem& problem, const StageKept& kept,
                                 const StageRuns& runs, HomeReads home_reads) {
  Player player(problem, home_reads);
  for (std::size_t t = 0; t < runs.size(); ++t) {
    for (std::size_t i = 0; i < kept[t].size(); ++i)
      if (problem.tensors[i].home == Home::Made && !kept[t][i])
        player.forget(TensorId{static_cast<std::int32_t>(i)});
    for (std::size_t k = 0; k <= t; ++k) {
      if (!runs[t][k]) continue;
      if (k < t && problem.operations[k].once) return std::nullopt;
      if (!player.execute(OperationId{static_cast<std::int32_t>(k)})) return std::nullopt;
    }
  }
  return player.moves();
}

std::unique_ptr<Solver> make_checkmate_rounded() {
  return std::make_unique<CheckmateRounded>();
}

}  // namespace poet
