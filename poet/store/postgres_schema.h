#pragma once

#include <span>

#include "poet/base/result.h"
#include "poet/store/postgres_pool.h"

namespace poet {

// A change of the tables, from the version before. Services and workers of the version before go on
// beside those of the new one until they are replaced, so a change only adds, with defaults for
// what they leave out; `readable_by` is the oldest version whose programs get on with the tables.
struct PostgresChange {
  int version = 0;
  int readable_by = 0;
  const char* script = nullptr;
};

// All of them, the first one makes the tables.
std::span<const PostgresChange> postgres_changes();

// Brings the tables of a database to the last of the changes, however many programs begin at once.
// Refuses those of a later version that says that this one is too old.
Failure bring_up_to_date(const PostgresPool& pool,
                         std::span<const PostgresChange> changes = postgres_changes());

}  // namespace poet
