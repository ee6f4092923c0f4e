#include "poet/ask/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "poet/ask/point_record.h"
#include "poet/base/check.h"
#include "poet/base/json.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/problem/schedule_json.h"

namespace poet {
namespace {

constexpr std::int64_t kNone = -1;

std::string question_text(std::int64_t point, const std::vector<Schedule>& starts) {
  JsonOut out = {{"point", point}, {"starts", JsonOut::array()}};
  for (const Schedule& start : starts) out["starts"].push_back(schedule_to_json(start));
  return json_line(out);
}

struct PointQuestion {
  std::int64_t point = 0;
  std::vector<Schedule> starts = {};
};

Result<PointQuestion> parse_question(const std::string& text, std::int64_t points) {
  const Result<JsonValue> value = parse_json(text, "a question");
  if (!value.ok()) return value.error();
  JsonReader reader("a question");
  JsonObject object(*value, "a question", reader);
  PointQuestion question{.point = object.whole("point", {0, points - 1})};
  for (const JsonValue& start : object.list("starts"))
    question.starts.push_back(read_schedule(start, reader));
  object.finish();
  if (reader.failure()) return *reader.failure();
  return question;
}

// One sweep at work.
class Sweep {
 public:
  Sweep(const SweepPlan& plan, SweepTeam& team, PointStore& store, const Stop& stop,
        const SweepProgressSink& progress)
      : plan_(plan),
        team_(team),
        store_(store),
        stop_(stop),
        progress_(progress),
        at_work_(team.size(), kNone),
        gone_(team.size(), false) {
    answers_.runs.resize(plan.points.size());
  }

  Failure run() {
    if (Failure failure = load()) return failure;
    std::size_t begin = 0;
    while (begin < plan_.points.size() && !stop_.requested()) {
      std::size_t end = begin;
      while (end < plan_.points.size() && plan_.points[end].wave == plan_.points[begin].wave) ++end;
      if (Failure failure = run_wave(begin, end)) return failure;
      begin = end;
    }
    return std::nullopt;
  }

  SweepAnswers answers() && { return std::move(answers_); }

 private:
  Failure load() {
    for (std::size_t k = 0; k < plan_.points.size(); ++k) {
      const Result<std::optional<std::string>> text = store_.find(static_cast<std::int64_t>(k));
      if (!text.ok()) return text.error();
      if (!text->has_value()) continue;
      if (Failure failure = take(k, **text)) return failure;
      ++answers_.found_before;
    }
    return std::nullopt;
  }

  Failure take(std::size_t k, const std::string& record) {
    const SweepPoint& point = plan_.points[k];
    Result<MethodRun> run = run_from_record(record, std::string(plan_.methods[point.method].name),
                                            problem_at(plan_, point));
    if (!run.ok())
      return Error{run.error().code,
                   fmt::format("point {} of the sweep, {} at {} bytes: {}", k,
                               plan_.methods[point.method].name,
                               plan_.instances[point.instance].budgets_bytes[point.budget],
                               to_string(run.error())),
                   {}};
    answers_.runs[k] = *std::move(run);
    return std::nullopt;
  }

  Failure run_wave(std::size_t begin, std::size_t end) {
    std::vector<std::size_t> open;
    for (std::size_t k = end; k-- > begin;)
      if (!answers_.runs[k]) open.push_back(k);
    report();
    while (!stop_.requested() && (!open.empty() || anybody_at_work())) {
      for (std::size_t w = 0; w < at_work_.size() && !open.empty(); ++w) {
        if (gone_[w] || at_work_[w] != kNone) continue;
        const std::size_t k = open.back();
        open.pop_back();
        at_work_[w] = static_cast<std::int64_t>(k);
        team_.give(static_cast<int>(w), question_text(at_work_[w], starts_for(k)));
        report();
      }
      if (Failure failure = hear(open)) return failure;
      report();
    }
    return std::nullopt;
  }

  // Asked once more; what takes two workers with it would take all. It is not stored, so that a
  // later run asks again.
  void lose(std::int64_t k, std::vector<std::size_t>& open) {
    if (lost_.insert(k).second) {
      open.push_back(static_cast<std::size_t>(k));
      return;
    }
    ++answers_.lost;
    answers_.runs[k] = MethodRun{.method = std::string(plan_.methods[plan_.points[k].method].name),
                                 .why = "the process that planned it died twice"};
  }

