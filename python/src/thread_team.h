#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "poet/ask/sweep_team.h"

namespace poet::python {

// Workers of a sweep in threads of this process: a process that Python runs in is not copied. CBC
// searches once at a time in a process, so what else there is to do is what goes on beside it.
class ThreadTeam final : public SweepTeam {
 public:
  using Answer = std::function<std::string(const std::string& question)>;

  ThreadTeam(int workers, Answer answer);
  // Waits for the answers that are under way.
  ~ThreadTeam() override;
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const override { return static_cast<int>(threads_.size()); }
  void give(int worker, const std::string& question) override;
  News wait() override;

 private:
  struct Question {
    int worker = 0;
    std::string text = {};
  };
  void work();

  Answer answer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_ = {};
  std::deque<News> news_ = {};
  bool closed_ = false;
  std::vector<std::thread> threads_ = {};
};

}  // namespace poet::python
