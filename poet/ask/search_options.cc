// Options that say what a step must fit into, what its schedule may do, and how to search for it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <utility>

#include "poet/ask/limits.h"
#include "poet/ask/option_rows.h"
#include "poet/ask/solver_names.h"
#include "poet/base/byte_text.h"
#include "poet/base/closest_name.h"
#include "poet/overlap/planner.h"

namespace poet {
namespace {

constexpr const char* kLimits = "What it must fit into";
constexpr const char* kTechniques = "What a schedule may do, and what counts";
constexpr const char* kSearch = "How to search";

template <typename Get>
QuestionOption technique(OptionRow row, std::string_view what, Get get) {
  row.group = kTechniques;
  return {.row = std::move(row),
          .askers = searchers(),
          .read =
              [get](PlanRequest& request, const std::string& text) {
                get(request) = text == "true";
                return Failure();
              },
          .json = JsonField{.type = FieldType::Switch, .what = what},
          .write = value_from(get)};
}

// "windows,dives"
Failure leave_out(PlanRequest& request, const std::string& list) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto switched = value_of(kTechniqueNames, part);
    if (!switched) {
      std::vector<std::string_view> names;
      for (const auto& row : kTechniqueNames) names.push_back(row.name);
      return bad_input(fmt::format("unknown part '{}'{}; there are {}", part,
                                   suggestion(part, names), fmt::join(names, ", ")));
    }
    request.solve.techniques.*(*switched) = false;
  }
  return std::nullopt;
}

JsonOut write_ram_budget(const PlanRequest& request) {
  const std::optional<RamBudget>& budget = request.ram_budget;
  if (!budget) return nullptr;
  if (const RamBytes* const fixed = std::get_if<RamBytes>(&*budget)) return fixed->bytes;
  if (const RamOfPlainPeak* const part = std::get_if<RamOfPlainPeak>(&*budget))
    return fmt::format("{}x", part->ratio);
  return way_text(std::get<RamOnTheWay>(*budget).ratio);
}

JsonOut write_deadline(const PlanRequest& request) {
  const std::optional<Deadline>& deadline = request.deadline;
  if (!deadline) return nullptr;
  if (const DeadlineSeconds* const fixed = std::get_if<DeadlineSeconds>(&*deadline))
    return fmt::format("{}s", fixed->seconds);
  return fmt::format("{}x", std::get<DeadlineRatio>(*deadline).ratio);
}

JsonOut write_uncertainty(const PlanRequest& request) {
  if (!request.uncertainty) return nullptr;
  return uncertainty_text(*request.uncertainty);
}

constexpr auto kUncertainty = [](auto& r) -> auto& {
  return r.uncertainty;
};
constexpr auto kWriteBudget = [](auto& r) -> auto& {
  return r.write_budget_bytes;
};
constexpr auto kStorageBlock = [](auto& r) -> auto& {
  return r.storage_block_bytes;
};
constexpr auto kFormulation = [](auto& r) -> auto& {
  return r.formulation;
};
constexpr auto kSolver = [](auto& r) -> auto& {
  return r.solver;
};
constexpr auto kGap = [](auto& r) -> auto& {
  return r.solve.gap_ratio;
};
constexpr auto kMaxNodes = [](auto& r) -> auto& {
  return r.solve.max_nodes;
};
constexpr auto kThreads = [](auto& r) -> auto& {
  return r.solve.threads;
};
constexpr auto kSeed = [](auto& r) -> auto& {
  return r.solve.seed;
};
constexpr auto kTimeLimit = [](auto& r) -> auto& {
  return r.time_limit_s;
};

