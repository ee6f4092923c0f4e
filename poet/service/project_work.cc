#include "poet/service/project_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "poet/ask/question.h"
#include "poet/base/json_out.h"
#include "poet/deliver/export_project.h"
#include "poet/device/boards.h"
#include "poet/service/plan_work.h"
#include "poet/service/request_fields.h"
#include "poet/service/zip_archive.h"
#include "poet/tell/project_text.h"
#include "poet/use/training_defaults.h"

namespace poet {
namespace {

// As somebody would ask 'poet export c' for the same.
std::string asked_command(const WorkOrder& order, std::optional<RamBudget> other_budget) {
  PlanRequest named = order.question.asked;
  named.model = order.model_name;
  if (other_budget) named.ram_budget = other_budget;
  return project_command_of(named);
}

Result<ExportRequest> export_request(const WorkOrder& order, const PlanRequest& plan,
                                     const std::string& folder) {
  const Result<Device> device = load_device(plan.platform);
  if (!device.ok()) return device.error();
  ExportRequest request{.folder = (std::filesystem::path(folder) / "project").string(),
                        .stack_bytes = kProjectStackBytes};
  PlanRequest& settled = request.training.plan;
  settled = plan;
  settled.command = asked_command(order, std::nullopt);
  settled.alignment_bytes = kProjectAlignment;
  if (!settled.io) settled.io = TimeMode::Blocking;  // emitted C waits for every transfer
  if (!settled.storage_block_bytes && device->storage.block_bytes == 1)
    settled.storage_block_bytes = kProjectCardBlock;
  if (!settled.ram_budget) settled.ram_budget = RamBytes{project_budget_bytes(*device)};
  request.training.steps = kProjectSteps;
  request.training.learning_rate.steps = kProjectSteps;
  request.training.learning_rate.peak = default_learning_rate(plan.training.optimiser);
  request.training.data.synthetic_examples = kMadeUpExamples;
  request.training.storage.path = folder;
  request.training.data.unpack.folder = folder;
  return request;
}

// What a plan may take of the board's RAM is less than all of it, and a budget from the page may be
// more: a project that does not link for its board is of no use, so it is planned once more.
Result<ExportReport> project_that_links(const WorkOrder& order, ExportRequest request,
                                        const Stop& stop) {
  Result<ExportReport> report = export_project(request, stop, {});
  if (!report.ok() || !report->no.empty()) return report;
  const std::int64_t most_bytes = report->ram_bytes - kProjectStackBytes - kProjectOtherDataBytes;
  if (report->arena_bytes <= most_bytes) return report;
  request.training.plan.ram_budget = RamBytes{most_bytes};
  request.training.plan.command = asked_command(order, RamBytes{most_bytes});
  report = export_project(request, stop, {});
  if (report.ok() && !report->no.empty())
    report->no = fmt::format("beside {} bytes of stack and other data in the board's RAM, {}",
                             kProjectStackBytes + kProjectOtherDataBytes, report->no);
  return report;
}

WorkOutput no_project(std::string why) {
  WorkOutput output;
  output.error = ServiceError{.status = 422, .code = "no_project", .message = std::move(why)};
  return output;
}

}  // namespace

std::int64_t project_budget_bytes(const Device& device) {
  return std::max<std::int64_t>(0, device.ram_bytes - kProjectStackBytes - kProjectOtherDataBytes);
}

WorkOutput project_work(const WorkOrder& order, const PlanRequest& plan, const std::string& folder,
                        const Stop& stop) {
  if (kind_of(plan) != GraphKind::Real)
    return no_project("a released graph cannot be trained, so there is no project of it");
  const Result<ExportRequest> request = export_request(order, plan, folder);
  if (!request.ok()) return refused_work(request.error(), plan);
  const Result<ExportReport> report = project_that_links(order, *request, stop);
  if (!report.ok()) return refused_work(report.error(), plan);
  if (!report->no.empty()) return no_project(report->no);
  Result<std::string> archive = zip_of_folder(request->folder, "poet-project");
  if (!archive.ok()) return refused_work(archive.error(), plan);
  WorkOutput output;
  output.result = json_text(export_to_json(*report));
  output.files.push_back({"project", *std::move(archive)});
  return output;
}

}  // namespace poet
