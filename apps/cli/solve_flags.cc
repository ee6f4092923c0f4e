#include "apps/cli/solve_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "apps/cli/cost_flags.h"
#include "apps/cli/read_value.h"
#include "poet/api/solver_names.h"
#include "poet/base/byte_text.h"
#include "poet/base/closest_name.h"
#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
#include "poet/overlap/planner.h"

namespace poet::cli {
namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kLargestExtent = 1'000'000;
constexpr const char* kWhat = "What to plan";
constexpr const char* kTraining = "How it is trained (real graphs)";
constexpr const char* kLimits = "What it must fit into";
constexpr const char* kTechniques = "What a schedule may do, and what counts";
constexpr const char* kSearch = "How to search";
constexpr const char* kOutput = "What comes out";

using Read = std::function<Failure(const std::string&)>;

// Keeps a value that was read, or says what is wrong with it.
template <typename T, typename Target>
Failure keep(Result<T> value, Target& target) {
  if (!value.ok()) return value.error();
  target = static_cast<Target>(*std::move(value));
  return std::nullopt;
}

template <typename Target>
Read keep_text(Target& target) {
  return [&target](const std::string& text) {
    target = text;
    return Failure();
  };
}

Read keep_switch(bool& target) {
  return [&target](const std::string& text) {
    target = text == "true";
    return Failure();
  };
}

template <typename T, typename Target, std::size_t N>
Read keep_choice(const Named<T> (&table)[N], Target& target) {
  return [&table, &target](const std::string& text) {
    target = *value_of(table, text);
    return Failure();
  };
}

template <typename T, std::size_t N>
std::vector<std::string> words_of(const Named<T> (&table)[N]) {
  std::vector<std::string> words;
  for (const Named<T>& row : table) words.emplace_back(row.name);
  return words;
}

template <typename Row>
std::vector<std::string> names_in(const std::vector<Row>& table) {
  std::vector<std::string> names;
  for (const Row& row : table) names.emplace_back(row.name);
  return names;
}

OptionRow size_row(const char* name, const char* help, std::optional<std::int64_t>& target) {
  return {.names = name,
          .value = "N",
          .group = kWhat,
          .help = help,
          .read = [&target](const std::string& text) {
            return keep(read_whole(text, 1, kLargestExtent), target);
          }};
}

// "sequence=128,channels=3"
Failure read_dimensions(const std::string& list, std::map<std::string, std::int64_t>& dimensions) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t sign = part.rfind('=');
    if (sign == std::string::npos || sign == 0)
      return bad_input(fmt::format("'{}' is not NAME=N, such as sequence=128", part));
    if (Failure failure = keep(read_whole(part.substr(sign + 1), 1, kLargestExtent),
                               dimensions[part.substr(0, sign)]))
      return failure;
  }
  return std::nullopt;
}

// "windows,dives"
Failure leave_out(const std::string& list, Techniques& techniques) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto switched = value_of(kTechniqueNames, part);
    if (!switched) {
      std::vector<std::string_view> names;
      for (const auto& row : kTechniqueNames) names.push_back(row.name);
      return bad_input(fmt::format("unknown part '{}'{}; there are {}", part,
                                   suggestion(part, names), fmt::join(names, ", ")));
    }
    techniques.*(*switched) = false;
  }
  return std::nullopt;
}

