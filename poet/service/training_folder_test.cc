#include "poet/service/training_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "poet/service/routes.h"
#include "poet/service/service.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

const std::string kBegin =
    progress_row(
        {.at_unix_s = 1'000, .model = "lenet5", .command = "poet train", .is_locked = true}) +
    "\n";

std::string step_row(std::int64_t step) {
  return progress_row(1.0, StepsNews{.last = {.step = step, .steps = 100'000}, .steps = 1}) + "\n";
}

const std::string kEnd = progress_row(9.0, RunEnd{}) + "\n";

class TrainingFolders : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("trainings_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "shown");
    options_.store_folder = (folder_ / "store").string();
    options_.worker_program = {"/bin/false"};
    options_.access.requests_per_s = 0;
    options_.trainings_folder = shown();
  }
  void TearDown() override {
    service_.reset();
    fs::remove_all(folder_);
  }

  std::string shown() const { return (folder_ / "shown").string(); }
  std::string path(const std::string& name) const { return shown() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  Service& service() {
    if (!service_) {
      Result<std::unique_ptr<Service>> made =
          Service::open(options_, {[] { return 0.0; }, [] { return std::int64_t{7}; }},
                        [](const std::string&) {});
      EXPECT_TRUE(made.ok());
      service_ = *std::move(made);
    }
    return *service_;
  }
  JsonOut list() {
    return json_of_text(service().answer({.path = "/v1/trainings"}).body)["trainings"];
  }
  HttpResponse events(const std::string& id, const std::string& last = "") {
    return service().answer(
        {.path = "/v1/trainings/" + id + "/events", .headers = {{"last-event-id", last}}});
  }
  // All that a stream says until it ends, or the client has heard enough.
  static std::string heard(const HttpResponse& response, std::size_t enough_bytes = 1 << 30) {
    std::string all;
    if (response.stream)
      response.stream([&all, enough_bytes](const std::string& piece) {
        all += piece;
        return all.size() < enough_bytes;
      });
    return all;
  }
  static std::int64_t count(const std::string& text, const std::string& what) {
    std::int64_t times = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++times;
    return times;
  }

  fs::path folder_;
  ServiceOptions options_;
  std::unique_ptr<Service> service_;
};

// The lock of a training that runs.
class Lock {
 public:
  explicit Lock(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    EXPECT_EQ(fcntl(file_, F_OFD_SETLK, &whole), 0);
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

TEST_F(TrainingFolders, SayHowEachTrainingStands) {
  write("runs.jsonl", kBegin + step_row(5));
  write("plans.jsonl", kBegin);
  write("died.jsonl", kBegin + step_row(5));
  write("ended.jsonl", kBegin + step_row(9) + kEnd);
  write("goes-on.jsonl", kBegin + step_row(9) + kEnd + kBegin + step_row(10));
  write("failed.jsonl", kBegin + progress_row(1, RunEnd{RunEndState::Failed, "no room"}) + "\n");
  const Lock runs(path("runs.jsonl"));
  const Lock plans(path("plans.jsonl"));
  const Lock goes_on(path("goes-on.jsonl"));
  std::map<std::string, std::string> states;
  for (const JsonOut& training : list()) states[training["name"].text()] = training["state"].text();
  EXPECT_EQ(states, (std::map<std::string, std::string>{{"runs.jsonl", "training"},
                                                        {"plans.jsonl", "planning"},
                                                        {"died.jsonl", "died"},
                                                        {"ended.jsonl", "ended"},
                                                        {"goes-on.jsonl", "training"},
                                                        {"failed.jsonl", "failed"}}));
}

TEST_F(TrainingFolders, ShowNothingElseThatLiesThere) {
  write("whole.jsonl", kBegin);
  write("other.json", kBegin);
  write("empty.jsonl", "");
  write("log.jsonl", "{\"step\": 1}\n");
  write("zeros.jsonl", std::string(10'000, '\0'));
  write("no-end.jsonl", kBegin.substr(0, kBegin.size() - 1));
  std::ofstream(folder_ / "outside.jsonl") << kBegin;
  fs::create_symlink(folder_ / "outside.jsonl", path("link.jsonl"));
  fs::create_symlink("whole.jsonl", path("inner-link.jsonl"));
  fs::create_directory(path("folder.jsonl"));
  ASSERT_EQ(mkfifo(path("pipe.jsonl").c_str(), 0600), 0);
  write("secret.jsonl", kBegin);
  ASSERT_EQ(chmod(path("secret.jsonl").c_str(), 0), 0);
  const JsonOut trainings = list();
  const bool is_root = geteuid() == 0;  // to whom nothing is a secret
  EXPECT_EQ(trainings.size(), is_root ? 2U : 1U) << trainings;
  for (const char* const name : {"link.jsonl", "inner-link.jsonl", "folder.jsonl", "pipe.jsonl",
                                 "log.jsonl", "../outside.jsonl"})
    EXPECT_EQ(events(training_id(name)).status, 404) << name;
  EXPECT_EQ(events("..%2Foutside.jsonl").status, 404);
}

TEST_F(TrainingFolders, NameThemWhateverTheirNamesAre) {
  const std::string name = "<img src=x onerror=alert(1)>\n\"\xff.jsonl";
  write(name, kBegin + kEnd);
  const HttpResponse response = service().answer({.path = "/v1/trainings"});
  EXPECT_EQ(response.body.find('\xff'), std::string::npos);
  const JsonOut trainings = list();
  ASSERT_EQ(trainings.size(), 1U);
  const std::string id = trainings[0]["id"].text();
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(count(heard(events(id)), "event: end\n"), 1);
}

TEST_F(TrainingFolders, TellWhatWasWrittenAndEnd) {
  write("a.jsonl", kBegin + step_row(1) + "{\"event\": \"saved\", \"step\": 1, \"x\": 3}\n" + kEnd);
  const std::string text = heard(events(training_id("a.jsonl")));
  EXPECT_EQ(count(text, "event: "), 7) << text;
  EXPECT_NE(text.find("event: saved\ndata: {\"at_s\": null, \"step\": 1, \"best\": null}\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("event: running\ndata: {\"running\": false}\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("event: done\ndata: {\"gone\": false}\n\n")) << text;
}

// A client that lost its connection hears what came since, and of a file that was replaced all.
TEST_F(TrainingFolders, GoOnWhereAClientHeardLast) {
  write("a.jsonl", kBegin + step_row(1));
  const std::string first = heard(events(training_id("a.jsonl")));
  const std::size_t at = first.rfind("id: ") + 4;
  const std::string last = first.substr(at, first.find('\n', at) - at);
  std::ofstream(path("a.jsonl"), std::ios::app) << step_row(2) << kEnd;
  const std::string then = heard(events(training_id("a.jsonl"), last));
  EXPECT_EQ(count(then, "event: step\n"), 1) << then;
  EXPECT_EQ(count(then, "event: restart\n"), 0);
  for (const std::string& wrong :
       {last.substr(0, 17) + "5", last + "1", std::string("0123456789abcdef-5"), std::string("x"),
        std::string("-1")}) {
    const std::string all = heard(events(training_id("a.jsonl"), wrong));
    EXPECT_EQ(count(all, "event: restart\n"), 1) << wrong;
    EXPECT_EQ(count(all, "event: step\n"), 2) << wrong;
  }
}

TEST_F(TrainingFolders, LeaveOutLinesThatAreNone) {
  write("a.jsonl", kBegin + std::string(300'000, '{') + "\n" + std::string("\0\0\n", 3) +
                       "{\"event\": \"script\", \"x\": \"</script>\"}\n" + step_row(1) +
                       "{\"event\": \"step\", \"step\": 2");
  const std::string text = heard(events(training_id("a.jsonl")));
  EXPECT_EQ(count(text, "event: step\n"), 1) << text;
  EXPECT_EQ(text.find("script"), std::string::npos);
}

TEST_F(TrainingFolders, TellLittleOfAHugeFile) {
  write("a.jsonl", kBegin);
  {
    std::ofstream file(path("a.jsonl"), std::ios::binary | std::ios::app);
    for (int step = 1; step <= 60'000; ++step) file << step_row(step);
    file << kEnd;
  }
  const std::string text = heard(events(training_id("a.jsonl")));
  EXPECT_GT(count(text, "event: step\n"), 1'000);
  EXPECT_LT(count(text, "event: step\n"), 8'000);
  EXPECT_NE(text.find("\"step\": 60000,"), std::string::npos) << "the last one is told";

  // Of terabytes of nothing only the end is looked at.
  write("sparse.jsonl", kBegin);
  fs::resize_file(path("sparse.jsonl"), std::uintmax_t{1} << 40);
  std::ofstream(path("sparse.jsonl"), std::ios::app) << "\n" << step_row(7) << kEnd;
  const std::string sparse = heard(events(training_id("sparse.jsonl")));
  EXPECT_EQ(count(sparse, "event: step\n"), 1);
  EXPECT_NE(sparse.find("\"cut\": true"), std::string::npos);
  EXPECT_EQ(list().size(), 2U);
}

TEST_F(TrainingFolders, TellOfAFileThatTookAnothersPlace) {
  write("a.jsonl", kBegin + step_row(1));
  const Lock runs(path("a.jsonl"));
  std::string all;
  events(training_id("a.jsonl")).stream([&](const std::string& piece) {
    all += piece;
    if (count(piece, "event: step\n") == 1 && count(all, "event: restart\n") == 1) {
      fs::remove(path("a.jsonl"));
      write("a.jsonl", kBegin + step_row(3) + step_row(4) + kEnd);
    }
    return true;
  });
  EXPECT_EQ(count(all, "event: restart\n"), 2) << all;
  EXPECT_EQ(count(all, "event: step\n"), 3);
  EXPECT_TRUE(all.ends_with("event: done\ndata: {\"gone\": false}\n\n"));
}

TEST_F(TrainingFolders, AreNotShownUnlessAskedFor) {
  options_.trainings_folder.clear();
  const JsonOut answer = json_of_text(service().answer({.path = "/v1/trainings"}).body);
  EXPECT_EQ(answer, (JsonOut{{"shown", false}, {"trainings", JsonOut::array()}}));
  EXPECT_EQ(events(training_id("a.jsonl")).status, 404);
}

TEST_F(TrainingFolders, AreForWhoeverHasAToken) {
  options_.access.tokens = TokenOwners{};
  EXPECT_EQ(service().answer({.path = "/v1/trainings"}).status, 401);
  EXPECT_EQ(events(training_id("a.jsonl")).status, 401);
}

}  // namespace
}  // namespace poet
