#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "poet/base/result.h"
#include "poet/service/model_shelf.h"
#include "poet/store/postgres_jobs.h"

namespace poet {

// The bytes of models in the database of a team: whoever needs them fetches them. The folder of a
// service has only what is looked at before it is kept.
class TeamModels final : public ModelFiles {
 public:
  TeamModels(std::string folder, PostgresJobs& jobs) : folder_(std::move(folder)), jobs_(jobs) {}

  Failure keep(const std::string& id, const std::string& aside_path, const std::string& key,
               const std::string& note) override;
  // An Error of code Io: the database could not be asked now.
  Failure bring(const std::string& id, const std::string& path) const override;
  Failure remove(const std::string& id, const std::string& key) override;
  bool has(const std::string&) const override { return true; }
  std::int64_t size_bytes(const std::string&) const override { return 0; }
  Result<std::int64_t> remove_all_but(const std::set<std::string>& ids) override;

 private:
  std::string folder_;
  PostgresJobs& jobs_;
};

}  // namespace poet
