#include "poet/service/kept_best.h"

#include <limits>

#include "poet/base/json_out.h"

namespace poet {
namespace {

// Of a plan's summary; more than any number where there is no schedule.
double asked_to_be_least(const StoredJob& job) {
  const JsonOut request = json_of_text(job.request);
  const JsonOut summary = json_of_text(job.summary);
  const bool by_time = request["fields"]["objective"] == "time";
  return summary.number_or(by_time ? "time_s" : "energy_j",
                           std::numeric_limits<double>::infinity());
}

std::size_t points_in(const StoredJob& curve) {
  const JsonOut result = json_of_text(curve.result);
  if (!result["methods"].is_array()) return 0;
  std::size_t points = 0;
  for (const JsonOut& method : result["methods"]) points += method["points"].size();
  return points;
}

}  // namespace

bool takes_its_place(const StoredJob& job, const StoredJob& former) {
  if (job.state == JobState::Done || former.result.empty()) return true;
  if (job.result.empty()) return false;
  if (job.kind == "curve") return points_in(job) >= points_in(former);
  return asked_to_be_least(job) <= asked_to_be_least(former);
}

}  // namespace poet
