#include "poet/service/service.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "poet/base/json_out.h"
#include "poet/base/sha256.h"
#include "poet/service/routes.h"
#include "poet/store/sqlite_jobs.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

// A service whose workers cannot do anything.
class Services : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) /
        ("service_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "page/assets");
    std::ofstream(folder_ / "page/index.html") << "<p>hello</p>";
    std::ofstream(folder_ / "page/assets/a.js") << "1;";
    std::ofstream(folder_ / "secret.txt") << "secret";
    fs::create_symlink(folder_ / "secret.txt", folder_ / "page/link.txt");
    options_.store_folder = (folder_ / "store").string();
    options_.page_folder = (folder_ / "page").string();
    options_.worker_program = {"/bin/false"};
    options_.access.requests_per_s = 0;
  }
  void TearDown() override {
    service_.reset();
    fs::remove_all(folder_);
  }

  Service& service() {
    if (!service_) {
      Result<std::unique_ptr<Service>> made =
          Service::open(options_, {[this] { return now_s_; }, [] { return std::int64_t{7}; }},
                        [](const std::string&) {});
      EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
      service_ = *std::move(made);
    }
    return *service_;
  }

  // Its file, into which a test writes what a queue would.
  SqliteJobs& jobs() { return dynamic_cast<SqliteJobs&>(service().store()); }
  HttpResponse get(const std::string& path) { return service().answer({.path = path}); }
  HttpResponse post(const std::string& path, const std::string& body,
                    const std::string& type = "application/json") {
    return service().answer(
        {.method = "POST",
         .path = path,
         .headers = {{"content-type", type}, {"content-length", std::to_string(body.size())}},
         .body = body});
  }
  static JsonOut json(const HttpResponse& response) { return json_of_text(response.body); }
  static std::string header(const HttpResponse& response, const std::string& name) {
    for (const auto& [key, value] : response.headers)
      if (key == name) return value;
    return {};
  }
  // "405 method_not_allowed", for an answer of the one shape.
  static std::string refusal(const HttpResponse& response) {
    const JsonOut body = json(response);
    if (!body.contains("error") || body["error"].size() != 3) return "no error: " + response.body;
    return std::to_string(response.status) + " " + body["error"]["code"].get<std::string>();
  }

  fs::path folder_;
  ServiceOptions options_;
  double now_s_ = 0;
  std::unique_ptr<Service> service_;
};

// What the page shows of a device, and by what it tells whether a board can hold a plan.
TEST_F(Services, SayWhatADeviceIsAndHasForTensors) {
  const JsonOut devices = json(get("/v1/devices"))["devices"];
  ASSERT_TRUE(devices.is_array());
  for (const JsonOut& device : devices) {
    EXPECT_FALSE(device["title"].get<std::string>().empty());
    for (const JsonOut& figure : device["figures"])
      for (const char* const part : {"key", "text", "source"})
        EXPECT_FALSE(figure[part].get<std::string>().empty()) << device["name"];
    EXPECT_EQ(
        device["ram_bytes"].get<std::int64_t>() - device["project_ram_bytes"].get<std::int64_t>(),
        9 << 10)
        << device["name"];
    ASSERT_TRUE(device["memories"].is_array());
    if (device["name"] == "esp32s3") {
      ASSERT_EQ(device["memories"].size(), 1);
      EXPECT_EQ(device["memories"][0]["name"], "psram");
      EXPECT_EQ(device["memories"][0]["size_bytes"], 8 << 20);
    }
  }
}

