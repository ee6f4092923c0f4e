#include "poet/api/plan_cache.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/plan/plan_file.h"

namespace poet {
namespace {

// Counted up whenever another plan is made for the same problem.
constexpr int kGeneration = 1;

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

constexpr const char* kPlanEnding = ".plan.json";
constexpr const char* kSplitEnding = ".split.json";

}  // namespace

std::string plan_key(const PlanRequest& request, const std::string& problem_text) {
  const SolveOptions& solve = request.solve;
  std::string options =
      fmt::format("poet {} {} {} {} {} {} {} {} {}", kGeneration, request.formulation,
                  request.solver, solve.gap_ratio, solve.total_gap_ratio, solve.seed,
                  solve.max_nodes, solve.max_iterations, request.alignment_bytes);
  for (const Named<bool Techniques::*>& row : kTechniqueNames)
    options += solve.techniques.*(row.value) ? '1' : '0';
  return sha256_of(options + "\n" + problem_text);
}

std::optional<Plan> find_plan(const PlanCache& cache, const std::string& key) {
  if (!cache.folder) return std::nullopt;
  Result<Plan> plan = load_plan(path_of(cache, key, kPlanEnding));
  if (!plan.ok()) return std::nullopt;
  return *std::move(plan);
}

Failure keep_plan(const PlanCache& cache, const std::string& key, const Plan& plan) {
  if (!cache.folder) return std::nullopt;
  if (Failure failure = make_folder(cache)) return failure;
  return save_plan(plan, path_of(cache, key, kPlanEnding));
}

std::optional<SplitChoice> find_split(const PlanCache& cache, const std::string& key) {
  if (!cache.folder) return std::nullopt;
  const std::string path = path_of(cache, key, kSplitEnding);
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return std::nullopt;
  Result<SplitChoice> choice = parse_split(*text, path);
  if (!choice.ok()) return std::nullopt;
  return *std::move(choice);
}

Failure keep_split(const PlanCache& cache, const std::string& key, const SplitChoice& choice) {
  if (!cache.folder) return std::nullopt;
  if (Failure failure = make_folder(cache)) return failure;
  return write_text_file(path_of(cache, key, kSplitEnding), split_text(choice));
}

}  // namespace poet
