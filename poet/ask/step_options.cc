// Options that say which step is planned: of which network, at which costs, and how it is trained.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <utility>

#include "poet/ask/option_rows.h"
#include "poet/autodiff/parameter_choice.h"
#include "poet/base/byte_text.h"
#include "poet/base/message_text.h"
#include "poet/model/released_networks.h"

namespace poet {
namespace {

constexpr std::int64_t kLargestExtent = 1'000'000;
constexpr const char* kWhat = "What to plan";
constexpr const char* kCosts = "Where costs come from (real graphs)";
constexpr const char* kExecution = "What executes it (real graphs)";
constexpr const char* kTraining = "How it is trained (real graphs)";

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

Result<std::int64_t> read_part_bytes(const std::string& text) {
  const Result<std::int64_t> bytes = parse_bytes(text);
  if (!bytes.ok() || *bytes > 0) return bytes;
  return bad_input(fmt::format("expected parts of at least a byte, found {}", in_quotes(text)));
}

JsonOut write_parts(const PlanRequest& request) {
  if (request.training.part_bytes) return *request.training.part_bytes;
  return request.training.parts_by_budget ? JsonOut(nullptr) : JsonOut("whole");
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
      {.row = {.names = "--weights",
               .value = "PATH",
               .group = kWhat,
               .help = "published values to begin with: a folder as Hugging Face has it, a "
                       "safetensors file, or NAME.gguf ('poet help weights'); default: initial "
                       "values",
               .completes = Completes::Files},
       .askers = everybody(),
       .read = text_into([](auto& r) -> auto& { return r.weights_path; })},
      choice({.names = "--weights-missing",
              .value = "WHAT",
              .group = kWhat,
              .help = "what to do where those are not of the whole network: refuse (default), or "
                      "begin with initial values there, as for another number of classes"},
             everybody(), kMissingWeights, [](auto& r) -> auto& { return r.missing_weights; }, {}),
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
      {.row = {.names = "--adapter",
               .value = "WHAT",
               .group = kTraining,
               .help = "train adapters of low rank beside weights that stay as they are (LoRA): "
                       "lora:rank=8,alpha=16,targets=attention, or less of it; targets are the "
                       "products of attention (default), all, or regex:PATTERN, found in names of "
                       "weights; such as lora:rank=4,targets=regex:[qv]_proj",
               .words = {"lora:rank=8,alpha=16,targets=attention", "lora:rank=8,targets=all",
                         "lora:rank=8,targets=regex:"}},
       .askers = everybody(),
       .read =
           [](PlanRequest& request, const std::string& text) {
             return keep_value(read_adapters(text), request.adapters);
           },
       .json = JsonField{.what = "adapters that are trained beside weights that stay as they are: "
                                 "lora:rank=8,alpha=16,targets=attention, where targets are "
                                 "attention, all or regex:PATTERN",
                         .about_size = true,
                         .is_name = true},
       .write =
           [](const PlanRequest& request) {
             return request.adapters ? JsonOut(adapters_text(*request.adapters)) : JsonOut(nullptr);
           }},
      {.row = {.names = "--adapter-weights",
               .value = "FOLDER",
               .group = kTraining,
               .help = "published adapters to begin with, in place of --adapter: a folder as PEFT "
                       "has it, with adapter_config.json and adapter_model.safetensors",
               .completes = Completes::Files},
       .askers = everybody(),
       .read = text_into([](auto& r) -> auto& { return r.adapters_path; })},
      {.row = {.names = "--train",
               .value = "WHICH",
               .group = kTraining,
               .help = "the parameters that are trained: all (default), encoder (all but "
                       "embeddings), last:N layers, bias, norm, unquantised (all that are not kept "
                       "in blocks of few bits), regex:PATTERN (a regular "
                       "expression, as RE2 reads it, found in their names), except:PATTERN (all "
                       "others) or layers:NAME,NAME; with '+' between them what any chooses, such "
                       "as bias+last:2; beside --adapter: those of the network that are trained "
                       "too, where all is none",
               .words = {"all", "encoder", "last:", "bias", "norm", "unquantised",
                         "regex:", "except:", "layers:"}},
       .askers = with_kernels(),
       .read =
           [](PlanRequest& request, const std::string& text) {
             request.training.train = text;
             // A training finds out what is worth it; whoever does not, says so.
             return text == "auto" ? Failure() : check_parameter_choice(text);
           },
       .json = JsonField{.what = "the parameters that are trained: all, encoder, last:N, bias, "
                                 "norm, unquantised, regex:PATTERN, except:PATTERN or "
                                 "layers:NAME,NAME, or "
                                 "several with '+' between them",
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
                   "sliced where the budget does not hold the separate ones, or where that costs "
                   "less); to the same bits"},
          with_kernels(), kUpdates, [](auto& r) -> auto& { return r.training.updates; },
          JsonField{.what = "how weights are updated: separate (the whole gradient, then the "
                            "update), sliced (some rows of it at a time, which takes less RAM), "
                            "or auto (sliced where the RAM budget holds no others, or where that "
                            "costs less); default auto",
                    .about_size = true}),
      {.row = {.names = "--parts",
               .value = "LEVEL",
               .group = kTraining,
               .help = "cut operations into parts that need at most so much RAM each, beside what "
                       "stays in RAM throughout, such as 64KiB, to the same bits; whole: each "
                       "operation in one piece; auto "
                       "(default): whole where that fits into the budget and no parts that a quick "
                       "search tries cost less, otherwise parts of the best size",
               .words = {"auto", "whole"}},
       .askers = on_a_device(),
       .read =
           [](PlanRequest& request, const std::string& text) {
             request.training.part_bytes.reset();
             request.training.parts_by_budget = text == "auto";
             if (text == "auto" || text == "whole") return Failure();
             return keep_value(read_part_bytes(text), request.training.part_bytes);
           },
       .json = JsonField{.what = "cut operations into parts that need at most so much RAM each, "
                                 "beside what stays in RAM throughout: 64KiB; whole, or auto "
                                 "(default): whole where that fits into "
                                 "the budget and parts save nothing",
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

}  // namespace

std::vector<QuestionOption> step_options() {
  std::vector<QuestionOption> all;
  for (auto* const part : {what_options, cost_options, training_options})
    for (QuestionOption& option : part()) all.push_back(std::move(option));
  return all;
}

}  // namespace poet
