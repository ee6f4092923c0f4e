#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/train/held_values.h"
#include "poet/train/rank_conference.h"

namespace poet {

// What a rank says of values that it alone keeps, so that rank 0 can ask for them.
std::string description_of(const std::vector<HeldValue>& values);

// Of rank 0: the values that another rank described. They are read and written by asking it, which
// is between two steps, while the others wait. The conference outlives them.
Result<std::vector<HeldValue>> values_of_rank(int rank, const std::string& description,
                                              RankConference& conference);

// What such a rank replies.
RankConference::Reply reply_for(std::vector<HeldValue> values);

}  // namespace poet
