#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/result.h"
#include "poet/store/job_store.h"
#include "poet/store/postgres_pool.h"

namespace poet {

// What a team of services keeps in a database (postgres_schema.h has its tables). The jobs that
// have not ended are TeamJobs' (team_jobs.h). The bytes of models are here as well, so that every
// worker can have them.
class PostgresJobs final : public JobStore {
 public:
  explicit PostgresJobs(const PostgresPool& pool) : pool_(pool) {}

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
  // What a job that waits or runs needs stays, whatever the caller thinks.
  Failure forget_job(const std::string& id) override;
  Failure forget_note(const std::string& key) override;
  // The database does that by itself.
  Failure compact() override { return std::nullopt; }

  // A note with bytes that go with it.
  Failure put_note_with_bytes(const std::string& key, const std::string& text,
                              const std::string& bytes);
  Result<std::optional<std::string>> bytes_of_note(const std::string& key) const;

  // Of everything that it keeps, without what the database has around it.
  Result<std::int64_t> used_bytes() const;
  // Writes what was touched.
  Failure write_uses() const;

 private:
  using Values = std::vector<PostgresValue>;
  Result<std::vector<std::vector<std::string>>> texts(const char* question, const Values& values,
                                                      int columns) const;
  Failure tell(const char* command, const Values& values) const;
  void touch(std::string thing) const;

  const PostgresPool& pool_;
  mutable std::mutex mutex_;
  mutable std::vector<std::string> uses_;  // that are not written yet, in their order
};

// The job of a row, which begins with kJobColumns.
StoredJob job_in(const PostgresRows& rows, int row);

// Whoever changes which jobs wait, or forgets what they may need, does it alone: holds this to the
// end of the step.
Failure pass_gate(PostgresConnection& connection);

}  // namespace poet
