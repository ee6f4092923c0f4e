#include "poet/report/trace_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/report/sample_step.h"

namespace poet {
namespace {

// The events of a trace, as a viewer reads them.
std::vector<JsonOut> events_of(const StepTrace& trace) {
  const std::string path =
      ::testing::TempDir() + "/trace_file_test." + std::to_string(getpid()) + ".json";
  EXPECT_FALSE(write_trace(path, trace));
  const JsonOut file = json_of_text(*read_text_file(path));
  std::filesystem::remove(path);
  const JsonOut& events = file["traceEvents"];
  return std::vector<JsonOut>(events.begin(), events.end());
}

std::vector<JsonOut> with(const std::vector<JsonOut>& events, const std::string& key,
                          const JsonOut& value) {
  std::vector<JsonOut> found;
  for (const JsonOut& event : events)
    if (event.contains(key) && event[key] == value) found.push_back(event);
  return found;
}

StepTrace predicted() {
  const ReportInput input = sample::five_answer();
  return {.title = "five",
          .ram_budget_bytes = input.problem.ram_budget_bytes,
          .forms = {traced_form("", input.problem, *input.schedule, input.replay)}};
}

// One step of two runs; every action took a hundredth of a second, and waited as long before.
StepTrace measured() {
  StepTrace trace = predicted();
  trace.forms.front().arena_ram_bytes = trace.forms.front().planned_ram_bytes;
  for (int run = 0; run < 2; ++run) {
    TracedRun& added = trace.runs.emplace_back();
    for (std::size_t a = 0; a < trace.forms.front().taken_s.size(); ++a) {
      const double begin_s = 5 + run + 0.02 * static_cast<double>(a);
      added.times.push_back({.begin_s = begin_s, .wait_s = 0.01, .end_s = begin_s + 0.02});
    }
  }
  trace.steps = {
      {.step = 8, .begin_s = 4.5, .end_s = 7, .loss = 0.25, .first_run = 0, .end_run = 2}};
  return trace;
}

TEST(TraceFile, ShowsEachActionOfAPlanOnItsTrack) {
  const std::vector<JsonOut> slices = with(events_of(predicted()), "ph", "X");
  EXPECT_EQ(with(slices, "cat", "compute").size(), 5U);
  EXPECT_EQ(with(slices, "cat", "recompute").size(), 1U);
  EXPECT_EQ(with(slices, "cat", "write").size(), 1U);
  const std::vector<JsonOut> reads = with(slices, "cat", "read");
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0]["name"], "t0");
  EXPECT_EQ(reads[0]["args"]["bytes"], 100);
  EXPECT_EQ(reads[0]["args"]["action"], 6);
  for (const JsonOut& slice : slices) EXPECT_EQ(slice["pid"], 2);
}

TEST(TraceFile, HasTheRamThatThePlanUses) {
  const ReportInput input = sample::five_answer();
  std::int64_t most_bytes = 0;
  for (const JsonOut& event : with(events_of(predicted()), "name", "RAM in use"))
    most_bytes = std::max(most_bytes, event["args"]["bytes"].get<std::int64_t>());
  EXPECT_EQ(most_bytes, input.replay.peak_ram_bytes);
}

