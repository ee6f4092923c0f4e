#include "poet/service/job_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/check.h"

namespace poet {
namespace {

bool is_running(LiveState state) {
  return state == LiveState::Running || state == LiveState::Finishing;
}

std::string places_text(const WaitReason& reason) {
  if (reason.lane == Lane::Curves)
    return reason.places == 1
               ? std::string("the place for comparisons is taken")
               : fmt::format("all {} places for comparisons are taken", reason.places);
  return reason.places == 1 ? std::string("the place for plans is taken")
                            : fmt::format("all {} places for plans are taken", reason.places);
}

}  // namespace

std::string wait_text(const WaitReason& reason) {
  switch (reason.kind) {
    case WaitReason::Kind::Turn:
      return reason.ahead == 1 ? std::string("1 job comes before it")
                               : fmt::format("{} jobs come before it", reason.ahead);
    case WaitReason::Kind::Place:
      return "it is the next: " + places_text(reason);
    case WaitReason::Kind::Worker:
      return "it is the next that a worker takes";
    case WaitReason::Kind::Ending:
      return "it was cancelled and is ending; then it begins again";
    case WaitReason::Kind::Moment:
      break;
  }
  return "it begins in a moment";
}

void JobTable::want(Job& job, const Share& share) {
  job.askers.insert(share);
  // Who comes after a while is behind those that wait, and not before them for having been away.
  if (turns_.try_emplace(share, last_turn_ + 1).second) ++last_turn_;
}

void JobTable::add(const std::string& id, const Share& share, Lane lane) {
  Job& job = jobs_[id];
  job = {.lane = lane, .place = ++last_place_};
  want(job, share);
}

JobTable::Asked JobTable::ask(const std::string& id, const Share& share, Lane lane) {
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) {
    want(found->second, share);
    return Asked::Joined;
  }
  if (waiting() >= options_.most_queued) return Asked::Full;
  const auto of_share = std::count_if(jobs_.begin(), jobs_.end(), [&share](const auto& entry) {
    return entry.second.state == LiveState::Waiting && entry.second.askers.contains(share);
  });
  if (of_share >= options_.most_queued_each) return Asked::ShareIsFull;
  add(id, share, lane);
  return Asked::New;
}

void JobTable::restore(const std::string& id, const Share& share, Lane lane) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end())
    add(id, share, lane);
  else
    want(found->second, share);
}

void JobTable::drop(const std::string& id) {
  jobs_.erase(id);
  forget_idle_shares();
}

void JobTable::forget_idle_shares() {
  std::set<Share> busy;
  for (const auto& [id, job] : jobs_) busy.insert(job.askers.begin(), job.askers.end());
  std::erase_if(turns_, [&busy](const auto& entry) { return !busy.contains(entry.first); });
}

std::optional<std::string> JobTable::next_of(Lane lane) const {
  std::optional<std::string> best;
  std::pair<std::int64_t, std::int64_t> best_rank;
  for (const auto& [id, job] : jobs_) {
    if (job.lane != lane || job.state != LiveState::Waiting) continue;
    // Of several who want it, the one whose turn comes first.
    std::int64_t turn = turns_.at(*job.askers.begin());
    for (const Share& share : job.askers) turn = std::min(turn, turns_.at(share));
    const std::pair rank{turn, job.place};
    if (best && best_rank <= rank) continue;
    best = id;
    best_rank = rank;
  }
  return best;
}

std::optional<std::string> JobTable::begin(Lane lane) {
  if (running(lane) >= places(lane)) return std::nullopt;
  std::optional<std::string> id = next_of(lane);
  if (!id) return id;
  Job& job = jobs_.at(*id);
  const auto first = std::min_element(
      job.askers.begin(), job.askers.end(),
      [this](const Share& a, const Share& b) { return turns_.at(a) < turns_.at(b); });
  turns_.at(*first) = ++last_turn_;
  job.state = LiveState::Running;
  return id;
}

