#include "poet/service/job_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace poet {
namespace {

JobTable table_with(int jobs, std::int64_t most_queued = 100, std::int64_t each = 100) {
  return JobTable({.jobs = jobs, .most_queued = most_queued, .most_queued_each = each});
}

TEST(JobTables, SharesTakeTurnsHoweverMuchOneAsksFor) {
  JobTable table = table_with(1);
  for (const char* const id : {"a1", "a2", "a3"}) table.ask(id, "ada", Lane::Plans);
  table.ask("b1", "bob", Lane::Plans);
  table.ask("b2", "bob", Lane::Plans);
  EXPECT_EQ(table.why_it_waits("b1")->ahead, 1);
  std::vector<std::string> order;
  while (const auto id = table.begin(Lane::Plans)) {
    order.push_back(*id);
    EXPECT_FALSE(table.begin(Lane::Plans));
    table.end(*id);
    table.saved(*id);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"a1", "b1", "a2", "b2", "a3"}));
}

TEST(JobTables, WhoComesBackIsBehindThoseWhoWait) {
  JobTable table = table_with(1);
  table.ask("b1", "bob", Lane::Plans);
  table.ask("b2", "bob", Lane::Plans);
  table.ask("a1", "ada", Lane::Plans);
  EXPECT_EQ(table.begin(Lane::Plans), "b1");
  table.end("b1");
  table.saved("b1");
  table.ask("c1", "cy", Lane::Plans);
  EXPECT_EQ(table.begin(Lane::Plans), "a1");
}

TEST(JobTables, OneShareDoesNotFillTheQueue) {
  JobTable table = table_with(1, 3, 2);
  EXPECT_EQ(table.ask("a1", "ada", Lane::Plans), JobTable::Asked::New);
  EXPECT_EQ(table.ask("a2", "ada", Lane::Plans), JobTable::Asked::New);
  EXPECT_EQ(table.ask("a3", "ada", Lane::Plans), JobTable::Asked::ShareIsFull);
  EXPECT_EQ(table.ask("b1", "bob", Lane::Plans), JobTable::Asked::New);
  EXPECT_EQ(table.ask("b2", "bob", Lane::Plans), JobTable::Asked::Full);
  EXPECT_EQ(table.ask("a1", "bob", Lane::Plans), JobTable::Asked::Joined);
}

TEST(JobTables, AComparisonTakesNoPlaceOfAPlan) {
  JobTable table = table_with(1);
  table.ask("curve", "ada", Lane::Curves);
  table.ask("plan", "ada", Lane::Plans);
  EXPECT_EQ(table.begin(Lane::Curves), "curve");
  EXPECT_EQ(table.why_it_waits("plan")->kind, WaitReason::Kind::Moment);
  EXPECT_EQ(table.begin(Lane::Plans), "plan");
}

TEST(JobTables, SaysWhyAJobWaits) {
  JobTable table = table_with(1);
  for (const char* const id : {"1", "2", "3"}) table.ask(id, "", Lane::Plans);
  EXPECT_EQ(wait_text(*table.why_it_waits("1")), "it begins in a moment");
  EXPECT_EQ(wait_text(*table.why_it_waits("2")), "1 job comes before it");
  EXPECT_EQ(wait_text(*table.why_it_waits("3")), "2 jobs come before it");
  EXPECT_EQ(table.begin(Lane::Plans), "1");
  EXPECT_FALSE(table.why_it_waits("1"));
  EXPECT_EQ(wait_text(*table.why_it_waits("2")), "it is the next: the place for plans is taken");
  table.withdraw("1", std::nullopt);
  EXPECT_FALSE(table.why_it_waits("1"));
  table.ask("1", "", Lane::Plans);
  EXPECT_EQ(wait_text(*table.why_it_waits("1")),
            "it was cancelled and is ending; then it begins again");
}

TEST(JobTables, WhoAsksWhileItWindsDownGetsItBegunAgain) {
  JobTable table = table_with(1);
  table.ask("1", "ada", Lane::Plans);
  table.begin(Lane::Plans);
  EXPECT_EQ(table.withdraw("1", "ada"), JobTable::Withdrawn::Finishing);
  EXPECT_EQ(table.ask("1", "ada", Lane::Plans), JobTable::Asked::Joined);
  EXPECT_EQ(table.end("1"), LiveEnd::Withdrawn);
  EXPECT_EQ(table.saved("1"), JobTable::Next::BeginAgain);
  EXPECT_EQ(table.state_of("1"), LiveState::Waiting);
  // And while its end is being stored.
  table.begin(Lane::Plans);
  table.withdraw("1", "ada");
  EXPECT_EQ(table.end("1"), LiveEnd::Withdrawn);
  table.ask("1", "bob", Lane::Plans);
  EXPECT_EQ(table.saved("1"), JobTable::Next::BeginAgain);
  EXPECT_EQ(table.state_of("1"), LiveState::Waiting);
}

