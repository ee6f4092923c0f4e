#include "apps/cli/minimum_command.h"

#include <fmt/core.h>

#include "apps/cli/answer.h"
#include "apps/cli/search_command.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/minimum.h"
#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/certificate_json.h"
#include "poet/tell/certificate_text.h"
#include "poet/tell/minimum_text.h"

namespace poet::cli {
namespace {

Result<MinimumReport> search(const SolveFlags& flags, const Question& question, std::size_t& told) {
  Search search(flags);
  Result<MinimumReport> report =
      find_minimum(question, search.stop(), search.progress(), search.early_warnings());
  told = search.told();
  return report;
}

int answer(const SolveFlags& flags, MinimumReport& report, std::size_t told) {
  Failure failure;
  std::vector<std::string> written;
  if (flags.out_path && !report.plan)
    report.warnings.push_back(fmt::format(
        "{}, so '{}' was not written",
        report.status == SolveStatus::Infeasible ? "there is no schedule" : "no schedule was found",
        *flags.out_path));
  if (flags.out_path && report.plan) {
    failure = write_text_file(*flags.out_path, plan_text(*report.plan));
    if (!failure) written.push_back(*flags.out_path);
  }
  if (flags.certificate_path && !report.certificate)
    report.warnings.push_back(fmt::format("{}, so '{}' was not written", why_no_certificate(report),
                                          *flags.certificate_path));
  if (flags.certificate_path && report.certificate && !failure) {
    failure = write_text_file(*flags.certificate_path, certificate_text(*report.certificate));
    if (!failure) written.push_back(*flags.certificate_path);
  }
  for (std::size_t i = told; i < report.warnings.size(); ++i) warn(report.warnings[i]);

  const int code = report.plan ? kExitFound : kExitNo;
  JsonOut json = minimum_to_json(report);
  json["files"] = written;
  std::string text = minimum_text(report);
  if (!written.empty()) text += "\n";
  for (const std::string& path : written) text += fmt::format("  wrote {}\n", path);
  const int printed =
      flags.output == Output::Json ? print_json(json, code) : print_text(text, code);
  return failure ? refuse(*failure, Output::Text) : printed;
}

}  // namespace

std::vector<OptionRow> minimum_option_rows(SolveFlags& flags) {
  flags.request.solve.gap_ratio = 0;
  return with_other_help(
      search_option_rows(QuestionAsker::Minimum, flags),
      {
          {"--ram-budget",
           "asks for the shortest deadline within it: 737719, 720KiB, 3MB; 60% or 0.6x of the "
           "plain "
           "peak; 40%way from the largest working set to the plain peak"},
          {"--runtime-budget",
           "asks for the smallest RAM budget for it: 1.5 or 1.5x the time of computing everything "
           "once, or 200ms, 3s, 2min; default: none"},
          {"--gap",
           "stop when at most this part of the RAM budget, or of the time beyond what no schedule "
           "can save, is in doubt; default 0: a proof"},
          {"--time-limit-s", "when to stop with what is known so far; default 60"},
          {"--out", "write a plan that attains it, as JSON"},
          {"--certificate",
           "write a proof that no smaller budget works, which 'poet-check-proof' checks with the "
           "plan of --out, as JSON; it gets three tenths of the time limit"},
          {"--report", ""},
          {"--plot-directory", ""},
          {"--print-graph-info", ""},
          {"--print-power-costs", ""},
      });
}

int run_minimum(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<SolveFlags> flags = read_search_flags("minimum", minimum_option_rows, arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_targets(*flags)) return refuse(*failure, output);
  const Result<Question> question = read_question(flags->request);
  if (!question.ok()) return refuse(question.error(), output);
  std::size_t told = 0;
  Result<MinimumReport> report = search(*flags, *question, told);
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report, told);
}

}  // namespace poet::cli
