#include "poet/service/work.h"

#include <filesystem>

#include "poet/base/json_out.h"
#include "poet/service/curve_work.h"
#include "poet/service/model_work.h"
#include "poet/service/plan_work.h"
#include "poet/service/project_work.h"

namespace poet {
namespace {

// What an upload is called in sentences, whatever the folder.
std::string with_name(std::string message, const std::string& folder, const std::string& name) {
  const auto replace = [&message](const std::string& from, const std::string& to) {
    for (std::size_t at = message.find(from); at != std::string::npos;
         at = message.find(from, at + to.size()))
      message.replace(at, from.size(), to);
  };
  replace((std::filesystem::path(folder) / kModelFile).string(), name);
  replace(folder + "/", "");
  return message;
}

WorkOutput do_job(const WorkOrder& order, const PlanRequest& plan, const std::string& folder,
                  const Stop& stop, const ProgressLine& progress) {
  switch (order.question.kind) {
    case JobKind::Curve:
      return curve_work(order, plan, stop, progress);
    case JobKind::Explain:
      return explain_work(order, (std::filesystem::path(folder) / kPlanFile).string(), stop);
    case JobKind::Project:
      return project_work(order, plan, folder, stop);
    case JobKind::Plan:
      break;
  }
  return plan_work(order, plan, stop, progress);
}

}  // namespace

WorkOutput do_work(const WorkOrder& order, const std::string& folder, const Stop& stop,
                   const ProgressLine& progress) {
  PlanRequest plan = order.question.asked;
  if (names_upload(plan.model)) plan.model = (std::filesystem::path(folder) / kModelFile).string();
  PlanRequest named = order.question.asked;
  named.model = order.model_name;
  plan.command = command_of(named);

  WorkOutput output;
  switch (order.kind) {
    case WorkKind::Job:
      output = do_job(order, plan, folder, stop, progress);
      break;
    case WorkKind::Figures:
      output = figures_work(order, plan);
      break;
    case WorkKind::Describe:
      output = describe_work(plan);
      break;
  }
  if (output.error)
    output.error->message = with_name(output.error->message, folder, order.model_name);
  return output;
}

}  // namespace poet