TEST(JobTables, AJobThatOthersWantGoesOn) {
  JobTable table = table_with(1);
  table.ask("1", "ada", Lane::Plans);
  table.ask("1", "bob", Lane::Plans);
  table.begin(Lane::Plans);
  EXPECT_EQ(table.withdraw("1", "ada"), JobTable::Withdrawn::Nothing);
  EXPECT_EQ(table.state_of("1"), LiveState::Running);
  EXPECT_EQ(table.withdraw("1", "bob"), JobTable::Withdrawn::Finishing);
}

// The same rules said another way: each share has a line, a wheel of shares says whose turn it is,
// and a job is a few facts. Slow, and without a word of how the table does it.
class TableModel {
 public:
  TableModel(int plans, int curves, std::size_t most, std::size_t each)
      : places_{plans, curves}, most_(most), each_(each) {}

  struct Facts {
    Lane lane = Lane::Plans;
    bool begun = false;
    bool told_to_end = false;  // since it was begun
    bool over = false;         // its worker has ended
    std::set<std::string> wanted_by = {};
  };
  std::map<std::string, Facts> jobs;
  std::vector<std::string> line;   // of those that wait, in the order in which they came to
  std::vector<std::string> wheel;  // of shares with jobs; the first is served next

  JobTable::Asked ask(const std::string& id, const std::string& share, Lane lane) {
    if (!jobs.contains(id)) {
      if (line.size() >= most_) return JobTable::Asked::Full;
      const auto mine = std::count_if(line.begin(), line.end(), [&](const std::string& other) {
        return jobs.at(other).wanted_by.contains(share);
      });
      if (static_cast<std::size_t>(mine) >= each_) return JobTable::Asked::ShareIsFull;
      jobs[id] = {.lane = lane, .wanted_by = {share}};
      line.push_back(id);
      come(share);
      return JobTable::Asked::New;
    }
    jobs.at(id).wanted_by.insert(share);
    come(share);
    return JobTable::Asked::Joined;
  }

  std::optional<std::string> begin(Lane lane) {
    const auto busy = std::count_if(jobs.begin(), jobs.end(), [lane](const auto& entry) {
      return entry.second.lane == lane && entry.second.begun && !entry.second.over;
    });
    if (busy >= places_[lane == Lane::Plans ? 0 : 1]) return std::nullopt;
    for (const std::string& share : wheel)
      for (const std::string& id : line)
        if (jobs.at(id).lane == lane && jobs.at(id).wanted_by.contains(share)) {
          const std::string begun = id;
          std::erase(line, begun);
          jobs.at(begun).begun = true;
          const std::string served = share;
          std::erase(wheel, served);
          wheel.push_back(served);
          return begun;
        }
    return std::nullopt;
  }

  JobTable::Withdrawn withdraw(const std::string& id, const std::optional<std::string>& share) {
    if (!jobs.contains(id)) return JobTable::Withdrawn::Nothing;
    Facts& job = jobs.at(id);
    if (share)
      job.wanted_by.erase(*share);
    else
      job.wanted_by.clear();
    JobTable::Withdrawn what = JobTable::Withdrawn::Nothing;
    if (job.wanted_by.empty() && !job.over && !job.told_to_end) {
      what = job.begun ? JobTable::Withdrawn::Finishing : JobTable::Withdrawn::Saving;
      job.told_to_end = true;
      job.over = !job.begun;
      std::erase(line, id);
    }
    leave();
    return what;
  }

  LiveEnd end(const std::string& id) {
    Facts& job = jobs.at(id);
    job.over = true;
    return job.told_to_end ? LiveEnd::Withdrawn : LiveEnd::Answered;
  }
  bool saved(const std::string& id) {  // begun again?
    const Facts& job = jobs.at(id);
    if (job.told_to_end && !job.wanted_by.empty()) return again(id);
    jobs.erase(id);
    leave();
    return false;
  }
  bool again(const std::string& id) {
    Facts& job = jobs.at(id);
    job.begun = job.told_to_end = job.over = false;
    line.push_back(id);
    return true;
  }

  std::vector<std::string> where(bool begun, bool over) const {
    std::vector<std::string> ids;
    for (const auto& [id, job] : jobs)
      if (job.begun == begun && job.over == over) ids.push_back(id);
    return ids;
  }

  LiveState state_of(const std::string& id) const {
    const Facts& job = jobs.at(id);
    if (job.over) return LiveState::Saving;
    if (!job.begun) return LiveState::Waiting;
    return job.told_to_end ? LiveState::Finishing : LiveState::Running;
  }

 private:
  void come(const std::string& share) {
    if (std::find(wheel.begin(), wheel.end(), share) == wheel.end()) wheel.push_back(share);
  }
  void leave() {
    std::erase_if(wheel, [this](const std::string& share) {
      return std::none_of(jobs.begin(), jobs.end(), [&share](const auto& entry) {
        return entry.second.wanted_by.contains(share);
      });
    });
  }

  int places_[2];
  std::size_t most_;
  std::size_t each_;
};

