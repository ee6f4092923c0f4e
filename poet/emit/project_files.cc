#include "poet/emit/project_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "poet/emit/arena_texts.h"
#include "poet/emit/c_text.h"
#include "poet/emit/project_json.h"
#include "poet/emit/project_texts.h"
#include "poet/emit/runtime_files.h"
#include "poet/emit/tool_files.h"
#include "poet/emit/transfer_texts.h"
#include "poet/graph/operator.h"

namespace poet {
namespace {

// Which files of poet/runtime the project has.
std::set<std::string> runtime_of(const EmitRequest& request, const FormParts& parts) {
  std::set<std::string> functions = parts.functions;
  functions.insert(
      {"poet_checkpoint_load", "poet_storage_read", "poet_step_next", "poet_whole_next"});
  if (parts.overlapped) functions.insert("poet_transfers_issue");
  if (request.learning_rate.shape == RateShape::Cosine) functions.insert("poet_cos_f32");
  std::set<std::string> files = runtime_files(functions);
  files.insert("poet/runtime/step.h");
  return files;
}

// Inputs as enumerators with their numbers, two of one name told apart by them.
std::string input_enumerators(const std::vector<ExamplePart>& parts) {
  std::string text;
  std::set<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string name = "POET_INPUT_" + c_macro_name(parts[i].name);
    if (!names.insert(name).second) name += fmt::format("_{}", i);
    text += fmt::format("{}  {} = {} /* {} */", i == 0 ? "" : ",\n", name, i,
                        c_comment(to_text(parts[i].type)));
  }
  return text;
}

std::string input_sizes(const std::vector<ExamplePart>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += fmt::format("{}{}u", i == 0 ? "" : ", ", size_bytes(parts[i].type));
  return text;
}

bool corrects_moments(const EmitRequest& request) {
  for (const EmittedForm& form : request.forms)
    for (const GraphOperation& operation : form.step->graph.operations)
      if (operation.kind == Operator::Adam) return true;
  return false;
}

// A text that only projects with poet_predict() have.
std::string of_prediction(const EmitRequest& request, const FormParts& parts,
                          std::string_view name) {
  if (!request.prediction) return {};
  return filled_in(project_text(name).text,
                   {{"TRANSFERS_INIT", transfers_init(parts, 18)},
                    {"EXAMPLE_STEPS", fmt::format("{}", request.example_steps)},
                    {"PREDICT_BATCH", fmt::format("{}", request.prediction->batch_size)},
                    {"OUTPUTS", fmt::format("{}", request.prediction->outputs)}});
}

std::string if_predicts(const EmitRequest& request, std::string text) {
  return request.prediction ? std::move(text) : std::string();
}

// A text that only projects with a hook have.
std::string of_hook(const EmitRequest& request, const FormParts& parts, std::string_view name) {
  if (!request.calls_hook) return {};
  // Without a change there is nothing that would be too late.
  FirstChange change{.form = 0, .action = std::ssize(parts.actions)};
  if (parts.change) change = *parts.change;
  const std::int64_t last = request.micro_batches - 1;
  const bool is_last = request.forms[static_cast<std::size_t>(change.form)].name == "last";
  return filled_in(project_text(name).text,
                   {{"CHANGING_ACTION", fmt::format("{}", change.action)},
                    {"CHANGING_MICRO_BATCH", fmt::format("{}", is_last ? last : change.form)}});
}

std::string if_hook(const EmitRequest& request, std::string text) {
  return request.calls_hook ? std::move(text) : std::string();
}

std::string wear_guide(const StorageWear& wear) {
  if (!wear.estimate) return {};
  return filled_in(project_text("wear.md").text,
                   {{"STEPS", fmt::format("{:g}", wear.estimate->use.steps)},
                    {"SAVE_EVERY", fmt::format("{}", wear.estimate->use.save_every)},
                    {"WEAR", wear_text(*wear.estimate)}});
}

// Whose RAM it is that the figures are held against.
std::string ram_owner(const EmittedBoard& board) {
  if (board.reserved_bytes == 0) return "the device";
  return fmt::format("{}, without {} that others have", board.name, board.reserved_bytes);
}

// How the port moves bytes beside the processor, or that it does not.
std::string port_channel_guide(const EmittedPort& port, const FormParts& parts) {
  const bool has_one = !port.channel_header.empty();
  const std::string_view name = has_one ? "port_channel.md" : "port_no_channel.md";
  return if_overlapped(
      parts, filled_in(project_text(name).text, {{"CHANNEL_HEADER", port.channel_header}}));
}

std::string port_guide(const EmitRequest& request, const FormParts& parts) {
  if (!request.port) return {};
  const std::int64_t examples =
      request.example_steps * request.micro_batches * request.micro_batch_size;
  return filled_in(project_text("port.md").text,
                   {{"PORT", request.port->name},
                    {"PORT_TITLE", request.port->title},
                    {"PORT_COMPILER", request.port->compiler},
                    {"PORT_CHANNEL", port_channel_guide(*request.port, parts)},
                    {"EXAMPLES", fmt::format("{}", examples)}});
}

std::string train_header(const EmitRequest& request, const EmittedProject& project,
                         const FormParts& parts) {
  return filled_in(project_text("poet_train.h").text,
                   {{"MODEL", c_comment(request.model)},
                    {"ARENA_BYTES", fmt::format("{}", request.arena_bytes)},
                    {"STACK_BYTES", fmt::format("{}", request.board.stack_bytes)},
                    {"RAM_BYTES", fmt::format("{}", request.board.ram_bytes)},
                    {"STORAGE_BYTES", fmt::format("{}u", project.storage.bytes())},
                    {"CHECKPOINT_BYTES", fmt::format("{}u", project.storage.slot_bytes)},
                    {"PAGES_BEGIN", fmt::format("{}u", project.storage.pages_begin())},
                    {"BLOCK_BYTES", fmt::format("{}u", project.storage.block_bytes)},
                    {"BATCH", fmt::format("{}u", request.micro_batch_size)},
                    {"MICRO_BATCHES", fmt::format("{}u", request.micro_batches)},
                    {"ACTIONS", fmt::format("{}u", parts.actions.size())},
                    {"INPUTS", fmt::format("{}", request.parts.size())},
                    {"PREDICT", of_prediction(request, parts, "predict.h")},
                    {"FURTHER", further_sizes_text(request)},
                    {"HOOK", of_hook(request, parts, "hook.h")},
                    {"TRANSFERS", of_transfers(parts, "transfers.h")},
                    {"TRANSFERS_INCLUDE", transfers_include(parts)},
                    {"INPUTS_IN_PIECES", parts.inputs_in_pieces ? "1" : "0"},
                    {"INPUT_ENUMERATORS", input_enumerators(request.parts)},
                    {"INPUT_SIZES", input_sizes(request.parts)}});
}

std::string plan_header(const EmitRequest& request, const FormParts& parts,
                        const PlanTexts& texts) {
  const std::int64_t passage_bytes = request.arena_bytes - texts.passage_begin;
  return filled_in(
      project_text("poet_plan.h").text,
      {{"SEED_LOW", fmt::format("{}u", static_cast<std::uint32_t>(request.seed))},
       {"SEED_HIGH", fmt::format("{}u", static_cast<std::uint32_t>(request.seed >> 32))},
       {"PASSAGE_BEGIN", fmt::format("{}u", texts.passage_begin)},
       {"PASSAGE_BYTES", fmt::format("{}u", passage_bytes)},
       {"FURTHER", further_arenas_text(request)},
       {"TRANSFERS_INCLUDE", transfers_include(parts)},
       {"TRANSFERS_FIELD", if_overlapped(parts, "  poet_transfers* transfers;\n")},
       {"PREDICT_FIELD",
        if_predicts(request,
                    "  void (*take)(void* user, const float* outputs); /* of a prediction */\n"
                    "  void* user;\n")},
       {"HOOK_FIELD", if_hook(request,
                              "  const unsigned char* codes; /* where it paused; NULL: nowhere */\n"
                              "  uint32_t block;             /* of its reader there */\n"
                              "  int32_t may_pause;\n")},
       {"HOOK", if_hook(request, "int32_t poet_calls_hook(uint32_t action);\n")},
       {"PREDICT", if_predicts(request, "poet_status poet_run_prediction(poet_run* run);\n")},
       {"PARAMETERS", fmt::format("{}u", texts.values.parameter_count)}});
}

constexpr const char* kCorrection =
    "/* 1 - beta^step: by multiplication alone, and so the same on every machine. */\n"
    "static float correction(double beta, uint32_t step) {\n"
    "  double power = 1;\n"
    "  for (; step > 0u; step >>= 1, beta *= beta)\n"
    "    if ((step & 1u) != 0u) power *= beta;\n"
    "  return (float)(1 - power);\n"
    "}\n\n";

// The step that is under way, for one that pauses.
constexpr const char* kPauseState =
    "\nstatic struct {\n"
    "  poet_run run;\n"
    "  uint32_t micro_batch;\n"
    "  float sum; /* of losses */\n"
    "  int is_paused;\n"
    "  poet_hook hook;\n"
    "  void* user;\n"
    "} under_way;\n";

std::string step_text(const EmitRequest& request, const FormParts& parts) {
  const bool corrects = corrects_moments(request);
  const auto correction = [corrects](double beta) {
    return corrects ? fmt::format("correction({}, step)", c_double(beta)) : std::string("1.0f");
  };
  return filled_in(project_text(request.calls_hook ? "step_hook.c" : "step.c").text,
                   {{"TRANSFERS_INIT", transfers_init(parts, request.calls_hook ? 24 : 18)},
                    {"DRAIN", drain_text(parts)},
                    {"FIRST", correction(request.constants.beta1)},
                    {"SECOND", correction(request.constants.beta2)}});
}

std::string train_source(const EmitRequest& request, const FormParts& parts) {
  return filled_in(
      project_text("poet_train.c").text,
      {{"CORRECTION", corrects_moments(request) ? kCorrection : ""},
       {"STEP", step_text(request, parts)},
       {"TRANSFERS", transfers_state(parts)},
       {"TRANSFERS_STORAGE", if_overlapped(parts, "  transfers.storage = storage;\n")},
       {"DRAIN", drain_text(parts)},
       {"CHANNEL", of_transfers(parts, "channel.c")},
       {"PAUSE_STATE", if_hook(request, kPauseState)},
       {"PAUSE_READY", if_hook(request, "  if (under_way.is_paused) return POET_PAUSED;\n")},
       {"PAUSE_END", if_hook(request, "  under_way.is_paused = 0;\n")},
       {"PREDICT", of_prediction(request, parts, "predict.c")}});
}

// The program for a PC.
std::string host_source(const EmitRequest& request, const FormParts& parts) {
  return filled_in(
      project_text("host_main.c").text,
      {{"LATE", of_transfers(parts, "host_late.c")},
       {"LATE_CHANNEL",
        if_overlapped(parts,
                      "  late_card late = {&storage_file, NULL};\n"
                      "  const poet_channel channel = {&late, begin_late, do_begun, NULL};\n"
                      "  poet_set_channel(&channel);\n")},
       {"PREDICT_FIELD", if_predicts(request, "  uint32_t predict; /* examples, in the end */\n")},
       {"PREDICT_DEFAULT", if_predicts(request, ", 0")},
       {"PREDICT_OPTION", if_predicts(request,
                                      "    else if (strcmp(words[i], \"--predict\") == 0)\n"
                                      "      failed = read_count(value, &wanted->predict);\n")},
       {"PREDICT_USAGE", if_predicts(request, " [--predict N]")},
       {"PREDICT_CALL",
        if_predicts(request,
                    "  if (status == POET_OK) status = predict(&examples, wanted.predict);\n")},
       {"PREDICT", of_prediction(request, parts, "host_predict.c")}});
}

std::string rom_header(const RomText& rom) {
  return "/* What never changes: in flash. */\n#pragma once\n\n#include <stdint.h>\n\n" +
         rom.declarations();
}

std::string rom_source(const RomText& rom) {
  return "#include \"poet_rom.h\"\n\n#include <math.h>\n" + rom.definitions();
}

// The list of C files in one line each, as makefiles and CMake want it.
std::string source_list(const std::vector<std::string>& sources, std::string_view end) {
  std::string list;
  for (const std::string& source : sources)
    list += fmt::format("{}  {}", list.empty() ? "" : std::string(end) + "\n", source);
  return list;
}

EmittedFile as_it_is(std::string path, std::string_view name) {
  return {std::move(path), std::string(project_text(name).text)};
}

// The C files of the training.
std::vector<EmittedFile> training_files(const EmitRequest& request, const EmittedProject& project,
                                        const FormParts& parts, const PlanTexts& texts) {
  std::vector<EmittedFile> files = {
      {"poet_train.h", train_header(request, project, parts)},
      {"poet_train.c", train_source(request, parts)},
      {"poet_plan.h", plan_header(request, parts, texts)},
      {"poet_plan.c", plan_text(request, project, parts, texts.values)},
  };
  if (!parts.rom.empty()) {
    files.push_back({"poet_rom.h", rom_header(parts.rom)});
    files.push_back({"poet_rom.c", rom_source(parts.rom)});
  }
  for (const std::string& file : runtime_of(request, parts)) files.push_back(as_it_is(file, file));
  const std::string folder(source_folder(request.kind));
  const std::string prefix(source_prefix(request.kind));
  for (EmittedFile& file : files) {
    if (file.path.ends_with(".c")) file.text = prefix + file.text;
    file.path = folder + file.path;
  }
  return files;
}

std::vector<std::string> sources_of(const std::vector<EmittedFile>& files) {
  std::vector<std::string> sources;
  for (const EmittedFile& file : files)
    if (file.path.ends_with(".c")) sources.push_back(file.path);
  return sources;
}

// "." or "src": where includes begin.
std::string include_folder(ProjectKind kind) {
  const std::string_view folder = source_folder(kind);
  return folder.empty() ? "." : std::string(folder.substr(0, folder.size() - 1));
}

}  // namespace