JobTable::Withdrawn JobTable::withdraw(const std::string& id, const std::optional<Share>& share) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return Withdrawn::Nothing;
  Job& job = found->second;
  if (share)
    job.askers.erase(*share);
  else
    job.askers.clear();
  Withdrawn what = Withdrawn::Nothing;
  if (job.askers.empty() && job.state == LiveState::Waiting) {
    job.state = LiveState::Saving;
    job.end = LiveEnd::Withdrawn;
    what = Withdrawn::Saving;
  } else if (job.askers.empty() && job.state == LiveState::Running) {
    job.state = LiveState::Finishing;
    what = Withdrawn::Finishing;
  }
  forget_idle_shares();
  return what;
}

void JobTable::wait_again(Job& job) {
  job.state = LiveState::Waiting;
  job.place = ++last_place_;
}

LiveEnd JobTable::end(const std::string& id) {
  Job& job = jobs_.at(id);
  POET_CHECK(is_running(job.state));
  job.end = job.state == LiveState::Finishing ? LiveEnd::Withdrawn : LiveEnd::Answered;
  job.state = LiveState::Saving;
  return job.end;
}

void JobTable::retry(const std::string& id) {
  Job& job = jobs_.at(id);
  POET_CHECK(is_running(job.state) && !job.askers.empty());
  wait_again(job);
}

JobTable::Next JobTable::saved(const std::string& id) {
  Job& job = jobs_.at(id);
  POET_CHECK(job.state == LiveState::Saving);
  if (job.end == LiveEnd::Withdrawn && !job.askers.empty()) {
    wait_again(job);
    return Next::BeginAgain;
  }
  drop(id);
  return Next::Gone;
}

bool JobTable::is_wanted_by(const std::string& id, const Share& share) const {
  const auto found = jobs_.find(id);
  return found != jobs_.end() && found->second.askers.contains(share);
}

std::optional<LiveState> JobTable::state_of(const std::string& id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return found->second.state;
}

// As begin() would go on if places came free one after the other and nobody asked for more.
std::int64_t JobTable::ahead_of(const std::string& id, Lane lane) const {
  std::map<Share, std::map<std::int64_t, const std::string*>> lines;
  for (const auto& [other, job] : jobs_)
    if (job.lane == lane && job.state == LiveState::Waiting)
      for (const Share& share : job.askers) lines[share][job.place] = &other;
  std::map<std::int64_t, Share> turns;
  for (const auto& [share, line] : lines) turns[turns_.at(share)] = share;
  std::set<std::string> begun;
  std::int64_t turn = last_turn_;
  while (!turns.empty()) {
    const Share share = turns.extract(turns.begin()).mapped();
    auto& line = lines.at(share);
    while (!line.empty() && begun.contains(*line.begin()->second)) line.erase(line.begin());
    if (line.empty()) continue;
    if (*line.begin()->second == id) break;
    begun.insert(*line.begin()->second);
    turns[++turn] = share;
  }
  return std::ssize(begun);
}

std::optional<WaitReason> JobTable::why_it_waits(const std::string& id) const {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  const Job& job = found->second;
  WaitReason reason{.lane = job.lane, .places = places(job.lane)};
  const bool withdrawn = job.state == LiveState::Finishing ||
                         (job.state == LiveState::Saving && job.end == LiveEnd::Withdrawn);
  if (withdrawn && !job.askers.empty()) {
    reason.kind = WaitReason::Kind::Ending;
    return reason;
  }
  if (job.state != LiveState::Waiting) return std::nullopt;
  reason.ahead = ahead_of(id, job.lane);
  if (running(job.lane) >= reason.places) reason.kind = WaitReason::Kind::Place;
  if (reason.ahead > 0) reason.kind = WaitReason::Kind::Turn;
  return reason;
}

std::int64_t JobTable::waiting() const {
  return std::count_if(jobs_.begin(), jobs_.end(),
                       [](const auto& entry) { return entry.second.state == LiveState::Waiting; });
}

std::int64_t JobTable::running(Lane lane) const {
  return std::count_if(jobs_.begin(), jobs_.end(), [lane](const auto& entry) {
    return entry.second.lane == lane && is_running(entry.second.state);
  });
}

std::vector<std::string> JobTable::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, job] : jobs_) ids.push_back(id);
  return ids;
}

}  // namespace poet
