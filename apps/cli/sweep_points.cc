#include "apps/cli/sweep_points.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "apps/cli/process_name.h"
#include "apps/cli/search_command.h"
#include "poet/base/message_text.h"
#include "poet/store/point_store.h"
#include "poet/store/team_points.h"

namespace poet::cli {
namespace {

Result<std::unique_ptr<SweepPoints>> points_in_database(const SweepFlags& flags,
                                                        const SweepPlan& plan) {
  const Result<std::string> process = name_of_process();
  if (!process.ok()) return process.error();
  auto pool = std::make_unique<PostgresPool>(*flags.store_uri, new_clock());
  TeamPointsOptions options{
      .name = flags.name, .process = *process, .lease_s = flags.lease_s.value_or(kSweepLeaseS)};
  const std::string question = identity_of(plan);
  Result<std::unique_ptr<TeamPoints>> points =
      flags.collect ? TeamPoints::visit(std::move(pool), std::move(options), question)
                    : TeamPoints::join(std::move(pool), std::move(options), question,
                                       static_cast<std::int64_t>(plan.points.size()));
  if (!points.ok()) return points.error();
  return std::unique_ptr<SweepPoints>(*std::move(points));
}

}  // namespace

Result<std::unique_ptr<SweepPoints>> open_sweep_points(const SweepFlags& flags,
                                                       const SweepPlan& plan) {
  if (flags.store_uri) return points_in_database(flags, plan);
  std::error_code unknown;
  if (flags.collect && !std::filesystem::exists(*flags.results_path, unknown))
    return bad_input(
        fmt::format("--collect: there is no results file {}", in_quotes(*flags.results_path)));
  Result<PointStore> file =
      PointStore::open(flags.results_path.value_or(":memory:"), identity_of(plan));
  if (!file.ok()) return file.error();
  return std::unique_ptr<SweepPoints>(std::make_unique<PointStore>(*std::move(file)));
}

}  // namespace poet::cli
