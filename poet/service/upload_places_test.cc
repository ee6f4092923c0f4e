#include "poet/service/upload_places.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

class UploadsOfAClock : public ::testing::Test {
 protected:
  double now_s_ = 0;
  UploadPlaces places_{
      {.elapsed_s = [this] { return now_s_; }, .most = 3, .most_each = 2, .sure_s = 30}};
};

TEST_F(UploadsOfAClock, OneAddressLeavesRoomForOthers) {
  const auto first = places_.take("192.0.2.1");
  auto second = places_.take("192.0.2.1");
  EXPECT_TRUE(second);
  EXPECT_FALSE(places_.take("192.0.2.1"));
  const auto other = places_.take("192.0.2.2");
  EXPECT_TRUE(other);
  EXPECT_FALSE(places_.take("192.0.2.3"));
  second.reset();
  EXPECT_TRUE(places_.take("192.0.2.3"));
}

TEST_F(UploadsOfAClock, OneOfACustomerIsOneAddress) {
  const auto first = places_.take("2001:db8::1:2:3:4");
  const auto second = places_.take("2001:db8::2:2:3:4");
  EXPECT_FALSE(places_.take("2001:db8::3:2:3:4"));
}

TEST_F(UploadsOfAClock, ASlowOneGivesWayToWhoHasNone) {
  const auto slow = places_.take("192.0.2.1");
  now_s_ = 5;
  const auto later = places_.take("192.0.2.2");
  const auto last = places_.take("192.0.2.3");
  now_s_ = 30;
  EXPECT_FALSE(places_.take("192.0.2.4"));
  now_s_ = 31;
  const auto next = places_.take("192.0.2.4");
  EXPECT_TRUE(next);
  EXPECT_TRUE(slow->gives_way);
  EXPECT_FALSE(later->gives_way);
  EXPECT_FALSE(places_.take("192.0.2.5")) << "the others are sure of theirs";
}

TEST_F(UploadsOfAClock, OneAddressTakesFromItselfOnly) {
  const auto of_another = places_.take("192.0.2.2");
  now_s_ = 1;
  const auto first = places_.take("192.0.2.1");
  const auto second = places_.take("192.0.2.1");
  now_s_ = 100;
  EXPECT_TRUE(places_.take("192.0.2.1"));
  EXPECT_TRUE(first->gives_way);
  EXPECT_FALSE(of_another->gives_way);
}

TEST_F(UploadsOfAClock, WhatHasComeStays) {
  const auto first = places_.take("192.0.2.1");
  const auto second = places_.take("192.0.2.1");
  first->has_come = true;
  second->has_come = true;
  now_s_ = 1000;
  EXPECT_FALSE(places_.take("192.0.2.1"));
}

}  // namespace
}  // namespace poet
