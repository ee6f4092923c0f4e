// The program `poet-check-proof`: files in, what they prove out (docs/model/certificates.md §6).
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/exact/check.h"
#include "poet/exact/proof_text.h"

namespace {

using poet::exact::ProofCheck;

enum ExitCode : int { kProved = 0, kNotProved = 1, kBadInput = 2, kBug = 3 };

constexpr const char* kWhat =
    "Checks a certificate of poet in exact rational arithmetic: that no schedule takes less than a "
    "bound, that there is none, or none in less RAM. Given a plan, it also replays its schedule. "
    "No code of the planner is involved.";
constexpr const char* kMore =
    "Examples:\n"
    "  poet-check-proof plan.json proof.json    what poet solve wrote with --out and "
    "--certificate\n"
    "  poet-check-proof proof.json              a certificate that there is no schedule\n"
    "  poet-check-proof --json plan.json proof.json\n\n"
    "Exit codes: 0 what is claimed is proved, and the plan is valid; 1 not so; 2 files that cannot "
    "be read; 3 a bug.";

// A failed POET_CHECK has said what is wrong, and aborts.
void exit_as_bug(int) {
  _exit(kBug);
}

int refuse(const std::string& why) {
  fmt::print(stderr, "poet-check-proof: {}\n", why);
  return kBadInput;
}

poet::Result<ProofCheck> check_files(const std::vector<std::string>& paths) {
  std::optional<poet::exact::NamedText> subject;
  poet::Result<std::string> subject_text = std::string();
  if (paths.size() > 1) {
    subject_text = poet::read_text_file(paths.front());
    if (!subject_text) return subject_text.error();
    subject = {*subject_text, paths.front()};
  }
  const poet::Result<std::string> proof_text = poet::read_text_file(paths.back());
  if (!proof_text) return proof_text.error();
  return poet::exact::check_proof(subject, {*proof_text, paths.back()});
}

int run(int argc, char** argv) {
  CLI::App app(kWhat, "poet-check-proof");
  app.footer(kMore);
  bool as_json = false;
  std::vector<std::string> paths;
  app.add_flag("--json", as_json, "print the answer as JSON");
  app.set_version_flag("--version", "poet-check-proof " POET_VERSION);
  app.add_option("FILES", paths,
                 "a plan or a problem, and its certificate; the certificate alone where it carries "
                 "its problem")
      ->required()
      ->expected(1, 2);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + "; see poet-check-proof --help");
  }
  const poet::Result<ProofCheck> check = check_files(paths);
  if (!check.ok()) return refuse(to_string(check.error()));
  const std::string answer = as_json ? poet::json_text(poet::exact::proof_to_json(*check))
                                     : poet::exact::proof_text(*check);
  if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size() ||
      std::fflush(stdout) != 0)
    return refuse("cannot write the answer");
  return check->holds() ? kProved : kNotProved;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGABRT, exit_as_bug);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return refuse("there is not enough memory");
  } catch (const std::exception& error) {
    refuse(std::string("a bug: ") + error.what());
    return kBug;
  }
}
