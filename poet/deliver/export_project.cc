#include "poet/deliver/export_project.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <set>
#include <utility>

#include "poet/ask/choose_parts.h"
#include "poet/ask/published_beginning.h"
#include "poet/base/atomic_file.h"
#include "poet/base/check.h"
#include "poet/base/json.h"
#include "poet/base/message_text.h"
#include "poet/base/replace_together.h"
#include "poet/base/text_file.h"
#include "poet/boards/board_files.h"
#include "poet/emit/emit_project.h"
#include "poet/emit/project_json.h"
#include "poet/emit/project_texts.h"
#include "poet/emit/tool_files.h"
#include "poet/emit/write_images.h"
#include "poet/forms/plan_in_budget.h"
#include "poet/forms/times_in_step.h"
#include "poet/use/training_data.h"
#include "poet/use/training_settings.h"

namespace poet {
namespace {

constexpr const char* kStorageImage = "storage.image";
constexpr const char* kExamples = "examples.bin";
constexpr const char* kRomFiles[] = {"poet_rom.c", "poet_rom.h"};
// In the project's folder, while its files are written.
constexpr const char* kStaging = ".poet-new";

// A form of each kind that the plan has, in the order of the micro-batches.
std::vector<EmittedForm> emitted_forms(const StepForms& forms, const PlannedForms& planned,
                                       std::int64_t micro_batches) {
  const std::vector<std::int64_t> times = times_in_step(forms, micro_batches);
  std::vector<EmittedForm> list;
  for (std::size_t k = 0; k < forms.forms.size(); ++k)
    list.push_back({.name = forms.forms[k].name,
                    .step = &planned.steps[k],
                    .inputs = part_places(forms.forms[k], forms.wanted),
                    .initial = &forms.forms[k].initial,
                    .pieces = &forms.forms[k].pieces,
                    .predicts = forms.forms[k].name == kPrediction,
                    .times = times[k]});
  return list;
}

// What poet_predict() is, where the last form is that.
std::optional<EmittedPrediction> emitted_prediction(const FormsRequest& asked,
                                                    const StepForms& forms) {
  if (!asked.prediction_batch_size) return std::nullopt;
  const Graph& graph = forms.forms.back().graph;
  const std::int64_t values = value_count(at(graph.tensors, graph.outputs.front()).type.shape);
  return EmittedPrediction{.batch_size = *asked.prediction_batch_size,
                           .outputs = values / *asked.prediction_batch_size};
}

// The device with the RAM that the training may have of it.
void set_ram(const ExportRequest& request, Device& device) {
  const std::int64_t all = request.board ? request.board->ram_bytes
                                         : request.device_ram_bytes.value_or(device.ram_bytes);
  device.ram_bytes = all - request.reserved_bytes;
  if (request.device_ram_bytes && request.port) device.name = request.port->chip;
}

std::int64_t erase_bytes(const ExportRequest& request, const Device& device) {
  if (request.storage_erase_bytes) return *request.storage_erase_bytes;
  return device.storage.erase_bytes.value_or(kStorageEraseBytes);
}

// What was asked for is one.
Failure check_erase(const ExportRequest& request, const Device& device) {
  const std::int64_t bytes = erase_bytes(request, device);
  if (std::has_single_bit(static_cast<std::uint64_t>(bytes))) return std::nullopt;
  return bad_input(
      fmt::format("storage.erase of the device {} is {}, and checkpoints and pages lie apart by a "
                  "power of two: "
                  "give --storage-erase",
                  device.name, bytes_text(bytes)));
}

// An emulated board has the memories that it has.
Failure check_memories(const ExportRequest& request, const Device& device) {
  if (!request.board) return std::nullopt;
  for (const DeviceMemory& memory : device.memories) {
    const std::vector<BoardMemory>& all = request.board->further;
    const auto same = std::find_if(all.begin(), all.end(), [&memory](const BoardMemory& one) {
      return one.name == memory.name;
    });
    if (same == all.end())
      return bad_input(fmt::format("{} has no memory {} beside its RAM, as the device {} has",
                                   request.board->name, in_quotes(memory.name), device.name));
    if (same->size_bytes < memory.size_bytes)
      return bad_input(fmt::format("{} of the device {} has {}, and that of {} {}", memory.name,
                                   device.name, bytes_text(memory.size_bytes), request.board->name,
                                   bytes_text(same->size_bytes)));
  }
  return std::nullopt;
}

std::optional<EmittedPort> emitted_port(const ExportRequest& request) {
  if (!request.port) return std::nullopt;
  return EmittedPort{.name = std::string(request.port->name),
                     .title = std::string(request.port->title),
                     .compiler = fmt::format("{}gcc", request.port->compiler),
                     .channel_header = channel_header(*request.port)};
}

std::vector<EmittedMemory> emitted_memories(const StepForms& forms, const PlannedForms& planned) {
  std::vector<EmittedMemory> memories;
  const Problem& problem = forms.forms.front().instance.problem;
  for (std::size_t m = 0; m < planned.further_arena_bytes.size(); ++m)
    memories.push_back({.name = problem.further_memories[m].name,
                        .size_bytes = problem.further_memories[m].size_bytes,
                        .arena_bytes = planned.further_arena_bytes[m]});
  return memories;
}

// As lines. Whatever examples a board has: they come from its own program.
Result<std::string> deciding_settings(TrainRequest training, const FormsRequest& asked,
                                      const StepForms& forms, const Dataset& data) {
  training.learning_rate.steps = training.steps;
  training.data.paths.clear();  // nobody need read them
  Result<std::vector<CheckpointSetting>> settings =
      training_settings(training, asked, *forms.model, data);
  if (!settings.ok()) return settings.error();
  std::string text;
  for (const CheckpointSetting& one : *settings)
    if (one.name != kDataSetting && one.name != kExamplesSetting)
      text += fmt::format("{} {}\n", one.name, one.value);
  return text;
}

EmitRequest emit_request(const ExportRequest& request, const FormsRequest& asked,
                         const StepForms& forms, const PlannedForms& planned) {
  const TrainRequest& training = request.training;
  const Device& device = *forms.forms.front().instance.device;
  EmitRequest emit{.model = asked.question.origin.model,
                   .command = asked.question.origin.command,
                   .board = {.name = device.name,
                             .ram_bytes = device.ram_bytes,
                             .reserved_bytes = request.reserved_bytes,
                             .stack_bytes = request.stack_bytes,
                             .storage_block_bytes = device.storage.block_bytes,
                             .storage_erase_bytes = erase_bytes(request, device),
                             .wear = {.cycles = device.storage.rated_cycles,
                                      .erase_bytes = device.storage.erase_bytes,
                                      .levelled_bytes = device.storage.levelled_bytes}},
                   .forms = emitted_forms(forms, planned, asked.micro_batches),
                   .arena_bytes = planned.arena_bytes,
                   .further = emitted_memories(forms, planned),
                   .parts = forms.wanted.parts,
                   .micro_batches = asked.micro_batches,
                   .micro_batch_size = forms.micro_batch_size,
                   .seed = training.seed,
                   .learning_rate = training.learning_rate,
                   .constants = asked.question.training.constants,
                   .calls_hook = request.calls_hook,
                   .prediction = emitted_prediction(asked, forms),
                   .kind = request.kind,
                   .port = emitted_port(request),
                   .daily_use = request.daily_use,
                   .example_steps = training.steps};
  emit.learning_rate.steps = training.steps;
  return emit;
}

Error cannot_make(const std::string& folder, const std::string& why) {
  return {ErrorCode::Io, fmt::format("cannot make the folder {}: {}", in_quotes(folder), why), {}};
}

// A file that says the same already stays, so that make has nothing to do.
bool is_there(const std::string& path, const std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const Result<std::string> old = read_text_file(path);
  return old.ok() && *old == text;
}

Failure write_text(const std::string& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return cannot_make(std::filesystem::path(path).parent_path(), error.message());
  return write_file_atomically(
      path, [&text](FileWriter& writer) { return writer.append(std::as_bytes(std::span(text))); });
}

// Whether the folder's file of a project says that we wrote it.
bool is_our_project(const std::filesystem::path& folder) {
  const Result<std::string> text = read_text_file((folder / kProjectFile).string());
  if (!text.ok()) return false;
  const Result<JsonValue> json = parse_json(*text, kProjectFile);
  if (!json.ok()) return false;
  const auto* const members = std::get_if<JsonMembers>(&json->data);
  if (members == nullptr) return false;
  return std::any_of(members->begin(), members->end(), [](const JsonMember& member) {
    const auto* const value = std::get_if<std::string>(&member.value.data);
    return member.key == "format" && value != nullptr && *value == kProjectFormat;
  });
}

// Nobody's files are replaced but those of an earlier export.
Failure refuse_strangers(const std::string& folder, const std::vector<std::string>& names) {
  if (is_our_project(folder)) return std::nullopt;
  for (const std::string& name : names) {
    std::error_code ignored;
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) continue;
    return bad_input(fmt::format(
        "the folder {} has a file {} and is not a project that POET wrote: name another "
        "folder, so that it is not replaced",
        in_quotes(folder), in_quotes(name)));
  }
  return std::nullopt;
}

// What a folder of somebody else most likely has: asked before a long search.
const std::vector<std::string>& usual_names() {
  static const std::vector<std::string> names = {"README.md",    "LICENSE",   "CMakeLists.txt",
                                                 "Makefile",     "pc/main.c", "poet_train.c",
                                                 "poet_train.h", "src",       kProjectFile};
  return names;
}

constexpr const char* kTrainingFiles[] = {"poet_train.h", "poet_train.c", "poet_plan.h",
                                          "poet_plan.c"};

// What a project may have that this one has not: in its folder it would be taken for a file of
// this.
std::vector<std::string> stale_files(const std::vector<std::string>& names,
                                     std::int64_t storage_bytes) {
  std::set<std::string> sources(std::begin(kRomFiles), std::end(kRomFiles));
  sources.insert(std::begin(kTrainingFiles), std::end(kTrainingFiles));
  for (const ProjectText& text : project_text_table())
    if (text.name.starts_with("poet/runtime/")) sources.emplace(text.name);
  std::set<std::string> known = sources;
  for (const Named<ProjectKind>& kind : kProjectKinds)
    for (const std::string& source : sources)
      known.insert(std::string(source_folder(kind.value)) + source);
  for (const std::string& path : tool_paths()) known.insert(path);
  for (const EmulatedBoard& board : board_table())
    for (const EmittedFile& file : board_files(board, storage_bytes)) known.insert(file.path);
  for (const ChipPort& port : port_table())
    for (const EmittedFile& file :
         port_files(port, {.storage_bytes = storage_bytes, .overlapped = true}))
      known.insert(file.path);
  for (const std::string& name : names) known.erase(name);
  return {known.begin(), known.end()};
}

// Nothing is built of a project while files of it are missing. First what says whose the folder is,
// so that what is cut off can be written again.
std::vector<GateFile> gates_of(const std::vector<std::string>& names) {
  const std::string why = "this project was not written whole: export it again";
  std::vector<GateFile> gates = {
      {kProjectFile, fmt::format("{{\n  \"format\": \"{}\",\n  \"version\": 2,\n  "
                                 "\"unfinished\": \"{}\"\n}}\n",
                                 kProjectFormat, why)},
      {"Makefile", fmt::format("$(error {})\n", why)},
      {"board.mk", fmt::format("$(error {})\n", why)},
      {"CMakeLists.txt", fmt::format("message(FATAL_ERROR \"{}\")\n", why)},
      {"src/poet_train.h", fmt::format("#error \"{}\"\n", why)}};
  std::erase_if(gates, [&names](const GateFile& gate) {
    return std::find(names.begin(), names.end(), gate.name) == names.end();
  });
  return gates;
}

// Those that are not in place already.
Failure stage(const std::vector<EmittedFile>& files, const ExportRequest& request,
              const EmitRequest& emit, const EmittedProject& project, const TrainingData& data,
              FilesTogether& staged) {
  const std::vector<GateFile>& gates = staged.gates;
  for (const EmittedFile& file : files) {
    const bool is_gate = std::any_of(gates.begin(), gates.end(), [&file](const GateFile& gate) {
      return gate.name == file.path;
    });
    if (!is_gate && is_there(request.folder + "/" + file.path, file.text)) continue;
    if (Failure failure = write_text(staged.staging + "/" + file.path, file.text)) return failure;
    staged.names.push_back(file.path);
  }
  if (Failure failure = write_storage_image(staged.staging + "/" + kStorageImage, project))
    return failure;
  const BatchReader reader(data.training,
                           {.batch_size = emit.micro_batch_size, .seed = request.training.seed});
  if (Failure failure = write_examples(staged.staging + "/" + kExamples, emit, reader))
    return failure;
  staged.names.insert(staged.names.end(), {kStorageImage, kExamples});
  return std::nullopt;
}

// In the folder, which is made.
Failure write_staged(const std::vector<EmittedFile>& files, const ExportRequest& request,
                     const EmitRequest& emit, const EmittedProject& project,
                     const TrainingData& data, FilesTogether& staged) {
  std::error_code error;
  std::filesystem::create_directories(request.folder, error);
  if (error) return cannot_make(request.folder, error.message());
  const Result<StagingFolder> staging = StagingFolder::make(request.folder, kStaging);
  if (!staging.ok()) return staging.error();
  staged.staging = staging->path();
  if (Failure failure = stage(files, request, emit, project, data, staged)) return failure;
  return replace_together(staged);
}

Failure write_project(const ExportRequest& request, const EmitRequest& emit,
                      const EmittedProject& project, const TrainingData& data,
                      ExportReport& report) {
  std::vector<EmittedFile> files = project.files;
  if (request.board) {
    EmulatedBoard board = *request.board;
    board.ram_bytes -= request.reserved_bytes;
    for (EmittedFile& file : board_files(board, project.storage.bytes()))
      files.push_back(std::move(file));
  }
  if (request.port)
    for (EmittedFile& file : port_files(*request.port, {.storage_bytes = project.storage.bytes(),
                                                       .overlapped = project.overlapped}))
      files.push_back(std::move(file));
  // A board of the same storage brings its files as well.
  std::sort(files.begin(), files.end(),
            [](const EmittedFile& a, const EmittedFile& b) { return a.path < b.path; });
  files.erase(
      std::unique(files.begin(), files.end(),
                  [](const EmittedFile& a, const EmittedFile& b) { return a.path == b.path; }),
      files.end());
  std::vector<std::string> names = {kStorageImage, kExamples};
  for (const EmittedFile& file : files) names.push_back(file.path);
  FilesTogether staged{.folder = request.folder,
                       .removed = stale_files(names, project.storage.bytes()),
                       .gates = gates_of(names)};
  std::vector<std::string> ours = names;
  ours.insert(ours.end(), staged.removed.begin(), staged.removed.end());
  if (Failure failure = refuse_strangers(request.folder, ours)) return failure;
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(request.folder, ignored);
  Failure failure = write_staged(files, request, emit, project, data, staged);
  if (failure && is_new)
    std::filesystem::remove(request.folder, ignored);  // only where it is empty
  if (failure) return failure;
  std::sort(names.begin(), names.end());
  report.files = std::move(names);
  return std::nullopt;
}

void add_figures(const StepForms& forms, const PlannedForms& planned, std::int64_t micro_batches,
                 ExportReport& report) {
  const std::vector<std::int64_t> times_of = times_in_step(forms, micro_batches);
  for (std::size_t k = 0; k < forms.forms.size(); ++k) {
    const std::int64_t times = times_of[k];
    report.predicted_step_s += static_cast<double>(times) * planned.replays[k].time_s;
    report.step_j += static_cast<double>(times) * planned.replays[k].energy_j;
    report.read_bytes += times * planned.replays[k].read_bytes;
    report.written_bytes += times * planned.replays[k].written_bytes;
  }
}

std::optional<ExportedPrediction> exported_prediction(const EmitRequest& emit,
                                                      const EmittedProject& project,
                                                      const PlannedForms& planned) {
  if (!emit.prediction) return std::nullopt;
  const Replay& replay = planned.replays.back();
  return ExportedPrediction{.batch_size = emit.prediction->batch_size,
                            .outputs = emit.prediction->outputs,
                            .actions = std::count_if(project.actions.begin(), project.actions.end(),
                                                     [](const EmittedAction& action) {
                                                       return action.form == kPrediction;
                                                     }),
                            .written_bytes = replay.written_bytes,
                            .read_bytes = replay.read_bytes,
                            .predicted_s = replay.time_s};
}

std::vector<ExportedAction> computed_by(const EmittedProject& project) {
  std::vector<ExportedAction> list;
  for (const EmittedAction& action : project.actions) {
    if (action.form == kPrediction) break;  // the last
    list.push_back({.key = action.key, .flop = action.flop, .again = action.again});
  }
  return list;
}

}  // namespace

