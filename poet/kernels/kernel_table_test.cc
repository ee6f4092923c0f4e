#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "poet/kernels/binding.h"
#include "poet/kernels/kernel.h"
#include "tests/support/source_folder.h"

namespace poet {
namespace {

// What poet/runtime declares with a shape struct, which is what kernels have.
std::set<std::string> declared_kernels() {
  std::set<std::string> names;
  const std::regex declaration(R"(\nvoid (poet_\w+)\(const poet_\w+_shape\* shape,)");
  for (const auto& file :
       std::filesystem::directory_iterator(testing::source_folder() + "/poet/runtime")) {
    if (file.path().extension() != ".h") continue;
    std::ifstream in(file.path());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator found(text.begin(), text.end(), declaration), end; found != end;
         ++found)
      names.insert((*found)[1]);
  }
  return names;
}

TEST(KernelTable, HasEveryKernelOfTheRuntime) {
  for (const std::string& name : declared_kernels())
    EXPECT_NE(find_kernel(name), nullptr) << name << " is missing in kernel_table.cc";
}

TEST(KernelTable, HasNoKernelTwiceAndNoneWithoutAShape) {
  const std::set<std::string> declared = declared_kernels();
  std::set<std::string_view> bound;
  for (const Kernel& kernel : kernel_table()) {
    EXPECT_TRUE(bound.insert(kernel.name).second) << kernel.name;
    EXPECT_TRUE(declared.contains(std::string(kernel.name))) << kernel.name;
  }
}

TEST(KernelTable, FindsByName) {
  for (const Kernel& kernel : kernel_table()) EXPECT_EQ(find_kernel(kernel.name), &kernel);
  EXPECT_EQ(find_kernel("poet_relu_forward"), nullptr);
  EXPECT_EQ(find_kernel(""), nullptr);
  EXPECT_EQ(find_kernel("zzz"), nullptr);
}

struct Sizes {
  std::int32_t count;
  float factor;
};

void scale_and_pick(const Sizes* sizes, const float* x, const std::int64_t* pick, float* y,
                    std::uint8_t* z, void* workspace) {
  y[0] = sizes->factor * x[pick[0]];
  z[0] = static_cast<std::uint8_t>(sizes->count);
  *static_cast<float*>(workspace) = x[0];
}

TEST(Binding, PassesInputsThenOutputsInOrder) {
  constexpr Kernel kKernel = Binding<&scale_and_pick>::row("scale_and_pick");
  EXPECT_EQ(kKernel.name, "scale_and_pick");
  EXPECT_EQ(kKernel.shape_bytes, 8);
  EXPECT_EQ(kKernel.inputs, 2);
  EXPECT_EQ(kKernel.outputs, 3);

  const Sizes sizes{.count = 7, .factor = 2};
  const float x[] = {3, 4, 5};
  const std::int64_t pick = 2;
  float y = 0;
  std::uint8_t z = 0;
  float workspace = 0;
  const void* const inputs[] = {x, &pick};
  void* const outputs[] = {&y, &z, &workspace};
  kKernel.call(&sizes, inputs, outputs);
  EXPECT_EQ(y, 10.0F);
  EXPECT_EQ(z, 7);
  EXPECT_EQ(workspace, 3.0F);
}

}  // namespace
}  // namespace poet
