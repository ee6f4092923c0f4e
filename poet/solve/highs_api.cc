// Finds the functions of HiGHS in its library (docs/model/numbers.md §1.1).
#include "poet/solve/highs_api.h"

#include "poet/base/dynamic_library.h"

namespace poet::highs {

Result<Api> load_api(const std::vector<std::string>& directories) {
  Result<DynamicLibrary> library =
      DynamicLibrary::open("HiGHS", {"libhighs.so.1", "libhighs.so"}, directories);
  if (!library.ok()) return library.error();

  Api api;
  library->bind(api.version, "Highs_version");
  library->bind(api.getSizeofHighsInt, "Highs_getSizeofHighsInt");
  library->bind(api.create, "Highs_create");
  library->bind(api.destroy, "Highs_destroy");
  library->bind(api.setBoolOptionValue, "Highs_setBoolOptionValue");
  library->bind(api.setIntOptionValue, "Highs_setIntOptionValue");
  library->bind(api.setDoubleOptionValue, "Highs_setDoubleOptionValue");
  library->bind(api.setStringOptionValue, "Highs_setStringOptionValue");
  library->bind(api.passMip, "Highs_passMip");
  library->bind(api.passLp, "Highs_passLp");
  library->bind(api.addCols, "Highs_addCols");
  library->bind(api.addRows, "Highs_addRows");
  library->bind(api.changeColBounds, "Highs_changeColBounds");
  library->bind(api.setSolution, "Highs_setSolution");
  library->bind(api.setCallback, "Highs_setCallback");
  library->bind(api.startCallback, "Highs_startCallback");
  library->bind(api.getCallbackDataOutItem, "Highs_getCallbackDataOutItem");
  library->bind(api.run, "Highs_run");
  library->bind(api.getModelStatus, "Highs_getModelStatus");
  library->bind(api.getSolution, "Highs_getSolution");
  library->bind(api.getIntInfoValue, "Highs_getIntInfoValue");
  library->bind(api.getInt64InfoValue, "Highs_getInt64InfoValue");
  library->bind(api.getDoubleInfoValue, "Highs_getDoubleInfoValue");
  if (const Failure failure = library->complete()) return *failure;
  return api;
}

}  // namespace poet::highs
