#include "poet/data/picture_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "poet/data/files_for_tests.h"
#include "poet/data/open_data.h"
#include "poet/data/picture_file.h"

namespace poet {
namespace {

// 2 x 2 pixels: (10, 20, 30), (40, 50, 60) over (70, 80, 90), (100, 110, 120).
const char* const kColours =
    "89504E470D0A1A0A0000000D4948445200000002000000020802000000FDD49A73000000164944415478DA63"
    "E01291D330B261700B884AC9AB00000F18030DB9B9E8640000000049454E44AE426082";
// 4 x 2 pixels, grey: 0, 10, 20, 30 over 40, 50, 60, 70.
const char* const kGrey =
    "89504E470D0A1A0A0000000D49484452000000040000000208000000005AC322BF000000124944415478DA63"
    "60E0129163D030B2710300038E0119CB3F0C520000000049454E44AE426082";
// 8 x 8 pixels, grey, all 200, as JPEG.
const char* const kJpeg =
    "FFD8FFE000104A46494600010100000100010000FFDB00430003020203020203030303040303040508050504"
    "04050A070706080C0A0C0C0B0A0B0B0D0E12100D0E110E0B0B1016101113141515150C0F1718161418121415"
    "14FFC0000B080008000801011100FFC4001F0000010501010101010100000000000000000102030405060708"
    "090A0BFFC400B5100002010303020403050504040000017D0102030004110512213141061351610722711432"
    "8191A1082342B1C11552D1F02433627282090A161718191A25262728292A3435363738393A43444546474849"
    "4A535455565758595A636465666768696A737475767778797A838485868788898A92939495969798999AA2A3"
    "A4A5A6A7A8A9AAB2B3B4B5B6B7B8B9BAC2C3C4C5C6C7C8C9CAD2D3D4D5D6D7D8D9DAE1E2E3E4E5E6E7E8E9EA"
    "F1F2F3F4F5F6F7F8F9FAFFDA0008010100003F00FB02BFFFD9";

using PixelBytes = std::vector<std::uint8_t>;

Result<Pixels> picture_of(const char* hexadecimal, std::int64_t channels) {
  return read_picture(file_with("picture", from_hexadecimal(hexadecimal)), channels);
}

TEST(PictureFile, ReadsPngAndJpeg) {
  const Result<Pixels> colours = picture_of(kColours, 3);
  ASSERT_TRUE(colours.ok()) << colours.error().message;
  EXPECT_EQ(colours->bytes, (PixelBytes{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120}));
  const Result<Pixels> grey = picture_of(kGrey, 1);
  ASSERT_TRUE(grey.ok()) << grey.error().message;
  EXPECT_EQ(grey->bytes, (PixelBytes{0, 10, 20, 30, 40, 50, 60, 70}));
  const Result<Pixels> jpeg = picture_of(kJpeg, 3);
  ASSERT_TRUE(jpeg.ok()) << jpeg.error().message;
  EXPECT_EQ(jpeg->bytes, PixelBytes(8 * 8 * 3, 200));
}

// Every file that is cut off, and one that says that it is as large as a continent.
TEST(PictureFile, RefusesWhatIsDamaged) {
  for (const char* const whole : {kColours, kJpeg}) {
    const std::string bytes = from_hexadecimal(whole);
    for (std::size_t size = 0; size + 20 < bytes.size(); size += 7)
      EXPECT_FALSE(read_picture(file_with("cut", bytes.substr(0, size)), 3).ok()) << size;
  }
  std::string large = from_hexadecimal(kJpeg);
  const std::size_t frame = large.find("\xFF\xC0");
  large.replace(frame + 5, 4, "\xFE\x01\xFE\x01");
  const Result<Pixels> refused = read_picture(file_with("large", large), 3);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("it is of 65025 x 65025 pixels, and 268,435,456 are the "
                                         "limit"),
            std::string::npos)
      << refused.error().message;
}

TEST(FittedPicture, TakesTheMiddleAndTheMeanOfAreas) {
  const Pixels grey{
      .height = 2, .width = 4, .channels = 1, .bytes = {0, 10, 20, 30, 40, 50, 60, 70}};
  EXPECT_EQ(fitted_picture(grey, 2, 4), grey.bytes);
  EXPECT_EQ(fitted_picture(grey, 1, 1), (PixelBytes{35}));  // of 10, 20, 50 and 60
  EXPECT_EQ(fitted_picture(grey, 1, 2), (PixelBytes{25, 45}));
  EXPECT_EQ(fitted_picture(grey, 4, 4),
            (PixelBytes{10, 10, 20, 20, 10, 10, 20, 20, 50, 50, 60, 60, 50, 50, 60, 60}));
  // The middle is half of each.
  const Pixels row{.height = 2, .width = 2, .channels = 1, .bytes = {10, 20, 10, 20}};
  EXPECT_EQ(fitted_picture(row, 3, 3), (PixelBytes{10, 15, 20, 10, 15, 20, 10, 15, 20}));
  const Pixels colours{.height = 1, .width = 2, .channels = 3, .bytes = {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(fitted_picture(colours, 1, 2), (PixelBytes{1, 4, 2, 5, 3, 6}));
}

WantedParts pictures_wanted(std::int64_t classes) {
  return {{{.name = "image", .type = {ElementType::Float32, {1, 2, 2}}},
           {.name = "labels", .type = {ElementType::Int64, {}}, .value_limit = classes}}};
}

TEST(PictureFolder, HasAClassInEachFolder) {
  const std::string folder = testing::TempDir() + "poet-pictures";
  std::filesystem::remove_all(folder);
  for (const char* const name : {"b-cats", "a-dogs", "c-none", ".thumbnails"})
    std::filesystem::create_directories(folder + "/" + name);
  std::ofstream(folder + "/a-dogs/2.JPG", std::ios::binary) << from_hexadecimal(kJpeg);
  std::ofstream(folder + "/a-dogs/notes.txt") << "of no account";
  std::ofstream(folder + "/a-dogs/._2.JPG") << "what another system keeps of it";
  std::ofstream(folder + "/b-cats/1.png", std::ios::binary) << from_hexadecimal(kGrey);
  DataSource source{.paths = {folder}, .text = {.place = {.kept_in = folder + "-kept"}}};
  const Result<std::unique_ptr<Dataset>> data = open_data(source, pictures_wanted(3));
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_EQ((*data)->size(), 2);
  EXPECT_EQ(values_of<std::int64_t>(**data, 0, 1), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 1), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(values_of<float>(**data, 0, 0), std::vector<float>(4, 200 / 255.0F));
  EXPECT_EQ(values_of<float>(**data, 1, 0),
            (std::vector<float>{10 / 255.0F, 20 / 255.0F, 50 / 255.0F, 60 / 255.0F}));
  const Result<std::unique_ptr<Dataset>> other = open_data(source, pictures_wanted(2));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message,
            "the folder '" + folder +
                "' has 3 folders, one for each class, and the network tells 2 classes apart: give "
                "--classes, or make a folder for each");
  std::ofstream(folder + "/b-cats/0.png", std::ios::binary) << "no picture";
  const Result<std::unique_ptr<Dataset>> damaged = open_data(source, pictures_wanted(3));
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().message, "cannot read the picture '" + folder +
                                         "/b-cats/0.png': it begins neither as JPEG nor as PNG");
}

}  // namespace
}  // namespace poet