TEST(TraceFile, CountsMeasuredTimesFromTheFirstStep) {
  const std::vector<JsonOut> measured_events = with(events_of(measured()), "pid", 1);
  const std::vector<JsonOut> steps = with(measured_events, "cat", "step");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0]["name"], "step 8");
  EXPECT_EQ(steps[0]["ts"], 0);
  EXPECT_EQ(steps[0]["args"]["loss"], 0.25);
  const std::vector<JsonOut> computed = with(measured_events, "cat", "compute");
  ASSERT_EQ(computed.size(), 10U);
  EXPECT_NEAR(computed[0]["ts"].get<double>(), 510'000, 1e-3);
  EXPECT_NEAR(computed[0]["dur"].get<double>(), 10'000, 1e-3);
  EXPECT_NEAR(computed[0]["args"]["predicted_us"].get<double>(), 10'000, 1e-3);
  EXPECT_EQ(with(measured_events, "cat", "wait").size(), 18U);
}

// Viewers draw slices of a track that overlap, and are not within each other, wrongly.
TEST(TraceFile, LetsNoTwoSlicesOfATrackOverlap) {
  StepTrace trace = measured();
  trace.forms.front().time_s *= 100;  // predicted far too long
  std::map<std::pair<int, int>, double> ends;
  for (const JsonOut& slice : with(events_of(trace), "ph", "X")) {
    double& end = ends[{slice["pid"].get<int>(), slice["tid"].get<int>()}];
    EXPECT_GE(slice["ts"].get<double>(), end - 1e-3) << slice;
    end = slice["ts"].get<double>() + slice["dur"].get<double>();
  }
}

TEST(TraceFile, SaysThatOfATransferBesideTheProcessorOnlyTheIssuingIsSeen) {
  StepTrace trace = measured();
  trace.overlapped = true;
  const std::vector<JsonOut> reads = with(with(events_of(trace), "pid", 1), "cat", "read");
  ASSERT_EQ(reads.size(), 4U);
  EXPECT_EQ(reads[0]["args"]["measured"], "issuing it");
}

TEST(TraceFile, HasTheRamBudgetOfEachGroup) {
  const std::vector<JsonOut> budgets = with(events_of(measured()), "name", "RAM budget");
  ASSERT_EQ(budgets.size(), 2U);
  for (const JsonOut& budget : budgets) {
    EXPECT_EQ(budget["ph"], "C");
    EXPECT_EQ(budget["ts"], 0);
    EXPECT_EQ(budget["args"]["bytes"], 300);
  }
}

TEST(TraceFile, NamesAndSortsEachTrack) {
  const std::vector<JsonOut> names = with(events_of(measured()), "ph", "M");
  EXPECT_EQ(with(names, "name", "process_name").size(), 2U);
  EXPECT_EQ(with(names, "name", "thread_name").size(), 6U);
  EXPECT_EQ(with(names, "name", "thread_sort_index").size(), 6U);
}

// The slice of a track that a viewer finds around a moment.
std::string slice_around(const std::vector<JsonOut>& events, const JsonOut& moment) {
  for (const JsonOut& slice :
       with(with(with(events, "ph", "X"), "pid", moment["pid"]), "tid", moment["tid"])) {
    const double begin = slice["ts"].get<double>();
    const double at = moment["ts"].get<double>();
    if (begin <= at && at < begin + slice["dur"].get<double>())
      return slice["cat"].get<std::string>() + " " + slice["name"].get<std::string>();
  }
  return "nothing";
}

// t0 is written by what f0 made, and read twice: for f1, and for b1.
TEST(TraceFile, LinksATransferToWhatWaitsForIt) {
  for (const StepTrace& trace : {predicted(), measured()}) {
    const std::vector<JsonOut> events = events_of(trace);
    std::vector<std::string> links;
    for (const JsonOut& begin : with(with(events, "ph", "s"), "pid", 2)) {
      const std::vector<JsonOut> ends = with(with(events, "ph", "f"), "id", begin["id"]);
      ASSERT_EQ(ends.size(), 1U);
      EXPECT_EQ(ends[0]["bp"], "e");
      EXPECT_EQ(ends[0]["cat"], begin["cat"]);
      EXPECT_EQ(ends[0]["name"], begin["name"]);
      EXPECT_GE(ends[0]["ts"].get<double>(), begin["ts"].get<double>());
      links.push_back(slice_around(events, begin) + " > " + slice_around(events, ends[0]));
    }
    const std::size_t runs = trace.steps.empty() ? 1 : 2;
    ASSERT_EQ(links.size(), 3 * runs);
    EXPECT_EQ(links[0], "compute f0 > write t0");
    EXPECT_EQ(links[1], "read t0 > recompute f1");
    EXPECT_EQ(links[2], "read t0 > compute b1");
    EXPECT_EQ(with(with(events, "ph", "s"), "pid", 1).size(), trace.steps.empty() ? 0U : 6U);
  }
}

// As Perfetto's importer reads a time: it multiplies by 1,000 and cuts the rest off.
std::int64_t nanos_in_perfetto(const JsonOut& micros) {
  return static_cast<std::int64_t>(micros.get<double>() * 1000.0);
}

TEST(TraceFile, LeavesOutWhatAskingTakes) {
  StepTrace trace = measured();
  for (TracedRun& run : trace.runs)
    for (TracedTime& time : run.times) time.wait_s = 30e-9;
  EXPECT_TRUE(with(events_of(trace), "cat", "wait").empty());
}

TEST(TraceFile, HasNoSlicesThatOverlapByANanosecondInPerfetto) {
  StepTrace trace = measured();
  double moment_s = trace.steps.front().begin_s;
  // Written plainly, five slices of these begin before the one before has ended.
  for (TracedRun& run : trace.runs)
    for (TracedTime& time : run.times) {
      time = {.begin_s = moment_s, .wait_s = 1500e-9, .end_s = moment_s + 4095e-9};
      moment_s = time.end_s;
    }
  trace.steps.front().end_s = moment_s;
  std::map<std::pair<int, int>, std::int64_t> ends;
  std::int64_t slices = 0;
  for (const JsonOut& slice : with(events_of(trace), "ph", "X")) {
    std::int64_t& end = ends[{slice["pid"].get<int>(), slice["tid"].get<int>()}];
    const std::int64_t begin = nanos_in_perfetto(slice["ts"]);
    EXPECT_GE(begin, end) << slice;
    end = begin + nanos_in_perfetto(slice["dur"]);
    ++slices;
  }
  EXPECT_GT(slices, 40);
}

TEST(TraceFile, IsRefusedWhereNoFileCanBeMade) {
  const Failure failure = write_trace("/no/such/folder/trace.json", predicted());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace poet
