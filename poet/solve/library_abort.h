#pragma once

#include <functional>

namespace poet {

// Runs `work`, which calls into a library for linear programs. False when the library called
// abort(), as a failed assertion does: Clp and Cgl as Debian builds them have such assertions on
// their own bookkeeping, and a search that lost one of a thousand programs is worth more than none.
// False as well when an instruction of the library reads or writes where nothing is (Cbc's choice
// of a branch in a small search of its heuristics does so now and then). A fault anywhere else is
// what it was before.
//
// What `work` had on its stack is not destroyed then, so it must hold nothing that others wait for,
// and the library's objects must not be used again, nor deleted. One thread's `work` may run beside
// another's; within each other they may not.
bool survives_abort(const std::function<void()>& work);

}  // namespace poet
