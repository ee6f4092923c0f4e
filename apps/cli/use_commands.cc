#include "apps/cli/use_commands.h"

#include <fmt/core.h>

#include "apps/cli/answer.h"
#include "apps/cli/interrupt_watch.h"
#include "apps/cli/output_files.h"
#include "apps/cli/search_command.h"
#include "apps/cli/train_flags.h"
#include "poet/api/train_text.h"
#include "poet/api/use_network.h"
#include "poet/base/atomic_file.h"
#include "poet/base/json_out.h"
#include "poet/data/npy_text.h"

namespace poet::cli {
namespace {

JsonOut use_json(const UseReport& report) {
  JsonOut out = {{"format", "poet-use"}, {"version", 1}};
  if (!report.no.empty()) {
    out["no"] = report.no;
    return out;
  }
  out["examples"] = report.examples;
  out["checkpoint_step"] = report.checkpoint_step;
  out["ram_budget_bytes"] = report.ram_budget_bytes;
  out["arena_bytes"] = report.arena_bytes;
  out["stopped"] = report.stopped;
  return out;
}

int answer(const TrainFlags& flags, const UseReport& report, const JsonOut& json,
           const std::string& text) {
  for (const std::string& note : report.notes) warn(note);
  const int code = report.no.empty() ? kExitFound : kExitNo;
  if (flags.solve.output == Output::Json) return print_json(json, code);
  return print_text(report.no.empty() ? text : report.no + "\n", code);
}

// The likeliest class of every row of outputs (N, C, ...).
class Classes {
 public:
  Failure take(const Prediction& batch) {
    if (batch.shape.size() < 2)
      return bad_input("the network's outputs are not scores of classes: write them with --out");
    const ClassRows layout = class_rows(batch.shape);
    const std::int64_t rows = layout.rows / batch.shape.front();
    for (std::int64_t k = 0; k < batch.examples; ++k) {
      text_ += fmt::format("{}", batch.first_example + k);
      JsonOut classes = JsonOut::array();
      for (std::int64_t row = k * rows; row < (k + 1) * rows; ++row) {
        const std::int64_t best = likeliest(layout, batch.values, row);
        text_ += fmt::format(" {}", best);
        classes.push_back(best);
      }
      text_ += "\n";
      json_.push_back(rows == 1 ? classes.front() : classes);
    }
    return std::nullopt;
  }

  const std::string& text() const { return text_; }
  const JsonOut& json() const { return json_; }

 private:
  std::string text_ = {};
  JsonOut json_ = JsonOut::array();
};

// All outputs, as one NPY array whose first dimension is that of the examples.
Result<UseReport> write_outputs(const TrainFlags& flags, const Stop& stop) {
  Result<UseReport> report = UseReport{};
  const Failure failure =
      write_file_atomically(*flags.out_path, [&](FileWriter& writer) -> Failure {
        bool begun = false;
        report = predict_network(use_request(flags), stop, [&](const Prediction& batch) -> Failure {
          if (!begun) {
            const std::string header = npy_header(batch.shape, batch.total_examples);
            if (Failure unwritten = writer.append(std::as_bytes(std::span(header))))
              return unwritten;
            begun = true;
          }
          return writer.append(batch.values);
        });
        if (!report.ok()) return report.error();
        if (report->stopped) return bad_input("stopped before all outputs were there");
        if (!report->no.empty()) return bad_input(report->no);
        return std::nullopt;
      });
  if (failure && report.ok() && report->no.empty()) return *failure;
  return report;
}

int predict_into_file(const TrainFlags& flags, const Stop& stop) {
  if (const Failure failure = check_file_target("--out", *flags.out_path))
    return refuse(*failure, flags.solve.output);
  const Result<UseReport> report = write_outputs(flags, stop);
  if (!report.ok()) return refuse(report.error(), flags.solve.output);
  JsonOut json = use_json(*report);
  if (report->no.empty()) json["files"] = {*flags.out_path};
  return answer(flags, *report, json, fmt::format("  wrote {}\n", *flags.out_path));
}

}  // namespace

int run_eval(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<TrainFlags> flags = read_train_flags("eval", eval_option_rows, arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const InterruptWatch interrupts;
  const Result<UseReport> report = evaluate_network(
      use_request(*flags), {interrupts.token(), new_clock(), flags->solve.time_limit_s});
  if (!report.ok()) return refuse(report.error(), output);
  JsonOut json = use_json(*report);
  if (report->no.empty()) json["evaluation"] = score_to_json(report->score);
  return answer(*flags, *report, json, score_text(report->score) + "\n");
}

int run_predict(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<TrainFlags> flags = read_train_flags("predict", predict_option_rows, arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), flags->solve.time_limit_s};
  if (flags->out_path) return predict_into_file(*flags, stop);
  Classes classes;
  const Result<UseReport> report =
      predict_network(use_request(*flags), stop,
                      [&classes](const Prediction& batch) { return classes.take(batch); });
  if (!report.ok()) return refuse(report.error(), output);
  JsonOut json = use_json(*report);
  if (report->no.empty()) json["classes"] = classes.json();
  return answer(*flags, *report, json, classes.text());
}

}  // namespace poet::cli
