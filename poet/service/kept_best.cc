#include "poet/service/kept_best.h"

#include <limits>

#include "poet/base/json_out.h"

namespace poet {
namespace {

// Null where there is none.
JsonOut member(const JsonOut& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) return nullptr;
  return object[name];
}
JsonOut parsed(const std::string& text) {
  return JsonOut::parse(text, nullptr, false);
}

// Of a plan's summary; more than any number where there is no schedule.
double asked_to_be_least(const StoredJob& job) {
  const bool by_time = member(member(parsed(job.request), "fields"), "objective") == "time";
  const JsonOut figure = member(parsed(job.summary), by_time ? "time_s" : "energy_j");
  return figure.is_number() ? figure.get<double>() : std::numeric_limits<double>::infinity();
}

std::size_t points_in(const StoredJob& curve) {
  std::size_t points = 0;
  for (const JsonOut& method : member(parsed(curve.result), "methods"))
    points += member(method, "points").size();
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