// How many jobs begin before one, by letting places come free on a copy.
std::int64_t ahead_by_trying(TableModel model, const std::string& id) {
  const Lane lane = model.jobs.at(id).lane;
  for (std::int64_t ahead = 0;; ++ahead) {
    for (const std::string& other : model.where(true, false)) model.jobs.at(other).over = true;
    if (model.begin(lane) == id) return ahead;
  }
}

// Trying is slow, so each time it is done for some of the jobs.
void same(const JobTable& table, const TableModel& model, int event) {
  ASSERT_EQ(table.ids().size(), model.jobs.size());
  for (const auto& [id, job] : model.jobs) {
    ASSERT_EQ(table.state_of(id), model.state_of(id)) << id;
    const bool waits = !job.begun && !job.over;
    const bool begins_again = job.told_to_end && !job.wanted_by.empty();
    ASSERT_EQ(table.waits(id), waits || begins_again) << id;
    if (waits && event++ % 16 == 0) {
      ASSERT_EQ(table.why_it_waits(id)->ahead, ahead_by_trying(model, id)) << id;
    }
  }
  ASSERT_EQ(table.waiting(), std::ssize(model.line));
}

template <typename T>
const T& one_of(const std::vector<T>& from, std::mt19937& random) {
  return from[random() % from.size()];
}

void random_events(unsigned seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const int plans = 1 + static_cast<int>(random() % 3);
  const auto most = static_cast<std::int64_t>(1 + random() % 12);
  const auto each = static_cast<std::int64_t>(1 + random() % 6);
  JobTable table({.jobs = plans, .curves = 1, .most_queued = most, .most_queued_each = each});
  TableModel model(plans, 1, static_cast<std::size_t>(most), static_cast<std::size_t>(each));
  const std::vector<std::string> shares = {"ada", "bob", "cy", ""};
  for (int event = 0; event < 120; ++event) {
    const std::string id = "job" + std::to_string(random() % 14);
    const Lane lane = id.back() == '3' ? Lane::Curves : Lane::Plans;
    const std::vector<std::string> running = model.where(true, false);
    std::vector<std::string> saving = model.where(true, true);
    for (const std::string& other : model.where(false, true)) saving.push_back(other);
    switch (random() % 8) {
      case 0:
      case 1:
      case 2: {
        const std::string& share = one_of(shares, random);
        ASSERT_EQ(table.ask(id, share, lane), model.ask(id, share, lane));
        break;
      }
      case 3: {
        std::optional<std::string> share;
        if (random() % 4 != 0) share = one_of(shares, random);
        ASSERT_EQ(table.withdraw(id, share), model.withdraw(id, share));
        break;
      }
      case 4:
      case 5: {
        const Lane which = random() % 4 == 0 ? Lane::Curves : Lane::Plans;
        ASSERT_EQ(table.begin(which), model.begin(which));
        break;
      }
      case 6:
        if (!running.empty()) {
          const std::string& ended = one_of(running, random);
          const bool wanted = model.state_of(ended) == LiveState::Running;
          if (wanted && random() % 4 == 0) {
            table.retry(ended);
            model.again(ended);
          } else {
            ASSERT_EQ(table.end(ended), model.end(ended));
          }
        }
        break;
      default:
        if (!saving.empty()) {
          const std::string& kept = one_of(saving, random);
          ASSERT_EQ(table.saved(kept) == JobTable::Next::BeginAgain, model.saved(kept));
        }
    }
    same(table, model, event);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(JobTables, AgreeWithTheModelAfterAnyEvents) {
  for (unsigned seed = 0; seed < 400 && !HasFatalFailure(); ++seed) random_events(seed);
}

// Whoever asks and does not withdraw gets an answer, whatever the others do.
TEST(JobTables, AnswerWhoeverDoesNotWithdraw) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    JobTable table = table_with(1);
    std::set<std::pair<std::string, std::string>> owed;
    for (int event = 0; event < 60; ++event) {
      const std::string id = std::to_string(random() % 5);
      const std::string share = random() % 2 == 0 ? "ada" : "bob";
      if (random() % 2 == 0) {
        table.ask(id, share, Lane::Plans);
        owed.insert({id, share});
      } else if (random() % 2 == 0) {
        table.withdraw(id, share);
        owed.erase({id, share});
      } else {
        table.begin(Lane::Plans);
      }
    }
    for (int step = 0; !owed.empty() || !table.ids().empty(); ++step) {
      ASSERT_LT(step, 1000) << "seed " << seed << ": nobody answers " << owed.begin()->first;
      table.begin(Lane::Plans);
      for (const std::string& id : table.ids()) {
        const auto state = table.state_of(id);
        if (state == LiveState::Running || state == LiveState::Finishing) {
          if (table.end(id) == LiveEnd::Answered)
            std::erase_if(owed, [&id](const auto& one) { return one.first == id; });
        } else if (state == LiveState::Saving) {
          table.saved(id);
        }
      }
    }
  }
}

}  // namespace
}  // namespace poet
