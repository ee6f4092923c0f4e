#include "apps/cli/serve_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stop_token>
#include <utility>

#include "apps/cli/answer.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/process_name.h"
#include "apps/cli/serve_work.h"
#include "apps/cli/service_process.h"
#include "apps/cli/signals.h"
#include "apps/cli/temporary_folder.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/report/figure_text.h"
#include "poet/service/access.h"
#include "poet/service/store_budget.h"
#include "poet/store/team_store.h"

namespace poet::cli {
namespace {

namespace fs = std::filesystem;

// Where the page lies when it was built or installed; empty: it was not.
std::string built_page() {
  const fs::path folder = fs::path(own_path()).parent_path();
  for (const fs::path& place : {folder / "page", folder / POET_PAGE_FROM_PROGRAM}) {
    std::error_code ignored;
    if (fs::is_regular_file(place / "index.html", ignored)) return place.string();
  }
  return {};
}

// A file that somebody made beforehand, as `touch` makes it.
Failure close_to_others(const std::string& path) {
  std::error_code error;
  fs::permissions(path, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove,
                  error);
  if (!error) return std::nullopt;
  return Error{ErrorCode::Io,
               fmt::format("cannot close {} to others: {}", in_quotes(path), error.message()),
               {}};
}

int make_token(const ServeFlags& flags) {
  keep_files_private();
  if (!flags.tokens_path)
    return refuse(bad_input("--new-token needs --tokens FILE, to which the token's hash is added"),
                  Output::Text);
  const std::string& name = *flags.new_token;
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }))
    return refuse(bad_input("--new-token: a name is one line, without control characters"),
                  Output::Text);
  const std::string& path = *flags.tokens_path;
  std::string text;
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    const Result<std::string> before = read_text_file(path);
    if (!before.ok()) return refuse(before.error(), Output::Text);
    text = *before;
    if (const auto owners = parse_tokens(text, path); !owners.ok())
      return refuse(owners.error(), Output::Text);
    if (Failure failure = close_to_others(path)) return refuse(*failure, Output::Text);
  }
  const Result<std::string> digits = random_digits(32);
  if (!digits.ok()) return refuse(digits.error(), Output::Text);
  const std::string token = "poet_" + *digits;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += sha256_of(token) + " " + one_line(name) + "\n";
  if (Failure failure = write_text_file(path, text)) return refuse(*failure, Output::Text);
  return print_text(token + "\n", kExitFound);
}

// A pipe would hold up whoever reads it until somebody writes, and SIGTERM with them.
Result<TokenOwners> read_tokens(const std::string& path) {
  std::error_code unknown;
  const fs::file_status there = fs::status(path, unknown);
  if (fs::exists(there) && !fs::is_regular_file(there))
    return bad_input(fmt::format("cannot read tokens from {}: it is not a file", path));
  if (fs::exists(there) &&
      (there.permissions() & (fs::perms::group_write | fs::perms::others_write)) != fs::perms::none)
    warn(fmt::format("{} may be written by others, who can let themselves in", in_quotes(path)));
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  return parse_tokens(*text, path);
}

// Of a database: the folder is for what passes, and ends with the service.
Failure settle_team(ServeFlags& flags, const WorkFolder& folder) {
  ServiceOptions& service = flags.service;
  Result<std::string> name = name_of_process();
  if (!name.ok()) return name.error();
  service.team_uri = std::exchange(service.store_folder, folder.path());
  service.places.name = *std::move(name);
  service.places.jobs = service.queue.jobs;
  service.places.curves = service.queue.curves;
  return std::nullopt;
}