Result<ExportReport> export_project(const ExportRequest& request, const Stop& stop,
                                    const ProgressSink& progress) {
  if (Failure failure = check_rate(request.training.learning_rate)) return *failure;
  if (ignored_label_of(request.training.data))
    return bad_input(
        "on a board every label counts: texts that are padded, and prompts and answers, are for "
        "'poet train'");
  if (Failure failure = refuse_strangers(request.folder, usual_names())) return *failure;
  Result<Question> question = read_question(request.training.plan);
  if (!question.ok()) return question.error();
  question->most_operations = request.most_operations;
  if (question->device)
    if (Failure failure = check_erase(request, *question->device)) return *failure;
  if (question->device) set_ram(request, *question->device);
  if (question->device)
    if (Failure failure = check_memories(request, *question->device)) return *failure;
  const FormsRequest asked{.question = *std::move(question),
                           .micro_batches = request.training.micro_batches,
                           .evaluation = request.prediction_batch_size.has_value(),
                           .prediction_batch_size = request.prediction_batch_size};
  FormsMaker maker;
  Result<StepForms> forms = maker.forms(asked);
  if (!forms.ok()) return forms.error();
  Result<TrainingData> data = open_training_data(request.training, forms->wanted);
  if (!data.ok()) return data.error();
  Result<std::vector<std::string>> looked = check_beginning(
      asked.question, request.training.allows_non_finite ? NonFinite::Taken : NonFinite::Refused);
  if (!looked.ok()) return looked.error();
  ExportReport report;
  report.notes = *std::move(looked);
  Result<PlannedForms> planned = plan_in_budget(
      asked, maker, *forms, {.cache = telling_unkept(request.training.cache, report.notes)}, stop,
      progress);
  if (!planned.ok()) return planned.error();
  report.no = planned->no;
  report.notes.insert(report.notes.end(), planned->notes.begin(), planned->notes.end());
  report.notes.insert(report.notes.end(), planned->search_notes.begin(),
                      planned->search_notes.end());
  if (!report.no.empty()) return report;

  EmitRequest emit = emit_request(request, asked, *forms, *planned);
  Result<std::string> settings =
      deciding_settings(request.training, asked, *forms, *data->training);
  if (!settings.ok()) return settings.error();
  emit.settings = *std::move(settings);
  const Result<EmittedProject> project = emit_project(emit);
  if (!project.ok()) return project.error();
  report.arena_bytes = emit.arena_bytes;
  report.further = emit.further;
  report.stack_bytes = request.stack_bytes;
  report.ram_bytes = emit.board.ram_bytes;
  report.reserved_bytes = emit.board.reserved_bytes;
  if (request.port) report.port = request.port->name;
  report.rom_bytes = project->rom_bytes;
  report.storage_bytes = project->storage.bytes();
  report.wear = project->wear;
  report.prediction = exported_prediction(emit, *project, *planned);
  report.actions =
      std::ssize(project->actions) - (report.prediction ? report.prediction->actions : 0);
  if (leaves_parts_open(asked.question) && forms->forms.front().instance.parts.part_bytes)
    report.chosen_operations = std::ssize(forms->forms.front().graph.operations);
  report.ram_budget_bytes = forms->ram_budget_bytes;
  report.plain_peak_bytes = forms->plain.peak_bytes;
  report.computed = computed_by(*project);
  add_figures(*forms, *planned, emit.micro_batches, report);
  if (report.arena_bytes + report.stack_bytes > report.ram_bytes)
    report.notes.push_back(
        fmt::format("arena and stack take {}, and {} has {}: the project will not link for it",
                    bytes_text(report.arena_bytes + report.stack_bytes), emit.board.name,
                    bytes_text(report.ram_bytes)));
  if (Failure failure = write_project(request, emit, *project, *data, report)) return *failure;
  return report;
}

}  // namespace poet