TEST_F(Services, RefuseInOneShape) {
  EXPECT_EQ(refusal(get("/v1/nothing")), "404 not_found");
  EXPECT_EQ(refusal(get("/v1/plans/" + std::string(64, 'a'))), "404 not_found");
  EXPECT_EQ(refusal(get("/v1/plans/../../x")), "404 not_found");
  EXPECT_EQ(refusal(get("/v1/models/nobody")), "404 not_found");
  EXPECT_EQ(refusal(get("/" + std::string(600, 'a'))), "414 too_large");
  const HttpResponse wrong = post("/v1/devices", "{}");
  EXPECT_EQ(refusal(wrong), "405 method_not_allowed");
  EXPECT_EQ(header(wrong, "Allow"), "GET");
  EXPECT_EQ(refusal(service().answer({.method = "PUT", .path = "/"})), "405 method_not_allowed");
  EXPECT_EQ(refusal(post("/v1/plans", "{}", "text/plain")), "415 unsupported_media_type");
  EXPECT_EQ(refusal(post("/v1/plans", "{")), "400 bad_request");
  EXPECT_EQ(refusal(post("/v1/plans", std::string(300'000, ' '))), "413 too_large");
  EXPECT_EQ(refusal(post("/v1/models", "")), "400 bad_request");
  EXPECT_EQ(refusal(service().answer({.path = "/v1/plans", .query = {{"limit", "0"}}})),
            "400 bad_request");
  EXPECT_EQ(refusal(service().answer({.path = "/v1/plans", .query = {{"page", "2"}}})),
            "400 bad_request");
  EXPECT_EQ(refusal(service().answer({.path = "/solve", .query = {{"model", "linear"}}})),
            "400 bad_request");
}

TEST_F(Services, SayThatADiskIsFull) {
  for (const char* const why :
       {"No space left on device", "Disk quota exceeded", "File too large"}) {
    const Error error{ErrorCode::Io, std::string("cannot write 'x': ") + why, {}};
    EXPECT_EQ(refusal(internal_error(error)), "507 store_full") << why;
    EXPECT_EQ(service_error(error).code, "store_full") << why;
  }
  EXPECT_EQ(refusal(internal_error({ErrorCode::Io, "cannot write 'x': Permission denied", {}})),
            "500 internal");
}

TEST_F(Services, SayThatADatabaseIsAway) {
  for (const char* const what :
       {"cannot reach the database: x", "cannot use the database 't': x"}) {
    const HttpResponse response = internal_error({ErrorCode::Io, what, {}});
    EXPECT_EQ(refusal(response), "503 unavailable") << what;
    EXPECT_EQ(header(response, "Retry-After"), "5");
    EXPECT_EQ(response.body.find('x'), std::string::npos);
    EXPECT_EQ(refusal(internal_error({ErrorCode::Unsupported, what, {}})), "500 internal");
  }
}

TEST_F(Services, ABodyIsJudgedByItsHead) {
  HttpRequest request{
      .method = "POST", .path = "/v1/models", .headers = {{"content-length", "99999999999"}}};
  EXPECT_EQ(refusal(*service().refuse_early(request)), "413 too_large");
  request.headers = {{"content-length", "1e9"}};
  EXPECT_EQ(refusal(*service().refuse_early(request)), "400 bad_request");
  request.headers = {{"transfer-encoding", "chunked"}};
  EXPECT_EQ(service().refuse_early(request)->status, 411);
  request.headers = {{"content-length", "5"}, {"content-encoding", "gzip"}};
  EXPECT_EQ(refusal(*service().refuse_early(request)), "415 unsupported_media_type");
  request.headers = {{"content-length", "5"}};
  EXPECT_FALSE(service().refuse_early(request));
}

TEST_F(Services, AJobGoesFromTheRequestToTheStore) {
  const std::string body = R"({"model": "linear", "platform": "m4", "ram_budget": 5000})";
  const HttpResponse accepted = post("/v1/plans", body);
  EXPECT_EQ(accepted.status, 202);
  const std::string id = json(accepted)["id"].text();
  EXPECT_EQ(header(accepted, "Location"), "/v1/plans/" + id);
  ASSERT_TRUE(service().queue().wait_for_end(id, 60));
  const JsonOut job = json(get("/v1/plans/" + id));
  EXPECT_EQ(job["state"], "failed");  // as this worker does
  EXPECT_EQ(job["error"]["code"], "internal");
  EXPECT_EQ(job["request"]["ram_budget"], 5000);
  EXPECT_EQ(refusal(get("/v1/plans/" + id + "/plan")), "404 no_schedule");
  EXPECT_EQ(json(get("/v1/plans"))["plans"].size(), 1U);
}

TEST_F(Services, AnEndedJobHasItsFiles) {
  const std::string id(64, 'b');
  StoredJob job{.id = id, .kind = "plan", .request = "{\"fields\": {\"graph\": \"real\"}}"};
  ASSERT_FALSE(jobs().put(job));
  job.state = JobState::Done;
  job.result = "{\"status\": \"optimal\"}";
  job.summary = "{\"energy_j\": 1.0}";
  ASSERT_FALSE(jobs().finish(job, {{"plan", "{}"}, {"report", "<html>"}}));
  EXPECT_EQ(json(get("/v1/plans/" + id))["files"],
            JsonOut({"plan", "report", "step", "explain", "project"}));
  const HttpResponse plan = get("/v1/plans/" + id + "/plan");
  EXPECT_EQ(plan.body, "{}");
  EXPECT_EQ(header(plan, "Content-Disposition"), "attachment; filename=\"plan-bbbbbbbbbbbb.json\"");
  const HttpResponse report = get("/v1/plans/" + id + "/report");
  EXPECT_EQ(report.content_type, "text/html; charset=utf-8");
  EXPECT_NE(header(report, "Content-Security-Policy").find("sandbox"), std::string::npos);
  const HttpResponse events = get("/v1/plans/" + id + "/events");
  std::string text;
  events.stream([&text](const std::string& piece) {
    text += piece;
    return true;
  });
  EXPECT_NE(text.find("event: done\ndata: {\"id\": \"bbbb"), std::string::npos);
}

TEST_F(Services, PageFilesAreThoseOfThePageOnly) {
  EXPECT_EQ(get("/").body, "<p>hello</p>");
  EXPECT_EQ(get("/assets/a.js").content_type, "text/javascript; charset=utf-8");
  for (const char* const path :
       {"/../secret.txt", "/link.txt", "/assets/../../secret.txt", "//etc/passwd", "/assets",
        "/.hidden.txt", "/assets/%2e%2e/x.js", "/index.html/"}) {
    const HttpResponse response = get(path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.body.find("secret.txt"), std::string::npos);
  }
}

TEST_F(Services, WithoutAPageItSaysSo) {
  options_.page_folder.clear();
  EXPECT_NE(get("/").body.find("scripts/build-page"), std::string::npos);
  EXPECT_EQ(get("/assets/a.js").status, 404);
}

TEST_F(Services, TokensAreNeededWhereThereAreSome) {
  options_.access.tokens = {{sha256_of("poet_1"), "ada"}};
  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/").status, 200);
  const HttpResponse refused = get("/v1/devices");
  EXPECT_EQ(refusal(refused), "401 unauthorised");
  EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer");
  HttpRequest request{.path = "/v1/devices", .headers = {{"authorization", "Bearer poet_2"}}};
  EXPECT_EQ(service().answer(request).status, 401);
  EXPECT_NE(service().answer(request).body.find("this token is not known"), std::string::npos);
  request.headers = {{"authorization", "Basic YWRhOg=="}};
  EXPECT_NE(service().answer(request).body.find("a token is needed"), std::string::npos);
  request.headers = {{"authorization", "Bearer poet_1"}};
  EXPECT_EQ(service().answer(request).status, 200);
  // Revoked while it serves; without any token nobody is let in.
  service().set_tokens({{sha256_of("poet_2"), "bob"}});
  EXPECT_EQ(service().answer(request).status, 401);
  service().set_tokens({});
  EXPECT_EQ(service().answer(request).status, 401);
}

// Who uploads what another has uploaded before does not learn of it.
TEST_F(Services, EachUploadsUnderTheirOwnName) {
  options_.access.tokens = {{sha256_of("a"), "ada"}, {sha256_of("b"), "bob"}};
  const std::string bytes = "a model";
  const std::string id = ModelShelf::id_of(bytes);
  const Caller ada{.owner = "ada"};
  ASSERT_FALSE(service().shelf().keep(id, *service().shelf().put_aside(bytes),
                                      {{"id", id}, {"name", "secret"}, {"kind", "onnx"}}));
  ASSERT_TRUE(*service().shelf().own(id, ada, "secret"));
  const auto upload_of = [&](const std::string& token, const std::string& name) {
    return service().answer({.method = "POST",
                             .path = "/v1/models",
                             .query = {{"name", name}},
                             .headers = {{"authorization", "Bearer " + token},
                                         {"content-type", "application/octet-stream"},
                                         {"content-length", std::to_string(bytes.size())}},
                             .body = bytes});
  };
  const HttpResponse first = upload_of("b", "mine");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(json(first), (JsonOut{{"id", id}, {"name", "mine"}, {"kind", "onnx"}}));
  EXPECT_EQ(upload_of("b", "again").status, 200);
  EXPECT_EQ(json(upload_of("b", "again"))["name"], "mine");
  EXPECT_EQ(json(upload_of("a", "again"))["name"], "secret");
  for (const auto& [owner, name] : {std::pair("ada", "secret"), std::pair("bob", "mine")}) {
    const Caller caller{.owner = owner};
    EXPECT_EQ(*service().shelf().name_of_model(id, caller), name);
    const std::vector<JsonOut> models = *service().shelf().list(caller);
    ASSERT_EQ(models.size(), 1U);
    EXPECT_EQ(models[0]["name"], name);
    EXPECT_FALSE(models[0].contains("names"));
  }
}

TEST_F(Services, EachSeesAndCancelsTheirOwnJobs) {
  options_.access.tokens = {{sha256_of("poet_1"), "ada"}, {sha256_of("poet_2"), "bob"}};
  const auto as = [this](const std::string& token, const std::string& method,
                         const std::string& path, const std::string& body = {}) {
    return service().answer({.method = method,
                             .path = path,
                             .headers = {{"authorization", "Bearer " + token},
                                         {"content-type", "application/json"},
                                         {"content-length", std::to_string(body.size())}},
                             .body = body});
  };
  const std::string body = R"({"model": "linear", "platform": "m4", "ram_budget": 5000})";
  const std::string id = json(as("poet_1", "POST", "/v1/plans", body))["id"].text();
  for (const char* const rest : {"", "/events", "/plan", "/report", "/step", "/explain"})
    EXPECT_EQ(refusal(as("poet_2", "GET", "/v1/plans/" + id + rest)), "404 not_found") << rest;
  EXPECT_EQ(refusal(as("poet_2", "DELETE", "/v1/plans/" + id)), "404 not_found");
  EXPECT_EQ(json(as("poet_2", "GET", "/v1/plans"))["plans"].size(), 0U);
  EXPECT_EQ(json(as("poet_1", "GET", "/v1/plans"))["plans"].size(), 1U);
  EXPECT_EQ(as("poet_1", "GET", "/v1/plans/" + id).status, 200);
  // Who asks the same has it as well.
  EXPECT_EQ(as("poet_2", "POST", "/v1/plans", body).status, 202);
  EXPECT_EQ(as("poet_2", "GET", "/v1/plans/" + id).status, 200);
}

// A job that was cancelled and is begun again may have another plan, which wants its own words.
TEST_F(Services, AnExplanationIsOfThePlanThatIsThereNow) {
  const HttpResponse accepted =
      post("/v1/plans", R"({"model": "linear", "platform": "m4", "ram_budget": 5000})");
  const std::string id = json(accepted)["id"].text();
  ASSERT_TRUE(service().queue().wait_for_end(id, 60));
  StoredJob job = **service().store().find(id);
  const auto explained_plan = [&](JobState state, const std::string& plan) {
    job.state = state;
    job.result = "{}";
    EXPECT_FALSE(jobs().finish(job, {{"plan", plan}}));
    const HttpResponse later = get("/v1/plans/" + id + "/explain");
    EXPECT_EQ(later.status, 202) << later.body;
    const std::string made = json(later)["id"].text();
    EXPECT_TRUE(service().queue().wait_for_end(made, 60));
    return made;
  };
  const std::string first = explained_plan(JobState::Cancelled, "{\"a\": 1}");
  EXPECT_NE(explained_plan(JobState::Done, "{\"a\": 2}"), first);
}

TEST_F(Services, StreamsAreCountedBeforeTheNextOneLooks) {
  options_.most_waiting = 1;
  const std::string id(64, 'b');
  ASSERT_FALSE(jobs().put({.id = id, .kind = "plan", .request = "{}"}));
  {
    const HttpResponse first = get("/v1/plans/" + id + "/events");
    EXPECT_EQ(first.status, 200);
    // It has not begun to write yet.
    EXPECT_EQ(refusal(get("/v1/plans/" + id + "/events")), "503 unavailable");
  }
  EXPECT_EQ(get("/v1/plans/" + id + "/events").status, 200);
}

TEST_F(Services, AFullStoreForgetsWhatWasNotUsedAndAnswersWhatItHas) {
  options_.most_store_bytes = 550'000;
  const auto keep = [this](char letter, std::size_t bytes) {
    const std::string id(64, letter);
    StoredJob job{.id = id, .kind = "plan", .request = "{\"fields\": {}}"};
    EXPECT_FALSE(jobs().put(job));
    job.state = JobState::Done;
    job.result = "{}";
    const Result<bool> kept = service().budget().write(static_cast<std::int64_t>(bytes), [&] {
      return jobs().finish(job, {{"plan", std::string(bytes, 'x')}});
    });
    EXPECT_TRUE(kept.ok());
    return kept.ok() && *kept;
  };
  EXPECT_TRUE(keep('a', 150'000));
  EXPECT_TRUE(keep('b', 150'000));
  now_s_ = 1;
  EXPECT_EQ(get("/v1/plans/" + std::string(64, 'a')).status, 200);  // used again
  EXPECT_TRUE(keep('c', 250'000));
  EXPECT_LE(*service().budget().used_bytes(), options_.most_store_bytes);
  EXPECT_EQ(get("/v1/plans/" + std::string(64, 'a')).status, 200);
  EXPECT_EQ(get("/v1/plans/" + std::string(64, 'b')).status, 404);
  EXPECT_EQ(get("/v1/plans/" + std::string(64, 'c')).status, 200);
  EXPECT_FALSE(keep('d', 700'000));
  // What lies there besides counts, and cannot be forgotten.
  { std::ofstream(folder_ / "store/models/other") << std::string(600'000, 'x'); }
  EXPECT_EQ(refusal(post("/v1/plans", R"({"model": "linear", "platform": "m4"})")),
            "507 store_full");
  EXPECT_EQ(get("/v1/plans/" + std::string(64, 'a')).status, 200);
  EXPECT_EQ(get("/v1/plans/" + std::string(64, 'c')).status, 200);
}

TEST_F(Services, AnUploadLargerThanTheStoreIsRefused) {
  options_.most_store_bytes = 200'000;
  const HttpResponse refused =
      post("/v1/models", std::string(300'000, 'x'), "application/octet-stream");
  EXPECT_EQ(refusal(refused), "507 store_full");
  EXPECT_NE(refused.body.find("larger than all that the store of this service may hold"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder_ / "store/models"));
}

TEST_F(Services, WhatHasEndedCanBeForgotten) {
  const std::string id(64, 'b');
  StoredJob job{.id = id, .kind = "plan", .request = "{\"fields\": {}}"};
  ASSERT_FALSE(jobs().put(job));
  job.state = JobState::Done;
  job.result = "{}";
  ASSERT_FALSE(jobs().finish(job, {{"plan", "{}"}}));
  const HttpRequest forget{
      .method = "DELETE", .path = "/v1/plans/" + id, .query = {{"forget", "true"}}};
  EXPECT_EQ(service().answer({.method = "DELETE", .path = "/v1/plans/" + id}).status, 200);
  EXPECT_EQ(service().answer(forget).status, 204);
  EXPECT_EQ(service().answer(forget).status, 404);
  EXPECT_FALSE(service().store().file(id, "plan")->has_value());

  const std::string model = ModelShelf::id_of("bytes");
  const Result<std::string> aside = service().shelf().put_aside("bytes");
  ASSERT_TRUE(aside.ok());
  ASSERT_FALSE(service().shelf().keep(model, *aside, {{"id", model}}));
  EXPECT_EQ(json(get("/v1/models"))["models"].back()["id"], model);
  const fs::path file = folder_ / "store/models" / (model.substr(model.find(':') + 1) + ".onnx");
  EXPECT_TRUE(fs::exists(file));
  EXPECT_EQ(service().answer({.method = "DELETE", .path = "/v1/models/" + model}).status, 204);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(refusal(service().answer({.method = "DELETE", .path = "/v1/models/" + model})),
            "404 not_found");
  EXPECT_EQ(refusal(service().answer({.method = "DELETE", .path = "/v1/models/linear"})),
            "403 forbidden");
}

TEST_F(Services, AStoreIsPrunedWhileNoServiceHasIt) {
  for (const char letter : {'a', 'b'}) {
    StoredJob job{.id = std::string(64, letter), .kind = "plan", .request = "{}"};
    ASSERT_FALSE(jobs().put(job));
    job.state = JobState::Done;
    ASSERT_FALSE(jobs().finish(job, {{"plan", std::string(200'000, 'x')}}));
  }
  service().store().touch_job(std::string(64, 'a'));
  EXPECT_FALSE(prune_store(options_.store_folder, 1 << 30).ok());  // in use
  service_.reset();
  const fs::path models = folder_ / "store/models";
  { std::ofstream(models / (std::string(64, 'c') + ".onnx")) << "x"; }
  { std::ofstream(models / "somebody's.txt") << "x"; }
  const Result<PruneReport> report = prune_store(options_.store_folder, 350'000);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->leftovers, 1);
  EXPECT_TRUE(fs::exists(models / "somebody's.txt"));
  EXPECT_EQ(report->forgotten.results, 1);
  EXPECT_LE(report->after_bytes, 350'000);
  EXPECT_LT(report->after_bytes, report->before_bytes);
  EXPECT_EQ(get("/v1/plans/" + std::string(64, 'a')).status, 200);
  EXPECT_FALSE(prune_store((folder_ / "page").string(), 1).ok());
}

TEST_F(Services, PagesOfOtherSitesMayNotAskUnlessToldOtherwise) {
  HttpRequest request{.method = "POST",
                      .path = "/v1/models",
                      .headers = {{"host", "localhost:8321"}, {"origin", "http://evil.example"}}};
  EXPECT_EQ(refusal(service().answer(request)), "403 forbidden");
  request.headers["origin"] = "http://localhost:8321";
  EXPECT_EQ(service().answer(request).status, 400);
  request = {.path = "/v1/devices", .headers = {{"host", "evil.example"}}};
  EXPECT_EQ(refusal(service().answer(request)), "403 forbidden");
  request.headers = {{"host", "[::1]:8321"}};
  EXPECT_EQ(service().answer(request).status, 200);
  EXPECT_EQ(refusal(service().answer({.method = "OPTIONS", .path = "/v1/plans"})),
            "405 method_not_allowed");
}

TEST_F(Services, OneOriginMayBeAllowed) {
  options_.access.cors_origin = "https://lab.example";
  HttpRequest request{.method = "OPTIONS",
                      .path = "/v1/plans",
                      .headers = {{"host", "localhost"}, {"origin", "https://lab.example"}}};
  const HttpResponse response = service().answer(request);
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(header(response, "Access-Control-Allow-Origin"), "https://lab.example");
}

TEST_F(Services, AnAddressMayAskSoOften) {
  options_.access.requests_per_s = 2;
  options_.access.burst = 3;
  const HttpRequest request{.path = "/v1/devices", .address = "192.0.2.1"};
  for (int k = 0; k < 3; ++k) EXPECT_EQ(service().answer(request).status, 200);
  const HttpResponse refused = service().answer(request);
  EXPECT_EQ(refusal(refused), "429 rate_limited");
  EXPECT_EQ(header(refused, "Retry-After"), "1");
  EXPECT_EQ(service().answer({.path = "/v1/devices", .address = "192.0.2.2"}).status, 200);
  now_s_ = 0.6;
  EXPECT_EQ(service().answer(request).status, 200);
}

// Whoever watches over the service must not be told that it is down because others ask too often.
TEST_F(Services, HealthIsAnsweredHoweverOftenAnAddressAsks) {
  options_.access.requests_per_s = 1;
  options_.access.burst = 1;
  const HttpRequest request{.path = "/healthz", .address = "192.0.2.1"};
  for (int k = 0; k < 5; ++k) EXPECT_EQ(service().answer(request).status, 200);
}

TEST_F(Services, PagesOfOtherSitesBeginNothing) {
  for (const Route& route : route_table()) {
    if (route.method == "GET" && !route.takes_work) continue;
    std::string path(route.pattern);
    if (const std::size_t at = path.find("{id}"); at != std::string::npos)
      path.replace(at, 4, std::string(64, 'a'));
    const HttpRequest request{
        .method = std::string(route.method),
        .path = path,
        .headers = {
            {"host", "localhost"}, {"content-length", "0"}, {"sec-fetch-site", "cross-site"}}};
    EXPECT_EQ(refusal(service().answer(request)), "403 forbidden") << route.method << path;
  }
  EXPECT_EQ(service().answer({.path = "/", .headers = {{"sec-fetch-site", "cross-site"}}}).status,
            200);
}

// So few may wait, of one address and in all; who has gone gives the place back.
TEST_F(Services, PlacesToWaitAreBounded) {
  options_.most_waiting = 2;
  options_.most_waiting_each = 1;
  WaitingPlaces& places = service().places();
  WaitingPlaces::Place first = places.take("192.0.2.1");
  EXPECT_TRUE(first);
  EXPECT_FALSE(places.take("192.0.2.1"));
  const WaitingPlaces::Place second = places.take("2001:db8:1:2::1");
  EXPECT_TRUE(second);
  EXPECT_FALSE(places.take("2001:db8:1:2::2"));
  EXPECT_FALSE(places.take("192.0.2.3"));
  first.reset();
  EXPECT_TRUE(places.take("192.0.2.3"));
}

// A service with a job that runs until it is told to end, and says nothing.
class WaitingServices : public Services {
 protected:
  void SetUp() override {
    Services::SetUp();
    options_.worker_program = {"/bin/sh", "-c", "cat > /dev/null"};
  }
};

TEST_F(WaitingServices, AStreamEndsWhenItsClientHasGone) {
  const HttpResponse accepted =
      post("/v1/plans", R"({"model": "linear", "platform": "m4", "ram_budget": 5000})");
  ASSERT_EQ(accepted.status, 202);
  bool gone = false;
  const HttpResponse events = service().answer(
      {.path = header(accepted, "Location") + "/events", .client_left = [&gone] { return gone; }});
  std::string last;
  events.stream([&](const std::string& piece) {
    last = piece;
    gone = true;
    return !piece.starts_with(": still there");
  });
  EXPECT_EQ(last.find(": still there"), std::string::npos);  // nobody was written to for 10 s
}

TEST_F(WaitingServices, GetSolveWaitsOnlyForWhoIsThere) {
  const HttpRequest request{.path = "/solve",
                            .query = {{"model", "linear"},
                                      {"platform", "m4"},
                                      {"ram_budget", "5000"},
                                      {"runtime_budget", "1.5"}},
                            .client_left = [] { return true; }};
  EXPECT_EQ(refusal(service().answer(request)), "499 client_left");
  EXPECT_TRUE(service().places().take(request.address));  // the place is free again
}

TEST_F(WaitingServices, GetSolveBeginsNothingForWhomThereIsNoPlace) {
  options_.most_waiting = 0;
  EXPECT_EQ(refusal(service().answer({.path = "/solve",
                                      .query = {{"model", "linear"},
                                                {"platform", "m4"},
                                                {"ram_budget", "5000"},
                                                {"runtime_budget", "1.5"}}})),
            "503 unavailable");
  EXPECT_EQ(json(get("/v1/plans"))["plans"].size(), 0U);
}

TEST(RateKeys, TakeWhatOneCustomerHas) {
  EXPECT_EQ(rate_key("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(rate_key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(rate_key("::1"), "::/64");
  EXPECT_EQ(rate_key(""), "");
}

// Zeros in the first half are left out of its text, and so are those of the second.
TEST(RateKeys, AreOfTheNumbersAndNotOfTheText) {
  for (const char* const one : {"2001:db8::1:2:3:4", "2001:db8::ffff", "2001:db8::",
                                "2001:db8:0:0:1::", "2001:0db8::9:2:3:4", "2001:DB8::1.2.3.4"})
    EXPECT_EQ(rate_key(one), "2001:db8::/64") << one;
  for (const char* const one : {"fe80::1", "fe80::1:2:3:4", "fe80::1:2:3:4%eth0"})
    EXPECT_EQ(rate_key(one), "fe80::/64") << one;
  EXPECT_EQ(rate_key("2001:db8:0:1::5"), "2001:db8:0:1::/64");
}

TEST(RateKeys, TakeAMappedAddressForWhatItMeans) {
  EXPECT_EQ(rate_key("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(rate_key("::ffff:c000:201"), "192.0.2.1");
}

TEST(TokenFiles, HoldHashes) {
  const std::string hash(64, 'a');
  const std::string other(64, 'b');
  const TokenOwners owners =
      *parse_tokens("# ours\n" + hash + " ada lovelace\r\n\n" + other + "\n", "t");
  EXPECT_EQ(owners, (TokenOwners{{hash, "ada lovelace"}, {other, other}}));
  EXPECT_EQ(parse_tokens(hash + "\npoet_123 ada\n", "t").error().where.line, 2);
}

TEST_F(Services, CountWhatTheyDo) {
  get("/healthz");
  get("/v1/devices");
  get("/v1/nothing");
  const std::string text = get("/metrics").body;
  for (const char* const line :
       {"poet_requests_total{route=\"/healthz\",code=\"200\"} 1\n",
        "poet_requests_total{route=\"none\",code=\"404\"} 1\n",
        "poet_request_seconds_count{route=\"/v1/devices\"} 1\n", "poet_queue_jobs 0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

// The document has exactly the routes, and what it refers to is there.
TEST(OpenApi, HasTheRoutesAndNoOthers) {
  const JsonOut document = openapi_document();
  std::set<std::string> described;
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items()) {
      described.insert(method + " " + path);
      EXPECT_TRUE(operation.contains("responses"));
    }
  EXPECT_EQ(described.size(), route_table().size());
  for (const Route& route : route_table()) {
    std::string method;
    for (const char letter : route.method) method += static_cast<char>(letter - 'A' + 'a');
    EXPECT_TRUE(described.contains(method + " " + std::string(route.pattern)));
  }
  const std::string text = json_line(document);
  const std::string reference = "\"#/components/schemas/";
  for (std::size_t at = text.find(reference); at != std::string::npos;
       at = text.find(reference, at + 1)) {
    const std::size_t begin = at + reference.size();
    EXPECT_TRUE(document["components"]["schemas"].contains(
        text.substr(begin, text.find('"', begin) - begin)));
  }
}

}  // namespace
}  // namespace poet
