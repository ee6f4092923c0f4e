#include "poet/emit/piece_texts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace poet {
namespace {

TEST(PieceFields, SayHowRunsFollowEachOther) {
  const TensorType type{ElementType::Float32, {2, 6, 4}};
  EXPECT_EQ(piece_fields({"x", type, {{0, 2}, {2, 5}, {0, 4}}}),
            ".first = 32u, .run_bytes = 48u, .runs = 2u, .axes = 1u, .counts = {2u}, "
            ".steps = {96u}");
  EXPECT_EQ(piece_fields({"x", type, {{1, 2}, {0, 6}, {0, 4}}}),
            ".first = 96u, .run_bytes = 96u, .runs = 1u, .axes = 0u");
  EXPECT_EQ(piece_fields({"x", type, {{0, 2}, {1, 6}, {3, 4}}}),
            ".first = 28u, .run_bytes = 4u, .runs = 10u, .axes = 2u, .counts = {2u, 5u}, "
            ".steps = {96u, 16u}");
}

TEST(PieceFields, LeadToTheBytesOfEachRun) {
  const TensorPiece piece{"x", {ElementType::Int32, {3, 4, 5}}, {{1, 3}, {1, 3}, {2, 4}}};
  const poet_piece read = {
      .first = 108, .run_bytes = 8, .runs = 4, .axes = 2, .counts = {2, 2}, .steps = {80, 20}};
  EXPECT_EQ(piece_fields(piece),
            ".first = 108u, .run_bytes = 8u, .runs = 4u, .axes = 2u, .counts = {2u, 2u}, "
            ".steps = {80u, 20u}");
  std::uint32_t k = 0;
  for_each_run(piece.type.shape, piece.values, [&](const RunOfValues& run) {
    EXPECT_EQ(poet_piece_offset(&read, k++), 4 * run.in_whole);
  });
}

// The values of the whole, where each is the place of its piece and the byte in it.
std::string walk_of(const StepCodes& codes) {
  std::string text;
  poet_whole_walk walk;
  poet_whole_run run;
  poet_whole_begin(&walk, codes.bytes().data());
  while (poet_whole_next(&walk, &run) != 0)
    text += std::to_string(run.home / 4) + ":" + std::to_string(run.first) + "+" +
            std::to_string(run.bytes) + " ";
  EXPECT_EQ(walk.end, codes.bytes().data() + codes.bytes().size());
  return text;
}

HomePiece piece_at(std::int64_t place, std::vector<Range> values) {
  return {.values = std::move(values), .space = POET_HOME_STORAGE, .place = place};
}

TEST(Wholes, InOnePieceAreOneRun) {
  StepCodes codes;
  add_whole({ElementType::Float32, {3, 4}}, {piece_at(9, {{0, 3}, {0, 4}})}, codes);
  EXPECT_EQ(walk_of(codes), "9:0+48 ");
  StepCodes scalar;
  add_whole({ElementType::Float32, {}}, {piece_at(1, {})}, scalar);
  EXPECT_EQ(walk_of(scalar), "1:0+4 ");
}

TEST(Wholes, InTilesAreWalkedRowByRow) {
  StepCodes codes;
  add_whole({ElementType::Float32, {3, 4}},
            {piece_at(1, {{0, 2}, {0, 3}}), piece_at(2, {{0, 2}, {3, 4}}),
             piece_at(3, {{2, 3}, {0, 3}}), piece_at(4, {{2, 3}, {3, 4}})},
            codes);
  EXPECT_EQ(walk_of(codes), "1:0+12 2:0+4 1:12+12 2:4+4 3:0+12 4:0+4 ");
}

TEST(Wholes, AreWalkedInFewRunsWhereOnlyOneAxisIsCut) {
  StepCodes codes;
  add_whole({ElementType::Float32, {2, 3, 4, 5}},
            {piece_at(1, {{0, 2}, {0, 1}, {0, 4}, {0, 5}}),
             piece_at(2, {{0, 2}, {1, 3}, {0, 4}, {0, 5}})},
            codes);
  EXPECT_EQ(walk_of(codes), "1:0+80 2:0+160 1:80+80 2:160+160 ");
}

TEST(Wholes, MayHaveValuesTwice) {
  StepCodes codes;
  add_whole({ElementType::Uint8, {6}}, {piece_at(1, {{0, 4}}), piece_at(2, {{2, 6}})}, codes);
  EXPECT_EQ(walk_of(codes), "1:0+4 2:2+2 ");
}

}  // namespace
}  // namespace poet
