#include "poet/emit/runtime_files.h"

#include <gtest/gtest.h>

#include "poet/emit/project_texts.h"

namespace poet {
namespace {

TEST(RuntimeFiles, BringWhatIsCalledAndIncludedInTurn) {
  const std::set<std::string> wanted = {
      "poet/runtime/matmul.c",         "poet/runtime/matmul.h",        "poet/runtime/panel_copy.h",
      "poet/runtime/panel_product.c",  "poet/runtime/panel_product.h", "poet/runtime/panel_tile.h",
      "poet/runtime/panel_tile_arm.h", "poet/runtime/vectors.h"};
  EXPECT_EQ(runtime_files({"poet_matmul_forward_f32"}), wanted);
}

TEST(RuntimeFiles, BringNothingForNothing) {
  EXPECT_EQ(runtime_files({}), std::set<std::string>());
}

TEST(RuntimeFiles, DeclareAKernelWithItsShape) {
  EXPECT_EQ(declaration_of("poet_conv_forward_f32").header, "poet/runtime/conv.h");
  EXPECT_EQ(declaration_of("poet_conv_forward_f32").shape_type, "poet_conv_shape");
}

TEST(ProjectTexts, HaveEachNameOnce) {
  std::set<std::string_view> names;
  for (const ProjectText& text : project_text_table())
    EXPECT_TRUE(names.insert(text.name).second) << text.name;
}

}  // namespace
}  // namespace poet
