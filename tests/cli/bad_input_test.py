"""Whatever is wrong with a request is said in one sentence, with exit code 2."""

import os
import unittest

import program
from program import poet

SOLVE = ["solve", "--model", "linear", "--platform", "m4"]


class BadInput(program.InAFolder):
    def test_unknown_commands(self):
        self.assert_refused("unknown command 'sovle'; did you mean 'solve'?", "sovle")
        self.assert_refused("unknown command 'xyzzyxyzzy'; 'poet help' lists the commands", "xyzzyxyzzy")
        self.assert_refused("unknown command 'sovle'; did you mean 'solve'?", "help", "sovle")

    def test_a_command_comes_first(self):
        self.assert_refused(
            "a command comes first, as in 'poet solve --model'; 'poet help' lists the commands", "--model", "linear"
        )

    def test_unknown_options(self):
        self.assert_refused("poet solve has no option '--modle'; did you mean '--model'?", "solve", "--modle", "bert")
        self.assert_refused("poet verify has no option '--xyzzyxyzzy'; see 'poet help verify'", "verify", "--xyzzyxyzzy")

    def test_options_that_a_board_has_no_use_for(self):
        """Pages and traces are of trainings here, and so are budgets that change; nothing would come of them."""
        network = ("--board", "qemu-m4", "--model", "digits-mlp")
        for option in ("--report", "--trace", "--trace-steps", "--ram-levels", "--ram-control"):
            for command in (("run",), ("export", "c")):
                ended = poet(*command, *network, option, "3")
                self.assertEqual((ended.code, ended.err.startswith(f"poet: poet {command[0]} has no option '{option}'")), (2, True), ended.err)

    def test_missing_names(self):
        self.assert_refused("poet solve needs --model NAME ('poet models' lists them), --model FILE.onnx or --graph-file FILE", "solve", "--platform", "m4")
        self.assert_refused("poet solve needs --platform NAME; 'poet devices' lists them", "solve", "--model", "bert")
        self.assert_refused("--model needs a value: --model NAME|FILE", "solve", "--model", "--platform", "m4")
        self.assert_refused("poet verify needs the path of a plan", "verify")
        self.assert_refused("poet inspect needs a network, a device or the path of a plan", "inspect")

    def test_unknown_names(self):
        self.assert_refused(
            "unknown model 'resnet81'; did you mean 'resnet8'?", "solve", "--model", "resnet81", "--platform", "m4"
        )
        self.assert_refused("unknown platform 'a27'; did you mean 'a72'?", "solve", "--model", "bert", "--platform", "a27")
        self.assert_refused("--io: unknown value 'freee'; did you mean 'free'?", *SOLVE, "--io", "freee")
        self.assert_refused("--objective: unknown value 'joy'; use energy, time", *SOLVE, "--objective", "joy")
        self.assert_refused("--solver: unknown value 'gurobpy'; did you mean 'gurobipy'?", *SOLVE, "--solver", "gurobpy")
        self.assert_refused("--graph: unknown value 'relesed'; did you mean 'released'?", *SOLVE, "--graph", "relesed")
        self.assert_refused("--graph: unknown value 'foo'; use real, released", *SOLVE, "--graph", "foo")
        self.assert_refused("'resnet81' is not a network, a device or a file; did you mean 'resnet8'?", "inspect", "resnet81")

    def test_real_networks(self):
        self.assert_refused(
            "linear has only a released graph, which can be planned and not trained; 'poet models' lists them", *SOLVE, "--graph", "real"
        )
        lenet = ["solve", "--model", "lenet5", "--platform", "m4"]
        self.assert_refused("unknown model 'lenett'; did you mean 'lenet5'?", "solve", "--model", "lenett",
                            "--platform", "m4")
        self.assert_refused("cannot read 'none.onnx': No such file or directory", "solve", "--model", "none.onnx", "--platform", "m4")
        self.assert_refused("--optimiser: unknown value 'sdg'; did you mean 'sgd'?", *lenet, "--optimiser", "sdg")
        self.assert_refused("--dimensions: 'sequence' is not NAME=N, such as sequence=128", *lenet, "--dimensions", "sequence")

    def test_a_file_that_is_cut_off(self):
        with open(self.path("cut.onnx"), "wb") as file:
            file.write(b"\x08\x07\x3a\x50small")
        self.assert_refused("cut.onnx: it is not an ONNX file, or it is cut off or nested too deeply", "solve",
                            "--model", "cut.onnx", "--platform", "m4")

    def test_wrong_numbers(self):
        self.assert_refused("--learning-rate: '1e39' is too large; the largest is 1e38",
                            "train", "--model", "lenet5", "--learning-rate", "1e39")
        number = "expected a whole number of at least 1, found"
        self.assert_refused(f"--batch-size: {number} '0'", *SOLVE, "--batch-size", "0")
        self.assert_refused(f"--batch-size: {number} '2.5'", *SOLVE, "--batch-size", "2.5")
        for large in ("9999999999999", "99999999999999999999"):
            self.assert_refused(
                f"--batch-size: '{large}' is too large; the largest that works is 1000000", *SOLVE, "--batch-size", large
            )
        self.assert_refused(f"--solve-threads: {number} '-1'", *SOLVE, "--solve-threads", "-1")
        self.assert_refused("--time-limit-s: expected a number above 0, found '0'", *SOLVE, "--time-limit-s", "0")
        self.assert_refused(
            "--mem-power-scale: '1e400' is out of range: 0, or from 1e-307 to 1e308", *SOLVE, "--mem-power-scale", "1e400"
        )
        self.assert_refused(
            "--mem-power-scale: expected a number of at least 0, found 'nan'", *SOLVE, "--mem-power-scale", "nan"
        )
        self.assert_refused(
            "--gap: expected a part such as 1e-4 or 0.01%, from 0 to less than 1, found '5'", *SOLVE, "--gap", "5"
        )
        self.assert_refused("--seed: expected a whole number of at least 0, found 'x'", *SOLVE, "--seed", "x")

    def test_wrong_budgets(self):
        forms = "write it as 737719, 720KiB, 3MB, 60%, 0.6x or 40%way"
        self.assert_refused(
            f"--ram-budget: '0.6' is not a RAM budget: bytes without a unit are whole; {forms}", *SOLVE, "--ram-budget", "0.6"
        )
        self.assert_refused(
            f"--ram-budget: '-3' is not a RAM budget: it is below 0; {forms}",
            *SOLVE, "--ram-budget", "-3",
        )
        self.assert_refused(
            f"--ram-budget: '3 QB' is not a RAM budget: unknown unit 'QB' (use B, KB, KiB, MB, MiB, GB or GiB); {forms}",
            *SOLVE, "--ram-budget", "3 QB",
        )
        self.assert_refused("the RAM budget, 1e+30 times what keeping everything needs, does not fit in 62 bits",
                            *SOLVE, "--ram-budget", "1e30x")
        self.assert_refused(
            "--ram-budget: '18446744073709551616' is not a RAM budget: the size does not fit in 63 bits; "
            f"{forms}", *SOLVE, "--ram-budget", "18446744073709551616",
        )
        self.assert_refused("--deadline: a deadline must be longer than nothing, found '0'", *SOLVE, "--deadline", "0")
        self.assert_refused("--runtime-budget: a deadline must be longer than nothing, found '0'", *SOLVE, "--runtime-budget=0")

    def test_options_only(self):
        self.assert_refused("poet solve takes only options, found 'bert'", *SOLVE, "bert")
        self.assert_refused("poet models takes only options, found 'bert'", "models", "bert")
        self.assert_refused("poet verify takes one argument, found 'b' after 'a'", "verify", "a", "b")
        self.assert_refused("poet help takes a command and a topic of it, found 'verify' after 'data'",
                            "help", "train", "data", "verify")
        self.assert_refused("poet completion takes one shell, found 'zsh' after 'bash'", "completion", "bash", "zsh")

    def test_options_of_real_networks(self):
        released = ["solve", "--model", "resnet18_cifar", "--platform", "m4"]
        for option, value in (("--optimiser", "adam"), ("--train", "last:1"), ("--loss", "mean-squared-error"),
                              ("--updates", "sliced"), ("--parameters", "resident"), ("--frozen", "storage"), ("--adapter", "lora"),
                              ("--image-size", "64"), ("--classes", "3"), ("--largest-gradient-norm", "1"),
                              ("--dimensions", "sequence=8"), ("--threads", "3")):
            self.assert_refused(f"{option} is for real networks, and this is a released graph", *released, option, value)

    def test_options_that_would_change_nothing(self):
        train = ["train", "--model", "lenet5", "--steps", "1"]
        for given, message in ((["--momentum", "0.9"], "--momentum is for --optimiser momentum or nesterov, and this training has sgd"),
                               (["--rate-every", "3"], "--rate-every is for --schedule step, and this training has constant"),
                               (["--schedule=linear", "--rate-factor=0.5"],
                                "--rate-factor is for --schedule step, and this training has linear"),
                               (["--last-rate-ratio", "0.1"],
                                "--last-rate-ratio is for --schedule cosine or linear, and this training has constant")):
            self.assert_refused(message, *train, *given)

    def test_options_of_onnx_files(self):
        sequence = ["--model", "bert-tiny", "--dimensions", "sequence=8"]
        message = "--dimensions is for ONNX files, and this is POET's own bert-tiny"
        self.assert_refused(message, "solve", *sequence, "--platform", "m4")
        self.assert_refused(message, "train", *sequence, "--no-keep-plans")
        self.assert_refused(message, "export", "onnx", *sequence, "--out", "a.onnx")
        self.assert_refused(message, "inspect", "bert-tiny", "--dimensions", "sequence=8")

    def test_names_of_the_other_kind_of_graph(self):
        self.assert_refused("bert has only a released graph, which can be planned and not trained; 'poet models' lists them",
                            "train", "--model", "bert")
        self.assert_refused("vgg16_cifar has only a released graph, which can be planned and not trained; did you mean 'vgg16'?",
                            "train", "--model", "vgg16_cifar")
        self.assert_refused("resnet8 has only a real graph, and released ones have linear, vgg16, vgg16_cifar, resnet18, resnet50, resnet18_cifar, bert or "
                            "transformer",
                            "solve", "--model", "resnet8", "--graph", "released", "--platform", "m4")

    def test_boards_by_name(self):
        self.assert_refused("--board: there is no board 'foo'; use qemu-m4, qemu-m0, qemu-microbit, qemu-m0plus, qemu-m7, qemu-psram, "
                            "qemu-stm32f405 or qemu-lm3s6965", "run", "--board", "foo",
                            "--model", "lenet5")

    def test_unknown_networks_with_options_of_real_ones(self):
        for option in (["--train", "bias"], ["--parts", "whole"], ["--optimiser", "adam"]):
            self.assert_refused("unknown model 'resnet81'; did you mean 'resnet8'?", "solve", "--model", "resnet81",
                                "--platform", "m4", *option)

    def test_regular_expressions(self):
        train = ["solve", "--model", "lenet5", "--platform", "m4", "--train"]
        self.assert_refused("--train: '(' is not a regular expression: missing ): (", *train, "regex:(")
        # std::regex recursed once for each letter, and tried every way to match.
        self.assert_refused("'regex:(a+)+(a+)+(a+)+(a+)+bbbbbbbbbbbbbb...' chooses none of the 10 parameters: they have names such as "
                            "conv1.weight", *train, "regex:" + "(a+)+" * 4 + "b" * 50_000)

    def test_two_values_for_one_option(self):
        self.assert_refused("--model is given twice, 'linear' and 'bert'; give it once", *SOLVE, "--model", "bert")
        self.assert_refused(
            "--runtime-budget or --deadline is given twice, '1.5' and '2x'; give it once",
            *SOLVE, "--runtime-budget", "1.5", "--deadline", "2x",
        )

    def test_a_shell_by_name(self):
        self.assert_refused("poet completion needs the name of a shell: bash, zsh or fish", "completion")
        self.assert_refused("poet completion needs the name of a shell: bash, zsh or fish, found 'csh'", "completion", "csh")

    def test_json_holds_the_error_too(self):
        ended = poet(*SOLVE, "--batch-size", "x", "--json")
        message = "--batch-size: expected a whole number of at least 1, found 'x'"
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, f"poet: {message}\n")
        self.assertEqual(ended.json(), {"format": "poet-report", "version": 1, "error": message})
        ended = poet("slove", "--json")
        self.assertEqual((ended.code, ended.json()["error"]), (2, "unknown command 'slove'; did you mean 'solve'?"))
        for command in ("help", "completion"):
            ended = poet(command, "solve", "verify", "--json")
            self.assertEqual((ended.code, list(ended.json())), (2, ["format", "version", "error"]))


