#pragma once

#include <memory>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/service/metrics.h"
#include "poet/service/model_shelf.h"
#include "poet/service/team_models.h"
#include "poet/service/team_places.h"
#include "poet/service/work_room.h"
#include "poet/store/team_store.h"

namespace poet {

struct TeamWorkerOptions {
  std::string uri = {};                          // of the database
  std::string folder = {};                       // of this process alone, where works run
  std::vector<std::string> worker_program = {};  // WorkRoomOptions::program
  double most_curve_s = 1800;
  TeamPlacesOptions places = {};
};

// One process that does the jobs of a team and answers nobody: `poet work`.
class TeamWorker {
 public:
  // Begins at once.
  static Result<std::unique_ptr<TeamWorker>> open(TeamWorkerOptions options, ServiceClock clock,
                                                  WorkComplaint complaint);
  ~TeamWorker() { stop(); }
  // What runs is given back.
  void stop();

 private:
  TeamWorker(TeamWorkerOptions options, std::unique_ptr<TeamStore> store, ServiceClock clock,
             WorkComplaint complaint);

  std::unique_ptr<TeamStore> store_;
  TeamModels models_;
  ModelShelf shelf_;
  Metrics metrics_;
  WorkRoom works_;
  TeamPlaces places_;  // last: it uses the others
};

}  // namespace poet