std::vector<OptionRow> what_rows(SolveFlags& flags) {
  PlanRequest& request = flags.request;
  return {
      {.names = "--model",
       .value = "NAME|FILE",
       .group = kWhat,
       .help = "the network: a name that 'poet models' lists, or an ONNX file",
       .words = model_names(),
       .completes = Completes::Files,
       .read = keep_text(request.model)},
      {.names = "--platform",
       .value = "NAME|FILE",
       .group = kWhat,
       .help = "the device: a name that 'poet devices' lists, or a TOML file; with --graph-file it "
               "may be left out",
       .words = platform_names(),
       .completes = Completes::Files,
       .read = keep_text(request.platform)},
      {.names = "--graph",
       .value = "KIND",
       .group = kWhat,
       .help = "the training graph: real, by true differentiation, or released, that of the "
               "released POET code with its faults; default: real where there is one",
       .words = {"real", "released"},
       .only_words = true,
       .read = keep_text(request.graph)},
      {.names = "--graph-file",
       .value = "FILE",
       .group = kWhat,
       .help = "in place of a network: anyone's costed graph, as JSON",
       .completes = Completes::Files,
       .read = keep_text(flags.graph_file)},
      {.names = "--batch-size",
       .value = "N",
       .group = kWhat,
       .help = "samples per step; default 1",
       .read =
           [&request](const std::string& text) {
             return keep(read_whole(text, 1, kMaxReleasedBatchSize), request.batch_size);
           }},
      size_row("--image-size", "height and width of pictures; default: the network's own",
               request.network.image_size),
      size_row("--sequence-length", "tokens of a sample; default: the network's own",
               request.network.sequence_length),
      size_row("--classes", "that are told apart; default: the network's own",
               request.network.classes),
      {.names = "--dimensions",
       .value = "NAME=N,...",
       .group = kWhat,
       .help = "extents that an ONNX file leaves open, by their names there: sequence=128",
       .read = [&request](
                   const std::string& text) { return read_dimensions(text, request.dimensions); }},
      {.names = "--mem-power-scale",
       .value = "X",
       .group = kWhat,
       .help = "factor on the energy of transfers; default 1",
       .read =
           [&request](const std::string& text) {
             return keep(read_number(text, Zero::Allowed), request.memory_power_scale);
           }},
  };
}

std::vector<OptionRow> training_rows(SolveFlags& flags) {
  TrainingOptions& training = flags.request.training;
  return {
      {.names = "--train",
       .value = "WHICH",
       .group = kTraining,
       .help = "the parameters that are trained: all (default), encoder (all but embeddings), "
               "last:N layers, bias, norm, regex:PATTERN (a regular expression, as RE2 reads it, "
               "found in their names) or except:PATTERN (all others)",
       .words = {"all", "encoder", "last:", "bias", "norm", "regex:", "except:"},
       .read = keep_text(training.train)},
      {.names = "--parameters",
       .value = "WHERE",
       .group = kTraining,
       .help =
           "trained ones: planned (default; in storage, and paged like anything else), chosen "
           "(there or in RAM for good, each as is best), resident (in RAM for good), or excluded "
           "(not counted)",
       .words = words_of(kParameterPlaces),
       .only_words = true,
       .read = keep_choice(kParameterPlaces, training.parameters)},
      {.names = "--frozen",
       .value = "WHERE",
       .group = kTraining,
       .help = "those that are not trained, and constants: rom (default; flash or a mapped file, "
               "which takes no RAM) or storage",
       .words = words_of(kFrozenPlaces),
       .only_words = true,
       .read = keep_choice(kFrozenPlaces, training.frozen)},
      {.names = "--updates",
       .value = "HOW",
       .group = kTraining,
       .help = "of weights: separate (the whole gradient, then the update), sliced (both in one "
               "operation, with some rows of the gradient at a time), or auto (default; sliced "
               "where the budget does not hold the separate ones); to the same bits",
       .words = words_of(kUpdates),
       .only_words = true,
       .read = keep_choice(kUpdates, training.updates)},
      {.names = "--optimiser,--optimizer",
       .value = "NAME",
       .group = kTraining,
       .help = "default sgd",
       .words = words_of(kOptimisers),
       .only_words = true,
       .read = keep_choice(kOptimisers, training.optimiser)},
      {.names = "--loss",
       .value = "NAME",
       .group = kTraining,
       .help = "default cross-entropy; none: the network's output is the loss",
       .words = words_of(kLosses),
       .only_words = true,
       .read = keep_choice(kLosses, training.loss)},
      {.names = "--largest-gradient-norm",
       .value = "X",
       .group = kTraining,
       .help = "scale all gradients together so that their norm is at most this; default: never",
       .read =
           [&training](const std::string& text) {
             return keep(read_number(text, Zero::Refused), training.largest_gradient_norm);
           }},
  };
}

