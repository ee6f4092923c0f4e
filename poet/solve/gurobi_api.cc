// Finds the functions of Gurobi in its library (docs/model/numbers.md §1.1).
#include "poet/solve/gurobi_api.h"

#include "poet/base/dynamic_library.h"

namespace poet::gurobi {

Result<Api> load_api(const std::vector<std::string>& directories) {
  Result<DynamicLibrary> library =
      DynamicLibrary::open("Gurobi",
                           {"libgurobi130.so", "libgurobi120.so", "libgurobi110.so",
                            "libgurobi100.so", "libgurobi95.so", "libgurobi.so"},
                           directories);
  if (!library.ok()) return library.error();

  Api api;
  library->bind(api.version, "GRBversion");
  api.emptyenv = reinterpret_cast<int (*)(Env**)>(library->find("GRBemptyenv"));
  if (!api.emptyenv) library->bind(api.emptyenvinternal, "GRBemptyenvinternal");
  library->bind(api.startenv, "GRBstartenv");
  library->bind(api.freeenv, "GRBfreeenv");
  library->bind(api.geterrormsg, "GRBgeterrormsg");
  library->bind(api.getenv, "GRBgetenv");
  library->bind(api.setintparam, "GRBsetintparam");
  library->bind(api.setdblparam, "GRBsetdblparam");
  library->bind(api.newmodel, "GRBnewmodel");
  library->bind(api.freemodel, "GRBfreemodel");
  library->bind(api.addvars, "GRBaddvars");
  library->bind(api.addconstrs, "GRBaddconstrs");
  library->bind(api.updatemodel, "GRBupdatemodel");
  library->bind(api.resetmodel, "GRBreset");
  library->bind(api.optimize, "GRBoptimize");
  library->bind(api.terminate, "GRBterminate");
  library->bind(api.setcallbackfunc, "GRBsetcallbackfunc");
  library->bind(api.cbget, "GRBcbget");
  library->bind(api.getintattr, "GRBgetintattr");
  library->bind(api.getdblattr, "GRBgetdblattr");
  library->bind(api.getdblattrarray, "GRBgetdblattrarray");
  library->bind(api.setdblattrarray, "GRBsetdblattrarray");
  library->bind(api.setdblattrelement, "GRBsetdblattrelement");
  if (const Failure failure = library->complete()) return *failure;
  return api;
}

}  // namespace poet::gurobi
