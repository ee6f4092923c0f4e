#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace poet {

// Whose turn a job takes: jobs of one share wait in one line, and lines take turns. "" where
// everybody is one.
using Share = std::string;

// What kind of places a job needs. A comparison takes as long as many plans, so it has places of
// its own and never the last one of a plan.
enum class Lane { Plans, Curves };

struct QueueOptions {
  int jobs = 1;                        // plans (and what is made of them) that run at the same time
  int curves = 1;                      // comparisons that run beside them
  std::int64_t most_queued = 64;       // that wait
  std::int64_t most_queued_each = 64;  // that wait of one share
};

// The life of a job from the request to the answer:
//
//               ask             begin              end               saved
//   (not here) -----> Waiting ---------> Running --------> Saving ----------------> (not here)
//                      ^  |                 |               ^ ^ |
//                      |  | withdraw: last  | withdraw:     | | | saved: withdrawn, and somebody
//                      |  +---------------- | ------------- | + | asked for it meanwhile
//                      |                    v last   end    |   |
//                      |                Finishing ----------+   |
//                      +----------------------------------------+
//
// A share withdraws for itself alone: the others that asked have their answer as if it had never
// asked. What a withdrawn job came to is no answer for who asks later, neither while it is saved
// nor afterwards: it is begun again for them.
enum class LiveState {
  Waiting,    // for a place
  Running,    // somebody wants its answer
  Finishing,  // runs, but nobody wanted it any more: it was told to end with its best
  Saving,     // it has ended; what came out is on its way to the store
};

// What a job of the table came to.
enum class LiveEnd { Answered, Withdrawn };

// Why a job waits, for people and programs.
struct WaitReason {
  enum class Kind {
    Turn,    // jobs are before it
    Place,   // it is the next, and all places are taken
    Ending,  // it was cancelled, and ends before it is begun again
    Moment,  // it is being begun
    Worker,  // it is the next of a team, whose places are of many processes
  };
  Kind kind = Kind::Moment;
  std::int64_t ahead = 0;  // jobs that are begun before it
  Lane lane = Lane::Plans;
  int places = 0;  // of the lane

  bool operator==(const WaitReason&) const = default;
};
std::string wait_text(const WaitReason& reason);

// The jobs that wait, run and end: which of them is begun next, what a request or an end changes.
// It knows nothing of threads, stores and clocks: whoever owns it holds a lock, tells it every
// event, and does what it answers.
class JobTable {
 public:
  explicit JobTable(const QueueOptions& options) : options_(options) {}

  enum class Asked {
    New,     // it waits now: the caller puts it into the store, or takes it back with drop()
    Joined,  // it was there, and is now wanted by this share as well
    Full,
    ShareIsFull,
  };
  Asked ask(const std::string& id, const Share& share, Lane lane);
  // Of a former service: beyond all limits.
  void restore(const std::string& id, const Share& share, Lane lane);
  void drop(const std::string& id);

  // The job that is begun now, in a lane: its state becomes Running. None waits, or no place is
  // free.
  std::optional<std::string> begin(Lane lane);

  enum class Withdrawn {
    Nothing,   // it is not there, or others want it
    Saving,    // it waited: its end is to be stored now
    Finishing  // it runs and is to be told
  };
  // `share`: none for all of them.
  Withdrawn withdraw(const std::string& id, const std::optional<Share>& share);

  // A job that runs has ended: what it came to is to be stored.
  LiveEnd end(const std::string& id);
  // A job that runs waits again, at the end of its line: its worker was lost.
  void retry(const std::string& id);
  // What came out is stored. BeginAgain: it waits once more, because somebody asked for it after it
  // was withdrawn.
  enum class Next { Gone, BeginAgain };
  Next saved(const std::string& id);

  bool is_wanted_by(const std::string& id, const Share& share) const;
  std::optional<LiveState> state_of(const std::string& id) const;
  // Whether somebody waits for the job to be begun, or begun again.
  bool waits(const std::string& id) const { return why_it_waits(id).has_value(); }
  std::optional<WaitReason> why_it_waits(const std::string& id) const;
  std::int64_t waiting() const;
  std::int64_t running(Lane lane) const;
  int places(Lane lane) const { return lane == Lane::Curves ? options_.curves : options_.jobs; }
  std::vector<std::string> ids() const;

 private:
  struct Job {
    Lane lane = Lane::Plans;
    LiveState state = LiveState::Waiting;
    LiveEnd end = LiveEnd::Answered;  // while it is being saved
    std::set<Share> askers = {};      // that want it; none: Finishing, or Saving of a withdrawn one
    std::int64_t place = 0;           // in its line: the lowest is the oldest
  };

  void add(const std::string& id, const Share& share, Lane lane);
  void wait_again(Job& job);
  void want(Job& job, const Share& share);
  void forget_idle_shares();
  // Of the share whose turn it is, the oldest.
  std::optional<std::string> next_of(Lane lane) const;
  std::int64_t ahead_of(const std::string& id, Lane lane) const;

  QueueOptions options_;
  std::map<std::string, Job> jobs_;
  std::map<Share, std::int64_t>
      turns_;  // of each share that has jobs here: when it was served last, or came
  std::int64_t last_turn_ = 0;
  std::int64_t last_place_ = 0;
};

}  // namespace poet
