#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/method_run.h"
#include "poet/ask/own_step.h"
#include "poet/ask/plan_instance.h"
#include "poet/base/result.h"

namespace poet {

struct CompareRequest {
  Question question = {};
  std::vector<std::string> methods =
      {};  // of method_table(); empty: all. POET is always among them
  // For each method, on the clock of the caller's Stop.
  double limit_s = std::numeric_limits<double>::infinity();
};

// Every method on the same problem, under the same rules and in the same time mode: no method
// grades itself. POET comes last, and begins with the best schedule of the others.
struct CompareReport {
  CompareRequest request = {};
  Problem problem = {};
  std::string costs = {};  // where those of operations come from, as in an Instance
  StepUpdates updates = {};
  StepParts parts = {};
  double unavoidable = 0;  // in the unit of the objective
  std::vector<MethodRun> runs = {};
  std::optional<double> bound = {};  // on every schedule of the class
  std::optional<OwnStep> own_step = {};
  // Schedules that beat POET or the bound, which only those outside the class can: one sentence
  // each.
  std::vector<std::string> findings = {};
  std::vector<std::string> warnings = {};
};

Result<CompareReport> compare_methods(const CompareRequest& request, const Stop& stop,
                                      const ProgressSink& progress, const WarningSink& early = {});

// The rows of method_table() with these names, in its order; refuses unknown names. Empty: all.
Result<std::vector<MethodEntry>> methods_named(const std::vector<std::string>& names);

// The objective beyond what no schedule can save, as a part of that; nothing where nothing is
// unavoidable or there is no schedule.
std::optional<double> overhead_ratio(const CompareReport& report, const MethodRun& run);

}  // namespace poet
