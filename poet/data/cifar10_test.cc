#include "poet/data/cifar10.h"

#include <gtest/gtest.h>

#include "poet/data/files_for_tests.h"

namespace poet {
namespace {

// A record whose pixels are 0, 1, 2, ... modulo 256.
std::string record(char label) {
  std::string bytes(1, label);
  for (int i = 0; i < 3072; ++i) bytes += static_cast<char>(i % 256);
  return bytes;
}

TEST(Cifar10, GivesLabelsAndScaledPixelsOfAllFiles) {
  const std::string a = file_with("a.bin", record(3) + record(9));
  const std::string b = file_with("b.bin", record(7));
  const Result<std::unique_ptr<Dataset>> data =
      open_cifar10({a, b}, {.mean = {0, 0, 0.5F}, .deviation = {1, 1, 0.25F}});
  ASSERT_TRUE(data.ok());
  EXPECT_EQ((*data)->size(), 3);
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 1), (std::vector<std::int64_t>{9}));
  EXPECT_EQ(values_of<std::int64_t>(**data, 2, 1), (std::vector<std::int64_t>{7}));
  const std::vector<float> image = values_of<float>(**data, 2, 0);
  EXPECT_EQ(image[0], 0);
  EXPECT_EQ(image[51], 0.2F);
  EXPECT_EQ(image[2048 + 255], 2);  // blue: (1 - 0.5) / 0.25
}

TEST(Cifar10, RefusesFilesThatAreNotWholeRecords) {
  const std::string path = file_with("cut.bin", record(3).substr(1));
  const Result<std::unique_ptr<Dataset>> data = open_cifar10({path}, {});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().message, "'" + path +
                                      "' has 3072 bytes: a CIFAR-10 file is made of records of "
                                      "3073 bytes, a label and 3 x 32 x 32 pixels");
}

TEST(Cifar10, RefusesFilesThatAreNotThere) {
  const Result<std::unique_ptr<Dataset>> data = open_cifar10({"no-such.bin"}, {});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().message, "cannot read 'no-such.bin': No such file or directory");
}

TEST(Cifar10, RefusesScalesOfAnotherNumberOfChannels) {
  const Result<std::unique_ptr<Dataset>> data = open_cifar10({"x"}, {.mean = {0.5F, 0.5F}});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().message,
            "2 means are given for pictures of 3 channels: give one for all or one for each");
}

}  // namespace
}  // namespace poet
