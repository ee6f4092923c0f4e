#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/train/ranks.h"

namespace poet {

// Ranks that are threads of a test. A message is copied when it is begun, and received when it is
// waited for.
class ThreadPost {
 public:
  explicit ThreadPost(int count) : count_(count) {}

  int count() const { return count_; }

  void put(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    on_their_way_[{from, to}].push({bytes.begin(), bytes.end()});
    changed_.notify_all();
  }

  void get(int from, int to, std::span<std::byte> into) {
    std::unique_lock lock(mutex_);
    std::queue<std::vector<std::byte>>& messages = on_their_way_[{from, to}];
    changed_.wait(lock, [&messages] { return !messages.empty(); });
    POET_CHECK(messages.front().size() == into.size());
    std::copy(messages.front().begin(), messages.front().end(), into.begin());
    messages.pop();
  }

  bool is_empty() const {
    for (const auto& [way, messages] : on_their_way_)
      if (!messages.empty()) return false;
    return true;
  }

 private:
  int count_;
  std::mutex mutex_ = {};
  std::condition_variable changed_ = {};
  std::map<std::pair<int, int>, std::queue<std::vector<std::byte>>> on_their_way_ = {};
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(ThreadPost& post, int own) : post_(post), own_(own) {}

  RankPlace place() const override { return {.own = own_, .count = post_.count()}; }
  MessageTicket start_send(int to, std::span<const std::byte> bytes) override {
    post_.put(own_, to, bytes);
    begun_.emplace_back();
    return ticket();
  }
  MessageTicket start_receive(int from, std::span<std::byte> into) override {
    begun_.push_back({from, into});
    return ticket();
  }
  void wait(MessageTicket ticket) override {
    const auto& [from, into] = begun_[static_cast<std::size_t>(ticket)];
    if (!into.empty()) post_.get(from, own_, into);
  }

 private:
  MessageTicket ticket() const { return static_cast<MessageTicket>(begun_.size() - 1); }

  ThreadPost& post_;
  int own_;
  std::vector<std::pair<int, std::span<std::byte>>> begun_ = {};
};

// Runs `work` for each of so many ranks, and waits for all.
inline void run_ranks(int count, const std::function<void(Ranks&)>& work) {
  ThreadPost post(count);
  std::vector<std::thread> threads;
  for (int own = 0; own < count; ++own)
    threads.emplace_back([&post, &work, own] {
      ThreadRanks ranks(post, own);
      work(ranks);
    });
  for (std::thread& thread : threads) thread.join();
  POET_CHECK(post.is_empty());
}

}  // namespace poet
