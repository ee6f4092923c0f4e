#include "apps/cli/command.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/answer.h"
#include "apps/cli/compare_command.h"
#include "apps/cli/completion.h"
#include "apps/cli/environment.h"
#include "apps/cli/explain_command.h"
#include "apps/cli/export_command.h"
#include "apps/cli/export_network_commands.h"
#include "apps/cli/generate_command.h"
#include "apps/cli/help_text.h"
#include "apps/cli/look_commands.h"
#include "apps/cli/manual.h"
#include "apps/cli/minimum_command.h"
#include "apps/cli/mpi_ranks.h"
#include "apps/cli/output_files.h"
#include "apps/cli/pack_command.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/plain_commands.h"
#include "apps/cli/profile_command.h"
#include "apps/cli/quantise_command.h"
#include "apps/cli/run_command.h"
#include "apps/cli/serve_command.h"
#include "apps/cli/solve_flags.h"
#include "apps/cli/sweep_flags.h"
#include "apps/cli/train_flags.h"
#include "apps/cli/use_commands.h"
#include "apps/cli/work_command.h"
#include "apps/cli/worth_command.h"
#include "poet/ask/option_reads.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"

namespace poet::cli {
namespace {

std::vector<std::string> names_of_commands() {
  std::vector<std::string> names;
  for (const Command& command : command_table()) names.emplace_back(command.name);
  return names;
}

std::vector<OptionRow> options_of_solve() {
  static SolveFlags unread;
  return solve_option_rows(unread);
}

std::vector<OptionRow> options_of_minimum() {
  static SolveFlags unread;
  return minimum_option_rows(unread);
}

std::vector<OptionRow> options_of_compare() {
  static CompareFlags unread;
  return compare_option_rows(unread);
}

std::vector<OptionRow> options_of_sweep() {
  static SweepFlags unread;
  return sweep_option_rows(unread);
}

std::vector<OptionRow> options_of_explain() {
  static ExplainFlags unread;
  return explain_option_rows(unread);
}

std::vector<OptionRow> options_of_run() {
  static RunFlags unread;
  return run_option_rows(unread);
}

// Those of 'export c' and of 'export onnx', which 'export safetensors' has, too; what only one of
// them has says so.
std::vector<OptionRow> options_of_export() {
  static ExportFlags unread;
  static ExportOnnxFlags unread_onnx;
  const auto is_in = [](const std::vector<OptionRow>& rows, const OptionRow& row) {
    return std::any_of(rows.begin(), rows.end(),
                       [&row](const OptionRow& one) { return one.names == row.names; });
  };
  std::vector<OptionRow> rows = export_option_rows(unread);
  std::vector<OptionRow> of_onnx = export_onnx_option_rows(unread_onnx);
  std::erase_if(of_onnx, [&](OptionRow& row) { return is_in(rows, row); });
  for (OptionRow& row : rows)
    if (!is_in(export_onnx_option_rows(unread_onnx), row)) row.help += " (export c)";
  for (OptionRow& row : of_onnx) {
    row.help += " (export onnx, export safetensors)";
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<OptionRow> options_of_export_after(std::string_view word) {
  static ExportFlags unread;
  static ExportOnnxFlags unread_onnx;
  if (word == "c") return export_option_rows(unread);
  return word == "onnx" ? export_onnx_option_rows(unread_onnx)
                        : export_safetensors_option_rows(unread_onnx);
}

std::vector<OptionRow> options_of_profile() {
  static ProfileFlags unread;
  return profile_option_rows(unread);
}

std::vector<OptionRow> options_of_worth() {
  static WorthFlags unread;
  return worth_option_rows(unread);
}

template <std::vector<OptionRow> (*rows)(TrainFlags&)>
std::vector<OptionRow> options_of_training() {
  static TrainFlags unread;
  return rows(unread);
}

template <std::vector<OptionRow> (*rows)(LookFlags&)>
std::vector<OptionRow> options_of() {
  static LookFlags unread;
  return rows(unread);
}

std::vector<OptionRow> options_of_generate() {
  static GenerateFlags unread;
  return generate_option_rows(unread);
}

std::vector<OptionRow> options_of_quantise() {
  static QuantiseFlags unread;
  return quantise_option_rows(unread);
}

std::vector<OptionRow> options_of_pack() {
  static PackFlags unread;
  return pack_option_rows(unread);
}

std::vector<OptionRow> options_of_serve() {
  static ServeFlags unread;
  return serve_option_rows(unread);
}

std::vector<OptionRow> options_of_work() {
  static ServeFlags unread;
  return work_option_rows(unread);
}

struct HelpFlags {
  bool all = false;
  std::optional<std::string> manual_folder = {};
};

std::vector<OptionRow> help_option_rows(HelpFlags& flags) {
  return {{.names = "--all",
           .group = "Options",
           .help = "every option of the command, not only those that people need first",
           .read = keep_as_switch(flags.all)},
          {.names = "--manual",
           .value = "FOLDER",
           .group = "Options",
           .help = "write the manual pages of all commands into the folder, for 'man'",
           .completes = Completes::Directories,
           .read = keep_as_text(flags.manual_folder)}};
}

std::vector<OptionRow> options_of_help() {
  static HelpFlags unread;
  return help_option_rows(unread);
}

std::vector<OptionRow> no_options() {
  return {};
}

Error unknown_command(const std::string& given) {
  if (given.starts_with('-'))
    return bad_input(fmt::format(
        "a command comes first, as in 'poet solve {}'; 'poet help' lists the commands", given));
  const std::vector<std::string> names = names_of_commands();
  const std::string hint = suggestion(given, {names.begin(), names.end()});
  return bad_input(fmt::format("unknown command '{}'{}", given,
                               hint.empty() ? "; 'poet help' lists the commands" : hint));
}

// The argument of a command that has no options; empty when there is none.
Result<std::string> at_most_one(const std::string& command, const std::string& what,
                                const std::vector<std::string>& arguments) {
  const Result<std::vector<std::string>> rest = parse_options(command, {}, arguments);
  if (!rest.ok()) return rest.error();
  if (rest->size() > 1)
    return bad_input(fmt::format("poet {} takes one {}, found '{}' after '{}'", command, what,
                                 (*rest)[1], (*rest)[0]));
  return rest->empty() ? std::string() : rest->front();
}

Result<std::string> write_manual(const std::string& folder) {
  if (const Failure failure = make_folder(folder)) return *failure;
  const std::vector<ManualPage> pages = manual_pages();
  for (const ManualPage& page : pages)
    if (const Failure failure = write_text_file(folder + "/" + page.file, page.text))
      return *failure;
  return fmt::format("wrote {} manual pages into {}\n", pages.size(), in_quotes(folder));
}

// What is a topic of many commands.
constexpr const char* kWeightsTopic = "weights";

// [COMMAND [TOPIC]] [--all] | weights | --manual FOLDER
Result<std::string> asked_help(const std::vector<std::string>& arguments) {
  HelpFlags flags;
  const Result<std::vector<std::string>> words =
      parse_options("help", help_option_rows(flags), arguments);
  if (!words.ok()) return words.error();
  if (flags.manual_folder && (flags.all || !words->empty()))
    return bad_input("--manual writes the pages of all commands; leave out everything else");
  if (flags.manual_folder) return write_manual(*flags.manual_folder);
  if (words->empty()) return overview_text();
  if (words->size() == 1 && words->front() == kWeightsTopic) return weights_help_text();
  const Command* const command = find_command(words->front());
  if (command == nullptr) return unknown_command(words->front());
  if (words->size() > 2)
    return bad_input(
        fmt::format("poet help takes a command and a topic of it, found '{}' after "
                    "'{}'",
                    (*words)[2], (*words)[1]));
  if (words->size() == 2) return topic_help_text(*command, (*words)[1]);
  return flags.all ? full_help_text(*command) : help_text(*command);
}

// What is the same from every process that mpirun started is said by the first.
int print_once(const std::string& text) {
  const std::optional<RankPlace> rank = place_by_mpirun(environment_variable);
  return rank && rank->own > 0 ? kExitFound : print_text(text, kExitFound);
}

int run_help(const std::vector<std::string>& arguments) {
  const Result<std::string> text = asked_help(arguments);
  if (!text.ok()) return refuse(text.error(), output_of(arguments));
  return print_once(*text);
}

struct Shell {
  std::string_view name;
  std::string (*script)();
};
constexpr Shell kShells[] = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

int run_completion(const std::vector<std::string>& arguments) {
  const Result<std::string> shell_name = at_most_one("completion", "shell", arguments);
  if (!shell_name.ok()) return refuse(shell_name.error(), output_of(arguments));
  const std::string& given = *shell_name;
  for (const Shell& shell : kShells)
    if (shell.name == given) return print_text(shell.script(), kExitFound);
  return refuse(bad_input(fmt::format("poet completion needs the name of a shell: bash, zsh or fish"
                                      "{}",
                                      given.empty() ? "" : ", found '" + given + "'")),
                output_of(arguments));
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& one) { return one == "--help" || one == "-h"; });
}

std::vector<std::string> inspect_words() {
  std::vector<std::string> words = model_names();
  const std::vector<std::string> platforms = platform_names();
  words.insert(words.end(), platforms.begin(), platforms.end());
  return words;
}

std::vector<Command> commands_by_themselves() {
  return {
      {.name = "solve",
       .arguments = "--model NAME --platform NAME | --graph-file FILE [options]",
       .what = "find the training schedule that costs the least energy",
       .examples = {{"poet solve --model resnet18_cifar --platform m4 --ram-budget 737719 "
                     "--runtime-budget 1.5",
                     "the least energy in 737,719 bytes, taking at most 1.5 times as long"},
                    {"poet solve --model bert --platform a72 --ram-budget 40%way --out plan.json "
                     "--report plan.html",
                     "a plan to verify and use, and a page with pictures of it"},
                    {"poet solve --model linear --platform m0 --ram-budget 5000 --no-paging --json",
                     "recomputation alone, for a program to read"},
                    {"poet solve --graph-file mine.json --ram-budget 0.9x",
                     "a graph with costs of your own, in 0.9 times what keeping everything needs"}},
       .options = options_of_solve,
       .first = {"--model", "--platform", "--ram-budget", "--runtime-budget", "--batch-size",
                 "--graph-file", "--time-limit-s", "--out", "--report", "--json"},
       .words = {},
       .run = run_solve},
      {.name = "minimum",
       .arguments = "--model NAME --platform NAME | --graph-file FILE [options]",
       .what = "find the smallest RAM budget for a deadline, or the shortest deadline in a RAM "
               "budget",
       .examples = {{"poet minimum --model resnet18_cifar --platform m4 --runtime-budget 1.5 "
                     "--io blocking",
                     "the smallest RAM budget in which a step takes at most 1.5 times as long"},
                    {"poet minimum --model vgg16 --graph released --platform m4 "
                     "--no-paging --ram-budget 60MB",
                     "the shortest deadline that recomputing can keep in 60 MB"},
                    {"poet minimum --graph-file mine.json --out small.json",
                     "a plan in the least RAM that a graph with costs of your own can do with"}},
       .options = options_of_minimum,
       .first = {"--model", "--platform", "--ram-budget", "--runtime-budget", "--batch-size",
                 "--graph-file", "--time-limit-s", "--out", "--gap", "--json"},
       .words = {},
       .run = run_minimum},
      {.name = "compare",
       .arguments = "--model NAME --platform NAME | --graph-file FILE [options]",
       .what = "plan with the published methods and with POET, side by side under the same rules",
       .examples = {{"poet compare --model resnet18_cifar --platform m4 --ram-budget 40%way "
                     "--runtime-budget 1.5",
                     "every method, and how far from the bound it stays"},
                    {"poet compare --model bert --platform a72 --ram-budget 30%way "
                     "--methods keep-all,checkmate,paging --chart methods.svg",
                     "some of them, with a picture"}},
       .options = options_of_compare,
       .first = {"--model", "--platform", "--ram-budget", "--runtime-budget", "--batch-size",
                 "--graph-file", "--methods", "--time-limit-s", "--chart", "--json"},
       .words = {},
       .run = run_compare},
      {.name = "sweep",
       .arguments = "--model NAMES --platform NAMES | --graph-file FILE [options]",
       .what = "plan at many RAM budgets with many methods: the trade-off curves",
       .examples = {{"poet sweep --model resnet18_cifar --platform m4 --runtime-budget 1.5 "
                     "--results points.db --report curves.html",
                     "energy and time against RAM, every method; stopped, it goes on from "
                     "points.db"},
                    {"poet sweep --model linear,vgg16_cifar --platform m0,a72 --budgets 8 "
                     "--methods chen-greedy,checkmate,paging --csv points.csv",
                     "four figures of eight budgets"},
                    {"mpirun -n 16 poet sweep --model bert --platform a72 --results points.db",
                     "on as many machines as MPI gives"},
                    {"poet sweep --model bert --platform a72 --store "
                     "postgresql://poet@db.example.org/poet --name bert",
                     "one of any number of processes, on any machines, that share the sweep"}},
       .options = options_of_sweep,
       .first = {"--model", "--platform", "--budgets", "--runtime-budget", "--methods", "--results",
                 "--report", "--csv", "--time-limit-s", "--json"},
       .words = {},
       .run = run_sweep_command},
      {.name = "worth",
       .arguments = "--model NAME [options]",
       .what = "say which layers are worth training within a RAM budget, and what that takes",
       .examples =
           {{"poet worth --model lenet5 --batch-size 4 --platform m4 --ram-budget 40KiB",
             "biases, norms, the last layers and those that gain most, each with its gain, its "
             "least RAM and its energy"},
            {"poet worth --model lenet5 --batch-size 4 --platform m4 --ram-budget 40KiB "
             "--energy-budget 0.01 --report worth.html",
             "at most 10 mJ a step, and the curves on a page"},
            {"poet worth --model lenet5 --batch-size 4 --platform m4 --ram-budget 40KiB --gains "
             "gains.json",
             "by gains of your own for layers or parameters, such as a contribution analysis "
             "measures"}},
       .options = options_of_worth,
       .first = {"--model", "--platform", "--ram-budget", "--runtime-budget", "--energy-budget",
                 "--data", "--gains", "--batch-size", "--report", "--json"},
       .words = {},
       .run = run_worth},
      {.name = "train",
       .arguments = "--model NAME [options]",
       .what = "train a network in the RAM that there is, to the same numbers as without a limit",
       .examples = {{"poet train --model lenet5 --ram-budget 80% --steps 50",
                     "on made-up pictures, in 80 % of the RAM that keeping everything takes"},
                    {"poet train --model resnet8 --batch-size 8 --data cifar-10-batches-bin "
                     "--ram-budget 2MB --epochs 10 --checkpoint resnet8.ckpt",
                     "on CIFAR-10; Ctrl-C saves and leaves, --resume goes on to the same bits"},
                    {"poet train --model gpt2-tiny --data tokens.bin --data-format tokens "
                     "--optimiser adamw --batch-size 8 --micro-batches 4 --ram-budget 40%way",
                     "on numbers of tokens, in steps of four parts"},
                    {"poet train --model llama-tiny --weights tiny-llama --train "
                     "regex:layers.1 --steps 20 --checkpoint tuned.ckpt",
                     "from published weights in a folder, of which the second block is trained"},
                    {"poet train --model llama-tiny --sequence-length 16 --batch-size 2 "
                     "--adapter lora:rank=4,targets=attention --steps 20 --checkpoint lora.ckpt",
                     "adapters of rank 4 beside the weights of attention, which stay as they are"},
                    {"mpirun -n 2 poet train --model lenet5 --micro-batches 8 --steps 50",
                     "by two processes, on as many machines as MPI gives, to the same bits"},
                    {"poet train --model digits-mlp --batch-size 8 --parts whole --ram-budget 7KiB "
                     "--train auto --steps 20",
                     "the layers that are worth most of what can be trained in 7 KiB"},
                    {"poet train --model lenet5 --steps 50 --progress lenet5.jsonl",
                     "for 'poet serve --trainings .', whose page shows how it goes"}},
       .options = options_of_training<train_option_rows>,
       .first = {"--model", "--data", "--ram-budget", "--steps", "--epochs", "--batch-size",
                 "--learning-rate", "--optimiser", "--checkpoint", "--resume"},
       .words = {},
       .run = run_train},
      {.name = "eval",
       .arguments = "--model NAME [options]",
       .what = "say how well a trained network does on data",
       .examples =
           {{"poet eval --model lenet5 --checkpoint lenet5.ckpt --data t10k-images-idx3-ubyte,"
             "t10k-labels-idx1-ubyte --image-size 28",
             "loss and accuracy"}},
       .options = options_of_training<eval_option_rows>,
       .first = {"--model", "--checkpoint", "--data", "--batch-size", "--ram-budget",
                 "--image-size", "--loss", "--storage", "--json", "--quiet"},
       .words = {},
       .run = run_eval},
      {.name = "predict",
       .arguments = "--model NAME [options]",
       .what = "say what a trained network makes of data",
       .examples = {{"poet predict --model lenet5 --checkpoint lenet5.ckpt --data images.npy",
                     "a line for each example: its number, and its likeliest class"},
                    {"poet predict --model mine.onnx --data x.npz --loss mean-squared-error",
                     "its outputs, where they are not scores of classes"},
                    {"poet predict --model mine.onnx --data x.npz --out outputs.npy",
                     "all outputs, for NumPy"}},
       .options = options_of_training<predict_option_rows>,
       .first = {"--model", "--checkpoint", "--data", "--out", "--batch-size", "--ram-budget",
                 "--image-size", "--loss", "--storage", "--json"},
       .words = {},
       .run = run_predict},
      {.name = "generate-text",
       .arguments = "--model NAME --tokenizer FILE [options]",
       .what = "go on with a text as a language model learnt it",
       .examples =
           {{"poet generate-text --model llama-tiny --sequence-length 32 --checkpoint texts.ckpt "
             "--tokenizer tokenizer.json --prompt \"The quick\"",
             "the likeliest token, again and again"},
            {"poet generate-text --model llama-tiny --sequence-length 32 --checkpoint texts.ckpt "
             "--tokenizer tokenizer.json --temperature 0.8 --top-k 40 --top-p 95% --seed 7",
             "a text of its own, drawn; another seed writes another"}},
       .options = options_of_training<generate_text_option_rows>,
       .first = {"--model", "--checkpoint", "--weights", "--tokenizer", "--prompt", "--max-tokens",
                 "--temperature", "--top-k", "--top-p", "--seed"},
       .words = {},
       .run = run_generate_text},
      {.name = "export",
       .arguments = "c|onnx|safetensors --model NAME --out PATH [options]",
       .what = "write a training as a C project for a board, or what was trained as ONNX or "
               "safetensors",
       .examples =
           {{"poet export c --model lenet5 --batch-size 4 --platform m4 --out lenet5",
             "for the RAM of that board; 'make host && ./host' in the folder tries it here"},
            {"poet export c --model lenet5 --image-size 24 --batch-size 4 --platform m4 "
             "--ram-budget 220KiB --write-budget 256KiB --out small",
             "in 220 KiB, writing at most 256 KiB to the card in a step"},
            {"poet export onnx --model lenet5 --checkpoint lenet5.ckpt --out lenet5.onnx",
             "the trained network, for every program that reads ONNX"},
            {"poet export onnx --model mine.onnx --checkpoint mine.ckpt --out tuned.onnx",
             "the same file, with the trained values"},
            {"poet export safetensors --model lenet5 --checkpoint lenet5.ckpt --out "
             "lenet5.safetensors",
             "its weights, for --weights and for other programs"},
            {"poet export safetensors --model llama-tiny --sequence-length 16 "
             "--adapter lora:rank=4,targets=attention --checkpoint lora.ckpt --out lora",
             "adapters alone, in a folder as PEFT has it, for --adapter-weights"},
            {"poet export onnx --model llama-tiny --sequence-length 16 "
             "--adapter lora:rank=4,targets=attention --checkpoint lora.ckpt --merge --out "
             "llama.onnx",
             "adapters added to the weights that they are beside"}},
       .options = options_of_export,
       .first = {"--model", "--out", "--platform", "--ram-budget", "--batch-size", "--checkpoint",
                 "--learning-rate", "--optimiser", "--data", "--json"},
       .words = {"c", "onnx", "safetensors"},
       .options_after = options_of_export_after,
       .run = run_export},
      {.name = "run",
       .arguments = "--board NAME --model NAME [options]",
       .what =
           "train on an emulated board: plan, write C, build it, take steps, count instructions",
       .examples =
           {{"poet run --board qemu-m4 --model lenet5 --image-size 24 --batch-size 4 --steps 20",
             "on a Cortex-M4F with 256 KiB of RAM; the losses are those of 'poet train'"},
            {"poet run --board qemu-m0 --model digits-mlp --batch-size 2 --ram-budget 20KiB --out "
             "mlp "
             "--json",
             "on a Cortex-M0, keeping the project in a folder"}},
       .options = options_of_run,
       .first = {"--board", "--model", "--ram-budget", "--batch-size", "--steps", "--data",
                 "--learning-rate", "--image-size", "--out", "--json"},
       .words = {},
       .run = run_run},
      {.name = "verify",
       .arguments = "PLAN [options]",
       .what = "replay a plan against every rule, trusting no solver",
       .examples = {{"poet verify plan.json", "exit code 0: every rule is kept; 1: not so"},
                    {"poet verify plan.json --certificate proof.json",
                     "and how much of its bound a certificate proves"},
                    {"poet verify plan.json --io blocking",
                     "the same actions where the processor waits for each transfer"}},
       .options = options_of<verify_option_rows>,
       .words = {},
       .completes = Completes::Files,
       .run = run_verify},
      {.name = "explain",
       .arguments = "PLAN [TENSOR|OPERATION ...] [options]",
       .what = "say why tensors are paged or recomputed, and what more RAM or time would save",
       .examples = {{"poet explain plan.json", "every tensor that is absent once"},
                    {"poet explain plan.json relu_5 --ram-more 64KiB",
                     "one of them, and what 64 KiB more would save"},
                    {"poet explain plan.json --quick", "without planning again"}},
       .options = options_of_explain,
       .words = {},
       .completes = Completes::Files,
       .run = run_explain},
      {.name = "inspect",
       .arguments = "PLAN|MODEL|DEVICE | --graph-file FILE [options]",
       .what = "show what is in a plan, a network, a device or a graph file",
       .examples = {{"poet inspect plan.json", "what is recomputed and paged, and what it costs"},
                    {"poet inspect resnet50 --platform a72 --batch-size 8",
                     "every operation of its training step, with its costs"},
                    {"poet inspect mine.onnx --batch-size 8", "the same of a network of your own"},
                    {"poet inspect m4", "every number of a device, with its source"},
                    {"poet inspect --graph-file mine.json", "a graph with costs of your own"}},
       .options = options_of<inspect_option_rows>,
       .words = inspect_words(),
       .completes = Completes::Files,
       .run = run_inspect},
      {.name = "profile",
       .arguments = "--model NAME|FILE.onnx | --power-log FILE --project FOLDER [options]",
       .what = "measure on this machine what each operation of a network costs",
       .examples =
           {{"poet profile --model resnet8 --batch-size 8 --out-device mine.toml "
             "--out-costs mine.costs.json",
             "for 'poet solve --platform mine.toml --costs mine.costs.json'"},
            {"poet profile --model mine.onnx --repeats 50 --power-w 15",
             "only to look at, on a machine that draws 15 W above idle"},
            {"poet profile --board qemu-m4 --model lenet5 --image-size 24 --datasheet nrf52840 "
             "--out-device counted.toml --out-costs counted.costs.json",
             "by counted instructions and the currents of a data sheet"},
            {"poet profile --power-log ppk.csv --supply-v 3 --project lenet5 --out-device "
             "measured.toml --out-costs measured.costs.json",
             "by what a board drew that ran the project, as a Power Profiler Kit II logged it"}},
       .options = options_of_profile,
       .words = {},
       .run = run_profile},
      {.name = "quantise",
       .arguments = "FILE.safetensors|FOLDER --out FILE.safetensors --bits 4|8 [options]",
       .what = "write weights in blocks of 8 or 4 bits, and say by how much they change",
       .examples = {{"poet quantise tiny-llama --out small.safetensors --bits 4",
                     "for --weights small.safetensors; what is trained beside them is float32"},
                    {"poet quantise tiny-llama --out small.safetensors --bits 8 --block 64 "
                     "--tensors \"regex:proj\"",
                     "of the tensors so called, with 64 values to a scale"}},
       .options = options_of_quantise,
       .words = {},
       .completes = Completes::Files,
       .run = run_quantise},
      {.name = "pack",
       .arguments = "FILE.csv|PLAN [options]",
       .what = "give every buffer of a table or a plan an address in as few bytes as can be",
       .examples = {{"poet pack buffers.csv --capacity 1MiB --out packed.csv",
                     "exit code 0: they fit, and 'packed.csv' says where; 1: not so"},
                    {"poet pack buffers.csv --alignment 64",
                     "the lowest packing, at multiples of 64 bytes"},
                    {"poet pack plan.json --out laid_out.json",
                     "the arena that a plan needs, kept with the plan"}},
       .options = options_of_pack,
       .words = {},
       .completes = Completes::Files,
       .run = run_pack},
      {.name = "generate",
       .arguments = "resnet|transformer|unet --out FILE [options]",
       .what = "make up the training step of a large network, as a graph file",
       .examples = {{"poet generate transformer --operations 10000 --out deep.json",
                     "about 10,000 operations, with the costs of m4"},
                    {"poet generate unet --operations 300 --seed 7 --platform a72 --out small.json",
                     "another shape, on another device"}},
       .options = options_of_generate,
       .words = generated_kinds(),
       .run = run_generate},
      {.name = "serve",
       .arguments = "[options]",
       .what = "answer over HTTP: plans for a page and for programs, kept in a store",
       .examples = {{"poet serve", "on http://127.0.0.1:8321/, for this machine only"},
                    {"poet serve --host 0.0.0.0 --tokens tokens.txt --jobs 4 --job-memory 8GiB",
                     "for others who have a token; 'poet serve --new-token ada --tokens "
                     "tokens.txt' makes one"},
                    {"poet serve --trainings .",
                     "also how trainings go that write here with --progress"},
                    {"poet serve --store postgresql://poet@db.example.org/poet",
                     "one of a team: 'poet work' helps it"}},
       .options = options_of_serve,
       .words = {},
       .run = run_serve},
      {.name = "work",
       .arguments = "--store postgresql://... [options]",
       .what = "do the jobs of services that share a database, on as many machines as there are",
       .examples = {{"poet work --store postgresql://poet@db.example.org/poet --jobs 4",
                     "four plans at a time; Ctrl-C gives them back"}},
       .options = options_of_work,
       .words = {},
       .run = run_work},
      {.name = "models",
       .arguments = "[options]",
       .what = "list the networks",
       .examples = {{"poet models", "names, sizes, and the RAM that each needs"}},
       .options = options_of<list_option_rows>,
       .words = {},
       .run = run_models},
      {.name = "devices",
       .arguments = "[options]",
       .what = "list the devices",
       .examples = {{"poet devices", "names, RAM and speed"}},
       .options = options_of<list_option_rows>,
       .words = {},
       .run = run_devices},
      {.name = "completion",
       .arguments = "bash|zsh|fish",
       .what = "print a script that completes commands and options in a shell",
       .examples = {{"source <(poet completion bash)", "for this bash session"}},
       .options = no_options,
       .words = {"bash", "zsh", "fish"},
       .run = run_completion},
      {.name = "help",
       .arguments = "[COMMAND [TOPIC]] [--all] | weights | --manual FOLDER",
       .what = "show the commands, or one command's options and examples",
       .examples = {{"poet help train", "what people need first, and the topics of the rest"},
                    {"poet help train data", "one of these topics"},
                    {"poet help train --all", "every option of train"},
                    {"poet help weights", "what --weights and --adapter-weights take"},
                    {"poet help --manual pages", "'man pages/poet-train.1' shows one of them"}},
       .options = options_of_help,
       .words = {},  // the names of all, once they are there
       .run = run_help},
  };
}

std::vector<Command> make_commands() {
  std::vector<Command> commands = commands_by_themselves();
  for (const Command& command : commands) commands.back().words.emplace_back(command.name);
  commands.back().words.emplace_back(kWeightsTopic);
  return commands;
}

}  // namespace

const std::vector<Command>& command_table() {
  static const std::vector<Command> table = make_commands();
  return table;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : command_table())
    if (command.name == name) return &command;
  return nullptr;
}

int run_program(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return print_once(overview_text());
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h") return print_once(overview_text());
  if (first == "--version") return print_once(version_text());
  const Command* const command = find_command(first);
  if (command == nullptr) return refuse(unknown_command(first), output_of(arguments));
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (asks_for_help(rest)) {
    const bool all = std::find(rest.begin(), rest.end(), "--all") != rest.end();
    return print_once(all ? full_help_text(*command) : help_text(*command));
  }
  return command->run(rest);
}

}  // namespace poet::cli