std::vector<QuestionOption> limit_options() {
  return {
      {.row = {.names = "--ram-budget",
               .value = "SIZE",
               .group = kLimits,
               .help = "737719, 720KiB, 3MB; 60% or 0.6x of the plain peak; 40%way from the "
                       "largest working set to the plain peak; default: the device's RAM"},
       .askers = searchers(),
       .read = value_into(
           parse_ram_budget, [](auto& r) -> auto& { return r.ram_budget; }),
       .json = JsonField{.what = "bytes, 512KiB, 60% or 0.6x of the plain peak, 30%way from the "
                                 "largest working set to the plain peak; default: the device's "
                                 "RAM"},
       .write = write_ram_budget},
      {.row = {.names = "--runtime-budget,--deadline",
               .value = "TIME",
               .group = kLimits,
               .help = "1.5 or 1.5x the time of computing everything once, or 200ms, 3s, 2min; "
                       "default: none"},
       .askers = searchers(),
       .read = value_into(
           parse_deadline, [](auto& r) -> auto& { return r.deadline; }),
       .json = JsonField{.what = "1.5 or 1.5x the time of computing everything once, or 200ms, "
                                 "3s; default: none"},
       .write = write_deadline},
      {.row = {.names = "--uncertainty",
               .value = "PART",
               .group = kLimits,
               .help = "costs may be this part above their figures, and the deadline holds in the "
                       "worst case: 20%, or 20%:8 where at most 8 costs are; default: figures are "
                       "certain"},
       .askers = searchers(),
       .read = value_into(parse_uncertainty, kUncertainty),
       .json = JsonField{.what = "costs may be this part above their figures, and the deadline "
                                 "holds in the worst case: 20%, or 20%:8 where at most 8 costs "
                                 "are; default: figures are certain"},
       .write = write_uncertainty},
      {.row = {.names = "--write-budget",
               .value = "SIZE",
               .group = kLimits,
               .help = "what a step may write to storage, since flash wears out: 64KiB; default: "
                       "no limit"},
       .askers = searchers(),
       .read = value_into([](const std::string& text) { return parse_bytes(text); }, kWriteBudget),
       .json = JsonField{.what = "what a step may write to storage: 64KiB; default: no limit"},
       .write = value_from(kWriteBudget)},
      {.row = {.names = "--storage-block",
               .value = "SIZE",
               .group = kLimits,
               .help = "what storage is read and written in: transfers cost whole blocks; default: "
                       "the device's"},
       .askers = searchers(),
       .read = value_into([](const std::string& text) { return read_block(text); }, kStorageBlock),
       .json = JsonField{.what = "what storage is read and written in; default: the device's",
                         .about_size = true},
       .write = value_from(kStorageBlock)},
      choice(
          {.names = "--io",
           .value = "MODE",
           .group = kLimits,
           .help = "how transfers take time; default: as on the device, or free with a released "
                   "graph"},
          searchers(), kTimeModes, [](auto& r) -> auto& { return r.io; },
          JsonField{.what = "how transfers take time; default: as on the device, free with a "
                            "released graph"}),
  };
}

std::vector<QuestionOption> technique_options() {
  return {
      technique(
          {.names = "--paging,--no-paging",
           .help = "move tensors to storage and back; on unless switched off"},
          "move tensors to storage and back; default true",
          [](auto& r) -> auto& { return r.paging; }),
      technique(
          {.names = "--remat,--no-remat", .help = "compute tensors again; on unless switched off"},
          "compute tensors again; default true",
          [](auto& r) -> auto& { return r.rematerialisation; }),
      choice(
          {.names = "--objective",
           .value = "WHAT",
           .group = kTechniques,
           .help = "what to make least; default energy, or time for a graph file without "
                   "energies"},
          {Solve, Compare, Sweep, Train}, kObjectives, [](auto& r) -> auto& { return r.objective; },
          JsonField{.what = "what to make least; default energy"}),
  };
}

