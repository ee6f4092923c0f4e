#include "apps/cli/use_commands.h"

#include <fmt/core.h>

#include <cstring>
#include <vector>

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "apps/cli/train_flags.h"
#include "poet/base/atomic_file.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/data/number_array.h"
#include "poet/tell/train_text.h"
#include "poet/use/use_network.h"

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
  out["not_finite"] = or_null(report.not_finite);
  out["stopped"] = report.stopped;
  return out;
}

int answer(const TrainFlags& flags, const UseReport& report, const JsonOut& json,
           const std::string& text) {
  for (const std::string& note : report.notes) warn(note);
  const bool is_fine = !report.not_finite || flags.request.allows_non_finite;
  if (!is_fine)
    warn(not_finite_text(*report.not_finite) +
         ": look for numbers in the data that are not finite, or say --allow-non-finite");
  const int code = report.no.empty() && is_fine ? kExitFound : kExitNo;
  if (flags.solve.output == Output::Json) return print_json(json, code);
  return print_text(report.no.empty() ? text : report.no + "\n", code);
}

std::vector<float> numbers_in(std::span<const std::byte> bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

// A line for each example: its number, and the likeliest class of every row of outputs (N, C, ...).
// Outputs that are not scores of classes, by the loss or because there is one class only, are
// told themselves.
class Answers {
 public:
  Failure take(const Prediction& batch) {
    has_classes_ =
        batch.loss == Loss::CrossEntropy && batch.shape.size() >= 2 && batch.shape[1] >= 2;
    if (has_classes_)
      take_classes(batch);
    else
      take_outputs(batch);
    return std::nullopt;
  }

  const std::string& text() const { return text_; }
  const char* what() const { return has_classes_ ? "classes" : "outputs"; }
  const JsonOut& json() const { return json_; }

 private:
  void take_classes(const Prediction& batch) {
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
      json_.push_back(rows == 1 ? classes[0] : classes);
    }
  }

  void take_outputs(const Prediction& batch) {
    const std::vector<float> numbers = numbers_in(batch.values);
    const std::size_t each = numbers.size() / static_cast<std::size_t>(batch.examples);
    for (std::size_t k = 0; k < static_cast<std::size_t>(batch.examples); ++k) {
      text_ += fmt::format("{}", batch.first_example + static_cast<std::int64_t>(k));
      JsonOut outputs = JsonOut::array();
      for (std::size_t i = k * each; i < (k + 1) * each; ++i) {
        text_ += fmt::format(" {}", numbers[i]);
        outputs.push_back(numbers[i]);
      }
      text_ += "\n";
      json_.push_back(std::move(outputs));
    }
  }

  bool has_classes_ = true;
  std::string text_ = {};
  JsonOut json_ = JsonOut::array();
};

// What a batch of outputs is in a file.
using BatchText = std::string (*)(const Prediction& batch);

// One array whose first dimension is that of the examples.
std::string npy_batch(const Prediction& batch) {
  std::string text;
  if (batch.first_example == 0) text = npy_header(batch.shape, batch.total_examples);
  text.append(reinterpret_cast<const char*>(batch.values.data()), batch.values.size());
  return text;
}

// A row for each example: its number and its outputs, in digits that give the same bits again.
std::string csv_batch(const Prediction& batch) {
  const std::vector<float> numbers = numbers_in(batch.values);
  const std::size_t each = numbers.size() / static_cast<std::size_t>(batch.examples);
  std::string text;
  if (batch.first_example == 0) {
    text = "example";
    for (std::size_t i = 0; i < each; ++i) text += fmt::format(",output_{}", i);
    text += "\n";
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % each == 0)
      text += fmt::format("{}", batch.first_example + static_cast<std::int64_t>(i / each));
    text += fmt::format(",{}{}", numbers[i], (i + 1) % each == 0 ? "\n" : "");
  }
  return text;
}

struct OutputFormat {
  std::string_view ending;
  BatchText text;
};
constexpr OutputFormat kOutputFormats[] = {{".npy", npy_batch}, {".csv", csv_batch}};

Result<OutputFormat> format_of(const std::string& path) {
  for (const OutputFormat& format : kOutputFormats)
    if (path.ends_with(format.ending)) return format;
  return bad_input(
      fmt::format("--out: outputs are written as .npy or .csv; {} is neither", in_quotes(path)));
}

Result<UseReport> write_outputs(const TrainFlags& flags, const OutputFormat& format,
                                const Stop& stop) {
  Result<UseReport> report = UseReport{};
  const Failure failure =
      write_file_atomically(*flags.out_path, [&](FileWriter& writer) -> Failure {
        report = predict_network(use_request(flags), stop, [&](const Prediction& batch) -> Failure {
          const std::string piece = format.text(batch);
          return writer.append(std::as_bytes(std::span(piece)));
        });
        if (!report.ok()) return report.error();
        if (report->stopped) return bad_input("stopped before all outputs were there");
        if (!report->no.empty()) return bad_input(report->no);
        return std::nullopt;
      });
  if (failure && report.ok() && report->no.empty()) return *failure;
  return report;
}

Failure check_use_targets(const TrainFlags& flags) {
  CommandFiles files;
  add_training_files(flags, files);
  files.reads("--checkpoint", flags.request.checkpoint_path);
  files.writes("--out", flags.out_path);
  return files.check();
}

int predict_into_file(const TrainFlags& flags, const Stop& stop) {
  const Result<OutputFormat> format = format_of(*flags.out_path);
  if (!format.ok()) return refuse(format.error(), flags.solve.output);
  const Result<UseReport> report = write_outputs(flags, *format, stop);
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
  if (const Failure failure = check_use_targets(*flags)) return refuse(*failure, output);
  const InterruptWatch interrupts;
  const Result<UseReport> report = evaluate_network(
      use_request(*flags), {interrupts.token(), new_clock(), flags->solve.request.time_limit_s});
  if (!report.ok()) return refuse(report.error(), output);
  JsonOut json = use_json(*report);
  if (report->no.empty()) json["evaluation"] = score_to_json(report->score);
  return answer(*flags, *report, json, score_text(report->score) + "\n");
}

int run_predict(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<TrainFlags> flags = read_train_flags("predict", predict_option_rows, arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_use_targets(*flags)) return refuse(*failure, output);
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), flags->solve.request.time_limit_s};
  if (flags->out_path) return predict_into_file(*flags, stop);
  Answers answers;
  const Result<UseReport> report =
      predict_network(use_request(*flags), stop,
                      [&answers](const Prediction& batch) { return answers.take(batch); });
  if (!report.ok()) return refuse(report.error(), output);
  JsonOut json = use_json(*report);
  if (report->no.empty()) json[answers.what()] = answers.json();
  return answer(*flags, *report, json, answers.text());
}

}  // namespace poet::cli
