#include "poet/ask/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
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

Failure read_answer(const SweepPlan& plan, std::size_t k, const std::string& record,
                    SweepAnswers& answers) {
  const SweepPoint& point = plan.points[k];
  const std::string name(name_of_point(plan, point));
  const auto with_place = [&](const Error& error) {
    return Error{
        error.code,
        fmt::format("point {} of the sweep, {} at {} bytes: {}", k, name,
                    plan.instances[point.instance].budgets_bytes[point.budget], to_string(error)),
        {}};
  };
  if (point.is_own_step) {
    Result<OwnStepRecord> own = own_step_from_record(record, name, problem_at(plan, point));
    if (!own.ok()) return with_place(own.error());
    answers.runs[k] = std::move(own->run);
    answers.own_steps[k] = std::move(own->step);
    return std::nullopt;
  }
  Result<MethodRun> run = run_from_record(record, name, problem_at(plan, point));
  if (!run.ok()) return with_place(run.error());
  answers.runs[k] = *std::move(run);
  return std::nullopt;
}

// The same of a record that was kept: whoever repairs it or does without has to know where.
Failure read_kept(const SweepPlan& plan, std::size_t k, const SweepPoints& store,
                  const std::string& record, SweepAnswers& answers) {
  Failure failure = read_answer(plan, k, record, answers);
  if (failure) failure->message = fmt::format("{}: {}", store.place(), failure->message);
  return failure;
}

// What is looked at takes parts of a limit: that of a 'poet solve' of so many seconds, counted, so
// that a point is the same wherever it is answered.
constexpr double kOwnStepEffort_s = 60;

std::string answer_own_step(const SweepPlan& plan, const SweepPoint& point,
                            const std::vector<Schedule>& known, const Stop& stop) {
  const SweepInstance& instance = plan.instances[point.instance];
  Question question = instance.open_question.value();
  question.ram_budget = RamBytes{instance.budgets_bytes[point.budget]};
  QuestionSteps steps(question);
  const double begin_s = stop.now_s();
  const Result<std::optional<OwnStep>> own = own_step(
      steps, problem_at(plan, point), known, {plan.methods[point.method], plan.request.plan.solve},
      with_own_effort(stop, kOwnStepEffort_s), {});
  if (!own.ok()) return record_of(own.error());
  return record_of(*own, stop.now_s() - begin_s, stop.requested_outside());
}

// One sweep at work.
class Sweep {
 public:
  Sweep(const SweepPlan& plan, SweepTeam& team, SweepPoints& store, const Stop& stop,
        const SweepProgressSink& progress)
      : plan_(plan),
        team_(team),
        store_(store),
        stop_(stop),
        progress_(progress),
        at_work_(team.size()),
        gone_(team.size(), false) {}

