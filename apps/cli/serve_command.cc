#include "apps/cli/serve_command.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <thread>

#include "apps/cli/answer.h"
#include "apps/cli/interrupt_watch.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/serve_work.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/service/origin.h"

namespace poet::cli {
namespace {

namespace fs = std::filesystem;

ServiceClock system_clocks() {
  using std::chrono::steady_clock;
  using std::chrono::system_clock;
  const auto begin = steady_clock::now();
  return {
      .elapsed_s =
          [begin] { return std::chrono::duration<double>(steady_clock::now() - begin).count(); },
      .unix_s =
          [] { return static_cast<std::int64_t>(system_clock::to_time_t(system_clock::now())); }};
}

std::string own_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string("/proc/self/exe") : path.string();
}

// Where the page lies when it was built or installed; empty: it was not.
std::string built_page() {
  const fs::path folder = fs::path(own_path()).parent_path();
  for (const fs::path& place : {folder / "page", folder / "../share/poet/page"}) {
    std::error_code ignored;
    if (fs::is_regular_file(place / "index.html", ignored)) return place.string();
  }
  return {};
}

Result<std::string> random_token() {
  unsigned char bytes[32];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    return Error{ErrorCode::Io, "the system gives no random bytes", {}};
  std::string token = "poet_";
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// What is written from now on is for this user alone: others' models, plans and who may ask are
// nobody else's business. Workers inherit it.
void keep_files_private() {
  umask(S_IRWXG | S_IRWXO);
}

int make_token(const ServeFlags& flags) {
  keep_files_private();
  if (!flags.tokens_path)
    return refuse(bad_input("--new-token needs --tokens FILE, to which the token's hash is added"),
                  Output::Text);
  const std::string& path = *flags.tokens_path;
  std::string text;
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    const Result<std::string> before = read_text_file(path);
    if (!before.ok()) return refuse(before.error(), Output::Text);
    text = *before;
    if (const auto hashes = parse_token_hashes(text, path); !hashes.ok())
      return refuse(hashes.error(), Output::Text);
  }
  const Result<std::string> token = random_token();
  if (!token.ok()) return refuse(token.error(), Output::Text);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += sha256_of(*token) + " " + one_line(*flags.new_token) + "\n";
  if (Failure failure = write_text_file(path, text)) return refuse(*failure, Output::Text);
  return print_text(*token + "\n", kExitFound);
}

// What follows from several flags together.
Failure settle(ServeFlags& flags) {
  ServiceOptions& service = flags.service;
  service.access.loopback_only = is_loopback_host(flags.http.host);
  service.most_waiting = std::max(1, flags.http.connections / 4);
  service.most_waiting_each = std::max(1, served_each(flags.http) / 4);
  if (service.page_folder.empty()) service.page_folder = built_page();
  service.worker_program = {own_path(), "serve", "--job-memory",
                            fmt::format("{}", flags.job_memory_bytes), "--work"};
  if (!flags.tokens_path) return std::nullopt;
  const Result<std::string> text = read_text_file(*flags.tokens_path);
  if (!text.ok()) return text.error();
  Result<std::set<std::string>> hashes = parse_token_hashes(*text, *flags.tokens_path);
  if (!hashes.ok()) return hashes.error();
  if (hashes->empty())
    return bad_input(
        fmt::format("{} has no token; 'poet serve --new-token NAME --tokens FILE' "
                    "makes one",
                    in_quotes(*flags.tokens_path)));
  service.access.token_hashes = *std::move(hashes);
  return std::nullopt;
}

// Each connection is a file.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int serve(const ServeFlags& flags) {
  signal(SIGPIPE, SIG_IGN);
  keep_files_private();
  allow_many_files();
  const InterruptWatch interrupts;  // before any other thread
  Result<std::unique_ptr<Service>> service = Service::open(
      flags.service, system_clocks(), [](const std::string& complaint) { warn(complaint); });
  if (!service.ok()) return refuse(service.error(), Output::Text);
  HttpServer server(flags.http, **service);
  const Result<int> port = server.bind();
  if (!port.ok()) return refuse(port.error(), Output::Text);
  const std::string host = flags.http.host.find(':') == std::string::npos
                               ? flags.http.host
                               : "[" + flags.http.host + "]";
  print_text(fmt::format("http://{}:{}/\n", host, *port), kExitFound);
  const std::stop_callback stop(interrupts.token(), [&] {
    (*service)->stop();
    server.stop();
  });
  const Failure failure = server.run();
  (*service)->stop();
  return failure && !interrupts.token().stop_requested() ? refuse(*failure, Output::Text)
                                                         : kExitFound;
}

}  // namespace

int run_serve(const std::vector<std::string>& arguments) {
  ServeFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("serve", serve_option_rows(flags), arguments);
  if (!rest.ok()) return refuse(rest.error(), Output::Text);
  if (!rest->empty())
    return refuse(
        bad_input(fmt::format("poet serve takes only options, found {}", in_quotes(rest->front()))),
        Output::Text);
  if (flags.work_folder) return do_work_in(*flags.work_folder, flags.job_memory_bytes);
  if (flags.new_token) return make_token(flags);
  if (Failure failure = settle(flags)) return refuse(*failure, Output::Text);
  return serve(flags);
}

}  // namespace poet::cli
