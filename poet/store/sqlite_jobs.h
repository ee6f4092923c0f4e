#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/result.h"
#include "poet/store/job_store.h"

namespace poet {

// The jobs of a service in an SQLite file, by the hash of what they answer. A job ends in one step
// with its files. One process uses it at a time; another is refused.
class SqliteJobs final : public JobStore {
 public:
  // Opens the file, or makes it; refuses files of another kind. ":memory:" is kept by nobody.
  // `most_bytes`: what its folder may take; a small store has no reserve.
  static Result<SqliteJobs> open(const std::string& path, std::int64_t most_bytes = kAnySize);
  static constexpr std::int64_t kAnySize = std::numeric_limits<std::int64_t>::max();
  // A file beside it that keeps room on the disk for deleting (DiskReserve).
  static std::string reserve_of(const std::string& path);

  SqliteJobs(SqliteJobs&&) noexcept;
  SqliteJobs& operator=(SqliteJobs&&) noexcept;
  ~SqliteJobs() override;

  Result<std::optional<StoredJob>> find(const std::string& id) const override;
  Result<std::vector<StoredJob>> list(const JobFilter& filter) const override;
  Result<std::optional<std::string>> file(const std::string& id,
                                          const std::string& name) const override;
  Result<std::vector<std::string>> file_names(const std::string& id) const override;
  Result<std::optional<std::string>> note(const std::string& key) const override;
  Failure put_note(const std::string& key, const std::string& text) override;
  Result<std::vector<std::pair<std::string, std::string>>> notes(
      const std::string& begin) const override;
  Failure add_owner(const std::string& thing, const std::string& owner) override;
  Result<std::vector<std::string>> owners_of(const std::string& thing) const override;
  Result<bool> is_owner(const std::string& thing, const std::string& owner) const override;
  Result<std::int64_t> remove_owner(const std::string& thing, const std::string& owner) override;
  void touch_job(const std::string& id) const override;
  void touch_note(const std::string& key) const override;
  Result<std::vector<KeptThing>> least_recently_used(
      std::optional<std::int64_t> most) const override;
  Failure forget_job(const std::string& id) override;
  Failure forget_note(const std::string& key) override;
  Failure compact() override;

  // What the queue of this one service keeps of the jobs that have not ended.

  // Those, in the order in which they were put.
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

 private:
  struct Connection;
  explicit SqliteJobs(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace poet
