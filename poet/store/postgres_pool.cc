#include "poet/store/postgres_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace poet {
namespace {

constexpr int kMostOpen = 8;
constexpr double kFirstWaitS = 0.02;
constexpr double kLongestWaitS = 1;

}  // namespace

Result<std::unique_ptr<PostgresConnection>> PostgresPool::take(double limit_s) const {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!free_.wait_for(lock, std::chrono::duration<double>(limit_s),
                        [this] { return !idle_.empty() || open_ < kMostOpen; }))
      return Error{ErrorCode::Io,
                   "cannot reach the database: all connections of this process are taken",
                   {}};
    if (!idle_.empty()) {
      std::unique_ptr<PostgresConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
    ++open_;
  }
  Result<std::unique_ptr<PostgresConnection>> opened = open_one();
  if (!opened.ok()) count_closed();
  return opened;
}

void PostgresPool::count_closed() const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --open_;
  }
  free_.notify_one();
}

void PostgresPool::give_back(std::unique_ptr<PostgresConnection> connection) const {
  if (connection->is_lost()) {
    connection.reset();
    count_closed();
    // The others were lost with it, as a rule: a database that begins anew has none of them.
    std::vector<std::unique_ptr<PostgresConnection>> old;
    const std::lock_guard<std::mutex> lock(mutex_);
    old.swap(idle_);
    open_ -= static_cast<int>(old.size());
    free_.notify_all();
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(connection));
  }
  free_.notify_one();
}

// Whether nobody stopped it meanwhile.
bool PostgresPool::wait(double seconds) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return !stopped_.wait_for(lock, std::chrono::duration<double>(seconds),
                            [this] { return stopping_; });
}

Failure PostgresPool::with_patience(const Steps& steps, double patience_s) const {
  const double begin_s = elapsed_s_();
  double wait_s = kFirstWaitS;
  while (true) {
    Result<std::unique_ptr<PostgresConnection>> connection =
        take(std::max(0.0, patience_s - (elapsed_s_() - begin_s)));
    Failure failure;
    bool again = true;
    if (!connection.ok()) {
      failure = connection.error();
      again = failure->code == ErrorCode::Io;
    } else {
      failure = steps(**connection);
      again = (*connection)->may_be_tried_again();
      give_back(*std::move(connection));
    }
    if (!failure || !again || elapsed_s_() - begin_s + wait_s > patience_s || !wait(wait_s))
      return failure;
    wait_s = std::min(2 * wait_s, kLongestWaitS);
  }
}

Failure PostgresPool::in_one_step(const Steps& steps, double patience_s) const {
  return with_patience(
      [&steps](PostgresConnection& connection) -> Failure {
        if (Failure failure = connection.tell("BEGIN")) return failure;
        if (Failure failure = steps(connection)) {
          connection.roll_back();
          return failure;
        }
        return connection.tell("COMMIT");
      },
      patience_s);
}

Failure PostgresPool::ask(const Steps& question, double patience_s) const {
  return with_patience(question, patience_s);
}

void PostgresPool::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
}

}  // namespace poet
