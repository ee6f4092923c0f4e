#pragma once

#include <string>
#include <vector>

namespace poet {

// What a process keeps of the rights of the user who runs it.
struct KeptRights {
  std::string folder = {};              // to read, to write, to make files in
  std::vector<std::string> reads = {};  // files and folders; those that are not there count nothing
  std::vector<std::string> runs = {};   // programs, and the libraries that they load
  bool connects = false;                // over TCP
};

// Takes from this process, and from all that it will start, every right that is not named, for
// good: no other file (nor that of another worker, nor the store), no TCP, no abstract unix socket
// of others, no signal to others, no capability, no new privileges by a program that is set-uid.
// Call it before any thread begins: threads that run already keep what they have. A kernel that
// knows less of this (Linux before 6.12), or nothing (before 5.13, or with Landlock switched off),
// takes what it can.
//
// Returns what was not taken, in a few words for whoever runs the service. Something always is:
// Landlock does not know UDP.
std::vector<std::string> keep_least_rights(const KeptRights& rights);

// The version of Landlock that this kernel has; 0: none.
int landlock_version();

// What a kernel with this version cannot take; the same words, without taking anything.
std::vector<std::string> rights_that_stay(int version);

// Ends this process when its parent's thread that started it ends, however that was.
void end_with_parent();

}  // namespace poet
