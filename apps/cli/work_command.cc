#include "apps/cli/work_command.h"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "apps/cli/answer.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/process_name.h"
#include "apps/cli/service_process.h"
#include "apps/cli/signals.h"
#include "apps/cli/temporary_folder.h"
#include "poet/base/message_text.h"
#include "poet/service/team_worker.h"
#include "poet/store/team_store.h"

namespace poet::cli {
namespace {

constexpr std::array<std::string_view, 6> kOfWorkers = {
    "--store", "--jobs", "--curves", "--job-memory", "--most-curve-s", "--lease"};

void wait_for(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock<std::mutex> lock(mutex);
  stopped.wait(lock, token, [] { return false; });
}

int work(const ServeFlags& flags) {
  signal(SIGPIPE, SIG_IGN);
  keep_files_private();
  const InterruptWatch interrupts;  // before any other thread
  const Result<WorkFolder> folder = WorkFolder::create();
  if (!folder.ok()) return refuse(folder.error(), Output::Text);
  const Result<std::string> name = name_of_process();
  if (!name.ok()) return refuse(name.error(), Output::Text);
  const ServiceOptions& service = flags.service;
  TeamWorkerOptions options{.uri = service.store_folder,
                            .folder = folder->path(),
                            .worker_program = worker_words(flags.job_memory_bytes),
                            .most_curve_s = service.most_curve_s,
                            .places = {.name = *name,
                                       .jobs = service.queue.jobs,
                                       .curves = service.queue.curves,
                                       .lease_s = service.places.lease_s}};
  Result<std::unique_ptr<TeamWorker>> worker = TeamWorker::open(
      std::move(options), system_clocks(), [](const std::string& complaint) { warn(complaint); });
  if (!worker.ok()) return refuse(worker.error(), Output::Text);
  warn_of_rights();
  print_text(fmt::format("places: {} for plans, {} for comparisons\n", service.queue.jobs,
                         service.queue.curves),
             kExitFound);
  wait_for(interrupts.token());
  (*worker)->stop();
  return kExitFound;
}

}  // namespace

std::vector<OptionRow> work_option_rows(ServeFlags& flags) {
  std::vector<OptionRow> rows = serve_option_rows(flags);
  std::erase_if(rows, [](const OptionRow& row) {
    return std::find(kOfWorkers.begin(), kOfWorkers.end(), row.names) == kOfWorkers.end();
  });
  return rows;
}

int run_work(const std::vector<std::string>& arguments) {
  ServeFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("work", work_option_rows(flags), arguments);
  if (!rest.ok()) return refuse(rest.error(), Output::Text);
  if (!rest->empty())
    return refuse(
        bad_input(fmt::format("poet work takes only options, found {}", in_quotes(rest->front()))),
        Output::Text);
  if (!names_database(flags.service.store_folder))
    return refuse(bad_input("poet work needs --store postgresql://..., the database of the team"),
                  Output::Text);
  if (flags.service.queue.jobs + flags.service.queue.curves == 0)
    return refuse(bad_input("poet work with --jobs 0 and --curves 0 would do nothing"),
                  Output::Text);
  return work(flags);
}

}  // namespace poet::cli
