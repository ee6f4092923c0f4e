#pragma once

#include <cstdint>
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

// What a service keeps: jobs with their results and files, notes, and who may see which. It is a
// file of one service (sqlite_jobs.h) or a database of a team (postgres_jobs.h). What a function
// has put is there when the program or the machine stops the next moment. Its functions may be
// called from several threads.
class JobStore {
 public:
  virtual ~JobStore() = default;

  virtual Result<std::optional<StoredJob>> find(const std::string& id) const = 0;
  // Without results. The newest first.
  virtual Result<std::vector<StoredJob>> list(const JobFilter& filter) const = 0;
  virtual Result<std::optional<std::string>> file(const std::string& id,
                                                  const std::string& name) const = 0;
  virtual Result<std::vector<std::string>> file_names(const std::string& id) const = 0;

  // Texts by a key of the caller's: answers about models, descriptions of uploads.
  virtual Result<std::optional<std::string>> note(const std::string& key) const = 0;
  virtual Failure put_note(const std::string& key, const std::string& text) = 0;
  // (key, text) of every key that begins so, by key.
  virtual Result<std::vector<std::pair<std::string, std::string>>> notes(
      const std::string& begin) const = 0;

  // Who may see a thing (the id of a job, or the key of a note). It may have several owners, or
  // none.
  virtual Failure add_owner(const std::string& thing, const std::string& owner) = 0;
  virtual Result<std::vector<std::string>> owners_of(const std::string& thing) const = 0;
  virtual Result<bool> is_owner(const std::string& thing, const std::string& owner) const = 0;
  // How many owners are left.
  virtual Result<std::int64_t> remove_owner(const std::string& thing, const std::string& owner) = 0;

  // Notes that a job or note was used. Kept in memory for a while, so that looking costs no write;
  // what the last ones were may be lost with the machine.
  virtual void touch_job(const std::string& id) const = 0;
  virtual void touch_note(const std::string& key) const = 0;
  // What may be forgotten, that which was not used for the longest time first; at most `most`
  // of it.
  virtual Result<std::vector<KeptThing>> least_recently_used(
      std::optional<std::int64_t> most) const = 0;
  // Removes a thing with its files and owners. Nothing happens where it is not there.
  virtual Failure forget_job(const std::string& id) = 0;
  virtual Failure forget_note(const std::string& key) = 0;
  // Gives the room of what was forgotten back to the disk.
  virtual Failure compact() = 0;
};

}  // namespace poet
