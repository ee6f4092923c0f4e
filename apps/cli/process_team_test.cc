#include "apps/cli/process_team.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <map>

namespace poet::cli {
namespace {

using News = SweepTeam::News;

News next(ProcessTeam& team) {
  News news;
  while (news.kind == News::Kind::Nothing) news = team.wait();
  return news;
}

TEST(ProcessTeam, EachAnswersItsOwnQuestion) {
  const auto team = ProcessTeam::start(3, [](const std::string& text) { return text + "!"; });
  ASSERT_TRUE(team.ok());
  for (int w = 0; w < 3; ++w) (*team)->give(w, "question " + std::to_string(w));
  std::map<int, std::string> answers;
  for (int k = 0; k < 3; ++k) {
    const News news = next(**team);
    EXPECT_EQ(news.kind, News::Kind::Answer);
    answers[news.worker] = news.text;
  }
  EXPECT_EQ(answers, (std::map<int, std::string>{
                         {0, "question 0!"}, {1, "question 1!"}, {2, "question 2!"}}));
}

TEST(ProcessTeam, LongTextsComeWhole) {
  const auto team = ProcessTeam::start(1, [](const std::string& text) { return text + text; });
  ASSERT_TRUE(team.ok());
  const std::string question(3'000'000, 'x');
  (*team)->give(0, question);
  EXPECT_EQ(next(**team).text, question + question);
}

TEST(ProcessTeam, AnotherTakesThePlaceOfOneThatDies) {
  const auto team = ProcessTeam::start(2, [](const std::string& text) { return text; });
  ASSERT_TRUE(team.ok());
  kill((*team)->process_of(0), SIGKILL);
  const News lost = next(**team);
  EXPECT_EQ(lost.kind, News::Kind::Lost);
  EXPECT_EQ(lost.worker, 0);
  for (int w = 0; w < 2; ++w) {
    (*team)->give(w, "still there");
    const News news = next(**team);
    EXPECT_EQ(news.worker, w);
    EXPECT_EQ(news.text, "still there");
  }
}

// A question that is too much for anybody: the worker is lost, whoever asks.
TEST(ProcessTeam, AQuestionThatKills) {
  const auto team = ProcessTeam::start(1, [](const std::string& text) {
    if (text == "die") kill(getpid(), SIGKILL);
    return text;
  });
  ASSERT_TRUE(team.ok());
  for (int k = 0; k < 3; ++k) {
    (*team)->give(0, "die");
    EXPECT_EQ(next(**team).kind, News::Kind::Lost);
  }
  (*team)->give(0, "live");
  EXPECT_EQ(next(**team).text, "live");
}

TEST(ProcessTeam, NothingIsNewsToo) {
  const auto team = ProcessTeam::start(1, [](const std::string& text) { return text; });
  ASSERT_TRUE(team.ok());
  EXPECT_EQ((*team)->wait().kind, News::Kind::Nothing);
}

}  // namespace
}  // namespace poet::cli