std::vector<EmittedFile> project_files(const EmitRequest& request, const EmittedProject& project,
                                       const FormParts& parts, const PlanTexts& texts) {
  std::vector<EmittedFile> files = training_files(request, project, parts, texts);
  const std::vector<std::string> sources = sources_of(files);
  for (EmittedFile& file : tool_files(request, sources)) files.push_back(std::move(file));
  files.push_back({"pc/main.c", host_source(request, parts)});
  files.push_back(as_it_is("pc/sha256.c", "host_sha256.c"));
  files.push_back(as_it_is("pc/sha256.h", "host_sha256.h"));
  files.push_back(as_it_is("stack_depth.awk", "stack_depth.awk"));
  files.push_back(as_it_is("LICENSE", "LICENSE"));

  const std::string ram = fmt::format("{}", request.board.ram_bytes);
  const std::string stack = fmt::format("{}", request.board.stack_bytes);
  files.push_back({"ram_check.ld", filled_in(project_text("ram_check.ld").text,
                                             {{"RAM_BYTES", ram},
                                              {"STACK_BYTES", stack},
                                              {"DEVICE", c_comment(request.board.name)}})});
  const std::string make_sources = source_list(sources, " \\");
  const std::string cmake_sources = source_list(sources, "");
  files.push_back({"Makefile", filled_in(project_text("Makefile").text,
                                         {{"SOURCES", make_sources},
                                          {"FOLDER", include_folder(request.kind)},
                                          {"STACK_BYTES", stack},
                                          {"RAM_BYTES", ram},
                                          {"ROOTS", if_predicts(request, " poet_predict") +
                                                        if_hook(request, " poet_abandon")}})});
  if (request.kind != ProjectKind::EspIdf)
    files.push_back({"CMakeLists.txt", filled_in(project_text("CMakeLists.txt").text,
                                                 {{"SOURCES", cmake_sources},
                                                  {"FOLDER", include_folder(request.kind)}})});
  files.push_back(
      {"README.md",
       filled_in(project_text("README.md").text,
                 {{"MODEL", request.model},
                  {"DEVICE", request.board.name},
                  {"COMMAND", request.command},
                  {"ARENA_BYTES", fmt::format("{}", request.arena_bytes)},
                  {"ARENAS", further_rows_text(request).empty() ? "one static arena"
                                                                : "a static arena in each memory"},
                  {"FURTHER_ROWS", further_rows_text(request)},
                  {"FURTHER", further_guide(request)},
                  {"STACK_BYTES", stack},
                  {"RAM_OWNER", ram_owner(request.board)},
                  {"RAM_BYTES", ram},
                  {"ROM_BYTES", fmt::format("{}", parts.rom.bytes())},
                  {"STORAGE_BYTES", fmt::format("{}", project.storage.bytes())},
                  {"BLOCK_BYTES", fmt::format("{}", project.storage.block_bytes)},
                  {"ERASE_BYTES", fmt::format("{}", project.storage.erase_bytes)},
                  {"EXAMPLE_STEPS", fmt::format("{}", request.example_steps)},
                  {"TOOL", tool_guide(request)},
                  {"STEP_WRITTEN_BYTES", fmt::format("{}", project.wear.step_bytes)},
                  {"CHECKPOINT_WRITTEN_BYTES", fmt::format("{}", project.wear.checkpoint_bytes)},
                  {"PORT_GUIDE", port_guide(request, parts)},
                  {"WEAR", wear_guide(project.wear)},
                  {"PREDICT", of_prediction(request, parts, "predict.md")},
                  {"TRANSFERS", of_transfers(parts, "transfers.md")},
                  {"HOOK", of_hook(request, parts, "hook.md")}})});
  files.push_back({kProjectFile, project_json_text(request, project, parts)});
  std::sort(files.begin(), files.end(),
            [](const EmittedFile& a, const EmittedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace poet
