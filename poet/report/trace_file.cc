#include "poet/report/trace_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "poet/base/atomic_file.h"
#include "poet/base/json_out.h"

namespace poet {
namespace {

// Groups of tracks, which viewers call processes, and the tracks in each, which they call threads.
constexpr int kMeasured = 1;
constexpr int kPredicted = 2;
constexpr int kSteps = 1;
constexpr int kProcessor = 2;
constexpr int kStorage = 3;

struct Track {
  int number;
  const char* name;
};
constexpr Track kTracks[] = {{kSteps, "steps"}, {kProcessor, "processor"}, {kStorage, "storage"}};

// What asking whether a transfer has ended takes is no waiting.
constexpr double kLeastWaitS = 1e-6;

// Small events in pieces that cost few calls.
constexpr std::size_t kPieceBytes = 64 << 10;

std::string_view verb(ActionKind kind) {
  switch (kind) {
    case ActionKind::Compute:
      return "compute";
    case ActionKind::Recompute:
      return "recompute";
    case ActionKind::PageIn:
      return "read";
    case ActionKind::PageOut:
      return "write";
  }
  return "";
}

// Whole nanoseconds as microseconds. Perfetto's importer multiplies by 1,000 and cuts: the nearest
// double would now and then come out a nanosecond early, and slices that follow each other overlap.
double micros_of(std::int64_t nanos) {
  double micros = static_cast<double>(nanos) / 1e3;
  while (static_cast<std::int64_t>(micros * 1e3) < nanos)
    micros = std::nextafter(micros, std::numeric_limits<double>::infinity());
  return micros;
}

class Writer {
 public:
  Writer(FileWriter& file, const StepTrace& trace)
      : file_(file), trace_(trace), zero_s_(first_moment()) {}

  Failure write() {
    text_ = R"({"displayTimeUnit":"ms","otherData":)";
    text_ += json_line(JsonOut{{"title", trace_.title}, {"producer", "POET"}});
    text_ += ",\"traceEvents\":[";
    name_tracks();
    for (const TracedStep& step : trace_.steps) add_step(step);
    if (trace_.steps.empty())
      for (std::size_t form = 0; form < trace_.forms.size(); ++form)
        predict(form, predicted_end_s_);
    text_ += "\n]}\n";
    return flush();
  }

 private:
  double first_moment() const { return trace_.steps.empty() ? 0 : trace_.steps.front().begin_s; }

  std::int64_t nanos(double moment_s) const { return std::llround((moment_s - zero_s_) * 1e9); }

  // --- Events

  void add(const JsonOut& event) {
    text_ += std::exchange(is_first_, false) ? "\n" : ",\n";
    text_ += json_line(event);
    if (text_.size() >= kPieceBytes && !failure_) failure_ = flush();
  }

  Failure flush() {
    if (failure_) return failure_;
    Failure failure = file_.append(std::as_bytes(std::span(text_)));
    text_.clear();
    return failure;
  }

  void name(const char* what, int group, std::optional<int> track, std::string_view text) {
    JsonOut event{{"name", what}, {"ph", "M"}, {"pid", group}};
    if (track) event["tid"] = *track;
    event["args"] = {{"name", text}};
    add(event);
  }

  void name_tracks() {
    for (const int group : {kMeasured, kPredicted}) {
      if (group == kMeasured && trace_.steps.empty()) continue;
      name("process_name", group, {}, group == kMeasured ? "measured" : "predicted");
      add({{"name", "process_sort_index"},
           {"ph", "M"},
           {"pid", group},
           {"args", {{"sort_index", group}}}});
      for (const Track& track : kTracks) {
        name("thread_name", group, track.number, track.name);
        add({{"name", "thread_sort_index"},
             {"ph", "M"},
             {"pid", group},
             {"tid", track.number},
             {"args", {{"sort_index", track.number}}}});
      }
      if (trace_.ram_budget_bytes > 0)
        counter("RAM budget", group, zero_s_, trace_.ram_budget_bytes);
    }
  }

  // The times are in seconds, from any moment; a slice has no name twice in one place.
  void slice(int group, int track, std::string_view name, std::string_view kind, double begin_s,
             double end_s, JsonOut details) {
    JsonOut event{{"name", name}, {"ph", "X"}, {"pid", group}, {"tid", track}};
    if (!kind.empty()) event["cat"] = kind;
    event["ts"] = micros_of(nanos(begin_s));
    event["dur"] = micros_of(nanos(end_s) - nanos(begin_s));
    if (!details.empty()) event["args"] = std::move(details);
    add(event);
  }

  void counter(const char* what, int group, double moment_s, std::int64_t bytes) {
    add({{"name", what},
         {"ph", "C"},
         {"pid", group},
         {"ts", micros_of(nanos(moment_s))},
         {"args", {{"bytes", bytes}}}});
  }
  void ram(int group, double moment_s, std::int64_t bytes) {
    counter("RAM in use", group, moment_s, bytes);
  }

