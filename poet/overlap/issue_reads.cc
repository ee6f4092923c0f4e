// Issues reads as early as RAM allows, by an estimate of both clocks, and tries several times for
// them, of which the replay decides (docs/model/overlap.md §2.2).
#include "poet/overlap/issue_reads.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "poet/overlap/moves.h"
#include "poet/overlap/reads_ahead.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// A read, and between which of the other moves it may be issued.
struct PendingRead {
  TensorId tensor{};
  std::int64_t size_bytes = 0;
  double read_s = 0;
  std::size_t earliest = 0;
  std::size_t need = 0;
  std::size_t blocked_until = 0;  // no room before that
  bool issued = false;
};

// The moves of a schedule, with its reads apart.
struct ReadsApart {
  Moves others = {};
  std::vector<PendingRead> reads = {};  // in the order in which they are needed
};

std::vector<TensorId> touched_by(const Problem& problem, const Action& move) {
  if (const auto* write = std::get_if<PageOut>(&move)) return {write->tensor};
  if (const auto* read = std::get_if<PageIn>(&move)) return {read->tensor};
  const OperationId operation = std::get<Compute>(move).operation;
  std::vector<TensorId> touched = ram_inputs(problem, operation);
  for (const TensorId output : made_outputs(problem, operation)) touched.push_back(output);
  return touched;
}

ReadsApart apart(const Problem& problem, const Moves& moves) {
  ReadsApart result;
  std::vector<std::size_t> behind_last_touch(problem.tensors.size(), 0);
  std::vector<std::vector<std::size_t>> without_need(problem.tensors.size());  // reads
  for (const Action& move : moves) {
    if (const auto* read = std::get_if<PageIn>(&move)) {
      const Tensor& tensor = at(problem.tensors, read->tensor);
      at(without_need, read->tensor).push_back(result.reads.size());
      result.reads.push_back({.tensor = read->tensor,
                              .size_bytes = tensor.size_bytes,
                              .read_s = tensor.page_in_s,
                              .earliest = at(behind_last_touch, read->tensor),
                              .need = moves.size()});
      continue;
    }
    for (const TensorId tensor : touched_by(problem, move)) {
      for (const std::size_t read : at(without_need, tensor))
        result.reads[read].need = result.others.size();
      at(without_need, tensor).clear();
      at(behind_last_touch, tensor) = result.others.size() + 1;
    }
    result.others.push_back(move);
  }
  std::erase_if(result.reads, [&](const PendingRead& read) { return read.need == moves.size(); });
  std::stable_sort(result.reads.begin(), result.reads.end(),
                   [](const PendingRead& a, const PendingRead& b) { return a.need < b.need; });
  return result;
}

// What the moves need in RAM with every read right before its need, and what leaves behind each.
struct LatestReads {
  std::vector<std::int64_t> ram_bytes = {};
  std::vector<std::vector<TensorId>> leaving = {};
};

LatestReads latest_reads(Problem problem, const ReadsApart& apart,
                         const std::vector<TensorId>& resident) {
  problem.time_mode = TimeMode::Free;
  Moves moves;
  auto read = apart.reads.begin();
  for (std::size_t k = 0; k < apart.others.size(); ++k) {
    for (; read != apart.reads.end() && read->need == k; ++read)
      moves.emplace_back(PageIn{read->tensor});
    moves.push_back(apart.others[k]);
  }
  const Schedule schedule = schedule_of(problem, moves, resident);
  const Replay replayed = replay(problem, schedule);
  LatestReads latest;
  for (std::size_t a = 0; a < schedule.actions.size(); ++a) {
    const Action& action = schedule.actions[a];
    if (const auto* drop = std::get_if<Drop>(&action)) {
      latest.leaving.back().push_back(drop->tensor);
    } else if (!std::holds_alternative<PageIn>(action)) {
      latest.ram_bytes.push_back(replayed.moments[a].ram_bytes);
      latest.leaving.emplace_back();
    }
  }
  return latest;
}

// Walks through the moves with an estimate of the processor's and the channel's clocks.
class ReadIssuer {
 public:
  ReadIssuer(const Problem& problem, const Schedule& schedule, const IssuePolicy& policy)
      : problem_(problem),
        policy_(policy),
        apart_(apart(problem, moves_of(schedule))),
        latest_(latest_reads(problem, apart_, schedule.resident)),
        ram_bytes_(latest_.ram_bytes),
        computed_s_(apart_.others.size() + 1, 0),
        readable_s_(problem.tensors.size(), 0),
        quiet_s_(problem.tensors.size(), 0) {
    for (std::size_t k = 0; k < apart_.others.size(); ++k)
      computed_s_[k + 1] = computed_s_[k] + compute_s(apart_.others[k]);
  }

  Moves run() {
    for (std::size_t k = 0; k < apart_.others.size(); ++k) {
      issue_needed(k);
      const bool writes = std::holds_alternative<PageOut>(apart_.others[k]);
      if (!writes || policy_.before_writes) issue_ahead(k);
      perform(k);
    }
    return std::move(moves_);
  }

 private:
  // How many reads are looked at beyond the first that is not issued.
  static constexpr std::size_t kMostLookedAt = 64;

  double compute_s(const Action& move) const {
    const auto* const compute = std::get_if<Compute>(&move);
    return compute == nullptr ? 0 : at(problem_.operations, compute->operation).compute_s;
  }

  void wait_until(double time_s) {
    now_s_ = std::max(now_s_, time_s);
    while (!lingering_.empty() && lingering_.top().first <= now_s_) {
      lingering_bytes_ -= lingering_.top().second;
      lingering_.pop();
    }
  }

