#include "poet/base/sha256.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// The examples of FIPS 180-4's authors (csrc.nist.gov, SHA256.pdf).
TEST(Sha256, IsThePublishedOne) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  Sha256 hash;
  hash.add("a");
  hash.add("");
  hash.add("bc");
  EXPECT_EQ(hash.digest(), sha256_of("abc"));
}

}  // namespace
}  // namespace poet
