#include "poet/ask/option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <utility>

#include "poet/ask/option_reads.h"
#include "poet/ask/solver_names.h"
#include "poet/base/byte_text.h"
#include "poet/base/closest_name.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/names_in.h"
#include "poet/base/number_text.h"
#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
#include "poet/overlap/planner.h"

namespace poet {
namespace {

constexpr std::int64_t kLargestExtent = 1'000'000;
constexpr const char* kWhat = "What to plan";
constexpr const char* kCosts = "Where costs come from (real graphs)";
constexpr const char* kExecution = "What executes it (real graphs)";
constexpr const char* kTraining = "How it is trained (real graphs)";
constexpr const char* kLimits = "What it must fit into";
constexpr const char* kTechniques = "What a schedule may do, and what counts";
constexpr const char* kSearch = "How to search";

using Askers = std::vector<QuestionAsker>;
using enum QuestionAsker;

// Who looks for schedules, and of them who does not train; and who speaks of a network on a device,
// with kernels, at sizes.
const Askers& searchers() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep, Train};
  return askers;
}
const Askers& planners() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep};
  return askers;
}
const Askers& on_a_device() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep, Train, Inspect};
  return askers;
}
const Askers& with_kernels() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep, Train, Inspect, Profile};
  return askers;
}
const Askers& everybody() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep,
                                Train, Inspect, Profile, ExportOnnx};
  return askers;
}

// In each row, `get` gives the member of a request that the option is about.

template <typename Get>
auto text_into(Get get) {
  return [get](PlanRequest& request, const std::string& text) {
    get(request) = text;
    return Failure();
  };
}

template <typename Read, typename Get>
auto value_into(Read read, Get get) {
  return [read, get](PlanRequest& request, const std::string& text) {
    return keep_value(read(text), get(request));
  };
}

template <typename T>
JsonOut json_of(const T& value) {
  return JsonOut(value);
}
template <typename T>
JsonOut json_of(const std::optional<T>& value) {
  return or_null(value);
}

template <typename Get>
auto value_from(Get get) {
  return [get](const PlanRequest& request) { return json_of(get(request)); };
}

auto whole(std::int64_t least, std::int64_t most) {
  return [least, most](const std::string& text) { return read_whole(text, least, most); };
}
auto whole(std::int64_t least) {
  return [least](const std::string& text) { return read_whole(text, least); };
}
auto number(Zero zero) {
  return [zero](const std::string& text) { return read_number(text, zero); };
}

template <typename T, typename Target>
JsonOut word_of(const Named<T>* table, std::size_t rows, const Target& value) {
  for (std::size_t k = 0; k < rows; ++k)
    if (value == table[k].value) return table[k].name;
  return nullptr;  // it was left open
}

// A word of a table of enumerators.
template <typename T, std::size_t N, typename Get>
QuestionOption choice(OptionRow row, const Askers& askers, const Named<T> (&table)[N], Get get,
                      std::optional<JsonField> json) {
  row.words = names_in(table);
  row.only_words = true;
  return {.row = std::move(row),
          .askers = askers,
          .read =
              [&table, get](PlanRequest& request, const std::string& text) {
                get(request) = *value_of(table, text);
                return Failure();
              },
          .json = json,
          .write = [&table,
                    get](const PlanRequest& request) { return word_of(table, N, get(request)); }};
}

template <typename Get>
QuestionOption extent(OptionRow row, Get get) {
  row.value = "N";
  row.group = kWhat;
  const std::string_view what =
      row.names == "--image-size" ? "height and width of pictures; default: the network's own"
      : row.names == "--classes"  ? "that are told apart; default: the network's own"
                                  : "tokens of a sample; default: the network's own";
  row.help = std::string(what);
  return {.row = std::move(row),
          .askers = everybody(),
          .read = value_into(whole(1, kLargestExtent), get),
          .json = JsonField{.type = FieldType::Whole, .what = what, .about_size = true},
          .write = value_from(get)};
}

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

