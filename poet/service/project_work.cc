#include "poet/service/project_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "poet/ask/question.h"
#include "poet/base/json_out.h"
#include "poet/device/boards.h"
#include "poet/service/plan_work.h"
#include "poet/service/zip_archive.h"
#include "poet/tell/project_text.h"
#include "poet/use/export_project.h"

namespace poet {
namespace {

// As 'poet export c' has them.
constexpr std::int64_t kStackBytes = 8 << 10;
constexpr std::int64_t kOtherDataBytes = 1 << 10;
constexpr std::int64_t kAlignment = 8;
constexpr std::int64_t kCardBlock = 512;
constexpr std::int64_t kExampleSteps = 20;

Result<ExportRequest> export_request(const PlanRequest& plan, const std::string& folder) {
  const Result<Device> device = load_device(plan.platform);
  if (!device.ok()) return device.error();
  ExportRequest request{.folder = (std::filesystem::path(folder) / "project").string(),
                        .stack_bytes = kStackBytes};
  PlanRequest& settled = request.training.plan;
  settled = plan;
  settled.alignment_bytes = kAlignment;
  if (!settled.io) settled.io = TimeMode::Blocking;  // emitted C waits for every transfer
  if (!settled.storage_block_bytes && device->storage.block_bytes == 1)
    settled.storage_block_bytes = kCardBlock;
  if (!settled.ram_budget) settled.ram_budget = RamBytes{project_budget_bytes(*device)};
  request.training.steps = kExampleSteps;
  request.training.learning_rate.steps = kExampleSteps;
  request.training.data.synthetic_examples = kExampleSteps * plan.batch_size;
  request.training.storage.path = folder;
  request.training.data.unpack.folder = folder;
  return request;
}

// What a plan may take of the board's RAM is less than all of it, and a budget from the page may be
// more: a project that does not link for its board is of no use, so it is planned once more.
Result<ExportReport> project_that_links(ExportRequest request, const Stop& stop) {
  Result<ExportReport> report = export_project(request, stop, {});
  if (!report.ok() || !report->no.empty()) return report;
  const std::int64_t most_bytes = report->ram_bytes - kStackBytes - kOtherDataBytes;
  if (report->arena_bytes <= most_bytes) return report;
  request.training.plan.ram_budget = RamBytes{most_bytes};
  report = export_project(request, stop, {});
  if (report.ok() && !report->no.empty())
    report->no = fmt::format("beside {} bytes of stack and other data in the board's RAM, {}",
                             kStackBytes + kOtherDataBytes, report->no);
  return report;
}

WorkOutput no_project(std::string why) {
  WorkOutput output;
  output.error = ServiceError{.status = 422, .code = "no_project", .message = std::move(why)};
  return output;
}

}  // namespace

std::int64_t project_budget_bytes(const Device& device) {
  return std::max<std::int64_t>(0, device.ram_bytes - kStackBytes - kOtherDataBytes);
}

WorkOutput project_work(const PlanRequest& plan, const std::string& folder, const Stop& stop) {
  if (kind_of(plan) != GraphKind::Real)
    return no_project("a released graph cannot be trained, so there is no project of it");
  const Result<ExportRequest> request = export_request(plan, folder);
  if (!request.ok()) return refused_work(request.error(), plan);
  const Result<ExportReport> report = project_that_links(*request, stop);
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