std::vector<OptionRow> limit_rows(SolveFlags& flags) {
  PlanRequest& request = flags.request;
  return {
      {.names = "--ram-budget",
       .value = "SIZE",
       .group = kLimits,
       .help = "737719, 720KiB, 3MB; 60% or 0.6x of the plain peak; 40%way from the largest "
               "working set to the plain peak; default: the device's RAM",
       .read =
           [&request](const std::string& text) {
             return keep(parse_ram_budget(text), request.ram_budget);
           }},
      {.names = "--runtime-budget,--deadline",
       .value = "TIME",
       .group = kLimits,
       .help = "1.5 or 1.5x the time of computing everything once, or 200ms, 3s, 2min; "
               "default: none",
       .read =
           [&request](const std::string& text) {
             return keep(parse_deadline(text), request.deadline);
           }},
      {.names = "--write-budget",
       .value = "SIZE",
       .group = kLimits,
       .help = "what a step may write to storage, since flash wears out: 64KiB; default: no limit",
       .read =
           [&request](const std::string& text) {
             return keep(parse_bytes(text, {}), request.write_budget_bytes);
           }},
      {.names = "--storage-block",
       .value = "SIZE",
       .group = kLimits,
       .help = "what storage is read and written in: transfers cost whole blocks; default: the "
               "device's",
       .read =
           [&request](const std::string& text) {
             return keep(read_block(text), request.storage_block_bytes);
           }},
      {.names = "--io",
       .value = "MODE",
       .group = kLimits,
       .help = "how transfers take time; default: as on the device, or free with a released graph",
       .words = words_of(kTimeModes),
       .only_words = true,
       .read = keep_choice(kTimeModes, request.io)},
  };
}

std::vector<OptionRow> technique_rows(SolveFlags& flags) {
  PlanRequest& request = flags.request;
  return {
      {.names = "--paging,--no-paging",
       .group = kTechniques,
       .help = "move tensors to storage and back; on unless switched off",
       .read = keep_switch(request.paging)},
      {.names = "--remat,--no-remat",
       .group = kTechniques,
       .help = "compute tensors again; on unless switched off",
       .read = keep_switch(request.rematerialisation)},
      {.names = "--objective",
       .value = "WHAT",
       .group = kTechniques,
       .help = "what to make least; default energy, or time for a graph file without energies",
       .words = words_of(kObjectives),
       .only_words = true,
       .read = keep_choice(kObjectives, request.objective)},
  };
}

std::vector<OptionRow> search_rows(SolveFlags& flags) {
  PlanRequest& request = flags.request;
  return {
      {.names = "--solver",
       .value = "NAME",
       .group = kSearch,
       .help = "library for integer programs, also by its released name; default cbc",
       .words = names_in(solver_name_table()),
       .only_words = true,
       .read = keep_text(request.solver)},
      {.names = "--use-actual-gurobi",
       .group = kSearch,
       .help = "the released code's way to say --solver gurobi",
       .read =
           [&request](const std::string&) {
             request.solver = "gurobi";
             return Failure();
           }},
      {.names = "--formulation",
       .value = "NAME",
       .group = kSearch,
       .help = "the model to solve; default " + std::string(planner_table().front().name),
       .words = names_in(planner_table()),
       .only_words = true,
       .read = keep_text(request.formulation)},
      {.names = "--start",
       .value = "PLAN",
       .group = kSearch,
       .help = "begin with the schedule of a plan of the same graph, made for any limits",
       .completes = Completes::Files,
       .read = keep_text(request.start_path)},
      {.names = "--gap",
       .value = "PART",
       .group = kSearch,
       .help = "a schedule counts as optimal when at most this part of its overhead is in doubt: "
               "1% (default), 0.001, 0 for none",
       .read =
           [&request](const std::string& text) {
             return keep(read_part(text), request.solve.gap_ratio);
           }},
      {.names = "--without",
       .value = "PARTS",
       .group = kSearch,
       .help = "parts of the event solver to leave out, to see what they are worth: windows,dives",
       .words = words_of(kTechniqueNames),
       .read = [&request](
                   const std::string& text) { return leave_out(text, request.solve.techniques); }},
      {.names = "--time-limit-s",
       .value = "SECONDS",
       .group = kSearch,
       .help = "when to stop with the best schedule so far; default 60",
       .read =
           [&flags](const std::string& text) {
             return keep(read_number(text, Zero::Refused), flags.time_limit_s);
           }},
      {.names = "--max-nodes",
       .value = "N",
       .group = kSearch,
       .help = "branch-and-bound nodes after which to stop: a limit that is the same on every "
               "machine; default 1000000",
       .read =
           [&request](const std::string& text) {
             return keep(read_whole(text, 1), request.solve.max_nodes);
           }},
      {.names = "--max-iterations",
       .value = "N",
       .group = kSearch,
       .help = "simplex iterations after which to stop, another such limit; default none",
       .read =
           [&request](const std::string& text) {
             return keep(read_whole(text, 1), request.solve.max_iterations);
           }},
      {.names = "--solve-threads",
       .value = "N",
       .group = kSearch,
       .help = "threads of the solver; default 1",
       .read =
           [&request](const std::string& text) {
             return keep(read_whole(text, 1, kMostThreads), request.solve.threads);
           }},
      {.names = "--seed",
       .value = "N",
       .group = kSearch,
       .help = "of the solver's random choices; default 1",
       .read =
           [&request](const std::string& text) {
             return keep(read_whole(text, 0), request.solve.seed);
           }},
  };
}