class Targets(program.InAFolder):
    """What cannot be written is refused before the search."""

    def test_no_folder(self):
        why = "cannot write 'no/plan.json': the folder 'no' does not exist"
        self.assert_refused(f"--out: {why}", *SOLVE, "--out", "no/plan.json")
        self.assert_refused(
            "--report: cannot write 'no/a.html': the folder 'no' does not exist", *SOLVE, "--report", "no/a.html"
        )
        self.assert_refused(
            "--plot-directory: cannot write 'no/plots': the folder 'no' does not exist", *SOLVE, "--plot-directory", "no/plots"
        )

    def test_one_file_for_two(self):
        self.assert_refused(
            "--out and --report name one file, 'same'; give each its own", *SOLVE, "--out", "same", "--report", "same"
        )
        self.assert_refused(
            "--out and --report name one file, './same'; give each its own", *SOLVE, "--out", "same", "--report", "./same"
        )
        with open(self.path("mine.toml"), "w") as file:
            file.write("")
        os.symlink("mine.toml", self.path("link"))
        self.assert_refused(
            "--platform and --out name one file, 'link'; give each its own",
            "solve", "--model", "linear", "--platform", "mine.toml", "--out", "link",
        )

    def test_what_is_read_is_not_replaced(self):
        for name in ("mine.toml", "net.onnx", "c.json"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("mine")
        os.link(self.path("net.onnx"), self.path("hard"))
        os.symlink("net.onnx", self.path("soft"))
        on_m4 = ["--platform", "m4"]
        for command, option in (("solve", "--out"), ("solve", "--report"), ("solve", "--certificate"), ("minimum", "--out"), ("minimum", "--certificate"),
                                ("compare", "--csv"), ("compare", "--chart"), ("sweep", "--csv"), ("sweep", "--report"),
                                ("sweep", "--results"), ("train", "--log"), ("train", "--report"),
                                ("train", "--checkpoint"), ("train", "--storage")):
            for name in ("net.onnx", "./net.onnx", "hard", "soft"):
                self.assert_refused(f"--model and {option} name one file, '{name}'; give each its own",
                                    command, "--model", "net.onnx", *on_m4, option, name)
            self.assert_refused(f"--platform and {option} name one file, 'mine.toml'; give each its own",
                                command, "--model", "lenet5", "--platform", "mine.toml", option, "mine.toml")
            self.assert_refused(f"--costs and {option} name one file, 'c.json'; give each its own",
                                command, "--model", "lenet5", *on_m4, "--costs", "c.json", option, "c.json")
        self.assert_refused("--model and --out-costs name one file, 'hard'; give each its own",
                            "profile", "--model", "net.onnx", "--out-costs", "hard")
        self.assert_refused("--platform and --csv name one file, 'mine.toml'; give each its own",
                            "sweep", "--model", "lenet5", "--platform", "m4,mine.toml", "--csv", "mine.toml")
        self.assert_refused("--platform and --out name one file, 'mine.toml'; give each its own",
                            "generate", "unet", "--platform", "mine.toml", "--out", "mine.toml")
        with open(self.path("net.onnx"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_pictures_and_files_of_one_name(self):
        self.assert_refused("--out and --plot-directory name one file, './graph.dot'; give each its own",
                            *SOLVE, "--out", "graph.dot", "--plot-directory", ".")
        self.assert_refused("--csv and --plot-directory name one file, './sweep_time.svg'; give each its own",
                            "sweep", "--model", "lenet5", "--platform", "m4", "--csv", "sweep_time.svg",
                            "--plot-directory", ".")

    def test_a_link_to_a_file_that_is_not_there(self):
        os.symlink("real.json", self.path("link.json"))
        self.assert_refused("--out and --report name one file, 'real.json'; give each its own",
                            *SOLVE, "--out", "link.json", "--report", "real.json")
        ended = poet(*program.LINEAR, "--out", "link.json", "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(os.readlink(self.path("link.json")), "real.json")
        self.assertEqual(poet("verify", "real.json", cwd=self.folder).code, 0)
        os.symlink("none/real.json", self.path("lost"))
        self.assert_refused("--out: cannot write 'lost': the folder 'none' does not exist", *SOLVE, "--out", "lost")

    def test_no_file(self):
        self.assert_refused(
            "--out: cannot write '-': a file is meant; for one with this name write './-'", *SOLVE, "--out", "-"
        )

    def test_a_folder_in_place_of_a_file(self):
        os.mkdir(self.path("plan.json"))
        self.assert_refused("--out: cannot write 'plan.json': it is a folder", *SOLVE, "--out", "plan.json")

    def test_a_file_in_place_of_a_folder(self):
        with open(self.path("plots"), "w") as file:
            file.write("mine")
        self.assert_refused(
            "--plot-directory: cannot write 'plots': 'plots' is not a folder", *SOLVE, "--plot-directory", "plots"
        )
        self.assert_refused("--out: cannot write 'plots/plan.json': 'plots' is not a folder", *SOLVE, "--out", "plots/plan.json")

    @unittest.skipIf(os.geteuid() == 0, "skipped: root may write everywhere")
    def test_no_permission(self):
        os.chmod(self.folder, 0o500)
        self.addCleanup(os.chmod, self.folder, 0o700)
        self.assert_refused(
            "--out: cannot write 'plan.json': no permission to write in the folder '.'", *SOLVE, "--out", "plan.json"
        )

    def test_full_standard_output(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        import subprocess

        with open("/dev/full", "w") as full:
            ended = subprocess.run([program.program, "models"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(ended.stderr, "poet: cannot write to standard output: No space left on device\n")

    def test_closed_standard_output(self):
        import subprocess

        ended = subprocess.run(["sh", "-c", 'exec "$0" models >&-', program.program], capture_output=True, text=True,
                               check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(ended.stderr, "poet: cannot write to standard output: it is closed\n")


if __name__ == "__main__":
    program.run_tests()