  // An arrow from one slice to another, each named by when it began. Viewers find slices by what
  // lies around a moment, so that one that took no time has none.
  struct End {
    int track = kProcessor;
    double begin_s = 0;
    double end_s = 0;
  };
  void arrow(int group, const End& from, const End& to) {
    for (const End& end : {from, to})
      if (nanos(end.end_s) <= nanos(end.begin_s)) return;
    ++arrows_;
    for (const End* const end : {&from, &to}) {
      JsonOut event{{"name", "waits"},
                    {"cat", "waits"},
                    {"ph", end == &from ? "s" : "f"},
                    {"id", arrows_},
                    {"pid", group},
                    {"tid", end->track},
                    {"ts", micros_of(nanos(end->begin_s))}};
      if (end == &to) event["bp"] = "e";  // the slice around it, not the next one
      add(event);
    }
  }
  // `end_of`: where an action of the form was.
  template <typename EndOf>
  void arrows(int group, const TracedForm& form, const EndOf& end_of) {
    std::map<std::int64_t, End> ends;
    for (const TracedAction& action : form.actions) ends.emplace(action.action, end_of(action));
    for (const TracedLink& link : form.links) {
      const auto from = ends.find(link.from);
      const auto to = ends.find(link.to);
      if (from != ends.end() && to != ends.end()) arrow(group, from->second, to->second);
    }
  }

  // --- What was measured

  void add_step(const TracedStep& step) {
    slice(kMeasured, kSteps, "step " + std::to_string(step.step), "step", step.begin_s, step.end_s,
          {{"loss", step.loss}});
    for (std::size_t run = step.first_run; run < step.end_run; ++run) measured(trace_.runs[run]);
  }

  void measured(const TracedRun& run) {
    const TracedForm& form = trace_.forms[run.form];
    if (run.times.empty()) return;
    // A prediction that takes longer than what came pushes the next one back.
    predict(run.form, std::max(run.times.front().begin_s, predicted_end_s_));
    for (const TracedAction& action : form.actions)
      measured(action, run.times[static_cast<std::size_t>(action.action)]);
    arrows(kMeasured, form, [&run](const TracedAction& action) {
      const TracedTime& time = run.times[static_cast<std::size_t>(action.action)];
      return End{track_of(action), time.begin_s + time.wait_s, time.end_s};
    });
    std::optional<std::int64_t> before_bytes;
    for (std::size_t a = 0; a < form.arena_ram_bytes.size(); ++a)
      if (const std::int64_t bytes = form.arena_ram_bytes[a]; bytes != before_bytes) {
        ram(kMeasured, run.times[a].begin_s, bytes);
        before_bytes = bytes;
      }
  }

  void measured(const TracedAction& action, const TracedTime& time) {
    const double work_s = time.begin_s + time.wait_s;
    if (time.wait_s >= kLeastWaitS)
      slice(kMeasured, kProcessor, "wait for storage", "wait", time.begin_s, work_s,
            {{"before", action.name}});
    JsonOut details = details_of(action);
    details["predicted_us"] = (action.end_s - action.begin_s) * 1e6;
    const bool transfer = is_transfer(action.kind);
    // Of a transfer that goes on beside the processor nobody sees the end, only what issuing took.
    if (transfer && trace_.overlapped) details["measured"] = "issuing it";
    slice(kMeasured, track_of(action), action.name, verb(action.kind), work_s, time.end_s,
          std::move(details));
  }

  // --- What was predicted

  void predict(std::size_t index, double begin_s) {
    const TracedForm& form = trace_.forms[index];
    slice(kPredicted, kSteps, form.name.empty() ? "step" : form.name, "step", begin_s,
          begin_s + form.time_s, JsonOut::object());
    for (const TracedAction& action : form.actions)
      slice(kPredicted, track_of(action), action.name, verb(action.kind), begin_s + action.begin_s,
            begin_s + action.end_s, details_of(action));
    arrows(kPredicted, form, [begin_s](const TracedAction& action) {
      return End{track_of(action), begin_s + action.begin_s, begin_s + action.end_s};
    });
    std::optional<std::int64_t> before_bytes;
    for (std::size_t a = 0; a < form.planned_ram_bytes.size(); ++a)
      if (const std::int64_t bytes = form.planned_ram_bytes[a]; bytes != before_bytes) {
        ram(kPredicted, begin_s + form.taken_s[a], bytes);
        before_bytes = bytes;
      }
    predicted_end_s_ = begin_s + form.time_s;
  }

  static int track_of(const TracedAction& action) {
    return is_transfer(action.kind) ? kStorage : kProcessor;
  }

  static JsonOut details_of(const TracedAction& action) {
    JsonOut details{{"action", action.action}, {"energy_j", action.energy_j}};
    if (is_transfer(action.kind)) details["bytes"] = action.moved_bytes;
    return details;
  }

  FileWriter& file_;
  const StepTrace& trace_;
  double zero_s_;
  double predicted_end_s_ = 0;
  std::string text_;
  bool is_first_ = true;
  std::int64_t arrows_ = 0;
  Failure failure_;
};

}  // namespace

Failure write_trace(const std::string& path, const StepTrace& trace) {
  return write_file_atomically(path,
                               [&trace](FileWriter& file) { return Writer(file, trace).write(); });
}

}  // namespace poet
