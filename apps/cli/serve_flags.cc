#include <algorithm>
#include <thread>

#include "apps/cli/parse_options.h"
#include "apps/cli/serve_command.h"
#include "poet/ask/option_reads.h"
#include "poet/base/byte_text.h"

namespace poet::cli {
namespace {

constexpr const char* kPlace = "Where";
constexpr const char* kWho = "Who may ask";
constexpr const char* kLimits = "How much";
constexpr const char* kItself = "For the service itself";

template <typename Target>
ReadOption keep_whole(Target& target, std::int64_t least, std::int64_t most) {
  return [&target, least, most](const std::string& text) {
    return keep_value(read_whole(text, least, most), target);
  };
}

template <typename Target>
ReadOption keep_number(Target& target, Zero zero) {
  return [&target, zero](const std::string& text) {
    return keep_value(read_number(text, zero), target);
  };
}

ReadOption keep_bytes(std::int64_t& target) {
  return [&target](const std::string& text) { return keep_value(parse_bytes(text), target); };
}

std::vector<OptionRow> place_rows(ServeFlags& flags) {
  return {
      {.names = "--host",
       .value = "ADDRESS",
       .group = kPlace,
       .help = "where it listens; default 127.0.0.1, this machine only; 0.0.0.0 for everybody",
       .read = keep_as_text(flags.http.host)},
      {.names = "--port",
       .value = "N",
       .group = kPlace,
       .help = "default 8321; 0 for any that is free",
       .read = keep_whole(flags.http.port, 0, 65535)},
      {.names = "--store",
       .value = "FOLDER",
       .group = kPlace,
       .help =
           "where jobs, results and models are kept: a folder of this service alone, or "
           "postgresql://..., a database that any number of 'poet serve' and 'poet work' share; "
           "default poet-service",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.service.store_folder)},
      {.names = "--page",
       .value = "FOLDER",
       .group = kPlace,
       .help = "the built page; default: page/ beside the program, or where both were installed",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.service.page_folder)},
      {.names = "--trainings",
       .value = "FOLDER",
       .group = kPlace,
       .help =
           "show how trainings go that write into this folder with --progress; default: none is "
           "shown",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.service.trainings_folder)},
  };
}

std::vector<OptionRow> access_rows(ServeFlags& flags) {
  AccessOptions& access = flags.service.access;
  return {
      {.names = "--tokens",
       .value = "FILE",
       .group = kWho,
       .help =
           "only who has a token of this file, which holds their hashes; each sees what is theirs; "
           "SIGHUP reads it again; default: everybody, and everybody sees all",
       .completes = Completes::Files,
       .read = keep_as_text(flags.tokens_path)},
      {.names = "--new-token",
       .value = "NAME",
       .group = kWho,
       .help =
           "make a token for its owner, add its hash to the file of --tokens, print it, and end",
       .read = keep_as_text(flags.new_token)},
      {.names = "--cors",
       .value = "ORIGIN",
       .group = kWho,
       .help = "whose pages may use it besides its own: https://example.org, or '*'; default: none",
       .read = keep_as_text(access.cors_origin)},
      {.names = "--rate",
       .value = "N",
       .group = kWho,
       .help = "requests a second from one address; four times as many at once; 0 for no limit; "
               "default 100",
       .read =
           [&access](const std::string& text) {
             Failure failure = keep_value(read_number(text, Zero::Allowed), access.requests_per_s);
             access.burst = std::max(1.0, 4 * access.requests_per_s);
             return failure;
           }},
  };
}

std::vector<OptionRow> limit_rows(ServeFlags& flags) {
  ServiceOptions& service = flags.service;
  return {
      {.names = "--jobs",
       .value = "N",
       .group = kLimits,
       .help = "plans that run at the same time; default: half as many as processors; with a "
               "database, 0 leaves them to others",
       .read = keep_whole(service.queue.jobs, 0, 256)},
      {.names = "--curves",
       .value = "N",
       .group = kLimits,
       .help = "comparisons that run at the same time, beside the plans; default 1; with a "
               "database, 0 leaves them to others",
       .read = keep_whole(service.queue.curves, 0, 256)},
      {.names = "--lease",
       .value = "SECONDS",
       .group = kLimits,
       .help = "with a database, after which the jobs of a process that is gone are begun again by "
               "another; default 30",
       .read = keep_number(service.places.lease_s, Zero::Refused)},
      {.names = "--queue",
       .value = "N",
       .group = kLimits,
       .help = "jobs that may wait; default 64",
       .read = keep_whole(service.queue.most_queued, 1, 100'000)},
      {.names = "--queue-each",
       .value = "N",
       .group = kLimits,
       .help =
           "jobs of one owner that may wait, or of one address where there are no tokens; default: "
           "a quarter of --queue, without --tokens half of it",
       .read = keep_whole(flags.queue_each, 1, 100'000)},
      {.names = "--job-memory",
       .value = "SIZE",
       .group = kLimits,
       .help = "of one job; default 4GiB; 0 for no limit",
       .read = keep_bytes(flags.job_memory_bytes)},
      {.names = "--most-time-s",
       .value = "SECONDS",
       .group = kLimits,
       .help = "that a request may give a search; default 600",
       .read = keep_number(service.questions.most_time_s, Zero::Refused)},
      {.names = "--most-curve-s",
       .value = "SECONDS",
       .group = kLimits,
       .help = "that all searches of a comparison take together; default 1800",
       .read = keep_number(service.most_curve_s, Zero::Refused)},
      {.names = "--most-threads",
       .value = "N",
       .group = kLimits,
       .help = "that a request may give a search; default 1",
       .read = keep_whole(service.questions.most_threads, 1, 1024)},
      {.names = "--most-model",
       .value = "SIZE",
       .group = kLimits,
       .help = "of an ONNX file that is uploaded; default 64MiB",
       .read = keep_bytes(service.most_model_bytes)},
      {.names = "--most-store",
       .value = "SIZE",
       .group = kLimits,
       .help = "of everything in --store; beyond it, what was not used for the longest time is "
               "forgotten; default 10GiB",
       .read = keep_bytes(service.most_store_bytes)},
      {.names = "--connections",
       .value = "N",
       .group = kLimits,
       .help = "requests that are served at the same time; a quarter of them may wait for a job "
               "(streams of events, GET /solve); four times as many connections may be open; "
               "default 256",
       .read = keep_whole(flags.http.connections, 4, 10'000)},
      {.names = "--per-address",
       .value = "N",
       .group = kLimits,
       .help = "of them, for one address; as many as --connections where a proxy is the only one; "
               "default half",
       .read = keep_whole(flags.http.per_address, 1, 10'000)},
      {.names = "--patience",
       .value = "SECONDS",
       .group = kLimits,
       .help = "that a client may keep it waiting within a request; default 10",
       .read = keep_number(flags.http.patience_s, Zero::Refused)},
      {.names = "--prune",
       .group = kItself,
       .help = "make the store of a stopped service no larger than --most-store, and end",
       .read = keep_as_switch(flags.prune)},
      {.names = "--work",
       .value = "FOLDER",
       .group = kItself,
       .help = "do the one work that lies in the folder: how it runs jobs, within --job-memory",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.work_folder)},
  };
}

}  // namespace

std::vector<OptionRow> serve_option_rows(ServeFlags& flags) {
  flags.service.store_folder = "poet-service";
  flags.service.queue.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
  std::vector<OptionRow> rows;
  for (auto* const part : {place_rows, access_rows, limit_rows})
    for (OptionRow& row : part(flags)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace poet::cli
