#include "poet/service/team_worker.h"

#include <filesystem>
#include <utility>

namespace poet {
namespace {

std::string folder_in(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

TeamWorker::TeamWorker(TeamWorkerOptions options, std::unique_ptr<TeamStore> store,
                       ServiceClock clock, WorkComplaint complaint)
    : store_(std::move(store)),
      models_(folder_in(options.folder, "models"), store_->jobs()),
      shelf_(folder_in(options.folder, "models"), models_, store_->jobs()),
      works_({.folder = folder_in(options.folder, "work"),
              .program = std::move(options.worker_program),
              .most_curve_s = options.most_curve_s},
             shelf_, store_->jobs(), clock, complaint),
      places_(
          std::move(options.places), *store_, metrics_, clock,
          [this](const StoredJob& job, const ProgressLine& progress,
                 const std::function<WorkerWish()>& wish) {
            return works_.do_job(job, progress, wish);
          },
          std::move(complaint)) {}

Result<std::unique_ptr<TeamWorker>> TeamWorker::open(TeamWorkerOptions options, ServiceClock clock,
                                                     WorkComplaint complaint) {
  Result<std::unique_ptr<TeamStore>> store = TeamStore::open(options.uri, clock.elapsed_s);
  if (!store.ok()) return store.error();
  if (Failure failure = WorkRoom::prepare(folder_in(options.folder, "work"))) return *failure;
  std::unique_ptr<TeamWorker> worker(new TeamWorker(std::move(options), *std::move(store),
                                                    std::move(clock), std::move(complaint)));
  if (Failure failure = worker->places_.start()) return *failure;
  return worker;
}

void TeamWorker::stop() {
  works_.stop();
  places_.stop();
  store_->pool().stop();
}

}  // namespace poet
