#pragma once

#include "poet/store/job_store.h"

namespace poet {

// Whether what a job came to takes the place of what it had come to before, when it was cancelled
// and began again for somebody else: an answer does, and another best that is no worse. A plan is
// no worse with at most as much of what was asked to be least, a curve with at least as many
// points.
bool takes_its_place(const StoredJob& job, const StoredJob& former);

}  // namespace poet
