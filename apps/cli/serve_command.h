#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/option_row.h"
#include "poet/service/http_server.h"
#include "poet/service/service.h"

namespace poet::cli {

// Everything that the flags of `poet serve` set.
struct ServeFlags {
  ServiceOptions service;
  HttpServerOptions http;
  std::int64_t job_memory_bytes = std::int64_t{4} << 30;  // 0: no limit
  std::optional<std::string> tokens_path;
  std::optional<std::string> new_token;    // for whom
  std::optional<std::int64_t> queue_each;  // jobs of one owner, or address, that may wait
  bool prune = false;
  std::optional<std::string> work_folder;  // as a worker of a service
};

// `flags` must outlive the rows.
std::vector<OptionRow> serve_option_rows(ServeFlags& flags);

int run_serve(const std::vector<std::string>& arguments);

}  // namespace poet::cli
