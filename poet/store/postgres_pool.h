#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/store/postgres_connection.h"

namespace poet {

// Some connections to one database, which threads take turns with. One that is lost is opened
// again: what was under way is then done once more from its begin, for as long as the caller has
// patience. So steps are such that doing them twice is doing them once. Its functions may be called
// from several threads.
class PostgresPool {
 public:
  static constexpr double kPatienceS = 15;
  // Whoever leaves does not wait for long: leases run out by themselves.
  static constexpr double kPatienceOfLeavingS = 3;

  // The clock never goes back.
  PostgresPool(std::string uri, std::function<double()> elapsed_s)
      : uri_(std::move(uri)), elapsed_s_(std::move(elapsed_s)) {}

  using Steps = std::function<Failure(PostgresConnection&)>;
  // All of them or none.
  Failure in_one_step(const Steps& steps, double patience_s = kPatienceS) const;
  // One question, which is a step by itself.
  Failure ask(const Steps& question, double patience_s = kPatienceS) const;

  // A connection for one thread alone.
  Result<std::unique_ptr<PostgresConnection>> open_one() const {
    return PostgresConnection::open(uri_);
  }
  double elapsed_s() const { return elapsed_s_(); }

  // Ends waits for the database: what cannot be done at once is refused from now on.
  void stop();

 private:
  Result<std::unique_ptr<PostgresConnection>> take(double limit_s) const;
  void give_back(std::unique_ptr<PostgresConnection> connection) const;
  void count_closed() const;
  Failure with_patience(const Steps& steps, double patience_s) const;
  bool wait(double seconds) const;

  std::string uri_;
  std::function<double()> elapsed_s_;
  mutable std::mutex mutex_;
  mutable std::condition_variable free_;  // a connection, or the place of one
  mutable std::condition_variable stopped_;
  mutable std::vector<std::unique_ptr<PostgresConnection>> idle_;
  mutable int open_ = 0;
  bool stopping_ = false;
};

}  // namespace poet
