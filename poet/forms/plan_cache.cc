#include "poet/forms/plan_cache.h"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "poet/base/atomic_file.h"
#include "poet/base/file_calls.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/base/named.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/data/data_file.h"
#include "poet/plan/plan_file.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

constexpr std::string_view kUnkept = "plans cannot be kept, and are made again the next time";

// Counted up whenever another plan is made for the same problem.
constexpr int kGeneration = 2;

std::string path_of(const PlanCache& cache, const std::string& key, const char* ending) {
  return (std::filesystem::path(*cache.folder) / (key + ending)).string();
}

Failure make_folder(const PlanCache& cache) {
  std::error_code error;
  std::filesystem::create_directories(*cache.folder, error);
  if (!error) return std::nullopt;
  return Error{
      ErrorCode::Io,
      fmt::format("cannot make the folder {}: {}", in_quotes(*cache.folder), error.message()),
      {}};
}

Failure keep(const PlanCache& cache, const std::function<Failure()>& write) {
  if (!cache.folder) return std::nullopt;
  Failure failure = make_folder(cache);
  if (!failure) failure = write();
  if (!failure || !cache.unkept) return failure;
  cache.unkept(*failure);
  return std::nullopt;
}

// No link, and no pipe, which would hold up whoever reads it.
bool is_file_of_its_own(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(path, ignored));
}

// What is kept says what somebody trains, and is for their own next time.
Failure keep_text(const std::string& path, const std::string& text) {
  // A link that somebody laid there leads to a file that is not ours to write.
  std::error_code ignored;
  if (!is_file_of_its_own(path)) std::filesystem::remove(path, ignored);
  return write_file_atomically(
      path, [&text](FileWriter& writer) { return writer.append(std::as_bytes(std::span(text))); },
      system_file_calls(), NewFileReaders::OnlyTheOwner);
}

constexpr const char* kPlanEnding = ".plan.json";
constexpr const char* kSplitEnding = ".split.json";
constexpr const char* kPartsEnding = ".parts.json";
constexpr const char* kTrainedEnding = ".trained.json";
constexpr const char* kStepEnding = ".step.json";

void tell_damaged(const PlanCache& cache, const std::string& path, const std::string& why) {
  if (cache.damaged)
    cache.damaged(
        fmt::format("the kept plan {} is damaged, and is made again: {}", quoted_path(path), why));
}

std::optional<std::string> path_if_there(const PlanCache& cache, const std::string& key,
                                         const char* ending) {
  if (!cache.folder) return std::nullopt;
  std::string path = path_of(cache, key, ending);
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return std::nullopt;
  if (is_file_of_its_own(path)) return path;
  tell_damaged(cache, path, "it is a link or no file");
  return std::nullopt;
}

// What is wrong with a file that is named already.
std::string fault_text(Error error, const std::string& path) {
  if (error.where.file == path || error.where.file == quoted_path(path)) error.where.file.clear();
  std::string text = to_string(error);
  const std::string named = " " + quoted_path(path);
  if (const std::size_t at = text.find(named); at != text.npos)
    text.replace(at, named.size(), " it");
  return text;
}

// Why a file is not a plan for the problem at the budget that the plan was made for; empty when it
// is one. A file is not evidence: whoever wrote it, its schedule is replayed.
std::string fault_of(const Plan& plan, Problem problem) {
  problem.ram_budget_bytes = plan.problem.ram_budget_bytes;
  if (problem != plan.problem) return "it answers another question";
  const Replay replayed = replay(plan.problem, plan.schedule);
  if (!replayed.valid()) return replayed.findings.front().message;
  if (buffers_of(plan.problem, plan.schedule) != plan.buffers)
    return "its buffers are not those of its schedule";
  return "";
}

Result<SplitChoice> load_split(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  return parse_split(*text, path);
}

