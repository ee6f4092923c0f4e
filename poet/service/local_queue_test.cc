#include "poet/service/local_queue.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <future>
#include <random>

#include "poet/base/json_out.h"

namespace poet {
namespace {

constexpr double kLongS = 60;  // nothing here waits for it

// Asks for the nth of many different plans.
JobQuestion question(int n) {
  JobQuestion asked;
  asked.asked.model = "linear";
  asked.asked.platform = "m4";
  asked.asked.graph = GraphKind::Released;
  asked.asked.ram_budget = RamBytes{5000 + n};
  return asked;
}

JobOutcome done(const std::string& result = "{\"status\": \"optimal\"}") {
  JobOutcome outcome;
  outcome.output.result = result;
  outcome.output.summary = "{\"energy_j\": 1.0}";
  outcome.output.files.push_back({"plan", "the plan"});
  return outcome;
}

class JobQueues : public ::testing::Test {
 protected:
  JobQueues() : store_(*SqliteJobs::open(":memory:")) {}

  std::unique_ptr<JobQueue> queue(DoJob do_job, const QueueOptions& options = {}) {
    auto made = std::make_unique<LocalQueue>(
        options, store_, metrics_, ServiceClock{[] { return 0.0; }, [] { return std::int64_t{7}; }},
        std::move(do_job));
    EXPECT_FALSE(made->start());
    return made;
  }

  // Submits, and waits for the end.
  StoredJob run(JobQueue& jobs, int n) {
    EXPECT_EQ(*jobs.submit(question(n), "linear"), JobQueue::Submitted::Accepted);
    EXPECT_TRUE(jobs.wait_for_end(question_id(question(n)), kLongS));
    return (*jobs.view(question_id(question(n))))->job;
  }

