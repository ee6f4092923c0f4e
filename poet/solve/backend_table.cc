// The libraries that may solve linear and integer programs, in one table (docs/model/numbers.md
// §1.1).
#include "poet/solve/backends.h"
#include "poet/solve/linear_backend.h"

namespace poet {
namespace {

Result<std::unique_ptr<LinearBackend>> open_linked_cbc(const std::vector<std::string>&) {
  return open_cbc();
}

}  // namespace

const std::vector<BackendEntry>& backend_table() {
  static const std::vector<BackendEntry> table = {
      {"cbc", "COIN-OR Cbc and Clp, always there", open_linked_cbc},
      {"highs", "HiGHS, when its library is installed", open_highs},
      {"gurobi", "Gurobi, when its library and a licence are installed", open_gurobi},
  };
  return table;
}

Result<std::unique_ptr<LinearBackend>> open_backend(std::string_view name,
                                                    const std::vector<std::string>& directories) {
  std::string known;
  for (const BackendEntry& entry : backend_table()) {
    if (entry.name == name) return entry.open(directories);
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  return bad_input("unknown solver backend '" + std::string(name) + "' (known: " + known + ")");
}

}  // namespace poet
