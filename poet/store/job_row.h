#pragma once

#include <string>
#include <string_view>

#include "poet/store/job_store.h"

namespace poet {

// What a file of jobs (sqlite_jobs.cc) and a database of them (postgres_jobs.cc) say alike.

// The columns that a job is read from, which come first in a row.
inline constexpr const char* kJobColumns =
    "jobs.id, kind, state, request, model_name, created, started, finished, summary, error, "
    "attempts";
inline constexpr int kJobColumnCount = 11;

// The job of a row that has text(column), number(column), and maybe(column), which is none where
// there is no value.
template <typename Row>
StoredJob job_of_row(const Row& row) {
  StoredJob job{.id = row.text(0),
                .kind = row.text(1),
                .state = value_of(kJobStates, row.text(2)).value_or(JobState::Failed),
                .request = row.text(3),
                .model_name = row.text(4),
                .created_unix_s = row.number(5),
                .started_unix_s = row.maybe(6),
                .finished_unix_s = row.maybe(7)};
  job.summary = row.text(8);
  job.error = row.text(9);
  job.attempts = row.number(10);
  return job;
}

// Where uses are counted, jobs and notes have names of different beginnings.
inline constexpr std::string_view kJobThing = "job ";
inline constexpr std::string_view kNoteThing = "note ";

inline std::string job_thing(const std::string& id) {
  return std::string(kJobThing) + id;
}
inline std::string note_thing(const std::string& key) {
  return std::string(kNoteThing) + key;
}

}  // namespace poet