// What follows from several flags together.
Failure settle(ServeFlags& flags) {
  ServiceOptions& service = flags.service;
  const bool has_team = names_database(service.store_folder);
  if (!has_team && is_no_folder(service.store_folder))
    return bad_input(
        "the store begins like the address of a database and is none: write "
        "postgresql://USER@HOST/DATABASE, or ./ before the name of a folder");
  if (!has_team && (service.queue.jobs == 0 || service.queue.curves == 0))
    return bad_input(
        fmt::format("--{} 0 leaves the work to 'poet work', which needs --store postgresql://...",
                    service.queue.jobs == 0 ? "jobs" : "curves"));
  std::error_code unknown;
  if (!service.trainings_folder.empty() &&
      !std::filesystem::is_directory(service.trainings_folder, unknown))
    return bad_input(
        fmt::format("--trainings: there is no folder {}", in_quotes(service.trainings_folder)));
  if (!service.page_folder.empty() && !std::filesystem::is_directory(service.page_folder, unknown))
    return bad_input(fmt::format("--page: there is no folder {}", in_quotes(service.page_folder)));
  const std::string& origin = service.access.cors_origin;
  if (!origin.empty() && origin != "*" && !is_origin(origin))
    return bad_input(fmt::format(
        "--cors: an origin is a scheme and a host, such as https://example.org, found {}",
        in_quotes(origin)));
  service.access.loopback_only = is_loopback_host(flags.http.host);
  service.most_waiting = std::max(1, flags.http.connections / 4);
  service.most_waiting_each = std::max(1, served_each(flags.http) / 4);
  if (service.page_folder.empty()) service.page_folder = built_page();
  service.worker_program = worker_words(flags.job_memory_bytes);
  QueueOptions& queue = service.queue;
  queue.most_queued_each = flags.queue_each.value_or(
      std::max<std::int64_t>(1, queue.most_queued / (flags.tokens_path ? 4 : 2)));
  if (!flags.tokens_path) return std::nullopt;
  Result<TokenOwners> owners = read_tokens(*flags.tokens_path);
  if (!owners.ok()) return owners.error();
  if (owners->empty())
    return bad_input(
        fmt::format("{} has no token; 'poet serve --new-token NAME --tokens FILE' "
                    "makes one",
                    in_quotes(*flags.tokens_path)));
  service.access.tokens = *std::move(owners);
  return std::nullopt;
}

// Whether this process has a terminal that may end.
bool has_terminal() {
  const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) close(terminal);
  return terminal >= 0;
}

// Whoever changes the file of tokens says so by SIGHUP. A file that cannot be read changes nothing;
// one without tokens lets nobody in. Without such a file SIGHUP may be the end of its terminal,
// which ends the service as politely as SIGTERM, unless it was started to outlive it; else there is
// nothing to read again.
void hear_hangup(const ServeFlags& flags, bool began_in_terminal, Service& service) {
  if (!flags.tokens_path) {
    if (hangups_are_ignored()) return;
    if (began_in_terminal && !has_terminal())
      kill(getpid(), SIGTERM);
    else
      warn(
          "SIGHUP reads a file of tokens again, and there is none: without --tokens it is ignored");
    return;
  }
  Result<TokenOwners> owners = read_tokens(*flags.tokens_path);
  if (!owners.ok()) {
    warn("the tokens stay as they were: " + to_string(owners.error()));
    return;
  }
  if (owners->empty())
    warn(fmt::format("{} has no token any more: nobody is let in", in_quotes(*flags.tokens_path)));
  service.set_tokens(*std::move(owners));
}

int prune(const ServeFlags& flags) {
  keep_files_private();
  if (names_database(flags.service.store_folder))
    return refuse(bad_input("--prune is for a folder: services that use a database hold it to "
                            "their --most-store"),
                  Output::Text);
  const Result<PruneReport> report =
      prune_store(flags.service.store_folder, flags.service.most_store_bytes);
  if (!report.ok()) return refuse(report.error(), Output::Text);
  const bool small_enough = report->after_bytes <= flags.service.most_store_bytes;
  print_text(
      fmt::format("{} bytes, before {}; forgotten: {}, {}; {} that no service knew\n",
                  grouped_digits(report->after_bytes), grouped_digits(report->before_bytes),
                  counted(report->forgotten.results, "result"),
                  counted(report->forgotten.models, "model"), counted(report->leftovers, "file")),
      kExitFound);
  if (small_enough) return kExitFound;
  warn("jobs that wait, what they need, and the empty store take more than --most-store");
  return kExitNo;
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
  Service* served = nullptr;
  const bool began_in_terminal = has_terminal();
  HangupWatch hangups([&] { hear_hangup(flags, began_in_terminal, *served); });
  const InterruptWatch interrupts(
      InterruptWatch::Hangup::IsNotOurs);  // both before any other thread
  Result<std::unique_ptr<Service>> service = Service::open(
      flags.service, system_clocks(), [](const std::string& complaint) { warn(complaint); });
  if (!service.ok()) return refuse(service.error(), Output::Text);
  warn_of_rights();
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
  served = service->get();
  hangups.begin();
  const Failure failure = server.run();
  hangups.end();
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
  if (flags.prune) return prune(flags);
  const BlockedHangups until_it_serves;
  if (Failure failure = settle(flags)) return refuse(*failure, Output::Text);
  if (!names_database(flags.service.store_folder)) return serve(flags);
  keep_files_private();
  const Result<WorkFolder> folder = WorkFolder::create();
  if (!folder.ok()) return refuse(folder.error(), Output::Text);
  if (Failure failure = settle_team(flags, *folder)) return refuse(*failure, Output::Text);
  return serve(flags);
}

}  // namespace poet::cli