Result<std::string> load_trained(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  const Result<JsonValue> json = parse_json(*text, path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  JsonObject object(*json, "what is trained", reader);
  object.format("poet-trained", 1);
  std::string train = object.text("train");
  object.finish();
  if (reader.failure()) return *reader.failure();
  return train;
}

struct PartsChoice {
  std::int64_t ram_budget_bytes = 0;
  std::int64_t part_bytes = 0;
};

Result<PartsChoice> load_parts(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  const Result<JsonValue> json = parse_json(*text, path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  JsonObject object(*json, "a choice of parts", reader);
  object.format("poet-parts", 1);
  if (reader.failure()) return *reader.failure();
  const PartsChoice choice{.ram_budget_bytes = object.whole("ram_budget_bytes", kSizeRange),
                           .part_bytes = object.whole("part_bytes", kSizeRange)};
  object.finish();
  if (reader.failure()) return *reader.failure();
  return choice;
}

constexpr Named<KeptStep::Kind> kStepKinds[] = {
    {"fitting", KeptStep::Kind::Fitting},
    {"sliced", KeptStep::Kind::Sliced},
    {"parts", KeptStep::Kind::Parts},
};

struct StepOfBudget {
  std::int64_t ram_budget_bytes = 0;
  KeptStep step = {};
};

Result<StepOfBudget> load_step(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  const Result<JsonValue> json = parse_json(*text, path);
  if (!json.ok()) return json.error();
  JsonReader reader(path);
  JsonObject object(*json, "a choice of a step", reader);
  object.format("poet-step", 1);
  if (reader.failure()) return *reader.failure();
  const StepOfBudget choice{.ram_budget_bytes = object.whole("ram_budget_bytes", kSizeRange),
                            .step = {.kind = object.choice("step", kStepKinds),
                                     .part_bytes = object.whole("part_bytes", kSizeRange)}};
  object.finish();
  if (reader.failure()) return *reader.failure();
  return choice;
}

std::string fault_of(const SplitChoice& choice, const SplitAsked& asked) {
  if (asked.batch_size % choice.micro_batches != 0)
    return fmt::format("{} micro-batches do not divide a batch of {}", choice.micro_batches,
                       asked.batch_size);
  if (choice.ram_budget_bytes && *choice.ram_budget_bytes != asked.ram_budget_bytes)
    return "it answers another question";
  return "";
}

}  // namespace

Failure check_cache(const PlanCache& cache) {
  if (!cache.folder) return std::nullopt;
  if (Failure failure = make_folder(cache)) return failure;
  if (::access(cache.folder->c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return Error{ErrorCode::Io,
               fmt::format("cannot write into the folder {}: {}", in_quotes(*cache.folder),
                           reason_of(errno)),
               {}};
}

std::string plan_key(const Question& question, const std::string& problem_text) {
  const SolveOptions& solve = question.solve;
  std::string options =
      fmt::format("poet {} {} {} {} {} {} {} {} {}", kGeneration, question.formulation->name,
                  question.solver->name, solve.gap_ratio, solve.total_gap_ratio, solve.seed,
                  solve.max_nodes, solve.max_iterations, question.alignment_bytes);
  if (std::isfinite(solve.most_effort_s)) options += fmt::format(" {} s ", solve.most_effort_s);
  for (const Named<bool Techniques::*>& row : kTechniqueNames)
    options += solve.techniques.*(row.value) ? '1' : '0';
  return sha256_of(options + "\n" + problem_text);
}

std::optional<Plan> find_plan(const PlanCache& cache, const std::string& key,
                              const Problem& problem) {
  const std::optional<std::string> path = path_if_there(cache, key, kPlanEnding);
  if (!path) return std::nullopt;
  Result<Plan> plan = load_plan(*path);
  const std::string why = plan.ok() ? fault_of(*plan, problem) : fault_text(plan.error(), *path);
  if (why.empty()) return *std::move(plan);
  tell_damaged(cache, *path, why);
  return std::nullopt;
}

void tell_damaged_plan(const PlanCache& cache, const std::string& key, const std::string& why) {
  tell_damaged(cache, path_of(cache, key, kPlanEnding), why);
}

Failure keep_plan(const PlanCache& cache, const std::string& key, const Plan& plan) {
  return keep(cache, [&] { return keep_text(path_of(cache, key, kPlanEnding), plan_text(plan)); });
}

std::optional<SplitChoice> find_split(const PlanCache& cache, const std::string& key,
                                      const SplitAsked& asked) {
  const std::optional<std::string> path = path_if_there(cache, key, kSplitEnding);
  if (!path) return std::nullopt;
  Result<SplitChoice> choice = load_split(*path);
  const std::string why =
      choice.ok() ? fault_of(*choice, asked) : fault_text(choice.error(), *path);
  if (why.empty()) return *std::move(choice);
  tell_damaged(cache, *path, why);
  return std::nullopt;
}

Failure keep_split(const PlanCache& cache, const std::string& key, const SplitChoice& choice) {
  return keep(cache,
              [&] { return keep_text(path_of(cache, key, kSplitEnding), split_text(choice)); });
}

std::optional<std::string> find_trained(const PlanCache& cache, const std::string& key) {
  const std::optional<std::string> path = path_if_there(cache, key, kTrainedEnding);
  if (!path) return std::nullopt;
  const Result<std::string> train = load_trained(*path);
  if (train.ok()) return *train;
  tell_damaged(cache, *path, fault_text(train.error(), *path));
  return std::nullopt;
}

Failure keep_trained(const PlanCache& cache, const std::string& key, const std::string& train) {
  return keep(cache, [&] {
    return keep_text(path_of(cache, key, kTrainedEnding),
                     json_text({{"format", "poet-trained"}, {"version", 1}, {"train", train}}));
  });
}

std::optional<std::int64_t> find_parts(const PlanCache& cache, const std::string& key,
                                       std::int64_t ram_budget_bytes) {
  const std::optional<std::string> path = path_if_there(cache, key, kPartsEnding);
  if (!path) return std::nullopt;
  const Result<PartsChoice> choice = load_parts(*path);
  if (choice.ok() && choice->ram_budget_bytes == ram_budget_bytes) return choice->part_bytes;
  tell_damaged(cache, *path,
               choice.ok() ? "it answers another question" : fault_text(choice.error(), *path));
  return std::nullopt;
}

Failure keep_parts(const PlanCache& cache, const std::string& key, std::int64_t ram_budget_bytes,
                   std::int64_t part_bytes) {
  return keep(cache, [&] {
    return keep_text(path_of(cache, key, kPartsEnding),
                     json_text({{"format", "poet-parts"},
                                {"version", 1},
                                {"ram_budget_bytes", ram_budget_bytes},
                                {"part_bytes", part_bytes}}));
  });
}

std::optional<KeptStep> find_step(const PlanCache& cache, const std::string& key,
                                  std::int64_t ram_budget_bytes) {
  const std::optional<std::string> path = path_if_there(cache, key, kStepEnding);
  if (!path) return std::nullopt;
  const Result<StepOfBudget> choice = load_step(*path);
  if (choice.ok() && choice->ram_budget_bytes == ram_budget_bytes) return choice->step;
  tell_damaged(cache, *path,
               choice.ok() ? "it answers another question" : fault_text(choice.error(), *path));
  return std::nullopt;
}

Failure keep_step(const PlanCache& cache, const std::string& key, std::int64_t ram_budget_bytes,
                  const KeptStep& step) {
  return keep(cache, [&] {
    return keep_text(path_of(cache, key, kStepEnding),
                     json_text({{"format", "poet-step"},
                                {"version", 1},
                                {"ram_budget_bytes", ram_budget_bytes},
                                {"step", name_of(kStepKinds, step.kind)},
                                {"part_bytes", step.part_bytes}}));
  });
}

PlanCache telling(PlanCache cache, std::vector<std::string>& notes) {
  cache.damaged = [&notes](const std::string& note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  return cache;
}

PlanCache telling_unkept(PlanCache cache, std::vector<std::string>& notes) {
  cache = telling(std::move(cache), notes);
  cache.unkept = [&notes](const Error& why) {
    const bool is_told = std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.starts_with(kUnkept);
    });
    if (!is_told) notes.push_back(unkept_note(why));
  };
  return cache;
}

std::string unkept_note(const Error& why) {
  return fmt::format("{}: {}", kUnkept, to_string(why));
}

}  // namespace poet
