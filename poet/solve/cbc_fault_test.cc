#include <Clp_C_Interface.h>
#include <gtest/gtest.h>

#include "poet/solve/library_abort.h"

namespace poet {
namespace {

// As Cbc does it: an instruction of the library itself reads where nothing is.
TEST(SurvivesFault, OfTheLibrary) {
  for (int n = 0; n < 3; ++n)
    EXPECT_FALSE(survives_abort([] { static_cast<void>(Clp_numberRows(nullptr)); }));
  EXPECT_TRUE(survives_abort([] {}));
}

TEST(SurvivesFaultDeathTest, LeavesOthersAlone) {
  const volatile int* volatile nowhere = nullptr;
  EXPECT_DEATH(survives_abort([&nowhere] { static_cast<void>(*nowhere); }), "");
  EXPECT_DEATH(
      {
        survives_abort([] { static_cast<void>(Clp_numberRows(nullptr)); });
        static_cast<void>(Clp_numberRows(nullptr));
      },
      "");
}

}  // namespace
}  // namespace poet