std::vector<QuestionOption> solver_options() {
  return {
      {.row = {.names = "--solver",
               .value = "NAME",
               .group = kSearch,
               .help = "library for integer programs, also by its released name; default cbc",
               .words = names_in(solver_name_table()),
               .only_words = true},
       .askers = searchers(),
       .read = text_into(kSolver),
       .json = JsonField{.what = "the library for integer programs; default cbc"},
       .write = value_from(kSolver)},
      {.row = {.names = "--use-actual-gurobi",
               .group = kSearch,
               .help = "the released code's way to say --solver gurobi"},
       .askers = searchers(),
       .read =
           [](PlanRequest& request, const std::string&) {
             request.solver = "gurobi";
             return Failure();
           }},
      {.row = {.names = "--formulation",
               .value = "NAME",
               .group = kSearch,
               .help = "the model to solve; default " + std::string(planner_table().front().name),
               .words = names_in(planner_table()),
               .only_words = true},
       .askers = {Solve},
       .read = text_into(kFormulation),
       .json = JsonField{.what = "the model to solve; default event"},
       .write = value_from(kFormulation)},
      {.row = {.names = "--start",
               .value = "PLAN",
               .group = kSearch,
               .help = "begin with the schedule of a plan of the same graph, made for any limits",
               .completes = Completes::Files},
       .askers = {Solve},
       .read = text_into([](auto& r) -> auto& { return r.start_path; })},
      {.row = {.names = "--gap",
               .value = "PART",
               .group = kSearch,
               .help = "a schedule counts as optimal when at most this part of its overhead is in "
                       "doubt: 1% (default), 0.001, 0 for none"},
       .askers = searchers(),
       .read = value_into([](const std::string& text) { return read_part(text); }, kGap),
       .json = JsonField{.what = "a schedule counts as optimal when at most this part of its "
                                 "overhead is in doubt; default 1%"},
       .write = value_from(kGap)},
      {.row = {.names = "--without",
               .value = "PARTS",
               .group = kSearch,
               .help = "parts of the event solver to leave out, to see what they are worth: "
                       "windows,dives",
               .words = names_in(kTechniqueNames)},
       .askers = searchers(),
       .read = leave_out},
  };
}

std::vector<QuestionOption> effort_options() {
  return {
      {.row = {.names = "--time-limit-s",
               .value = "SECONDS",
               .group = kSearch,
               .help = "when to stop with the best schedule so far; default 60"},
       .askers = searchers(),
       .read = value_into(number(Zero::Refused), kTimeLimit),
       .json = JsonField{.type = FieldType::Number,
                         .what = "seconds after which the search stops with the best schedule so "
                                 "far; default 60"},
       .write = value_from(kTimeLimit)},
      {.row = {.names = "--max-nodes",
               .value = "N",
               .group = kSearch,
               .help = "branch-and-bound nodes after which to stop: a limit that is the same on "
                       "every machine; default 1000000"},
       .askers = searchers(),
       .read = value_into(whole(1), kMaxNodes),
       .json = JsonField{.type = FieldType::Whole,
                         .what = "nodes of branch and bound after which to stop; default 1000000"},
       .write = value_from(kMaxNodes)},
      {.row = {.names = "--max-iterations",
               .value = "N",
               .group = kSearch,
               .help = "simplex iterations after which to stop, another such limit; default none"},
       .askers = searchers(),
       .read = value_into(
           whole(1), [](auto& r) -> auto& { return r.solve.max_iterations; })},
      {.row = {.names = "--solve-threads",
               .value = "N",
               .group = kSearch,
               .help = "threads of the solver; default 1"},
       .askers = searchers(),
       .read = value_into(whole(1, kMostThreads), kThreads),
       .json = JsonField{.type = FieldType::Whole, .what = "threads of the solver; default 1"},
       .write = value_from(kThreads)},
      {.row = {.names = "--seed",
               .value = "N",
               .group = kSearch,
               .help = "of the solver's random choices; default 1"},
       .askers = planners(),
       .read = value_into(whole(0), kSeed),
       .json =
           JsonField{.type = FieldType::Whole, .what = "of the solver's random choices; default 1"},
       .write = value_from(kSeed)},
  };
}

}  // namespace

std::vector<QuestionOption> search_options() {
  std::vector<QuestionOption> all;
  for (auto* const part : {limit_options, technique_options, solver_options, effort_options})
    for (QuestionOption& option : part()) all.push_back(std::move(option));
  return all;
}

}  // namespace poet
