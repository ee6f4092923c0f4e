#include <gtest/gtest.h>

// Of every test program. GoogleTest is precompiled together with this file.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
