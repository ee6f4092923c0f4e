#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"

namespace poet {

// What becomes of a job. It begins as Queued; Done, Failed and Cancelled are its ends.
enum class JobState { Queued, Running, Done, Failed, Cancelled };

inline constexpr Named<JobState> kJobStates[] = {{"queued", JobState::Queued},
                                                 {"running", JobState::Running},
                                                 {"done", JobState::Done},
                                                 {"failed", JobState::Failed},
                                                 {"cancelled", JobState::Cancelled}};

constexpr bool has_ended(JobState state) {
  return state != JobState::Queued && state != JobState::Running;
}

// A job as it is kept: what was asked, and what came out. Texts are JSON; the store does not look
// into them.
struct StoredJob {
  std::string id = {};    // 64 hexadecimal digits: the hash of the question
  std::string kind = {};  // "plan", "curve", "explain", "project"
  JobState state = JobState::Queued;
  std::string request = {};
  std::string model_name = {};  // for people
  std::int64_t created_unix_s = 0;
  std::optional<std::int64_t> started_unix_s = {};
  std::optional<std::int64_t> finished_unix_s = {};
  std::string result = {};   // empty: none
  std::string summary = {};  // of the result, for lists; empty: none
  std::string error = {};    // empty: none
  // How often it was begun and not ended politely: more than once, and it may have ended its worker
  // or the service each time.
  std::int64_t attempts = 0;
};

// A file that a job made, by the service's name for it: "plan", "report".
struct StoredFile {
  std::string name = {};
  std::string bytes = {};
};

// Which jobs a list has.
struct JobFilter {
  std::int64_t most = 50;
  std::optional<JobState> state = {};
  std::optional<std::string> kind = {};   // empty: "plan" and "curve"
  std::optional<std::string> owner = {};  // only those that are theirs; empty: all
};

// Something that is kept and may be forgotten: an ended job, or a note.
struct KeptThing {
  std::string job = {};         // its id; empty: a note
  std::string note = {};        // its key
  std::int64_t size_bytes = 0;  // in the file, about
};

// The jobs of a service in an SQLite file, by the hash of what they answer. What a function has put
// is there when the program or the machine stops the next moment, and a job ends in one step with
// its files. One process uses it at a time; another is refused. Its functions may be called from
// several threads.
class JobStore {
 public:
  // Opens the file, or makes it; refuses files of another kind. ":memory:" is kept by nobody.
  static Result<JobStore> open(const std::string& path);

  JobStore(JobStore&&) noexcept;
  JobStore& operator=(JobStore&&) noexcept;
  ~JobStore();

  Result<std::optional<StoredJob>> find(const std::string& id) const;
  // Without results. The newest first.
  Result<std::vector<StoredJob>> list(const JobFilter& filter) const;
  // Those that have not ended, in the order in which they were put.
  Result<std::vector<StoredJob>> unfinished() const;

  // A new job at the end, or an ended one begun anew; its owners stay, and its result, summary and
  // files until finish() puts others in their place.
  Failure put(const StoredJob& job);
  // Counts an attempt.
  Failure set_running(const std::string& id, std::int64_t started_unix_s);
  // DoesNotCount: it was given up politely.
  enum class Attempt { Counts, DoesNotCount };
  Failure set_queued(const std::string& id, Attempt attempt);
  // Its state, times, result, summary, error, and the files, all or nothing. Files that it had go.
  Failure finish(const StoredJob& job, const std::vector<StoredFile>& files);
  // Its state, times and error, and the files beside those that it had: what it had come to before
  // it was begun anew stays.
  Failure finish_with_former(const StoredJob& job, const std::vector<StoredFile>& files);

  Result<std::optional<std::string>> file(const std::string& id, const std::string& name) const;
  Result<std::vector<std::string>> file_names(const std::string& id) const;

  // Texts by a key of the caller's: answers about models, descriptions of uploads.
  Result<std::optional<std::string>> note(const std::string& key) const;
  Failure put_note(const std::string& key, const std::string& text);
  // (key, text) of every key that begins so, by key.
  Result<std::vector<std::pair<std::string, std::string>>> notes(const std::string& begin) const;

  // Who may see a thing (the id of a job, or the key of a note). It may have several owners, or
  // none.
  Failure add_owner(const std::string& thing, const std::string& owner);
  Result<std::vector<std::string>> owners_of(const std::string& thing) const;
  Result<bool> is_owner(const std::string& thing, const std::string& owner) const;
  // How many owners are left.
  Result<std::int64_t> remove_owner(const std::string& thing, const std::string& owner);

  // Notes that a job or note was used. Kept in memory until the next thing is put, so that looking
  // costs no write; what the last ones were may be lost with the machine.
  void touch_job(const std::string& id) const;
  void touch_note(const std::string& key) const;
  // What may be forgotten, that which was not used for the longest time first; at most `most`
  // (-1: all).
  Result<std::vector<KeptThing>> least_recently_used(std::int64_t most) const;
  // Removes a thing with its files and owners. Nothing happens where it is not there.
  Failure forget_job(const std::string& id);
  Failure forget_note(const std::string& key);
  // Gives the room of what was forgotten back to the disk.
  Failure compact();

 private:
  struct Connection;
  explicit JobStore(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace poet