  Failure run() {
    Result<SweepAnswers> before = collect_sweep(plan_, store_);
    if (!before.ok()) return before.error();
    answers_ = *std::move(before);
    std::size_t begin = 0;
    while (begin < plan_.points.size() && !stop_.requested()) {
      std::size_t end = begin;
      while (end < plan_.points.size() && plan_.points[end].wave == plan_.points[begin].wave) ++end;
      if (Failure failure =
              run_wave({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)}))
        return failure;
      begin = end;
    }
    return std::nullopt;
  }

  SweepAnswers answers() && { return std::move(answers_); }

 private:
  Failure run_wave(const PointRange& wave) {
    if (Failure failure = fetch(wave)) return failure;
    report();
    while (!stop_.requested()) {
      if (Failure failure = hand_out(wave)) return failure;
      const Result<SweepPoints::Now> now = store_.look(wave);
      if (!now.ok()) return now.error();
      done_ = now->done;
      if (now->elsewhere == 0 && again_.empty() && !anybody_at_work()) return close(wave);
      if (Failure failure = hear()) return failure;
      report();
    }
    return std::nullopt;
  }

  // To every worker who is free, as long as there is something.
  Failure hand_out(const PointRange& wave) {
    for (std::size_t w = 0; w < at_work_.size(); ++w) {
      if (gone_[w] || at_work_[w]) continue;
      const Result<std::optional<std::int64_t>> point = next(wave);
      if (!point.ok()) return point.error();
      if (!point->has_value()) return std::nullopt;
      at_work_[w] = *point;
      team_.give(static_cast<int>(w),
                 question_text(**point, starts_for(static_cast<std::size_t>(**point))));
      report();
    }
    return std::nullopt;
  }

  Result<std::optional<std::int64_t>> next(const PointRange& wave) {
    if (again_.empty()) return store_.take(wave);
    const std::int64_t point = again_.back();
    again_.pop_back();
    return std::optional(point);
  }

  // What others have answered by now.
  Failure fetch(const PointRange& wave) {
    for (std::int64_t k = wave.begin; k < wave.end; ++k) {
      if (answers_.runs[k]) continue;
      const Result<std::optional<std::string>> answer = store_.find(k);
      if (!answer.ok()) return answer.error();
      if (!answer->has_value()) continue;
      if (Failure failure =
              read_kept(plan_, static_cast<std::size_t>(k), store_, **answer, answers_))
        return failure;
    }
    return std::nullopt;
  }

  // Nobody is at it any more: what has no answer has been given up.
  Failure close(const PointRange& wave) {
    if (Failure failure = fetch(wave)) return failure;
    for (std::int64_t k = wave.begin; k < wave.end; ++k)
      if (!answers_.runs[k]) leave_open(k, "the processes that planned it died");
    report();
    return std::nullopt;
  }

  void leave_open(std::int64_t k, const char* why) {
    ++answers_.lost;
    answers_.runs[k] =
        MethodRun{.method = std::string(name_of_point(plan_, plan_.points[k])), .why = why};
  }

  // Asked once more; what takes two workers with it would take all. It is not stored, so that a
  // later run asks again.
  Failure lose(std::int64_t k) {
    if (lost_.insert(k).second) {
      again_.push_back(k);
      return std::nullopt;
    }
    leave_open(k, "the process that planned it died twice");
    return store_.give_up(k);
  }

  bool anybody_at_work() const {
    return std::any_of(at_work_.begin(), at_work_.end(),
                       [](const std::optional<std::int64_t>& k) { return k.has_value(); });
  }

  Failure hear() {
    const SweepTeam::News news = team_.wait();
    if (news.kind == SweepTeam::News::Kind::Nothing) return std::nullopt;
    const std::optional<std::int64_t> k = std::exchange(at_work_[news.worker], std::nullopt);
    if (news.kind != SweepTeam::News::Kind::Answer) {
      gone_[news.worker] = news.kind == SweepTeam::News::Kind::Gone;
      if (k)
        if (Failure failure = lose(*k)) return failure;
      if (std::all_of(gone_.begin(), gone_.end(), [](bool gone) { return gone; }))
        return Error{
            ErrorCode::Io, "every process of the sweep has died; what was finished is kept", {}};
      return std::nullopt;
    }
    POET_CHECK(k.has_value());
    return keep(*k, news.text);
  }

  // What can be read is kept; what is kept, by whomever, is the answer.
  Failure keep(std::int64_t k, const std::string& answer) {
    const auto point = static_cast<std::size_t>(k);
    if (Failure failure = read_answer(plan_, point, answer, answers_)) return failure;
    const Result<std::string> kept = store_.keep(k, answer);
    if (!kept.ok()) return kept.error();
    if (*kept == answer) return std::nullopt;
    return read_answer(plan_, point, *kept, answers_);
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
    now.done = std::max(now.done, done_);
    for (const std::optional<std::int64_t>& k : at_work_)
      if (k) now.now.push_back(*k);
    progress_(now);
  }

  const SweepPlan& plan_;
  SweepTeam& team_;
  SweepPoints& store_;
  const Stop& stop_;
  const SweepProgressSink& progress_;
  std::vector<std::optional<std::int64_t>> at_work_;  // per worker: its point
  std::vector<bool> gone_;                            // per worker
  std::set<std::int64_t> lost_ = {};                  // points that were at work when a worker died
  std::vector<std::int64_t> again_ = {};              // of them: ours still, and at work no more
  std::int64_t done_ = 0;                             // by all, as the store says
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
  if (point.is_own_step) return answer_own_step(plan, point, asked->starts, own);
  const Result<MethodRun> run = run_method(problem_at(plan, point), plan.methods[point.method],
                                           asked->starts, plan.request.plan.solve, own, {});
  return run.ok() ? record_of(*run) : record_of(run.error());
}

Result<SweepAnswers> run_sweep(const SweepPlan& plan, SweepTeam& team, SweepPoints& store,
                               const Stop& stop, const SweepProgressSink& progress) {
  POET_CHECK(team.size() > 0);
  Sweep sweep(plan, team, store, stop, progress);
  const Failure failure = sweep.run();
  store.leave();
  if (failure) return *failure;
  return std::move(sweep).answers();
}

Result<SweepAnswers> collect_sweep(const SweepPlan& plan, const SweepPoints& store) {
  SweepAnswers answers;
  answers.runs.resize(plan.points.size());
  answers.own_steps.resize(plan.points.size());
  for (std::size_t k = 0; k < plan.points.size(); ++k) {
    const Result<std::optional<std::string>> text = store.find(static_cast<std::int64_t>(k));
    if (!text.ok()) return text.error();
    if (!text->has_value()) continue;
    if (Failure failure = read_kept(plan, k, store, **text, answers)) return *failure;
    ++answers.found_before;
  }
  return answers;
}

}  // namespace poet