  bool anybody_at_work() const {
    return std::any_of(at_work_.begin(), at_work_.end(), [](std::int64_t k) { return k != kNone; });
  }

  Failure hear(std::vector<std::size_t>& open) {
    const SweepTeam::News news = team_.wait();
    if (news.kind == SweepTeam::News::Kind::Nothing) return std::nullopt;
    std::int64_t& work = at_work_[news.worker];
    const std::int64_t k = std::exchange(work, kNone);
    if (news.kind != SweepTeam::News::Kind::Answer) {
      gone_[news.worker] = news.kind == SweepTeam::News::Kind::Gone;
      if (k != kNone) lose(k, open);
      if (std::all_of(gone_.begin(), gone_.end(), [](bool gone) { return gone; }))
        return Error{
            ErrorCode::Io, "every process of the sweep has died; what was finished is kept", {}};
      return std::nullopt;
    }
    POET_CHECK(k != kNone);
    if (Failure failure = take(static_cast<std::size_t>(k), news.text)) return failure;
    if (Failure failure = store_.put(k, news.text)) return failure;
    report();
    return std::nullopt;
  }

  // What a point may begin with: the best that any method has found in earlier waves at this budget
  // or a smaller one.
  std::vector<Schedule> starts_for(std::size_t k) const {
    const SweepPoint& point = plan_.points[k];
    const MethodEntry& method = plan_.methods[point.method];
    if (!method.begins_with_a_schedule) return {};
    const SweepInstance& instance = plan_.instances[point.instance];
    const Problem& problem = instance.problem;
    const auto step_of = [&instance](const SweepPoint& one) {
      return step_at(instance, instance.budgets_bytes[static_cast<std::size_t>(one.budget)]);
    };
    const MethodRun* best = nullptr;
    for (std::size_t other = 0; other < k; ++other) {
      const SweepPoint& from = plan_.points[other];
      const std::optional<MethodRun>& run = answers_.runs[other];
      if (from.wave >= point.wave || from.instance != point.instance || from.budget > point.budget)
        continue;
      if (!run || step_of(from) != step_of(point) || !may_begin_with(method, *run)) continue;
      if (best == nullptr ||
          objective_of(problem, run->replay) < objective_of(problem, best->replay))
        best = &*run;
    }
    return best == nullptr ? std::vector<Schedule>() : std::vector<Schedule>{*best->schedule};
  }

  void report() const {
    if (!progress_) return;
    SweepProgress now{.all = static_cast<std::int64_t>(plan_.points.size()),
                      .found_before = answers_.found_before};
    for (const std::optional<MethodRun>& run : answers_.runs) now.done += run ? 1 : 0;
    for (const std::int64_t k : at_work_)
      if (k != kNone) now.now.push_back(k);
    progress_(now);
  }

  const SweepPlan& plan_;
  SweepTeam& team_;
  PointStore& store_;
  const Stop& stop_;
  const SweepProgressSink& progress_;
  std::vector<std::int64_t> at_work_;  // per worker: its point
  std::vector<bool> gone_;             // per worker
  std::set<std::int64_t> lost_ = {};   // points that were at work when a worker died
  SweepAnswers answers_ = {};
};

}  // namespace

bool SweepAnswers::complete() const {
  return lost == 0 &&
         std::all_of(runs.begin(), runs.end(),
                     [](const std::optional<MethodRun>& run) { return run.has_value(); });
}

std::string answer_question(const SweepPlan& plan, const std::string& question, const Stop& stop) {
  const Result<PointQuestion> asked =
      parse_question(question, static_cast<std::int64_t>(plan.points.size()));
  if (!asked.ok()) return record_of(asked.error());
  const SweepPoint& point = plan.points[asked->point];
  const Stop own = with_own_limit(stop, plan.request.limit_s);
  const Result<MethodRun> run = run_method(problem_at(plan, point), plan.methods[point.method],
                                           asked->starts, plan.request.plan.solve, own, {});
  return run.ok() ? record_of(*run) : record_of(run.error());
}

Result<SweepAnswers> run_sweep(const SweepPlan& plan, SweepTeam& team, PointStore& store,
                               const Stop& stop, const SweepProgressSink& progress) {
  POET_CHECK(team.size() > 0);
  Sweep sweep(plan, team, store, stop, progress);
  if (Failure failure = sweep.run()) return *failure;
  return std::move(sweep).answers();
}

}  // namespace poet