  void wait_for_ram(std::size_t k) {
    while (!lingering_.empty() && ram_bytes_[k] + lingering_bytes_ > problem_.ram_budget_bytes)
      wait_until(lingering_.top().first);
  }

  double send(TensorId tensor, double duration_s) {
    channel_free_s_ = std::max(now_s_, channel_free_s_) + duration_s;
    at(quiet_s_, tensor) = channel_free_s_;
    return channel_free_s_;
  }

  void issue(PendingRead& read) {
    read.issued = true;
    moves_.emplace_back(PageIn{read.tensor});
    at(readable_s_, read.tensor) = send(read.tensor, read.read_s);
  }

  void issue_needed(std::size_t k) {
    for (; first_ < apart_.reads.size() && apart_.reads[first_].need <= k; ++first_) {
      if (apart_.reads[first_].issued) continue;
      wait_for_ram(k);
      issue(apart_.reads[first_]);
    }
  }

  // Finds the last move before the need in which there is no room.
  bool has_room(std::size_t k, PendingRead& read) const {
    if (read.earliest > k || read.blocked_until > k) return false;
    const std::int64_t most_bytes = problem_.ram_budget_bytes - read.size_bytes;
    for (std::size_t m = read.need; m-- > k;)
      if (ram_bytes_[m] > most_bytes) {
        read.blocked_until = m + 1;
        return false;
      }
    return ram_bytes_[k] + lingering_bytes_ <= most_bytes;
  }

  bool is_too_soon(std::size_t k, const PendingRead& read) const {
    const double need_s = now_s_ + computed_s_[read.need] - computed_s_[k];
    return need_s - std::max(now_s_, channel_free_s_) > policy_.horizon_ratio * read.read_s;
  }

  void issue_ahead(std::size_t k) {
    int overtaken = 0;
    const std::size_t end = std::min(apart_.reads.size(), first_ + kMostLookedAt);
    for (std::size_t r = first_; r < end && overtaken <= policy_.overtaken; ++r) {
      PendingRead& read = apart_.reads[r];
      if (read.issued) continue;
      if (is_too_soon(k, read)) return;
      if (!has_room(k, read)) {
        ++overtaken;
        continue;
      }
      for (std::size_t m = k; m < read.need; ++m) ram_bytes_[m] += read.size_bytes;
      issue(read);
    }
  }

  void perform(std::size_t k) {
    const Action& move = apart_.others[k];
    moves_.push_back(move);
    if (const auto* write = std::get_if<PageOut>(&move)) {
      send(write->tensor, at(problem_.tensors, write->tensor).page_out_s);
    } else {
      for (const TensorId input : ram_inputs(problem_, std::get<Compute>(move).operation))
        wait_until(at(readable_s_, input));
      wait_for_ram(k);
      wait_until(now_s_ + compute_s(move));
    }
    for (const TensorId tensor : latest_.leaving[k]) leave(tensor);
  }

  void leave(TensorId tensor) {
    if (at(quiet_s_, tensor) <= now_s_) return;
    const std::int64_t size_bytes = at(problem_.tensors, tensor).size_bytes;
    lingering_.emplace(at(quiet_s_, tensor), size_bytes);
    lingering_bytes_ += size_bytes;
  }

  using Lingering = std::pair<double, std::int64_t>;  // until when, bytes

  const Problem& problem_;
  const IssuePolicy& policy_;
  ReadsApart apart_;
  LatestReads latest_;
  std::vector<std::int64_t> ram_bytes_;  // by move, with the reads that were issued ahead
  std::vector<double> computed_s_;       // before each move, in all
  std::vector<double> readable_s_;       // by tensor
  std::vector<double> quiet_s_;
  std::priority_queue<Lingering, std::vector<Lingering>, std::greater<>> lingering_ = {};
  std::int64_t lingering_bytes_ = 0;
  std::size_t first_ = 0;  // read that may not be issued yet
  double now_s_ = 0;
  double channel_free_s_ = 0;
  Moves moves_ = {};
};

constexpr IssuePolicy kPolicies[] = {
    {},
    {.overtaken = 8},
    {.overtaken = 8, .before_writes = true},
    {.horizon_ratio = 4},
    {.overtaken = 8, .horizon_ratio = 4},
    {.horizon_ratio = 1.5},
};

bool breaks_only_the_deadline(const Replay& replayed) {
  return std::all_of(replayed.findings.begin(), replayed.findings.end(),
                     [](const Finding& it) { return it.rule == Rule::Deadline; });
}

bool is_better(const Problem& problem, const Replay& a, const Replay& b) {
  const auto rank = [&](const Replay& it) {
    const bool valid = it.valid();
    return std::tuple(!breaks_only_the_deadline(it), !valid,
                      valid ? objective_of(problem, it) : 0.0, it.time_s);
  };
  return rank(a) < rank(b);
}

}  // namespace

Schedule issue_reads(const Problem& problem, const Schedule& schedule, const IssuePolicy& policy) {
  return schedule_of(problem, ReadIssuer(problem, schedule, policy).run(), schedule.resident);
}

TimedSchedule best_timing(const Problem& problem, const Schedule& schedule) {
  TimedSchedule best{schedule, replay(problem, schedule)};
  const auto offer = [&](Schedule other) {
    Replay replayed = replay(problem, other);
    if (is_better(problem, replayed, best.replay)) best = {std::move(other), std::move(replayed)};
  };
  offer(schedule_of(problem, with_reads_ahead(problem, moves_of(schedule)), schedule.resident));
  for (const IssuePolicy& policy : kPolicies) offer(issue_reads(problem, schedule, policy));
  return best;
}

}  // namespace poet