  SqliteJobs store_;
  Metrics metrics_;
};

TEST_F(JobQueues, AJobIsDoneOnceAndAnsweredFromTheStore) {
  std::atomic<int> times = 0;
  const auto jobs = queue([&times](const auto&, const auto&, const auto&) {
    ++times;
    return done();
  });
  const StoredJob job = run(*jobs, 1);
  EXPECT_EQ(job.state, JobState::Done);
  EXPECT_EQ(job.result, "{\"status\": \"optimal\"}");
  EXPECT_EQ(**store_.file(job.id, "plan"), "the plan");
  EXPECT_EQ(*jobs->submit(question(1), "linear"), JobQueue::Submitted::Ended);
  EXPECT_EQ(times, 1);
}

TEST_F(JobQueues, AFailureIsKeptAndTriedAgain) {
  int times = 0;
  const auto jobs = queue([&times](const auto&, const auto&, const auto&) {
    ++times;
    JobOutcome outcome;
    outcome.output.error = ServiceError{.code = "memory_limit", .message = "too much"};
    return outcome;
  });
  const StoredJob job = run(*jobs, 1);
  EXPECT_EQ(job.state, JobState::Failed);
  EXPECT_EQ(job.error, R"({"code": "memory_limit", "message": "too much", "field": null})");
  run(*jobs, 1);
  EXPECT_EQ(times, 2);
}

TEST_F(JobQueues, TheQueueHasAnEnd) {
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  std::promise<void> at_work;
  const auto jobs = queue(
      [&, first = true](const auto&, const auto&, const auto&) mutable {
        if (std::exchange(first, false)) at_work.set_value();
        gone.wait();
        return done();
      },
      {.jobs = 1, .most_queued = 2});
  ASSERT_EQ(*jobs->submit(question(1), ""), JobQueue::Submitted::Accepted);
  at_work.get_future().wait();
  EXPECT_EQ(*jobs->submit(question(2), ""), JobQueue::Submitted::Accepted);
  EXPECT_EQ(*jobs->submit(question(3), ""), JobQueue::Submitted::Accepted);
  EXPECT_EQ(*jobs->submit(question(4), ""), JobQueue::Submitted::Full);
  EXPECT_EQ(*jobs->submit(question(3), ""), JobQueue::Submitted::Accepted);
  EXPECT_EQ((*jobs->view(question_id(question(3))))->ahead, 1);
  EXPECT_FALSE(store_.find(question_id(question(4)))->has_value());
  go.set_value();
  EXPECT_TRUE(jobs->wait_for_end(question_id(question(3)), kLongS));
}

TEST_F(JobQueues, ACancelledJobKeepsItsBest) {
  std::promise<void> at_work;
  const auto jobs = queue([&at_work](const auto&, const auto&, const auto& wish) {
    at_work.set_value();
    while (wish() == WorkerWish::GoOn) std::this_thread::yield();
    EXPECT_EQ(wish(), WorkerWish::Finish);
    return done();
  });
  const std::string id = question_id(question(1));
  ASSERT_EQ(*jobs->submit(question(1), ""), JobQueue::Submitted::Accepted);
  ASSERT_EQ(*jobs->submit(question(2), ""), JobQueue::Submitted::Accepted);
  at_work.get_future().wait();
  ASSERT_FALSE(jobs->cancel(question_id(question(2))));
  EXPECT_EQ((*jobs->view(question_id(question(2))))->job.state, JobState::Cancelled);
  ASSERT_FALSE(jobs->cancel(id));
  ASSERT_TRUE(jobs->wait_for_end(id, kLongS));
  const StoredJob job = (*jobs->view(id))->job;
  EXPECT_EQ(job.state, JobState::Cancelled);
  EXPECT_FALSE(job.result.empty());
}

TEST_F(JobQueues, WhatAStoppedServiceLeavesTheNextOneDoes) {
  std::promise<void> at_work;
  auto jobs = queue([&at_work](const auto&, const auto&, const auto& wish) {
    at_work.set_value();
    while (wish() != WorkerWish::Die) std::this_thread::yield();
    JobOutcome outcome;
    outcome.lost = true;
    return outcome;
  });
  ASSERT_EQ(*jobs->submit(question(1), ""), JobQueue::Submitted::Accepted);
  ASSERT_EQ(*jobs->submit(question(2), ""), JobQueue::Submitted::Accepted);
  at_work.get_future().wait();
  jobs->stop();
  EXPECT_EQ(*jobs->submit(question(3), ""), JobQueue::Submitted::Full);
  jobs.reset();
  // A polite stop is no attempt of the job.
  EXPECT_EQ((*store_.find(question_id(question(1))))->state, JobState::Queued);
  EXPECT_EQ((*store_.find(question_id(question(1))))->attempts, 0);
  const auto next = queue([](const auto&, const auto&, const auto&) { return done(); });
  for (const int n : {1, 2}) {
    EXPECT_TRUE(next->wait_for_end(question_id(question(n)), kLongS));
    EXPECT_EQ((*next->view(question_id(question(n))))->job.state, JobState::Done);
  }
}

TEST_F(JobQueues, WhoAsksWhileAJobWindsDownGetsItsAnswer) {
  std::promise<void> at_work;
  std::promise<void> go;
  std::atomic<int> times = 0;
  const auto jobs = queue([&](const auto&, const auto&, const auto& wish) {
    if (++times > 1) return done();
    at_work.set_value();
    while (wish() == WorkerWish::GoOn) std::this_thread::yield();
    go.get_future().wait();
    return done("{\"status\": \"feasible\"}");
  });
  const std::string id = question_id(question(1));
  ASSERT_EQ(*jobs->submit(question(1), ""), JobQueue::Submitted::Accepted);
  at_work.get_future().wait();
  ASSERT_FALSE(jobs->cancel(id));
  ASSERT_EQ(*jobs->submit(question(1), ""), JobQueue::Submitted::Accepted);
  const JobView view = **jobs->view(id);
  EXPECT_EQ(view.job.state, JobState::Queued);
  EXPECT_NE(job_text(view).find("\"waits_for\": \"it was cancelled and is ending"),
            std::string::npos);
  go.set_value();
  ASSERT_TRUE(jobs->wait_for_end(id, kLongS));
  const StoredJob job = (*jobs->view(id))->job;
  EXPECT_EQ(job.state, JobState::Done);
  EXPECT_EQ(job.result, "{\"status\": \"optimal\"}");
  EXPECT_EQ(times, 2);
}

TEST_F(JobQueues, WhatOneOwnerCancelsGoesOnForTheOther) {
  std::promise<void> at_work;
  std::promise<void> go;
  const auto jobs = queue([&](const auto&, const auto&, const auto& wish) {
    at_work.set_value();
    go.get_future().wait();
    EXPECT_EQ(wish(), WorkerWish::GoOn);
    return done();
  });
  const std::string id = question_id(question(1));
  for (const char* const name : {"ada", "bob"})
    ASSERT_EQ(*jobs->submit(question(1), "", {.owner = name, .share = name}),
              JobQueue::Submitted::Accepted);
  at_work.get_future().wait();
  ASSERT_FALSE(jobs->cancel(id, "ada"));
  go.set_value();
  ASSERT_TRUE(jobs->wait_for_end(id, kLongS));
  EXPECT_EQ((*jobs->view(id))->job.state, JobState::Done);
  EXPECT_TRUE(*store_.is_owner(id, "ada"));
}

// Works until it is told to end, and has then found what `best` says, or until `whole`.
DoJob until(const std::atomic<bool>& whole, const std::atomic<double>& best_j) {
  return [&](const auto&, const auto&, const auto& wish) {
    while (wish() == WorkerWish::GoOn && !whole) std::this_thread::yield();
    if (wish() == WorkerWish::GoOn) return done();
    JobOutcome outcome = done("{\"status\": \"feasible\"}");
    outcome.output.summary = json_line({{"energy_j", best_j.load()}});
    outcome.output.files = {{"plan", "a plan of " + outcome.output.summary}};
    return outcome;
  };
}

TEST_F(JobQueues, WhatOneOwnerCancelledIsNoAnswerForWhoAsksLater) {
  std::atomic<bool> whole = false;
  std::atomic<double> best_j = 2;
  const auto jobs = queue(until(whole, best_j));
  const std::string id = question_id(question(1));
  ASSERT_EQ(*jobs->submit(question(1), "", {.owner = "ada", .share = "ada"}),
            JobQueue::Submitted::Accepted);
  ASSERT_FALSE(jobs->cancel(id, "ada"));
  ASSERT_TRUE(jobs->wait_for_end(id, kLongS));
  EXPECT_EQ((*jobs->view(id))->job.state, JobState::Cancelled);
  EXPECT_FALSE(*jobs->has(id));
  whole = true;
  ASSERT_EQ(*jobs->submit(question(1), "", {.owner = "bob", .share = "bob"}),
            JobQueue::Submitted::Accepted);
  ASSERT_TRUE(jobs->wait_for_end(id, kLongS));
  EXPECT_EQ((*jobs->view(id))->job.state, JobState::Done);
  EXPECT_EQ((*jobs->view(id))->job.result, "{\"status\": \"optimal\"}");
  EXPECT_EQ(**store_.file(id, "plan"), "the plan");
  EXPECT_EQ(*jobs->submit(question(1), "", {.owner = "ada", .share = "ada"}),
            JobQueue::Submitted::Ended);
}

TEST_F(JobQueues, TheBestOfACancelledJobStaysUntilThereIsOneThatIsNoWorse) {
  std::atomic<bool> whole = false;
  std::atomic<double> best_j = 2;
  std::atomic<bool> runs = false;
  const DoJob work = until(whole, best_j);
  const auto jobs = queue([&](const auto& job, const auto& progress, const auto& wish) {
    runs = true;
    return work(job, progress, wish);
  });
  const std::string id = question_id(question(1));
  const auto cancelled_at = [&](const std::string& owner, double joules) {
    best_j = joules;
    runs = false;
    EXPECT_EQ(*jobs->submit(question(1), "", {.owner = owner, .share = owner}),
              JobQueue::Submitted::Accepted);
    while (!runs) std::this_thread::yield();
    EXPECT_FALSE(jobs->cancel(id, owner));
    EXPECT_TRUE(jobs->wait_for_end(id, kLongS));
    EXPECT_EQ((*jobs->view(id))->job.state, JobState::Cancelled);
    return **store_.file(id, "plan");
  };
  EXPECT_EQ(cancelled_at("ada", 2), "a plan of {\"energy_j\": 2.0}");
  EXPECT_EQ(cancelled_at("bob", 3), "a plan of {\"energy_j\": 2.0}");
  EXPECT_EQ((*jobs->view(id))->job.summary, "{\"energy_j\": 2.0}");
  EXPECT_EQ(cancelled_at("bob", 1), "a plan of {\"energy_j\": 1.0}");
  // Nor does it go while the next run waits for its place, or when that finds nothing.
  ASSERT_EQ(*jobs->submit(question(2), ""), JobQueue::Submitted::Accepted);
  ASSERT_EQ(*jobs->submit(question(1), "", {.owner = "bob", .share = "bob"}),
            JobQueue::Submitted::Accepted);
  EXPECT_EQ((*jobs->view(id))->job.result, "");
  ASSERT_FALSE(jobs->cancel(id, "bob"));
  ASSERT_TRUE(jobs->wait_for_end(id, kLongS));
  EXPECT_EQ((*jobs->view(id))->job.summary, "{\"energy_j\": 1.0}");
  whole = true;
}

// The model is one sentence: whoever asked and did not cancel since has the whole answer at the
// end, and what is said to be answered is the whole answer, whatever other owners did in between.
void owners_ask_and_cancel(JobQueue& jobs, std::atomic<bool>& whole, unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::map<int, std::set<std::string>> wanted;
  for (int event = 0; event < 60; ++event) {
    const int n = static_cast<int>(seed) * 10 + static_cast<int>(random() % 3);
    const std::string id = question_id(question(n));
    const std::string owner = std::vector{"ada", "bob", "cy"}[random() % 3];
    if (random() % 8 == 0) whole = !whole;
    if (random() % 2 == 0) {
      const auto submitted = jobs.submit(question(n), "", {.owner = owner, .share = owner});
      if (*submitted == JobQueue::Submitted::Ended) {
        ASSERT_EQ((*jobs.view(id))->job.result, "{\"status\": \"optimal\"}");
      } else {
        ASSERT_EQ(*submitted, JobQueue::Submitted::Accepted);
      }
      wanted[n].insert(owner);
    } else {
      ASSERT_FALSE(jobs.cancel(id, owner));
      wanted[n].erase(owner);
    }
  }
  whole = true;
  for (const auto& [n, owners] : wanted) {
    const std::string id = question_id(question(n));
    ASSERT_TRUE(jobs.wait_for_end(id, kLongS));
    if (owners.empty()) continue;
    ASSERT_EQ((*jobs.view(id))->job.state, JobState::Done) << "question " << n;
    ASSERT_EQ((*jobs.view(id))->job.result, "{\"status\": \"optimal\"}");
    for (const std::string& owner : owners) ASSERT_TRUE(*jobs.has(id)) << owner;
  }
}

TEST_F(JobQueues, WhoeverDoesNotCancelHasTheWholeAnswer) {
  std::atomic<bool> whole = false;
  std::atomic<double> best_j = 2;
  const auto jobs = queue(until(whole, best_j));
  for (unsigned seed = 0; seed < 60 && !HasFatalFailure(); ++seed)
    owners_ask_and_cancel(*jobs, whole, seed);
}

TEST_F(JobQueues, AJobThatEndsItsWorkerTwiceHasFailed) {
  std::atomic<int> times = 0;
  const auto jobs = queue([&](const auto&, const auto&, const auto&) {
    ++times;
    JobOutcome outcome;
    outcome.output.error = ServiceError{.code = "internal", .message = "the worker ended"};
    outcome.struck = true;
    return outcome;
  });
  const StoredJob job = run(*jobs, 1);
  EXPECT_EQ(job.state, JobState::Failed);
  EXPECT_EQ(
      job.error,
      R"({"code": "internal", "message": "the worker ended; it was begun twice", "field": null})");
  EXPECT_EQ(times, 2);
}

TEST_F(JobQueues, AJobThatWasUnderWayWhenTwoServicesEndedIsNotBegunAgain) {
  const std::string id = question_id(question(1));
  ASSERT_FALSE(
      store_.put({.id = id, .kind = "plan", .request = json_line(question_to_json(question(1)))}));
  ASSERT_FALSE(store_.set_running(id, 7));
  std::atomic<int> times = 0;
  const auto do_job = [&times](const auto&, const auto&, const auto&) {
    ++times;
    return done();
  };
  {
    // The first time it is begun again; this service ends as well while it runs.
    LocalQueue once({.jobs = 0, .curves = 0}, store_, metrics_,
                    {[] { return 0.0; }, [] { return std::int64_t{7}; }}, do_job);
    ASSERT_FALSE(once.start());
    EXPECT_EQ((*once.view(id))->job.state, JobState::Queued);
    ASSERT_FALSE(store_.set_running(id, 8));
  }
  const auto jobs = queue(do_job);
  const StoredJob job = (*jobs->view(id))->job;
  EXPECT_EQ(job.state, JobState::Failed);
  EXPECT_NE(job.error.find("the service ended twice while it ran"), std::string::npos) << job.error;
  EXPECT_NE(job.error.find(R"("code": "unavailable")"), std::string::npos) << job.error;
  EXPECT_EQ(times, 0);
}

TEST_F(JobQueues, WhatCannotBeKeptIsToldFromMemory) {
  bool fails = true;
  LocalQueue jobs(
      {}, store_, metrics_, {[] { return 0.0; }, [] { return std::int64_t{7}; }},
      [](const auto&, const auto&, const auto&) { return done(); },
      [&fails](std::int64_t bytes, const std::function<Failure()>& write) -> Result<bool> {
        EXPECT_GT(bytes, 0);
        if (fails) return false;
        const Failure failure = write();
        return failure ? Result<bool>(*failure) : Result<bool>(true);
      });
  ASSERT_FALSE(jobs.start());
  const StoredJob job = run(jobs, 1);
  EXPECT_EQ(job.state, JobState::Failed);
  EXPECT_NE(job.error.find("store_full"), std::string::npos) << job.error;
  fails = false;
  EXPECT_EQ(run(jobs, 1).state, JobState::Done);
}

// A disk on which nothing more can be written, not even the sentence that says so.
TEST_F(JobQueues, AnErrorOfTheStoreLosesNoJob) {
  const std::string path = ::testing::TempDir() + "queue_without_disk.db";
  std::filesystem::remove(path);
  std::filesystem::remove(path + "-journal");
  std::filesystem::remove(SqliteJobs::reserve_of(path));
  SqliteJobs store = *SqliteJobs::open(path);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  std::atomic<bool> full = true;
  LocalQueue jobs({}, store, metrics_, {[] { return 0.0; }, [] { return std::int64_t{7}; }},
                  [&](const auto&, const auto&, const auto&) {
                    if (full) {
                      const rlimit none{.rlim_cur = 1, .rlim_max = before.rlim_max};
                      EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
                    }
                    return done();
                  });
  ASSERT_FALSE(jobs.start());
  ASSERT_EQ(*jobs.submit(question(1), ""), JobQueue::Submitted::Accepted);
  const std::string id = question_id(question(1));
  const bool ended = jobs.wait_for_end(id, kLongS);
  const Result<std::optional<JobView>> view = jobs.view(id);
  full = false;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_TRUE(ended);
  ASSERT_TRUE(view.ok() && *view);
  EXPECT_EQ((*view)->job.state, JobState::Failed);
  EXPECT_FALSE((*view)->job.error.empty());
  EXPECT_EQ(run(jobs, 1).state, JobState::Done);
}

TEST_F(JobQueues, LateListenersSeeWhatHasBeen) {
  const auto jobs = queue([](const auto&, const ProgressLine& progress, const auto&) {
    for (int k = 0; k < 1000; ++k) progress(json_line({{"elapsed_s", k}}));
    progress("not JSON");
    return done();
  });
  const StoredJob job = run(*jobs, 1);
  const JobQueue::News news = *jobs->news_after(job.id, 0, kLongS);
  EXPECT_TRUE(news.ended);
  EXPECT_LE(news.events.size(), 402U);
  ASSERT_GE(news.events.size(), 200U);
  EXPECT_EQ(news.events.front().data, R"({"state": "queued", "at": "1970-01-01T00:00:07Z"})");
  EXPECT_EQ(news.events[news.events.size() - 2].data, R"({"elapsed_s": 999})");
  EXPECT_EQ(news.events.back().data, R"({"state": "done", "at": "1970-01-01T00:00:07Z"})");
  for (std::size_t k = 1; k < news.events.size(); ++k)
    EXPECT_LT(news.events[k - 1].number, news.events[k].number);
  const JobQueue::News rest = *jobs->news_after(job.id, news.events.back().number - 1, kLongS);
  EXPECT_EQ(rest.events.size(), 1U);
}

TEST(ServiceClocks, WriteDatesAsPeopleDo) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(951'826'154), "2000-02-29T12:09:14Z");
  EXPECT_EQ(utc_text(1'795'359'845), "2026-11-22T15:04:05Z");
}

}  // namespace
}  // namespace poet
