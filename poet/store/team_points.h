#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "poet/base/result.h"
#include "poet/store/postgres_pool.h"
#include "poet/store/sweep_points.h"

namespace poet {

struct TeamPointsOptions {
  std::string name = {};     // of the sweep in the database
  std::string process = {};  // a word for this process that no other has
  double lease_s = 30;  // after which the points of a process that is silent may be taken by others
};

// The points of a sweep that any number of processes share, in the database of a team
// (postgres_schema.h has its tables). What a process takes is its own for as long as it says so: a
// lease that it renews. The first answer of a point stands, whoever brings it. A point that loses
// as many processes as kMostLost (team_jobs.h) says is given up. Every function may be tried again,
// and does nothing then that it has done. For one thread.
class TeamPoints final : public SweepPoints {
 public:
  // Makes the sweep where there is none of the name. `question` says what the points are answers
  // to, `points` how many there are; a sweep with another question is refused.
  static Result<std::unique_ptr<TeamPoints>> join(std::unique_ptr<PostgresPool> pool,
                                                  TeamPointsOptions options,
                                                  const std::string& question, std::int64_t points);
  // To look at only. An Error where there is none of the name.
  static Result<std::unique_ptr<TeamPoints>> visit(std::unique_ptr<PostgresPool> pool,
                                                   TeamPointsOptions options,
                                                   const std::string& question);

  Result<std::optional<std::string>> find(std::int64_t point) const override;
  Result<std::optional<std::int64_t>> take(const PointRange& range) override;
  Result<std::string> keep(std::int64_t point, const std::string& answer) override;
  Failure give_up(std::int64_t point) override;
  Result<Now> look(const PointRange& range) override;
  void leave() override;
  bool in_place() const override { return true; }
  std::string place() const override { return "the sweep '" + options_.name + "' of the store"; }

 private:
  TeamPoints(std::unique_ptr<PostgresPool> pool, TeamPointsOptions options, std::int64_t points)
      : pool_(std::move(pool)), options_(std::move(options)), points_(points) {}
  std::string taken_ids() const;
  Error is_gone() const;
  Failure take_lost_ones_again();
  double patience_s() const;
  bool may_wait(const Failure& failure) const;
  void renew();
  void wait_longer();

  std::unique_ptr<PostgresPool> pool_;
  TeamPointsOptions options_;
  std::int64_t points_;
  std::set<std::int64_t> taken_ = {};  // and neither answered nor given up
  // Who waits for others asks the database more and more seldom.
  double pause_s_ = 0;
  double no_take_before_s_ = 0;
  double no_look_before_s_ = 0;
  double renew_at_s_ = 0;
  PointRange now_of_ = {};
  Now now_ = {};
};

}  // namespace poet
