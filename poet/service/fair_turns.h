#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace poet {

// Who is served next: people take turns, however many requests each of them has waiting, and nobody
// is served more than `most_each` at the same time. Of one person, the oldest request is first.
class FairTurns {
 public:
  explicit FairTurns(int most_each) : most_each_(most_each) {}

  // A request, by a number of its own.
  void wait(const std::string& who, std::uint64_t number);
  // The request whose turn it is, which is served from now on; nothing while nobody's is.
  std::optional<std::uint64_t> next();
  // One that next() gave is done.
  void done(const std::string& who);
  // One that waits is given up.
  void leave(const std::string& who, std::uint64_t number);

 private:
  struct Person {
    std::deque<std::uint64_t> waiting;
    int served = 0;
  };
  void forget_if_idle(const std::string& who);

  int most_each_;
  std::map<std::string, Person> people_;
  std::deque<std::string> turns_;  // who has something waiting, the next one first
};

struct LookTurnsOptions {
  int most = 2;                // looks at the same time, of one share half of them
  int most_waiting = 64;       // requests that wait for their turn: each has a thread
  int most_waiting_each = 32;  // and of one share
};

// When a request may have a model looked at: shares take turns (FairTurns), so that nobody waits
// behind all that somebody else asked. May be called from several threads.
class LookTurns {
 public:
  explicit LookTurns(const LookTurnsOptions& options);

  // Waits in the calling thread. `is_given_up` is asked several times a second meanwhile; empty: it
  // is not. Held until the last copy of it is gone; null: there is no place to wait, or no turn
  // came, or nobody waits for it any more.
  using Turn = std::shared_ptr<void>;
  Turn take(const std::string& who, const std::function<bool()>& is_given_up);

  // Nobody gets a turn any more.
  void stop();
  bool is_stopped() const;
  int waiting() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  bool has_place(const std::string& who) const;
  bool wait(Lock& lock, const std::string& who, std::uint64_t number,
            const std::function<bool()>& is_given_up);
  void call_next();
  void give_back(const std::string& who);

  LookTurnsOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FairTurns turns_;
  std::set<std::uint64_t> called_;  // whose turn has come, and who has not taken it yet
  std::map<std::string, int> waiting_by_;
  int waiting_ = 0;
  int looking_ = 0;
  std::uint64_t last_number_ = 0;
  bool stopped_ = false;
};

}  // namespace poet
