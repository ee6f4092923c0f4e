#include "poet/service/fair_turns.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace poet {

void FairTurns::wait(const std::string& who, std::uint64_t number) {
  Person& person = people_[who];
  if (person.waiting.empty()) turns_.push_back(who);
  person.waiting.push_back(number);
}

std::optional<std::uint64_t> FairTurns::next() {
  for (std::size_t k = turns_.size(); k > 0; --k) {
    std::string who = std::move(turns_.front());
    turns_.pop_front();
    Person& person = people_[who];
    if (person.served >= most_each_) {
      turns_.push_back(std::move(who));
      continue;
    }
    const std::uint64_t number = person.waiting.front();
    person.waiting.pop_front();
    ++person.served;
    if (!person.waiting.empty()) turns_.push_back(std::move(who));
    return number;
  }
  return std::nullopt;
}

void FairTurns::done(const std::string& who) {
  --people_[who].served;
  forget_if_idle(who);
}

void FairTurns::leave(const std::string& who, std::uint64_t number) {
  Person& person = people_[who];
  if (std::erase(person.waiting, number) > 0 && person.waiting.empty()) std::erase(turns_, who);
  forget_if_idle(who);
}

void FairTurns::forget_if_idle(const std::string& who) {
  const auto found = people_.find(who);
  if (found->second.served == 0 && found->second.waiting.empty()) people_.erase(found);
}

namespace {

// Counted and not timed. Longer than a look may take: who comes second has a turn.
constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr int kMostLooks = 600;

}  // namespace

LookTurns::LookTurns(const LookTurnsOptions& options)
    : options_(options), turns_(std::max(1, options.most / 2)) {}

LookTurns::Turn LookTurns::take(const std::string& who, const std::function<bool()>& is_given_up) {
  Lock lock(mutex_);
  if (stopped_) return nullptr;
  const std::uint64_t number = ++last_number_;
  turns_.wait(who, number);
  call_next();
  const bool has_turn =
      called_.erase(number) > 0 || (has_place(who) && wait(lock, who, number, is_given_up));
  if (has_turn) return {this, [who](LookTurns* turns) { turns->give_back(who); }};
  turns_.leave(who, number);
  return nullptr;
}

bool LookTurns::has_place(const std::string& who) const {
  const auto own = waiting_by_.find(who);
  const int own_count = own == waiting_by_.end() ? 0 : own->second;
  return waiting_ < options_.most_waiting && own_count < options_.most_waiting_each;
}

// Whether its turn came, which it has then.
bool LookTurns::wait(Lock& lock, const std::string& who, std::uint64_t number,
                     const std::function<bool()>& is_given_up) {
  ++waiting_;
  ++waiting_by_[who];
  bool has_turn = false;
  for (int k = 0; k < kMostLooks && !has_turn; ++k) {
    changed_.wait_for(lock, kBetweenLooks, [&] { return stopped_ || called_.contains(number); });
    has_turn = called_.erase(number) > 0;
    if (stopped_ || (is_given_up && is_given_up())) break;
  }
  --waiting_;
  if (--waiting_by_[who] == 0) waiting_by_.erase(who);
  return has_turn;
}

void LookTurns::call_next() {
  while (looking_ < options_.most) {
    const std::optional<std::uint64_t> number = turns_.next();
    if (!number) return;
    ++looking_;
    called_.insert(*number);
  }
}

void LookTurns::give_back(const std::string& who) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --looking_;
    turns_.done(who);
    call_next();
  }
  changed_.notify_all();
}

void LookTurns::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

bool LookTurns::is_stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopped_;
}

int LookTurns::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_;
}

}  // namespace poet
