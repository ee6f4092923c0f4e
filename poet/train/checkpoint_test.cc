#include "poet/train/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "poet/base/sha256.h"

namespace poet {
namespace {

// Values in ordinary memory, in place of an executor's.
struct Memory {
  explicit Memory(const std::string& name, TensorRole role, std::vector<float> start)
      : floats(std::move(start)) {
    value = {.name = name,
             .type = {ElementType::Float32, {static_cast<std::int64_t>(floats.size())}},
             .role = role,
             .read =
                 [this](std::int64_t offset, std::span<std::byte> into) {
                   std::memcpy(into.data(), bytes().data() + offset, into.size());
                   return Failure();
                 },
             .write =
                 [this](std::int64_t offset, std::span<const std::byte> from) {
                   std::memcpy(bytes().data() + offset, from.data(), from.size());
                   return Failure();
                 }};
  }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(floats)); }

  std::vector<float> floats;
  HeldValue value;
};

std::string path_of(const std::string& name) {
  return testing::TempDir() + "poet-checkpoint-" + name;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

const CheckpointState kState{.model = "tiny",
                             .settings = {{"seed", "1"}, {"data", "sha256:ab"}},
                             .step = 7,
                             .examples = 56,
                             .seed = 18'446'744'073'709'551'615U};

class CheckpointFile : public testing::Test {
 protected:
  std::vector<std::byte> buffer = std::vector<std::byte>(24);  // smaller than the values
  Memory weight{"fc.weight", TensorRole::Parameter, {1, 2, 3, 4, 5, 6, 7}};
  Memory velocity{"fc.weight.velocity", TensorRole::OptimiserState, {-1, -2}};
};

TEST_F(CheckpointFile, GivesBackWhatWasSaved) {
  const std::string path = path_of("round");
  ASSERT_FALSE(save_checkpoint(path, kState, {weight.value, velocity.value}, buffer));
  const Result<Checkpoint> checkpoint = open_checkpoint(path, buffer);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->state, kState);
  weight.floats.assign(7, 0);
  velocity.floats.assign(2, 0);
  ASSERT_FALSE(restore(*checkpoint, {weight.value, velocity.value}, Needed::All, buffer));
  EXPECT_EQ(weight.floats, (std::vector<float>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(velocity.floats, (std::vector<float>{-1, -2}));
}

TEST_F(CheckpointFile, SavesTheSameBytesForTheSameState) {
  ASSERT_FALSE(save_checkpoint(path_of("a"), kState, {weight.value}, buffer));
  std::vector<std::byte> larger(1000);
  ASSERT_FALSE(save_checkpoint(path_of("b"), kState, {weight.value}, larger));
  EXPECT_EQ(text_of(path_of("a")), text_of(path_of("b")));
}

TEST_F(CheckpointFile, IsOfUseWithoutTheOptimisersStates) {
  ASSERT_FALSE(save_checkpoint(path_of("less"), kState, {weight.value}, buffer));
  const Result<Checkpoint> checkpoint = open_checkpoint(path_of("less"), buffer);
  ASSERT_TRUE(checkpoint.ok());
  const std::vector<HeldValue> values = {weight.value, velocity.value};
  EXPECT_FALSE(restore(*checkpoint, values, Needed::Parameters, buffer));
  const Failure failure = restore(*checkpoint, values, Needed::All, buffer);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "the checkpoint '" + path_of("less") +
                                  "' has no 'fc.weight.velocity': it is of another network, or "
                                  "was trained in another way");
}

TEST_F(CheckpointFile, RefusesValuesOfAnotherShape) {
  ASSERT_FALSE(save_checkpoint(path_of("shape"), kState, {weight.value}, buffer));
  const Result<Checkpoint> checkpoint = open_checkpoint(path_of("shape"), buffer);
  ASSERT_TRUE(checkpoint.ok());
  const Memory other("fc.weight", TensorRole::Parameter, {1});
  const Failure failure = restore(*checkpoint, {other.value}, Needed::All, buffer);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message,
            "the checkpoint '" + path_of("shape") +
                "' has 'fc.weight' as float32 (7), and the network wants float32 (1)");
}

