#include "poet/tell/report_json.h"

#include <gtest/gtest.h>

#include "poet/ask/small_report_for_tests.h"
#include "poet/base/json_out.h"

namespace poet {
namespace {

TEST(ReportToJson, WritesEveryFigure) {
  const JsonOut json = report_to_json(small_report());
  const JsonOut expected = json_of_text(R"({
    "format": "poet-report", "version": 1, "status": "feasible", "evidence": "none", "proof": "none", "scope": "all-steps",
    "model": "chain", "platform": "board", "graph": "released", "batch_size": 1, "costs": "formulas", "updates": null, "parts": null, "order": null, "choice": null,
    "mem_power_scale": 1.0, "objective": "energy", "io": "free", "paging": true, "remat": true,
    "formulation": "event", "solver": "cbc", "backend": "cbc 2.10", "gap_ratio": 0.01, "seed": 1,
    "threads": 1, "class": "first executions in the given order; re-executions within one stage in increasing order, each at most once",
    "energy_j": 8.75, "compute_j": 8.0, "page_in_j": 0.25, "page_out_j": 0.5, "idle_j": 0.0,
    "unavoidable_j": 7.0, "overhead_j": 1.75, "lower_bound_j": 7.875, "gap": 0.1,
    "overhead_gap": 0.5, "certified_bound": null, "certified_overhead_gap": null,
    "time_s": 80.0, "compute_s": 80.0, "stall_s": 0.0, "deadline_s": 100.0, "unavoidable_s": 70.0,
    "overhead_s": 10.0, "lower_bound_s": null,
    "peak_ram_bytes": 700, "ram_budget_bytes": 1000, "largest_working_set_bytes": 700,
    "plain_peak_bytes": 700, "storage_bytes": 200, "written_bytes": 200, "read_bytes": 200,
    "recomputed_operations": 1, "paged_tensors": 1,
    "events": 4, "all_events": 6, "keys": 10, "columns": 11, "rows": 12, "cuts": 13, "rounds": 14, "nodes": 15,
    "iterations": 16,
    "warnings": [], "solve_s": 2.0,
    "timing": {"prepare_s": 0.125, "solve_s": 2.0, "verify_s": 0.0625,
               "effort_s": 1.5, "ended_by_clock": false}})");
  EXPECT_EQ(json_text(json), json_text(expected));
}

TEST(ReportToJson, KeepsClockReadingsInTheirPlaces) {
  PlanReport slow = small_report();
  slow.timing = {1, 2, 3};
  JsonOut a = report_to_json(small_report());
  JsonOut b = report_to_json(slow);
  EXPECT_NE(json_text(a), json_text(b));
  for (JsonOut* const one : {&a, &b}) {
    one->erase("solve_s");
    one->erase("timing");
  }
  EXPECT_EQ(json_text(a), json_text(b));
}

TEST(ReportToJson, ExplainsANo) {
  const JsonOut json = report_to_json(infeasible_report());
  EXPECT_EQ(json["status"], "infeasible");
  EXPECT_EQ(
      json_line(json["infeasible"]),
      R"({"kind": "ram_budget", "reason": "operation 'make_c' needs 700 bytes of RAM, and the )"
      R"(budget is 600", "operation": "make_c", "working_set_bytes": 700, )"
      R"("least_budget_bytes": 700, "working_budget_bytes": 700, "least_time_s": null, )"
      R"("working_time_s": null})");
  for (const char* const key :
       {"energy_j", "lower_bound_j", "gap", "overhead_j", "overhead_gap", "time_s",
        "peak_ram_bytes", "written_bytes", "recomputed_operations"})
    EXPECT_TRUE(json[key].is_null()) << key;
}

TEST(ErrorToJson, HoldsTheSentence) {
  EXPECT_EQ(json_line(error_to_json(bad_input("wrong", {"plan.json", 3, 4}))),
            R"({"format": "poet-report", "version": 1, "error": "plan.json:3:4: wrong"})");
}

}  // namespace
}  // namespace poet
