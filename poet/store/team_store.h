#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "poet/base/result.h"
#include "poet/store/postgres_jobs.h"
#include "poet/store/postgres_pool.h"
#include "poet/store/team_jobs.h"

namespace poet {

// Whether a place for a store is a database, "postgresql://...", and not a folder.
bool names_database(std::string_view place);

// Whether it begins like the address of a database. One that is none would be taken for a folder,
// whose name has a password in it.
bool is_no_folder(std::string_view place);

// The database that services and workers of a team share: what they keep, and what waits and runs.
class TeamStore {
 public:
  // Makes its tables, or brings them up to date. Refuses what cannot be reached, and databases of a
  // later version. `elapsed_s` is a clock that never goes back.
  static Result<std::unique_ptr<TeamStore>> open(const std::string& uri,
                                                 std::function<double()> elapsed_s);

  PostgresPool& pool() { return pool_; }
  PostgresJobs& jobs() { return jobs_; }
  TeamJobs& live() { return live_; }

 private:
  TeamStore(const std::string& uri, std::function<double()> elapsed_s)
      : pool_(uri, std::move(elapsed_s)), jobs_(pool_), live_(pool_) {}

  PostgresPool pool_;
  PostgresJobs jobs_;
  TeamJobs live_;
};

}  // namespace poet
