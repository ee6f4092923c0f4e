#include "poet/service/zip_archive.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <filesystem>
#include <fstream>

namespace poet {
namespace {

namespace fs = std::filesystem;

TEST(ZipArchive, HasEveryFileUnderOneFolder) {
  const fs::path folder = fs::path(::testing::TempDir()) / "zip_archive";
  fs::remove_all(folder);
  fs::create_directories(folder / "a/b");
  { std::ofstream(folder / "a/b/x.c") << "int x;\n"; }
  { std::ofstream(folder / "y") << ""; }
  const Result<std::string> archive = zip_of_folder(folder.string(), "top");
  ASSERT_TRUE(archive.ok());
  EXPECT_EQ(*zip_of_folder(folder.string(), "top"), *archive);
  zip_error_t error;
  zip_source_t* const source =
      zip_source_buffer_create(archive->data(), archive->size(), 0, &error);
  zip_t* const opened = zip_open_from_source(source, ZIP_RDONLY, &error);
  ASSERT_NE(opened, nullptr);
  ASSERT_EQ(zip_get_num_entries(opened, 0), 2);
  EXPECT_STREQ(zip_get_name(opened, 0, 0), "top/a/b/x.c");
  EXPECT_STREQ(zip_get_name(opened, 1, 0), "top/y");
  char text[16] = {};
  zip_file_t* const file = zip_fopen_index(opened, 0, 0);
  EXPECT_EQ(zip_fread(file, text, sizeof text), 7);
  EXPECT_STREQ(text, "int x;\n");
  zip_fclose(file);
  zip_discard(opened);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace poet