std::vector<OptionRow> output_rows(SolveFlags& flags) {
  return {
      {.names = "--out",
       .value = "FILE",
       .group = kOutput,
       .help = "write the plan, as JSON",
       .completes = Completes::Files,
       .read = keep_text(flags.out_path)},
      {.names = "--certificate",
       .value = "FILE",
       .group = kOutput,
       .help = "also prove the bound so that 'poet verify' can check it, and write the proof, as "
               "JSON",
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.certificate_path = text;
             flags.request.solve.certificate = CertificateEffort::Whole;
             return Failure();
           }},
      {.names = "--report",
       .value = "FILE",
       .group = kOutput,
       .help = "write a page with pictures, as HTML",
       .completes = Completes::Files,
       .read = keep_text(flags.report_path)},
      {.names = "--plot-directory",
       .value = "FOLDER",
       .group = kOutput,
       .help = "write the graph (Graphviz) and each chart (SVG) into a folder",
       .completes = Completes::Directories,
       .read = keep_text(flags.plot_directory)},
      {.names = "--print-graph-info,--no-print-graph-info",
       .group = kOutput,
       .help = "print how large the training step is",
       .read = keep_switch(flags.print_graph_info)},
      {.names = "--print-power-costs,--no-print-power-costs",
       .group = kOutput,
       .help = "print what each operation and transfer costs",
       .read = keep_switch(flags.print_power_costs)},
      {.names = "--json",
       .group = kOutput,
       .help = "print one JSON object instead of text",
       .read =
           [&flags](const std::string&) {
             flags.output = Output::Json;
             return Failure();
           }},
      {.names = "--quiet",
       .group = kOutput,
       .help = "show no progress",
       .read = keep_switch(flags.quiet)},
  };
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names = names_in(real_network_table());
  for (const std::string& name : names_in(released_network_table()))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::vector<std::string> platform_names() {
  return names_in(builtin_device_table());
}

std::vector<OptionRow> solve_option_rows(SolveFlags& flags) {
  std::vector<OptionRow> rows;
  for (auto* const part : {what_rows, cost_option_rows, training_rows, limit_rows, technique_rows,
                           search_rows, output_rows}) {
    const std::vector<OptionRow> more = part(flags);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

std::vector<OptionRow> network_option_rows(SolveFlags& flags) {
  std::vector<OptionRow> rows = with_other_help(
      what_rows(flags), {{"--model", ""}, {"--platform", ""}, {"--graph-file", ""}});
  for (OptionRow& row : cost_option_rows(flags)) rows.push_back(std::move(row));
  for (OptionRow& row : training_rows(flags)) rows.push_back(std::move(row));
  return rows;
}

std::vector<OptionRow> with_other_help(std::vector<OptionRow> rows,
                                       const std::vector<OtherHelp>& others) {
  std::vector<OptionRow> kept;
  for (OptionRow& row : rows) {
    const std::string name = names_of(row).front();
    const auto other = std::find_if(others.begin(), others.end(),
                                    [&name](const OtherHelp& one) { return one.name == name; });
    if (other != others.end() && other->help.empty()) continue;
    if (other != others.end()) row.help = std::string(other->help);
    kept.push_back(std::move(row));
  }
  return kept;
}

}  // namespace poet::cli
