#include <gtest/gtest.h>

#include "poet/onednn/kernel_choice.h"

namespace poet {
namespace {

TEST(OnednnKernels, AreRefusedWhereThereAreNone) {
  const auto kernels = make_kernels({.library = KernelLibrary::Onednn});
  ASSERT_FALSE(kernels.ok());
  EXPECT_EQ(kernels.error().message,
            "this poet was built without oneDNN; use --kernels reference, or install libdnnl-dev "
            "and build poet again");
}

}  // namespace
}  // namespace poet
