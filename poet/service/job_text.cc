#include "poet/base/json_out.h"
#include "poet/service/job_queue.h"

namespace poet {
namespace {

JsonOut time_or_null(const std::optional<std::int64_t>& unix_s) {
  return unix_s ? JsonOut(utc_text(*unix_s)) : JsonOut(nullptr);
}

JsonOut head(const StoredJob& job) {
  const JsonOut question = json_of_text(job.request);
  return {{"id", job.id},
          {"kind", job.kind},
          {"state", name_of(kJobStates, job.state)},
          {"created_at", utc_text(job.created_unix_s)},
          {"started_at", time_or_null(job.started_unix_s)},
          {"finished_at", time_or_null(job.finished_unix_s)},
          {"model_name", job.model_name},
          {"request", question["fields"]}};
}

// What can be fetched of a job now: what it made, and what is made of its plan when it is asked
// for.
JsonOut file_names(const StoredJob& job, const JsonOut& result) {
  if (job.kind != "plan" || job.result.empty()) return JsonOut::array();
  const JsonOut summary = json_of_text(job.summary);
  if (summary["energy_j"].is_null()) return JsonOut::array();
  JsonOut names = {"plan", "report", "step"};
  // Plans for several memories are not explained.
  if (!result.contains("further_memories")) names.push_back("explain");
  const JsonOut question = json_of_text(job.request);
  if (question["fields"]["graph"] == "real") names.push_back("project");
  return names;
}

}  // namespace

JsonOut job_line_json(const StoredJob& job) {
  JsonOut out = head(job);
  // One that was begun anew still has what it had come to before.
  out["summary"] = has_ended(job.state) ? json_of_text(job.summary) : JsonOut(nullptr);
  out["error"] = json_of_text(job.error);
  return out;
}

std::string job_text(const JobView& view) {
  JsonOut out = head(view.job);
  out["ahead"] = or_null(view.ahead);
  out["waits_for"] = view.wait ? JsonOut(wait_text(*view.wait)) : JsonOut(nullptr);
  out["progress"] = json_of_text(view.progress);
  const JsonOut result = json_of_text(view.job.result);
  out["result"] = result;
  out["error"] = json_of_text(view.job.error);
  out["files"] = file_names(view.job, result);
  return json_text(out);
}

}  // namespace poet