// No byte can be missing or another one without being noticed.
TEST_F(CheckpointFile, RefusesEveryCutAndEveryChangedByte) {
  ASSERT_FALSE(save_checkpoint(path_of("sound"), kState, {weight.value}, buffer));
  const std::string sound = text_of(path_of("sound"));
  const std::string path = path_of("damaged");
  for (std::size_t i = 0; i < sound.size(); ++i) {
    std::ofstream(path, std::ios::binary) << sound.substr(0, i);
    EXPECT_FALSE(open_checkpoint(path, buffer).ok()) << "cut to " << i;
    std::string changed = sound;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    std::ofstream(path, std::ios::binary) << changed;
    EXPECT_FALSE(open_checkpoint(path, buffer).ok()) << "changed at " << i;
  }
}

// As files of version 1 are: their header has a hash in place of the settings.
TEST_F(CheckpointFile, ReadsWhatWasLearntFromTheFirstVersion) {
  std::string header =
      R"({"format":"poet-checkpoint","version":1,"model":"tiny","settings_sha256":"abc","step":7,)"
      R"("examples":56,"seed":"1","values":[{"name":"fc.weight","role":"parameter",)"
      R"("element":"float32","shape":[1],"offset_bytes":0}]})";
  std::string text =
      "POETCKPT" + std::string("00000000").replace(5, 3, std::to_string(header.size()));
  text += header;
  text.resize((text.size() + 63) / 64 * 64, '\0');
  const float value = 2.5F;
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
  text += sha256_of(text);
  std::ofstream(path_of("first"), std::ios::binary) << text;
  const Result<Checkpoint> checkpoint = open_checkpoint(path_of("first"), buffer);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_TRUE(checkpoint->state.settings.empty());
  EXPECT_EQ(checkpoint->state.step, 7);
  Memory one("fc.weight", TensorRole::Parameter, {0});
  ASSERT_FALSE(restore(*checkpoint, {one.value}, Needed::Parameters, buffer));
  EXPECT_EQ(one.floats, (std::vector<float>{2.5F}));
}

TEST_F(CheckpointFile, TellsWhatIsNone) {
  const std::string path = path_of("text");
  std::ofstream(path) << "This is a letter.";
  EXPECT_EQ(open_checkpoint(path, buffer).error().message,
            "'" + path + "' is not a POET checkpoint: it does not begin as one");
}

TEST_F(CheckpointFile, LeavesTheOldOneWhenAValueCannotBeRead) {
  const std::string path = path_of("old");
  ASSERT_FALSE(save_checkpoint(path, kState, {weight.value}, buffer));
  const std::string before = text_of(path);
  HeldValue broken = weight.value;
  broken.read = [](std::int64_t, std::span<std::byte>) { return Failure(bad_input("no disk")); };
  const Failure failure = save_checkpoint(path, kState, {broken}, buffer);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "no disk");
  EXPECT_EQ(text_of(path), before);
}

TEST(HeldValues, NameTheFirstThatIsNotFinite) {
  std::vector<std::byte> small(8);  // smaller than the values
  Memory sound("a", TensorRole::Parameter, {1, 2, 3});
  EXPECT_EQ(*first_not_finite({sound.value}, small), std::nullopt);
  Memory broken("b", TensorRole::OptimiserState, {1, 2, -INFINITY});
  EXPECT_EQ(*first_not_finite({sound.value, broken.value}, small), "'b' (-inf)");
  Memory worse("c", TensorRole::Parameter, {NAN});
  EXPECT_EQ(*first_not_finite({worse.value, broken.value}, small), "'c' (nan)");
}

TEST_F(CheckpointFile, HashOfParametersIsInOrderOfNames) {
  Memory first("a", TensorRole::Parameter, {1});
  Memory second("b", TensorRole::Parameter, {2});
  Memory state("c", TensorRole::OptimiserState, {3});
  const Result<std::string> hash =
      parameters_sha256({second.value, state.value, first.value}, buffer);
  Memory both("x", TensorRole::Parameter, {1, 2});
  EXPECT_EQ(*hash, *parameters_sha256({both.value}, buffer));
}

}  // namespace
}  // namespace poet
