#include "python/src/thread_team.h"

#include <chrono>
#include <utility>

namespace poet::python {

ThreadTeam::ThreadTeam(int workers, Answer answer) : answer_(std::move(answer)) {
  for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::give(int worker, const std::string& question) {
  const std::lock_guard lock(mutex_);
  questions_.push_back({worker, question});
  changed_.notify_all();
}

SweepTeam::News ThreadTeam::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return !news_.empty(); });
  if (news_.empty()) return {};
  News first = std::move(news_.front());
  news_.pop_front();
  return first;
}

void ThreadTeam::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !questions_.empty(); });
    if (closed_) return;
    const Question question = std::move(questions_.front());
    questions_.pop_front();
    lock.unlock();
    std::string text = answer_(question.text);
    lock.lock();
    news_.push_back({News::Kind::Answer, question.worker, std::move(text)});
    changed_.notify_all();
  }
}

}  // namespace poet::python
