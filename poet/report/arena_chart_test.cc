#include "poet/report/arena_chart.h"

#include <gtest/gtest.h>

#include "poet/layout/plan_for_tests.h"
#include "poet/report/page_text_for_tests.h"

namespace poet {
namespace {

using sample::count_of;
using sample::has;

ArenaPicture paged_picture() {
  const Plan plan = testing::paged_plan();
  const Result<Layout> layout = make_layout(plan, {.alignment_bytes = 1});
  EXPECT_TRUE(layout.ok());
  return arena_picture(plan, *layout);
}

const ArenaPiece& piece_called(const ArenaPicture& picture, const std::string& name, ArenaUse use) {
  static const ArenaPiece kNone;
  for (const ArenaPiece& piece : picture.pieces)
    if (piece.name == name && piece.use == use) return piece;
  ADD_FAILURE() << "no piece " << name;
  return kNone;
}

TEST(ArenaPicture, SaysWhyAPieceIsTaken) {
  const ArenaPicture picture = paged_picture();
  EXPECT_EQ(picture.actions, 16);
  EXPECT_EQ(picture.ram_budget_bytes, 1000);
  EXPECT_EQ(piece_called(picture, "r", ArenaUse::Resident).end_action, 16);
  EXPECT_EQ(piece_called(picture, "x", ArenaUse::Read).begin_action, 1);
  EXPECT_EQ(piece_called(picture, "s", ArenaUse::Read).begin_action, 9);  // after it was written
  EXPECT_EQ(piece_called(picture, "s", ArenaUse::Made).begin_action, 3);
}

TEST(ArenaPicture, ShowsAWorkspaceForItsActionAlone) {
  const ArenaPicture picture = paged_picture();
  const ArenaPiece& workspace = piece_called(picture, "a", ArenaUse::Workspace);
  EXPECT_EQ(workspace.begin_action, 2);
  EXPECT_EQ(workspace.end_action, 3);
  EXPECT_EQ(workspace.end_bytes - workspace.begin_bytes, 3);
}

// What an in-place operation takes over is the only thing that may lie in two pieces at once.
TEST(ArenaPicture, PutsEveryPieceWithinTheArena) {
  const ArenaPicture picture = paged_picture();
  for (const ArenaPiece& piece : picture.pieces) {
    EXPECT_GE(piece.begin_bytes, 0) << piece.name;
    EXPECT_LE(piece.end_bytes, picture.arena_bytes) << piece.name;
  }
}

TEST(ArenaChart, DrawsOnePathForEachUse) {
  const std::string body = arena_chart(paged_picture(), ChartWidth::Wide).body;
  EXPECT_EQ(count_of(body, " piece\""), 4);
  EXPECT_TRUE(has(body, "brought in"));
  EXPECT_TRUE(has(body, "workspace"));
}

TEST(ArenaChart, ShowsTheBudgetWhereItIsNear) {
  ArenaPicture picture = paged_picture();
  EXPECT_FALSE(has(arena_chart(picture, ChartWidth::Wide).body, "RAM budget"));
  picture.ram_budget_bytes = picture.arena_bytes + 1;
  EXPECT_TRUE(has(arena_chart(picture, ChartWidth::Wide).body, "RAM budget"));
}

TEST(ArenaChart, DescribesItself) {
  ArenaPicture picture = paged_picture();
  picture.arena_bytes = 2048;
  EXPECT_EQ(arena_chart(picture, ChartWidth::Narrow).description,
            "The addresses of " + std::to_string(picture.pieces.size()) +
                " buffers over 16 actions: the arena is 2 KiB, the RAM budget 1000 B.");
}

}  // namespace
}  // namespace poet