// "sequence=128,channels=3"
Failure read_dimensions(PlanRequest& request, const std::string& list) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t sign = part.rfind('=');
    if (sign == std::string::npos || sign == 0)
      return bad_input(fmt::format("{} is not NAME=N, such as sequence=128", in_quotes(part)));
    if (Failure failure = keep_value(read_whole(part.substr(sign + 1), 1, kLargestExtent),
                                     request.dimensions[part.substr(0, sign)]))
      return failure;
  }
  return std::nullopt;
}

JsonOut write_dimensions(const PlanRequest& request) {
  std::vector<std::string> parts;
  for (const auto& [name, size] : request.dimensions)
    parts.push_back(fmt::format("{}={}", name, size));
  return parts.empty() ? JsonOut(nullptr) : JsonOut(fmt::format("{}", fmt::join(parts, ",")));
}

JsonOut write_parts(const PlanRequest& request) {
  if (request.training.part_bytes) return *request.training.part_bytes;
  return request.training.parts_by_budget ? JsonOut(nullptr) : JsonOut("whole");
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

// "30%way", in digits that read back to the same part.
std::string way_text(double ratio) {
  const std::string plain = fmt::format("{:.12g}%way", ratio * 100);
  const Result<RamBudget> again = parse_ram_budget(plain);
  const bool same = again.ok() && std::get<RamOnTheWay>(*again).ratio == ratio;
  return same ? plain : fmt::format("{}e0%way", ratio);
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

constexpr auto kModel = [](auto& r) -> auto& {
  return r.model;
};
constexpr auto kPlatform = [](auto& r) -> auto& {
  return r.platform;
};
constexpr auto kBatchSize = [](auto& r) -> auto& {
  return r.batch_size;
};
constexpr auto kPowerScale = [](auto& r) -> auto& {
  return r.memory_power_scale;
};
constexpr auto kTrain = [](auto& r) -> auto& {
  return r.training.train;
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

std::vector<QuestionOption> what_options() {
  // The two kinds that a name can be of; a graph file is named otherwise.
  static constexpr Named<GraphKind> kNamedGraphs[] = {kGraphKinds[0], kGraphKinds[1]};
  return {
      {.row = {.names = "--model",
               .value = "NAME|FILE",
               .group = kWhat,
               .help = "the network: a name that 'poet models' lists, or an ONNX file",
               .words = model_names(),
               .completes = Completes::Files},
       .askers = {Solve, Minimum, Compare, Sweep, Train, Profile, ExportOnnx},
       .read = text_into(kModel),
       .json = JsonField{.what = "a name or id of GET /v1/models", .is_name = true},
       .write = value_from(kModel)},
      {.row = {.names = "--platform",
               .value = "NAME|FILE",
               .group = kWhat,
               .help = "the device: a name that 'poet devices' lists, or a TOML file; with "
                       "--graph-file it may be left out",
               .words = platform_names(),
               .completes = Completes::Files},
       .askers = searchers(),
       .read = text_into(kPlatform),
       .json = JsonField{.what = "a name of GET /v1/devices",
                         .about_size = true,
                         .is_name = true,
                         .only_words = true},
       .write = value_from(kPlatform)},
      choice(
          {.names = "--graph",
           .value = "KIND",
           .group = kWhat,
           .help = "the training graph: real, by true differentiation, or released, that of the "
                   "released POET code with its faults; default: real where there is one"},
          {Solve, Minimum, Compare, Sweep, Inspect}, kNamedGraphs,
          [](auto& r) -> auto& { return r.graph; },
          JsonField{.what = "the training graph: real, by true differentiation, or released, "
                            "that of the released code; default: real where there is one",
                    .about_size = true}),
      {.row = {.names = "--graph-file",
               .value = "FILE",
               .group = kWhat,
               .help = "in place of a network: anyone's costed graph, as JSON",
               .completes = Completes::Files},
       .askers = planners(),
       .read = text_into([](auto& r) -> auto& { return r.graph_file; })},
      {.row = {.names = "--batch-size",
               .value = "N",
               .group = kWhat,
               .help = "samples per step; default 1"},
       .askers = everybody(),
       .read = value_into(whole(1, kMaxReleasedBatchSize), kBatchSize),
       .json =
           JsonField{
               .type = FieldType::Whole, .what = "samples per step; default 1", .about_size = true},
       .write = value_from(kBatchSize)},
      extent(
          {.names = "--image-size"}, [](auto& r) -> auto& { return r.network.image_size; }),
      extent(
          {.names = "--sequence-length"},
          [](auto& r) -> auto& { return r.network.sequence_length; }),
      extent(
          {.names = "--classes"}, [](auto& r) -> auto& { return r.network.classes; }),
      {.row = {.names = "--dimensions",
               .value = "NAME=N,...",
               .group = kWhat,
               .help = "extents that an ONNX file leaves open, by their names there: sequence=128"},
       .askers = everybody(),
       .read = read_dimensions,
       .json = JsonField{.what = "extents that an ONNX file leaves open: sequence=128,channels=3",
                         .about_size = true},
       .write = write_dimensions},
      {.row = {.names = "--mem-power-scale",
               .value = "X",
               .group = kWhat,
               .help = "factor on the energy of transfers; default 1"},
       .askers = on_a_device(),
       .read = value_into(number(Zero::Allowed), kPowerScale),
       .json = JsonField{.type = FieldType::Number,
                         .what = "factor on the energy of transfers; default 1",
                         .about_size = true},
       .write = value_from(kPowerScale)},
  };
}

std::vector<QuestionOption> cost_options() {
  return {
      {.row = {.names = "--costs",
               .value = "FILE",
               .group = kCosts,
               .help = "measured costs of operations, as 'poet profile' writes them; default: "
                       "formulas of the device's figures",
               .completes = Completes::Files},
       .askers = on_a_device(),
       .read = text_into([](auto& r) -> auto& { return r.costs_path; })},
      choice({.names = "--costs-missing",
              .value = "WHAT",
              .group = kCosts,
              .help = "what to do about operations that were not measured: refuse (default), or "
                      "take the formula for them"},
             on_a_device(), kMissingCosts, [](auto& r) -> auto& { return r.missing_costs; }, {}),
      choice({.names = "--kernels",
              .value = "WHICH",
              .group = kExecution,
              .help = "reference (default): portable C, the same bits on every machine and any "
                      "number of threads; onednn: faster, with workspaces that the plan counts; "
                      "onednn-bf16: multiplies bfloat16, where the processor can"},
             with_kernels(), kKernelLibraries, [](auto& r) -> auto& { return r.kernels.library; },
             {}),
      {.row = {.names = "--threads",
               .value = "N",
               .group = kExecution,
               .help = "that an operation is executed on; default 1"},
       .askers = with_kernels(),
       .read = value_into(
           whole(1, kMostThreads), [](auto& r) -> auto& { return r.kernels.threads; })},
  };
}

std::vector<QuestionOption> training_options() {
  return {
      {.row = {.names = "--train",
               .value = "WHICH",
               .group = kTraining,
               .help = "the parameters that are trained: all (default), encoder (all but "
                       "embeddings), last:N layers, bias, norm, regex:PATTERN (a regular "
                       "expression, as RE2 reads it, found in their names) or except:PATTERN (all "
                       "others)",
               .words = {"all", "encoder", "last:", "bias", "norm", "regex:", "except:"}},
       .askers = with_kernels(),
       .read = text_into(kTrain),
       .json = JsonField{.what = "the parameters that are trained: all, encoder, last:N, bias, "
                                 "norm, regex:PATTERN or except:PATTERN",
                         .about_size = true,
                         .is_name = true},
       .write = value_from(kTrain)},
      choice(
          {.names = "--parameters",
           .value = "WHERE",
           .group = kTraining,
           .help = "trained ones: planned (default; in storage, and paged like anything else), "
                   "chosen (there or in RAM for good, each as is best), resident (in RAM for "
                   "good), or excluded (not counted)"},
          with_kernels(), kParameterPlaces, [](auto& r) -> auto& { return r.training.parameters; },
          JsonField{.what = "where trained parameters are between steps; default planned",
                    .about_size = true}),
      choice(
          {.names = "--frozen",
           .value = "WHERE",
           .group = kTraining,
           .help = "those that are not trained, and constants: rom (default; flash or a mapped "
                   "file, which takes no RAM) or storage"},
          with_kernels(), kFrozenPlaces, [](auto& r) -> auto& { return r.training.frozen; },
          JsonField{.what = "where those that are not trained are; default rom",
                    .about_size = true}),
      choice(
          {.names = "--updates",
           .value = "HOW",
           .group = kTraining,
           .help = "of weights: separate (the whole gradient, then the update), sliced (both in "
                   "one operation, with some rows of the gradient at a time), or auto (default; "
                   "sliced where the budget does not hold the separate ones); to the same bits"},
          with_kernels(), kUpdates, [](auto& r) -> auto& { return r.training.updates; },
          JsonField{.what = "how weights are updated: separate (the whole gradient, then the "
                            "update), sliced (some rows of it at a time, which takes less RAM), "
                            "or auto (sliced where the RAM budget holds no others); default "
                            "auto",
                    .about_size = true}),
      {.row = {.names = "--parts",
               .value = "LEVEL",
               .group = kTraining,
               .help = "cut operations into parts that need at most so much RAM each, such as "
                       "64KiB, to the same bits; whole: each operation in one piece; auto "
                       "(default): whole where that fits into the budget, otherwise parts of a "
                       "size that a quick search finds best",
               .words = {"auto", "whole"}},
       .askers = on_a_device(),
       .read =
           [](PlanRequest& request, const std::string& text) {
             request.training.part_bytes.reset();
             request.training.parts_by_budget = text == "auto";
             if (text == "auto" || text == "whole") return Failure();
             return keep_value(parse_bytes(text), request.training.part_bytes);
           },
       .json = JsonField{.what = "cut operations into parts that need at most so much RAM each: "
                                 "64KiB; whole, or auto (default): whole where that fits into "
                                 "the budget",
                         .about_size = true},
       .write = write_parts},
      choice(
          {.names = "--optimiser,--optimizer",
           .value = "NAME",
           .group = kTraining,
           .help = "default sgd"},
          with_kernels(), kOptimisers, [](auto& r) -> auto& { return r.training.optimiser; },
          JsonField{.what = "default sgd", .about_size = true}),
      choice(
          {.names = "--loss",
           .value = "NAME",
           .group = kTraining,
           .help = "default cross-entropy; none: the network's output is the loss"},
          with_kernels(), kLosses, [](auto& r) -> auto& { return r.training.loss; },
          JsonField{.what = "default cross-entropy", .about_size = true}),
      {.row = {.names = "--largest-gradient-norm",
               .value = "X",
               .group = kTraining,
               .help = "scale all gradients together so that their norm is at most this; default: "
                       "never"},
       .askers = with_kernels(),
       .read = value_into(
           number(Zero::Refused),
           [](auto& r) -> auto& { return r.training.largest_gradient_norm; })},
  };
}

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

const std::vector<QuestionOption>& question_options() {
  static const std::vector<QuestionOption> options = [] {
    std::vector<QuestionOption> all;
    for (auto* const part : {what_options, cost_options, training_options, limit_options,
                             technique_options, solver_options, effort_options})
      for (QuestionOption& option : part()) all.push_back(std::move(option));
    return all;
  }();
  return options;
}

std::vector<OptionRow> rows_for(QuestionAsker asker, PlanRequest& request) {
  std::vector<OptionRow> rows;
  for (const QuestionOption& option : question_options()) {
    if (std::find(option.askers.begin(), option.askers.end(), asker) == option.askers.end())
      continue;
    rows.push_back(option.row);
    rows.back().read = [&option, &request](const std::string& text) {
      return option.read(request, text);
    };
  }
  return rows;
}

std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= row.names.size()) {
    const std::size_t end = std::min(row.names.find(',', begin), row.names.size());
    names.push_back(row.names.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::string json_name(const OptionRow& row) {
  std::string name = names_of(row).front().substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = names_in(real_network_table());
  for (const std::string& name : names_in(released_network_table()))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::vector<std::string> platform_names() {
  return names_in(builtin_device_table());
}

}  // namespace poet
