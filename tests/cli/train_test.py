"""Training at the command line: the same numbers in every budget, checkpoints, data files, what is printed."""

import fcntl
import json
import math
import os
import random
import re
import resource
import select
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest
import zipfile

import program
from program import ANY_PLAN, poet

NETWORK = ["--model", "lenet5", "--image-size", "16", "--batch-size", "4"]
LENET = [*NETWORK, "--examples", "64"]


class Training(program.InAFolder):
    def train(self, *more, model=LENET, cwd=None):
        ended = poet("train", *model, "--cache", self.path("plans"), "--quiet", "--json", *more, cwd=cwd or self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        return ended.json()


class Augmented(Training):
    """Pictures come otherwise each time, and the same way again after a stop, in every split and every budget."""

    AUGMENT = ["--augment", "flip,crop:3", "--test-examples", "0"]

    def test_the_same_bits_after_a_stop(self):
        at_once = self.train(*self.AUGMENT, "--steps", "9")
        self.train(*self.AUGMENT, "--steps", "4", "--checkpoint", "a.ckpt")
        resumed = self.train(*self.AUGMENT, "--steps", "9", "--checkpoint", "a.ckpt", "--resume")
        self.assertEqual(resumed["losses"], at_once["losses"][4:])
        self.assertEqual(resumed["parameters_sha256"], at_once["parameters_sha256"])
        less = self.train(*self.AUGMENT, "--steps", "9", "--ram-budget", "60%way")
        self.assertEqual(less["parameters_sha256"], at_once["parameters_sha256"])
        plain = self.train("--test-examples", "0", "--steps", "9")
        self.assertNotEqual(plain["losses"][0], at_once["losses"][0])

    def test_the_same_pictures_in_micro_batches(self):
        at_once, split = (self.train(*self.AUGMENT, "--steps", "1", "--micro-batches", count)["losses"][0] for count in ("1", "4"))
        self.assertAlmostEqual(at_once, split, places=5)

    def test_is_a_setting(self):
        self.train(*self.AUGMENT, "--steps", "1", "--checkpoint", "a.ckpt")
        train = ["train", *LENET, "--no-keep-plans", "--quiet", "--steps", "2", "--test-examples", "0"]
        self.assert_refused("the checkpoint 'a.ckpt' is of a training with other settings: augmentation (flip,crop:3 there, flip "
                            "here); use the same, or begin anew with another path", *train, "--augment", "flip", "--checkpoint", "a.ckpt", "--resume")
        self.assertIn(": augmentation (flip,crop:3 there, none here); ",
                      poet(*train, "--checkpoint", "a.ckpt", "--resume", cwd=self.folder).err)
        self.assert_refused("--augment: expected flip or crop:PIXELS, found 'turn'", *train, "--augment", "turn")
        self.assert_refused("--augment is for pictures that have one label each", "train", "--model", "llama-tiny", "--sequence-length", "8",
                            "--batch-size", "1", "--no-keep-plans", "--quiet", "--steps", "1", "--augment", "flip")


class SeveralMemories(Training):
    """On a device with a slow memory beside its RAM, which operations reach by address."""

    def test_the_same_bits_in_less_ram(self):
        at_once = self.train("--steps", "6")
        self.assertNotIn("further_arenas", at_once)
        for more in (["--ram-budget", "50%"], ["--ram-budget", "50%", "--io", "overlapped"],
                     ["--ram-budget", "40%", "--parameters", "resident", "--objective", "time"]):
            with self.subTest(more):
                in_two = self.train("--steps", "6", "--platform", "esp32s3", *more)
                self.assertEqual(in_two["parameters_sha256"], at_once["parameters_sha256"])
                self.assertEqual(in_two["losses"], at_once["losses"])
                [psram] = in_two["further_arenas"]
                self.assertEqual(psram["name"], "psram")
                self.assertGreater(psram["size_bytes"], 0)
                self.assertLessEqual(in_two["arena_bytes"], in_two["ram_budget_bytes"])

    def test_plans_are_verified_and_packed(self):
        plan = [*NETWORK, "--parts", "whole", "--platform", "esp32s3", "--ram-budget", "50%", "--out", "plan.json"]
        solved = poet("solve", *plan, "--json", "--quiet", cwd=self.folder).json()
        [psram] = solved["further_memories"]
        self.assertGreater(psram["peak_bytes"], 0)
        checked = poet("verify", "plan.json", "--json", cwd=self.folder)
        self.assertEqual(checked.code, 0, checked.err)
        self.assertEqual(checked.json()["further_memories"], [psram])
        packed = poet("pack", "plan.json", "--out", "packed.json", "--quiet", cwd=self.folder)
        self.assertEqual(packed.code, 0, packed.err)
        with open(self.path("packed.json"), encoding="utf-8") as file:
            self.assertGreaterEqual(json.load(file)["layout"]["further_arenas"][0]["size_bytes"], psram["peak_bytes"])

    def test_a_memory_of_a_pc_is_a_file_on_its_ssd(self):
        at_once = self.train("--steps", "6")
        pc = ["--steps", "6", "--platform", "pc", "--ram-budget", "50%"]
        on_the_ssd = self.train(*pc, "--memory-in", f"nvme={self.folder}")
        self.assertEqual(on_the_ssd["parameters_sha256"], at_once["parameters_sha256"])
        [nvme] = on_the_ssd["further_arenas"]
        self.assertGreater(nvme["size_bytes"], 0)
        refused = {
            f"nvem={self.folder}": "the device has no memory 'nvem'; did you mean 'nvme'?",
            f"psram={self.folder}": "the device has no memory 'psram', but nvme",
            "nvme=/nowhere": "the memory 'nvme' cannot be in '/nowhere': there is no such folder",
            "nvme": "--memory-in: 'nvme' is not NAME=FOLDER, such as nvme=/media/nvme",
            "nvme=.,nvme=/": "--memory-in: the memory 'nvme' is in two folders",
        }
        for where, why in refused.items():
            with self.subTest(where):
                answer = poet("train", *NETWORK, *pc, "--memory-in", where, cwd=self.folder)
                self.assertEqual((answer.code, answer.err), (2, f"poet: {why}\n"))
        answer = poet("train", *NETWORK, "--platform", "laptop", "--steps", "1", "--memory-in", "nvme=.", cwd=self.folder)
        self.assertEqual(answer.err, "poet: the device has no memory beside its RAM, and so no 'nvme'\n")

    def write_board(self, psram):
        """The board esp32s3 with another PSRAM."""
        boards = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "poet", "device", "boards")
        with open(os.path.join(boards, "esp32s3.toml"), encoding="utf-8") as file, open(self.path("little.toml"), "w", encoding="utf-8") as little:
            little.write(file.read().replace('"8 MiB", source', f'"{psram}", source'))

    def test_buffers_are_packed_into_a_memory_that_they_fill(self):
        """By the byte they fit, and by whole pieces of 64 bytes another plan is needed."""
        self.write_board("6 KiB")
        trained = poet("train", "--model", "digits-cnn", "--batch-size", "2", "--platform", "little.toml", "--ram-budget", "4KiB", "--parts", "512",
                       "--steps", "1", "--no-keep-plans", "--quiet", "--json", cwd=self.folder)
        self.assertEqual(trained.code, 0, trained.out + trained.err)
        [psram] = trained.json()["further_arenas"]
        self.assertLessEqual(psram["size_bytes"], 6144)

    def test_a_refusal_offers_a_deadline_in_which_there_is_a_plan(self):
        self.write_board("6 KiB")
        train = ["train", "--platform", "little.toml", "--ram-budget", "4KiB", "--steps", "1", "--no-keep-plans", "--quiet", "--model", "digits-mlp",
                 "--batch-size", "8"]
        for more in ([], ["--micro-batches", "4"]):
            with self.subTest(more):
                refused = poet(*train, *more, "--deadline", "2ms", cwd=self.folder)
                self.assertEqual(refused.code, 1, refused.err)
                self.assertRegex(refused.out, "^(the deadline is shared out among .*: )?with separate updates there is no plan for the ")
                [offered] = re.findall("; (?:for all of them )?a deadline of (\S+) s works", refused.out)
                followed = poet(*train, *more, "--deadline", f"{offered}s", cwd=self.folder)
                self.assertEqual(followed.code, 0, followed.out + followed.err)

    def test_parts_are_chosen_where_whole_operations_have_no_plan(self):
        self.write_board("4 KiB")
        question = ["--model", "digits-cnn", "--batch-size", "8", "--platform", "little.toml", "--ram-budget", "24KiB"]
        whole = poet("solve", *question, "--parts", "whole", cwd=self.folder)
        self.assertEqual(whole.code, 1)
        self.assertIn("no schedule of this step exists (", whole.out)
        self.assertIn("in parts of operations (--parts auto) there may be one\n", whole.out)
        solved = poet("solve", *question, "--json", cwd=self.folder).json()
        self.assertEqual(solved["parts"]["asked"], "auto")
        self.assertGreater(solved["parts"]["part_bytes"], 0)
        self.assertGreaterEqual(solved["read_bytes"], solved["parts"]["least_read_bytes"])
        in_parts = self.train(*question, "--steps", "1", model=[])
        self.assertLessEqual(in_parts["arena_bytes"], 24 << 10)
        plain = self.train("--model", "digits-cnn", "--batch-size", "8", "--platform", "laptop", "--steps", "1", model=[])
        self.assertEqual(in_parts["parameters_sha256"], plain["parameters_sha256"])


class Elastic(Training):
    """RAM that comes and goes while a training runs: --ram-budget MOST..LEAST."""

    STEPS = 400
    LARGER = ["--model", "lenet5", "--batch-size", "8", "--examples", "64"]

    def put(self, text):
        with open(self.path("control.new"), "w", encoding="ascii") as file:
            file.write(text)
        os.replace(self.path("control.new"), self.path("control"))

    def moving(self, wishes, *more):
        """Runs with a range of budgets; each wish is called with the process once the move before it is in the log."""
        log = self.path("log")
        command = [program.program, "train", *self.LARGER, "--cache", self.path("plans"), "--quiet", "--json", "--steps",
                   str(self.STEPS), "--ram-budget", "100%..20%way", "--ram-levels", "3", "--log", log, *more]
        left = list(wishes)
        # Its answer may be more than a pipe takes while nobody reads.
        with open(self.path("answer"), "w+", encoding="utf-8") as answer, \
                subprocess.Popen(command, cwd=self.folder, stdout=answer, stderr=subprocess.PIPE, text=True) as running:
            for line in program.lines_of_growing_file(log, running):
                moved = "ram_budget_bytes" in line
                if left and (moved or len(left) == len(wishes)):
                    left.pop(0)(running)
            err = running.communicate()[1]
            self.assertEqual(running.returncode, 0, err)
            answer.seek(0)
            answered = json.load(answer)
        self.assertEqual(left, [])
        with open(log, encoding="utf-8") as lines:
            joules = [row["energy_j"] for row in map(json.loads, lines) if "energy_j" in row]
        self.assertEqual(joules, sorted(joules))
        self.assertAlmostEqual(joules[-1], answered["energy_j"])
        return answered

    def check(self, moved, plain, stretches):
        budgets = [stretch["ram_budget_bytes"] for stretch in moved["budgets"]]
        self.assertEqual(len(budgets), stretches, moved["budgets"])
        for stretch in moved["budgets"]:
            self.assertLessEqual(stretch["arena_bytes"], stretch["ram_budget_bytes"])
        self.assertEqual(sum(stretch["steps"] for stretch in moved["budgets"]), self.STEPS)
        for same in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(moved[same], plain[same], same)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("poet-moves")], [])
        return budgets

    def test_moves_by_its_control_file_to_the_same_bits(self):
        for more in ([], ["--optimiser", "adamw", "--io", "overlapped"]):
            plain = self.train("--steps", str(self.STEPS), *more, model=self.LARGER)
            self.put("1GiB")
            moved = self.moving([lambda _: self.put("1"), lambda _: self.put("1GiB")], "--ram-control", self.path("control"), *more)
            budgets = self.check(moved, plain, 3)
            self.assertLess(budgets[1], budgets[0])
            self.assertEqual(budgets[2], budgets[0])
            os.remove(self.path("log"))

    def test_moves_a_level_by_each_signal(self):
        plain = self.train("--steps", str(self.STEPS), model=self.LARGER)
        less = lambda running: running.send_signal(signal.SIGUSR1)
        more = lambda running: running.send_signal(signal.SIGUSR2)
        budgets = self.check(self.moving([less, less, more]), plain, 4)
        self.assertGreater(budgets[0], budgets[1])
        self.assertGreater(budgets[1], budgets[2])
        self.assertEqual(budgets[3], budgets[1])

    def test_a_signal_while_it_plans_ends_nothing(self):
        command = [program.program, "train", *self.LARGER, "--cache", self.path("plans"), "--quiet", "--steps", "2", "--ram-budget",
                   "100%..20%way"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            children = f"/proc/{running.pid}/task/{running.pid}/children"
            while running.poll() is None:
                with open(children, encoding="ascii") as file:
                    if file.read():  # another process plans
                        running.send_signal(signal.SIGUSR1)
                        break
            err = running.communicate()[1]
        self.assertEqual(running.returncode, 0, err)

    def test_stays_where_a_move_has_no_room(self):
        plain = self.train("--steps", str(self.STEPS), model=self.LARGER)

        def take_room(_):
            for name in os.listdir(self.folder):
                if name.startswith("poet-moves"):
                    shutil.rmtree(self.path(name))
            self.put("1")

        self.put("1GiB")
        stayed = self.moving([take_room], "--ram-control", self.path("control"))
        self.check(stayed, plain, 1)
        self.assertRegex(stayed["notes"][0], "^the training goes on as it is, as a move to another budget or plan needs room for all values: ")

    def test_removes_the_empty_folders_that_killed_trainings_left(self):
        hour_ago = time.time() - 3600
        folders = {name: self.path(f"poet-moves-{name}") for name in ("left", "locked", "filled", "young")}
        for name, folder in folders.items():
            os.mkdir(folder)
            if name == "filled":
                open(os.path.join(folder, "letter"), "w", encoding="ascii").close()
            if name != "young":
                os.utime(folder, (hour_ago, hour_ago))
        lock = os.open(folders["locked"], os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.train("--steps", "1", "--ram-budget", "100%..20%way", model=self.LARGER)
        os.close(lock)
        self.assertEqual([name for name, folder in folders.items() if not os.path.exists(folder)], ["left"])

    def test_saves_and_goes_on_like_any_training(self):
        whole = self.train("--steps", "6", model=self.LARGER)
        kept = ["--checkpoint", self.path("kept"), "--ram-budget", "100%..20%way"]
        self.train("--steps", "4", *kept, model=self.LARGER)
        self.put("1")
        rest = self.train("--steps", "6", *kept, "--resume", "--ram-control", self.path("control"), model=self.LARGER)
        self.assertEqual(rest["losses"], whole["losses"][4:])
        self.assertEqual(rest["parameters_sha256"], whole["parameters_sha256"])

    def test_plans_all_levels_first_or_says_which_has_none(self):
        ended = poet("train", *self.LARGER, "--cache", self.path("plans"), "--quiet", "--steps", "1", "--ram-budget", "100%..1KiB",
                     "--parts", "whole", cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertRegex(ended.out, r"^in [\d,]+ bytes of RAM: there is no plan for the whole step: ")

    def test_refuses_what_is_no_range(self):
        for said, words in (("1MiB..2MiB", "--ram-budget goes from the largest to the smallest: 2,097,152 is not less than 1,048,576"),
                            ("1MiB..1MiB", "1,048,576 is not less than 1,048,576"), ("1MiB..0", "must be more than 0 bytes"), ("1MiB..", "--ram-budget"), ("..1MiB", "--ram-budget")):
            ended = poet("train", *self.LARGER, "--quiet", "--steps", "1", "--ram-budget", said, cwd=self.folder)
            self.assertEqual(ended.code, 2, said)
            self.assertIn(words, ended.err)
        ended = poet("train", *self.LARGER, "--steps", "1", "--ram-control", "x", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertIn("--ram-control and --ram-pressure need a range of budgets", ended.err)
        for more in (["--micro-batches", "auto"], ["--no-keep-plans"]):
            ended = poet("train", *self.LARGER, "--quiet", "--steps", "1", "--ram-budget", "100%..50%", *more, cwd=self.folder)
            self.assertEqual(ended.code, 2, more)


class Traces(Training):
    def events(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)["traceEvents"]

    def test_shows_what_was_measured_beside_what_was_predicted(self):
        trained = self.train("--steps", "4", "--ram-budget", "70%", "--trace", self.path("t.json"), "--trace-steps", "2")
        slices = [event for event in self.events("t.json") if event["ph"] == "X"]
        steps = [event for event in slices if event["pid"] == 1 and event["cat"] == "step"]
        self.assertEqual([step["name"] for step in steps], ["step 1", "step 2"])
        self.assertEqual([step["args"]["loss"] for step in steps], trained["losses"][:2])
        works = {work["work"]: 0 for work in trained["works"]}
        for work in trained["works"]:
            works[work["work"]] += work["times"]
        for group in (1, 2):
            said = [event["cat"] for event in slices if event["pid"] == group]
            self.assertEqual(said.count("compute") + said.count("recompute"), 2 * works["compute"])
            self.assertEqual(said.count("read"), 2 * (works["read"] + works["input"]))
            self.assertEqual(said.count("write"), 2 * works["write"])
        for step in steps:  # what is measured of a step lies within it
            end = step["ts"] + step["dur"]
            within = [event for event in slices if event["pid"] == 1 and step["ts"] <= event["ts"] < end]
            self.assertGreater(len(within), 20)
            self.assertLessEqual(max(event["ts"] + event["dur"] for event in within), end + 1)

    def test_of_micro_batches_has_each_form(self):
        self.train("--steps", "1", "--micro-batches", "4", "--trace", self.path("t.json"))
        said = [event["name"] for event in self.events("t.json") if event.get("cat") == "step" and event["pid"] == 2]
        self.assertEqual(said, ["first", "middle", "middle", "last"])

    def test_changes_no_number(self):
        plain = self.train("--steps", "3")
        traced = self.train("--steps", "3", "--trace", self.path("t.json"))
        self.assertEqual(traced["parameters_sha256"], plain["parameters_sha256"])

    def test_of_a_plan(self):
        ended = poet("solve", *NETWORK, *ANY_PLAN, "--platform", "laptop", "--ram-budget", "70%", "--trace", self.path("t.json"), "--json")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn(self.path("t.json"), ended.json()["files"])
        most = max(event["args"]["bytes"] for event in self.events("t.json") if event["name"] == "RAM in use")
        self.assertEqual(most, ended.json()["peak_ram_bytes"])
        refused = poet("solve", *NETWORK, "--platform", "laptop", "--trace", self.path("no/t.json"))
        self.assertEqual(refused.code, 2)
        self.assertIn("--trace", refused.err)


class Progress(Training):
    """What a training says of itself while it runs, for those who look on."""

    def lines(self, name="p.jsonl"):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def of(self, event, name="p.jsonl"):
        return [line for line in self.lines(name) if line["event"] == event]

    def test_tells_what_happens(self):
        trained = self.train("--steps", "6", "--ram-budget", "70%", "--evaluate-every", "2", "--checkpoint", "a.ckpt", "--checkpoint-every", "3",
                             "--progress", "p.jsonl")
        begin, plan = self.lines()[:2]
        self.assertEqual((begin["event"], begin["format"], begin["version"], begin["model"], begin["locked"]), ("begin", "poet-progress", 1, "lenet5", True))
        self.assertIn("--progress p.jsonl", begin["command"])
        for field in ("ram_budget_bytes", "arena_bytes", "plain_peak_bytes", "storage_bytes", "predicted_step_s", "first_step", "planned_with"):
            self.assertEqual(plan[field], trained[field], field)
        self.assertEqual((plan["step_read_bytes"], plan["step_written_bytes"]), (trained["predicted_in_bytes"], trained["predicted_out_bytes"]))
        steps = self.of("step")
        self.assertEqual(sum(line["of_steps"] for line in steps), 6)
        self.assertAlmostEqual(sum(line["of_steps"] * line["loss"] for line in steps), sum(trained["losses"]), places=4)
        last = steps[-1]
        self.assertEqual((last["step"], last["steps"], last["remaining_s"]), (6, 6, 0))
        self.assertEqual((last["read_bytes"], last["written_bytes"]), (trained["paged_in_bytes"], trained["paged_out_bytes"]))
        self.assertGreaterEqual(last["peak_bytes"], last["resident_bytes"])
        self.assertEqual([line["step"] for line in self.of("evaluation")], [2, 4, 6])
        self.assertEqual(self.of("evaluation")[-1]["loss"], trained["evaluation"]["loss"])
        self.assertEqual([line["step"] for line in self.of("saved")], [3, 6])
        self.assertEqual([line["state"] for line in self.of("end")], ["ended"])
        # Steps come before what is said of them.
        said = [line["step"] for line in self.lines() if "step" in line]
        self.assertEqual(said, sorted(said))

    def test_changes_no_number(self):
        plain = self.train("--steps", "3")
        told = self.train("--steps", "3", "--progress", "p.jsonl")
        self.assertEqual(told["parameters_sha256"], plain["parameters_sha256"])

    def test_goes_on_with_a_training_that_is_resumed(self):
        run = ["--checkpoint", "a.ckpt", "--progress", "p.jsonl"]
        self.train("--steps", "2", *run)
        with open(self.path("p.jsonl"), "a", encoding="ascii") as file:
            file.write('{"event": "st')
        self.train("--steps", "4", *run, "--resume")
        self.assertEqual([line["first_step"] for line in self.of("plan")], [1, 3])
        self.assertEqual([line["event"] for line in self.lines() if line["event"] in ("begin", "end")], ["begin", "end"] * 2)
        self.train("--steps", "1", *run, "--overwrite-checkpoint")
        self.assertEqual([line["first_step"] for line in self.of("plan")], [1])

    def test_says_why_it_came_to_nothing(self):
        ended = poet("train", *LENET, "--no-keep-plans", "--quiet", "--steps", "2", "--ram-budget", "100", "--parts", "whole", "--progress", "p.jsonl", cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        end = self.of("end")[0]
        self.assertEqual(end["state"], "failed")
        self.assertTrue(end["why"])

    def test_moves_and_other_plans_are_told(self):
        self.train("--steps", "6", "--ram-budget", "100%..60%", "--ram-levels", "2", "--ram-control", "control", "--progress", "p.jsonl")
        self.assertEqual(len(self.of("plan")), 1)
        with open(self.path("control"), "w", encoding="ascii") as file:
            file.write("1B")
        self.train("--steps", "6", "--ram-budget", "100%..60%", "--ram-levels", "2", "--ram-control", "control", "--progress", "p.jsonl")
        budgets = [line["ram_budget_bytes"] for line in self.of("plan")]
        self.assertEqual(self.of("step")[-1]["ram_budget_bytes"], budgets[-1])

    def test_what_cannot_be_written_ends_nothing(self):
        with open(self.path("mine.jsonl"), "w", encoding="ascii") as file:
            file.write('{"mine": 1}\n')
        os.mkdir(self.path("folder.jsonl"))
        os.mkfifo(self.path("pipe.jsonl"))
        whole = self.train("--steps", "2")["parameters_sha256"]
        for name, why in (("no/p.jsonl", "No such file or directory"), ("folder.jsonl", "Is a directory"), ("pipe.jsonl", "it is not a regular file"),
                          ("mine.jsonl", "it is there already and is not the progress file of a training")):
            ended = poet("train", *LENET, "--cache", self.path("plans"), "--quiet", "--json", "--steps", "2", "--progress", name, cwd=self.folder)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertEqual(ended.err, f"poet: warning: cannot write '{name}': {why}; the training goes on, and its progress is not to be seen there\n")
            self.assertEqual(ended.json()["parameters_sha256"], whole)
        with open(self.path("mine.jsonl"), encoding="ascii") as file:
            self.assertEqual(file.read(), '{"mine": 1}\n')
        self.assert_refused("--progress: expected a name that ends in .jsonl, which 'poet serve --trainings' looks for, found 'p.txt'",
                            "train", *LENET, "--progress", "p.txt")
        self.assert_refused("--log and --progress name one file, 'p.jsonl'; give each its own", "train", *LENET, "--log", "p.jsonl", "--progress", "p.jsonl")
        self.assert_refused("--best-checkpoint and the lock of --checkpoint name one file, 'ck.poet-lock'; give each its own", "train", *LENET,
                            "--checkpoint", "ck", "--best-checkpoint", "ck.poet-lock", "--evaluate-every", "1")

    def test_a_full_disk_ends_nothing(self):
        """There is room for some hundred bytes more in the progress file, and for all of what else is written."""
        self.train("--steps", "1", "--checkpoint", "a.ckpt", "--progress", "p.jsonl")
        with open(self.path("p.jsonl"), "r+", encoding="ascii") as file:
            line = file.readline()
            file.write(line * ((1 << 20) // len(line)))
            room = file.tell() + len(line) + 200

        def let_write_little():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        words = [program.program, "train", *LENET, "--no-keep-plans", "--quiet", "--steps", "3", "--checkpoint", "a.ckpt", "--resume", "--progress", "p.jsonl"]
        ended = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False, preexec_fn=let_write_little)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stderr.count("the training goes on"), 1, ended.stderr)

    def test_a_file_of_a_training_that_runs_is_not_touched(self):
        with open(self.path("p.jsonl"), "w+", encoding="ascii") as file:
            fcntl.fcntl(file, 37, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))  # F_OFD_SETLK
            ended = poet("train", *LENET, "--cache", self.path("plans"), "--quiet", "--steps", "2", "--progress", "p.jsonl", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("it is that of a training that runs; the training goes on", ended.err)
        self.assertEqual(os.path.getsize(self.path("p.jsonl")), 0)


class SameNumbers(Training):
    def test_in_every_budget(self):
        unlimited = self.train("--steps", "4")
        self.assertEqual(len(unlimited["losses"]), 4)
        for budget in ("80%", "60%", "10%way"):
            tight = self.train("--steps", "4", "--ram-budget", budget)
            self.assertEqual(tight["losses"], unlimited["losses"])
            self.assertEqual(tight["parameters_sha256"], unlimited["parameters_sha256"])
            self.assertLess(tight["ram_budget_bytes"], unlimited["ram_budget_bytes"])
            self.assertLessEqual(tight["arena_bytes"], tight["ram_budget_bytes"])
            self.assertGreater(tight["paged_in_bytes"], 0)

    def test_blocking_overlapped_direct_and_checked(self):
        plain = self.train("--steps", "3", "--ram-budget", "70%")
        for more in (["--io", "overlapped"], ["--checksums"], ["--io-engine", "threads"]):
            other = self.train("--steps", "3", "--ram-budget", "70%", *more)
            self.assertEqual(other["parameters_sha256"], plain["parameters_sha256"], more)

    def test_in_micro_batches(self):
        free = self.train("--steps", "3", "--micro-batches", "4", "--optimiser", "adam")
        tight = self.train("--steps", "3", "--micro-batches", "4", "--optimiser", "adam", "--ram-budget", "30%way")
        self.assertEqual(tight["losses"], free["losses"])
        self.assertEqual(tight["parameters_sha256"], free["parameters_sha256"])

    def test_with_parameters_where_the_planner_puts_them(self):
        split = ["--steps", "3", "--micro-batches", "2", "--optimiser", "momentum", "--ram-budget", "80%"]
        planned = self.train(*split)
        chosen = self.train(*split, "--parameters", "chosen")
        self.assertEqual(chosen["losses"], planned["losses"])
        self.assertEqual(chosen["parameters_sha256"], planned["parameters_sha256"])
        self.assertLess(chosen["paged_in_bytes"], planned["paged_in_bytes"])
        self.assertLessEqual(chosen["arena_bytes"], chosen["ram_budget_bytes"])

    def test_in_as_many_micro_batches_as_cost_least(self):
        sixteen = ["--model", "lenet5", "--image-size", "16", "--batch-size", "16", "--examples", "64"]
        auto = ["--steps", "3", "--micro-batches", "auto", "--ram-budget", "100KiB"]
        chosen = self.train(*auto, "--parts", "whole", model=sixteen)
        self.assertGreater(chosen["micro_batches"], 1)
        self.assertIn("no plan of the whole batch at once was found", chosen["split"]["why"])
        at_once = self.train(*auto, model=sixteen)
        self.assertEqual(at_once["micro_batches"], 1)  # in parts it has one, which costs less
        self.assertIn("none that was tried costs less", at_once["split"]["why"])
        free = self.train("--steps", "3", "--micro-batches", str(chosen["micro_batches"]), model=sixteen)
        self.assertIsNone(free["split"])
        self.assertEqual(chosen["losses"], free["losses"])
        self.assertEqual(chosen["parameters_sha256"], free["parameters_sha256"])
        self.assertLess(chosen["arena_bytes"], free["arena_bytes"])

    def test_batch_statistics_are_never_split(self):
        norms = ["--model", "resnet8", "--image-size", "8", "--batch-size", "2", "--examples", "8"]
        chosen = self.train("--steps", "1", "--micro-batches", "auto", model=norms)
        self.assertEqual(chosen["micro_batches"], 1)
        self.assertIn("normalises by the statistics of its batch", chosen["split"]["why"])

    def test_on_any_number_of_threads(self):
        one = self.train("--steps", "3")
        for threads in ("2", "3"):
            more = self.train("--steps", "3", "--threads", threads)
            self.assertEqual(more["losses"], one["losses"])
            self.assertEqual(more["parameters_sha256"], one["parameters_sha256"])

    def test_with_onednn_in_every_budget(self):
        tiny = ["--model", "bert-tiny", "--batch-size", "2", "--sequence-length", "16", "--examples", "8",
                "--optimiser", "adamw", "--train", "encoder"]
        for model in (LENET, tiny):
            for threads in ("1", "2"):
                how = ["--steps", "3", "--kernels", "onednn", "--threads", threads, *ANY_PLAN]
                unlimited = self.train(*how, model=model)
                tight = self.train(*how, "--ram-budget", "10%way", model=model)
                self.assertEqual(tight["losses"], unlimited["losses"])
                self.assertEqual(tight["parameters_sha256"], unlimited["parameters_sha256"])
                self.assertGreater(tight["paged_in_bytes"], 0)
                self.assertLessEqual(tight["peak_rss_bytes"] - tight["fixed_overhead_bytes"],
                                     tight["ram_budget_bytes"])
            reference = self.train("--steps", "3", model=model)
            for loss, other in zip(unlimited["losses"], reference["losses"]):
                self.assertAlmostEqual(loss, other, delta=1e-3 * abs(other))

    def test_with_bfloat16_in_every_budget(self):
        how = ["--steps", "3", "--kernels", "onednn-bf16"]
        tried = poet("train", *LENET, *how, "--quiet", "--no-keep-plans", cwd=self.folder)
        if tried.code != 0:
            self.assertIn("this p", tried.err)  # this processor cannot, or this poet
            self.skipTest(tried.err)
        unlimited = self.train(*how)
        tight = self.train(*how, "--ram-budget", "10%way")
        self.assertEqual(tight["losses"], unlimited["losses"])
        self.assertEqual(tight["parameters_sha256"], unlimited["parameters_sha256"])
        reference = self.train("--steps", "3")
        self.assertNotEqual(unlimited["losses"], reference["losses"])
        for loss, other in zip(unlimited["losses"], reference["losses"]):
            self.assertAlmostEqual(loss, other, delta=0.02 * abs(other))

    def test_another_seed_gives_other_numbers(self):
        self.assertNotEqual(self.train("--steps", "2")["losses"], self.train("--steps", "2", "--seed", "2")["losses"])


class Answer(Training):
    def test_json_has_what_programs_ask_for(self):
        answer = self.train("--steps", "2", "--ram-budget", "70%")
        for field in ("losses", "parameters_sha256", "steps", "step_s", "predicted_step_s", "arena_bytes",
                      "ram_budget_bytes", "peak_rss_bytes", "fixed_overhead_bytes", "paged_in_bytes", "paged_out_bytes",
                      "energy_j"):
            self.assertIn(field, answer)
        self.assertLessEqual(answer["peak_rss_bytes"] - answer["fixed_overhead_bytes"], answer["ram_budget_bytes"])

    def test_a_step_in_thousands_of_parts_takes_little_beside_its_arena(self):
        tiny = ["--model", "bert-tiny", "--batch-size", "1", "--sequence-length", "16", "--examples", "4", "--test-examples", "0",
                "--steps", "2"]
        whole = self.train(model=tiny)
        if whole["fixed_overhead_bytes"] > 64 << 20:
            self.skipTest("sanitizers keep notes about memory that no budget knows")
        parts = self.train("--parts", "16KiB", "--ram-budget", "40KiB", "--time-limit-s", "2", model=tiny)
        self.assertEqual(parts["parameters_sha256"], whole["parameters_sha256"])
        # Libraries included; the digest of all parameters, too, of which some are larger than the arena.
        self.assertLessEqual(parts["arena_bytes"], 40 << 10)
        self.assertLess(parts["peak_rss_bytes"] - parts["arena_bytes"], 32 << 20)

    def test_runs_under_a_limit_of_budget_and_overhead(self):
        arguments = ["--steps", "3", "--ram-budget", "80%"]
        free = self.train(*arguments)
        if free["address_space_overhead_bytes"] > 1 << 40:
            self.skipTest("sanitizers reserve addresses by the terabyte, and then some more")
        limit = free["ram_budget_bytes"] + free["address_space_overhead_bytes"]
        command = [program.program, "train", *LENET, *arguments, "--cache", self.path("plans"), "--quiet", "--json"]
        ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(json.loads(ended.stdout)["parameters_sha256"], free["parameters_sha256"])

    def test_text_tells_the_story(self):
        ended = poet("train", *LENET, "--steps", "2", "--ram-budget", "70%", "--no-keep-plans", "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("Trained after 2 steps", ended.out)
        self.assertIn("Keeping everything would take", ended.out)

    def test_no_plan_is_an_answer(self):
        # It looks for parts until its time is over.
        ended = poet("train", *LENET, "--steps", "2", "--ram-budget", "100B", "--time-limit-s", "1", "--cache", self.path("plans"),
                     cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("there is no plan for the whole step", ended.out)

    def test_a_part_of_the_peak_is_a_promise(self):
        adam = ["--model", "lenet5", "--optimiser", "adam", "--batch-size", "4", "--examples", "16", "--steps", "1"]
        plain = self.train(*adam, model=[])["plain_peak_bytes"]
        asked = plain * 6 // 10 // 64 * 64
        command = ["train", *adam, "--parts", "whole", "--cache", self.path("plans"), "--quiet"]
        ended = poet(*command, "--ram-budget", "60%", cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertRegex(ended.out, r"; the smallest budget found to work is --ram-budget \d+")
        works = ended.out.split("--ram-budget ")[1].split(",")[0].split()[0]
        self.assertGreater(int(works), asked)
        kept = self.train(*adam, "--ram-budget", works, model=[])
        self.assertLessEqual(kept["arena_bytes"], int(works))

    def test_the_budget_is_the_devices_ram_unless_told(self):
        small = self.train("--steps", "1", "--platform", "m4")
        self.assertEqual(small["ram_budget_bytes"], 256 * 1024)
        self.assertLessEqual(small["arena_bytes"], 256 * 1024)
        self.assertLess(self.train("--steps", "1")["plain_peak_bytes"], 8 << 30)
        ended = poet("train", "--model", "lenet5", "--examples", "64", "--steps", "1", "--platform", "m4", "--parts", "whole", "--cache",
                     self.path("plans"), "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertRegex(ended.out, r"the smallest budget found to work is --ram-budget \d+, and in this one there is a plan "
                                    r"with --parts auto or --batch-size 4\n$")
        self.train("--model", "lenet5", "--examples", "64", "--steps", "1", "--platform", "m4", "--batch-size", "4", model=[])

    def test_more_than_the_device_has_is_said(self):
        self.assertIn("the RAM budget of 1,048,576 bytes is more than the 262,144 bytes that m4 has",
                      self.train("--steps", "1", "--platform", "m4", "--ram-budget", "1MiB")["notes"])

    def damage(self, ending, change):
        for name in os.listdir(self.path("plans")):
            if not name.endswith(ending):
                continue
            path = os.path.join(self.path("plans"), name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(change(text))
            return path
        self.fail(f"no {ending}")

    def test_a_cache_that_cannot_be_written_is_done_without(self):
        with open(self.path("taken"), "w", encoding="utf-8"):
            pass
        for cache in ("taken/plans", "/proc/self"):
            ended = poet("train", *LENET, "--steps", "1", "--test-examples", "0", "--cache", cache, "--quiet", cwd=self.folder)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertRegex(ended.err, r"\Apoet: warning: plans cannot be kept, and are made again the next time: cannot [^\n]+\n\Z")
            # Planning only, there is nothing to go on with.
            ended = poet("train", *LENET, "--steps", "1", "--plan-only", "--cache", cache, "--quiet", cwd=self.folder)
            self.assertEqual(ended.code, 2, ended.err)

    def test_says_what_it_planned(self):
        asked = ["train", *LENET, "--steps", "1", "--plan-only", "--cache", self.path("plans"), "--quiet"]
        planned = poet(*asked, "--json", cwd=self.folder)
        self.assertEqual((planned.code, planned.err), (0, ""))
        told = planned.json()
        self.assertEqual(told["format"], "poet-planned")
        self.assertTrue(0 < told["arena_bytes"] <= told["ram_budget_bytes"], told)
        said = poet(*asked, cwd=self.folder)
        self.assertEqual(said.out, f"Planned, and kept for the training: an arena of {told['arena_bytes']:,} bytes in a RAM budget of "
                                   f"{told['ram_budget_bytes']:,}, and {told['storage_bytes']:,} bytes of storage\n")

    def test_says_what_was_asked_of_updates_and_not_what_was_chosen(self):
        asked = ["train", "--model", "lenet5", "--platform", "m4", "--batch-size", "1", "--steps", "1", "--examples", "4", "--test-examples", "0",
                 "--cache", self.path("plans"), "--quiet", "--json"]
        updates = poet(*asked, cwd=self.folder).json()["updates"]
        self.assertEqual(updates["asked"], "auto")
        self.assertIn("fc1.weight", updates["sliced"])  # which costs less
        self.assertEqual(poet(*asked, "--updates", "sliced", cwd=self.folder).json()["updates"]["asked"], "sliced")

    def test_kept_plans_are_for_their_owner(self):
        self.train("--steps", "1", "--test-examples", "0", "--micro-batches", "auto")
        kept = os.listdir(self.path("plans"))
        self.assertTrue([name for name in kept if name.endswith(".plan.json")], kept)
        for name in kept:
            self.assertEqual(os.stat(os.path.join(self.path("plans"), name)).st_mode & 0o777, 0o600, name)

    def test_a_damaged_plan_is_named_and_made_again(self):
        arguments = ["train", *LENET, "--steps", "1", "--ram-budget", "70%", "--test-examples", "0", "--cache",
                     self.path("plans"), "--quiet", "--json"]
        first = poet(*arguments, cwd=self.folder).json()

        def of_plan(change):
            def changed(text):
                plan = json.loads(text)
                change(plan)
                return json.dumps(plan)
            return changed

        def drop_last_action(plan):
            plan["schedule"]["actions"].pop()

        def shift_a_buffer(plan):
            plan["buffers"][0]["end_action"] = 100000

        for change in (lambda text: text[:100], lambda text: "", of_plan(drop_last_action), of_plan(shift_a_buffer)):
            path = self.damage(".plan.json", change)
            ended = poet(*arguments, cwd=self.folder)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertIn(f"the kept plan '{path}' is damaged, and is made again: ", ended.err)
            self.assertEqual(ended.err.count(path), 1)
            self.assertEqual(ended.json()["parameters_sha256"], first["parameters_sha256"])
            self.assertNotIn("damaged", poet(*arguments, cwd=self.folder).err)

    def test_a_damaged_split_is_named_and_made_again(self):
        arguments = ["train", *LENET, "--steps", "1", "--micro-batches", "auto", "--test-examples", "0", "--cache",
                     self.path("plans"), "--quiet", "--json"]
        first = poet(*arguments, cwd=self.folder).json()
        path = self.damage(".split.json", lambda text: text.replace('"micro_batches": 1', '"micro_batches": 3', 1)
                           .replace('"micro_batches":1', '"micro_batches":3', 1))
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn(f"the kept plan '{path}' is damaged, and is made again: 3 micro-batches do not divide a batch of 4",
                      ended.err)
        self.assertEqual(ended.json()["losses"], first["losses"])

    def test_a_link_or_a_pipe_in_place_of_a_plan_is_replaced(self):
        """Whoever may write into the folder could have another file overwritten, or nobody plan any more."""
        arguments = ["train", "--model", "digits-cnn", "--batch-size", "4", "--steps", "2", "--ram-budget", "40%", "--cache",
                     self.path("plans"), "--quiet", "--json"]
        first = poet(*arguments, cwd=self.folder).json()
        theirs = self.path("theirs")
        for ending in (".parts.json", "-whole.plan.json"):
            for lay in (lambda path: os.symlink(theirs, path), os.mkfifo):
                with open(theirs, "w") as file:
                    file.write("theirs")
                path, = (os.path.join(self.path("plans"), name) for name in os.listdir(self.path("plans")) if name.endswith(ending))
                os.remove(path)
                lay(path)
                ended = poet(*arguments, cwd=self.folder)
                self.assertIn(f"the kept plan '{path}' is damaged, and is made again: it is a link or no file", ended.err)
                self.assertEqual(ended.json()["parameters_sha256"], first["parameters_sha256"])
                self.assertTrue(stat.S_ISREG(os.lstat(path).st_mode))
                with open(theirs) as file:
                    self.assertEqual(file.read(), "theirs")

    def test_a_kept_size_of_parts_that_has_no_plan_is_looked_for_again(self):
        arguments = ["train", "--model", "digits-cnn", "--batch-size", "4", "--steps", "2", "--ram-budget", "40%", "--cache",
                     self.path("plans"), "--quiet", "--json"]
        first = poet(*arguments, cwd=self.folder).json()
        self.damage(".parts.json", lambda text: re.sub(r'("part_bytes": ?)(\d+)', r"\g<1>9\2", text))
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.out + ended.err)
        self.assertEqual(ended.json()["parameters_sha256"], first["parameters_sha256"])

    def test_log_has_a_line_for_every_step(self):
        self.train("--steps", "3", "--log", "log.jsonl", "--evaluate-every", "2")
        with open(self.path("log.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([line["step"] for line in lines if "loss" in line], [1, 2, 3])
        self.assertEqual([line["step"] for line in lines if "evaluation" in line], [2, 3])

    def test_a_log_that_was_cut_off_is_gone_on_with(self):
        whole = '{"step": 1, "loss": 2.5}\n'
        with open(self.path("log.jsonl"), "w") as log:
            log.write(whole + '{"step": 2, "lo')
        self.train("--steps", "2", "--log", "log.jsonl")
        with open(self.path("log.jsonl")) as log:
            lines = log.readlines()
        self.assertEqual(lines[0], whole)
        self.assertEqual([line["step"] for line in map(json.loads, lines[1:]) if "loss" in line], [1, 2])

    def test_what_is_no_log_is_not_touched(self):
        settings = '{"mine": 1}'
        with open(self.path("settings.json"), "w") as file:
            file.write(settings)
        ended = poet("train", *LENET, "--steps", "1", "--log", "settings.json", "--no-keep-plans", "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 2, ended.err)
        self.assertIn("is not the log of a training; name another file for --log", ended.err)
        with open(self.path("settings.json")) as file:
            self.assertEqual(file.read(), settings)

    def test_tries_no_more_examples_than_it_sees(self):
        self.assertEqual(self.train("--steps", "3")["evaluation"]["examples"], 12)
        self.assertIsNone(self.train("--steps", "3", "--test-examples", "0")["evaluation"])

    CNN = ("train", "--model", "digits-cnn", "--platform", "m4", "--steps", "20", "--plan-only", "--quiet")

    def test_a_part_of_a_peak_is_told_in_bytes_to_who_takes_another_batch(self):
        refused = poet(*self.CNN, "--cache", self.folder, "--micro-batches", "2", "--deadline", "100ms", "--batch-size", "16", "--ram-budget", "60%")
        self.assertEqual(refused.code, 1, refused.err)
        [(budget, batch)] = re.findall(r"in (--ram-budget \d+) there is a plan with .*(--batch-size \d+(?: --micro-batches 1)?)", refused.out)
        again = [*self.CNN, "--cache", self.folder, "--deadline", "100ms", *budget.split(), *batch.split()]
        if "--micro-batches" not in batch:
            again += ["--micro-batches", "2"]
        self.assertEqual(poet(*again).code, 0)

    def test_a_write_budget_counts_whole_pieces_and_says_so(self):
        mlp = ["train", "--model", "digits-mlp", "--platform", "m0", "--batch-size", "4", "--ram-budget", "1MiB", "--steps", "1", "--no-keep-plans", "--quiet"]
        refused = poet(*mlp, "--write-budget", "4863", cwd=self.folder)
        self.assertEqual(refused.code, 1, refused.err)
        self.assertIn("must be written back, 4,864 bytes, and the write budget is 4,863 bytes (each tensor that is written counts as whole pieces "
                      "of 64 bytes)", refused.out)
        self.assertEqual(poet(*mlp, "--write-budget", "4864", cwd=self.folder).code, 0)

    def test_an_offered_budget_works_in_parts_that_were_asked_for(self):
        """With separate updates: by slices there is no plan in it."""
        mlp = ["train", "--model", "digits-mlp", "--platform", "m4", "--batch-size", "8", "--parts", "8KiB", "--steps", "2", "--no-keep-plans", "--quiet"]
        refused = poet(*mlp, "--ram-budget", "4000", cwd=self.folder)
        self.assertEqual(refused.code, 1, refused.err)
        [budget] = re.findall(r"the smallest budget found to work is --ram-budget (\d+)", refused.out)
        followed = poet(*mlp, "--ram-budget", budget, "--json", cwd=self.folder)
        self.assertEqual(followed.code, 0, followed.out + followed.err)
        plain = poet(*mlp, "--ram-budget", "100%", "--json", cwd=self.folder)
        self.assertEqual(followed.json()["parameters_sha256"], plain.json()["parameters_sha256"])

    def test_a_write_budget_is_one_of_all_micro_batches(self):
        refused = poet(*self.CNN, "--cache", self.folder, "--micro-batches", "2", "--batch-size", "4", "--ram-budget", "100%", "--optimiser", "adam",
                       "--write-budget", "10000")
        self.assertEqual(refused.code, 1, refused.err)
        self.assertRegex(refused.out, r"^the write budget is shared out among 2 micro-batches \(first [\d,]+ bytes?, last [\d,]+ bytes?\): ")

    def test_a_budget_that_others_need_not_is_not_named(self):
        """Whole operations need 65,600 bytes, and those in parts less."""
        refused = poet(*self.CNN, "--cache", self.folder, "--batch-size", "16", "--ram-budget", "52224", "--deadline", "0.2s")
        self.assertEqual(refused.code, 1, refused.err)
        self.assertNotIn("no budget below", refused.out)

    def test_plans_that_are_not_kept_are_not_said_to_be(self):
        self.assertIn("Planned, and kept for the training: ", poet(*self.CNN, "--cache", self.folder).out)
        self.assertIn("Planned, and not kept: ", poet(*self.CNN, "--no-keep-plans").out)

    def test_a_deadline_is_one_of_all_micro_batches(self):
        split = ["train", "--model", "digits-mlp", "--platform", "m4", "--batch-size", "8", "--micro-batches", "2", "--io", "blocking",
                 "--steps", "2", "--test-examples", "0", "--cache", self.folder]
        refused = poet(*split, "--deadline", "3ms")
        self.assertEqual(refused.code, 1, refused.err)
        said = re.search(r"the deadline is shared out among 2 micro-batches \(first (\S+) s, last (\S+) s\): there is no plan for the "
                         r"first step: .+; for all of them a deadline of (\S+) s works", refused.out + refused.err)
        first_s, last_s, works_s = (float(said.group(k)) for k in (1, 2, 3))
        self.assertGreater(last_s, first_s)
        self.assertAlmostEqual(first_s + last_s, 0.003, delta=1e-9)
        self.assertEqual(poet(*split, "--deadline", f"{said.group(3)}s").code, 0)
        self.assertEqual(poet(*split, "--deadline", f"{0.99 * works_s}s").code, 1)
        ratio = re.search(r"; for all of them a deadline of (\S+x) works", poet(*split, "--deadline", "1.1x").out).group(1)
        self.assertEqual(poet(*split, "--deadline", ratio).code, 0)

    def test_a_refusal_speaks_of_the_step_whose_budget_it_names(self):
        """Of updates by slices and separate ones, an operation of either needs another budget by itself."""
        refused = poet("train", "--model", "ds-cnn", "--batch-size", "1", "--platform", "m4", "--parts", "whole", "--ram-budget", "8KiB",
                       "--steps", "1", "--no-keep-plans", "--quiet")
        self.assertEqual(refused.code, 1, refused.err)
        [alone] = re.findall(r"alone needs ([\d,]+) bytes of RAM", refused.out)
        [works] = re.findall(r"found to work is --ram-budget (\d+)", refused.out)
        self.assertGreaterEqual(int(works), int(alone.replace(",", "")))

    def test_a_split_that_was_chosen_is_named_in_what_a_refusal_offers(self):
        """Of another split no plan may be found in time."""
        train = ["train", "--model", "digits-mlp", "--platform", "m0", "--batch-size", "32", "--ram-budget", "935", "--steps", "1",
                 "--no-keep-plans", "--quiet"]
        refused = poet(*train, "--parts", "whole", "--micro-batches", "auto")
        self.assertEqual(refused.code, 1, refused.err)
        [(parts, split)] = re.findall(r"there is a plan with (--parts auto) (--micro-batches \d+)", refused.out)
        self.assertTrue(refused.out.startswith(f"with {split}, as was chosen: there is no plan for the "), refused.out)
        self.assertEqual(poet(*train, *parts.split(), *split.split()).code, 0)

    def test_bad_requests(self):
        self.assert_refused("poet train needs --model NAME ('poet models' lists them) or --model FILE.onnx", "train")
        self.assert_refused("--resume and --checkpoint-every need --checkpoint FILE", "train", *LENET, "--resume")
        self.assert_refused("a batch of 4 cannot be split into 3 equal micro-batches", "train", *LENET, "--micro-batches", "3")
        self.assert_refused(
            "--test-data and --held-out both say what to try the network on; give one",
            "train", *LENET, "--test-data", "x", "--held-out", "0.1",
        )
        self.assert_refused("--resume goes on from a checkpoint and --overwrite-checkpoint replaces it; give one",
                            "train", *LENET, "--checkpoint", "a", "--resume", "--overwrite-checkpoint")
        self.assert_refused("--overwrite-checkpoint needs --checkpoint FILE", "train", *LENET, "--overwrite-checkpoint")
        for option, value in (("--tokenizer", "x.json"), ("--end-token", "<end>"), ("--sequences", "packed")):
            self.assert_refused(f"{option} is of texts, .txt or .jsonl, and here are made-up examples", "train", *LENET, option, value)
            self.assert_refused(f"{option} is of texts, .txt or .jsonl, and here are other data", "eval", *LENET, "--data", "x.npz", option, value)
        self.assert_refused("--token-type is of raw files of tokens, with --data-format tokens, and here are other data",
                            "train", *LENET, "--data", "x.npz", "--token-type", "int32")
        self.assert_refused("--gain-batches is for --train auto, which measures gains; give both, or neither", "train", *LENET, "--gain-batches", "2")
        self.assert_refused("--gain-batches is for gains that are measured, and --gains gives them",
                            "worth", *LENET, "--gain-batches", "2", "--gains", "g.json")
        self.assert_refused("--pixel-mean and --pixel-deviation are of pixels of a byte, and made-up examples have none: leave them out, or scale "
                            "the numbers before", "train", *LENET, "--pixel-mean", "0.5", "--no-keep-plans")
        self.assert_refused("--ram-levels is for a range of budgets, such as --ram-budget 4GiB..256MiB, and here is one budget",
                            "train", *LENET, "--ram-levels", "3")
        self.assert_refused("--trace-steps says of how many steps --trace FILE is; give both", "train", *LENET, "--trace-steps", "2")
        norms = ["--model", "resnet8", "--batch-size", "2", "--micro-batches", "2"]
        for parts in ("whole", "64KiB"):
            self.assert_refused("resnet8 normalises by the statistics of its batch (bn1.running_statistics): micro-batches would have others",
                                "train", *norms, "--parts", parts)


class PlannedAgain(Training):
    """The process beside a training that plans again."""

    def figures(self, **fields):
        with open(self.path("figures.json"), "w", encoding="utf-8") as file:
            json.dump({"format": "poet-step-figures", "version": 1, "steps": 5, "step_s": 1, "kernels": "reference", "active_power_w": 10,
                       "overlapped": False, "transfer_ratio": None, "reads": [], "writes": [], "examples": [], "operations": [],
                       **fields}, file)
        return ["--plan-only", "--figures", self.path("figures.json")]

    def test_says_what_a_step_costs_with_either_plan(self):
        asked = [*LENET, "--cache", self.path("plans"), "--quiet", "--steps", "2", "--ram-budget", "50%way", "--objective", "time"]
        self.assertEqual(poet("train", *asked, cwd=self.folder).code, 0)
        slow = [{"size_bytes": 1000, "seconds": 0.5}, {"size_bytes": 100000, "seconds": 1}]
        ended = poet("train", *asked, *self.figures(reads=slow, writes=slow), cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        self.assertEqual((answer["format"], answer["no"]), ("poet-planned-again", ""))
        self.assertGreater(answer["in_use"]["step_s"], 1)
        self.assertLessEqual(answer["other"]["step_s"], answer["in_use"]["step_s"] * (1 + 1e-9))

    def test_refuses_what_it_cannot_plan_with(self):
        self.assert_refused("--figures needs --plan-only, and one RAM budget", "train", *LENET, *self.figures()[1:])
        ended = poet("train", *LENET, "--cache", self.path("plans"), *self.figures(steps="many"), cwd=self.folder)
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertIn("figures.json:1:", ended.err)
        ended = poet("train", *LENET, "--cache", self.path("plans"), "--quiet", *self.figures(), cwd=self.folder)
        self.assertEqual(ended.err, "poet: the plan of the training in use is not in the cache\n")
        for where in (["--no-keep-plans"], ["--ram-budget", "100%..0%way"]):
            self.assert_refused("--replan needs one RAM budget, and a place where plans are kept", "train", *LENET, "--replan", *where)

    def beside(self):
        """The processes that plan for a training in this test's folder."""
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline", encoding="utf-8") as file:
                    words = file.read().split("\0")
                if "--figures" in words and self.path("plans") in words:
                    found.append(os.pidfd_open(int(process)))
            except OSError:
                continue
        return found

    def test_ends_with_its_training_and_leaves_nothing(self):
        pages = self.path("pages")
        os.mkdir(pages)
        with subprocess.Popen([program.program, "train", *LENET, "--cache", self.path("plans"), "--ram-budget", "10%way", "--objective",
                               "time", "--steps", "1000000", "--storage", pages], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as training:
            said = next((line for line in training.stderr if "plans again" in line), None)
            planners = self.beside()
            training.kill()
        self.assertIsNotNone(said)
        for planner in planners:
            select.select([planner], [], [])  # until it has ended
            os.close(planner)
        self.assertEqual(os.listdir(pages), [])

    def test_a_short_training_is_not_measured(self):
        self.assertEqual(self.train("--steps", "20")["replanning"], [])
        self.assertEqual(self.train("--steps", "20", "--no-replan")["replanning"], [])


class Learning(Training):
    # bench/train has a whole curve.
    def test_is_real_at_the_least_budget(self):
        answer = self.train("--steps", "400", "--ram-budget", "0%way", "--optimiser", "adam", "--learning-rate", "0.003",
                            model=["--model", "lenet5", "--image-size", "16", "--batch-size", "16"])
        self.assertGreater(answer["evaluation"]["accuracy"], 0.4)  # one in ten by chance


class Checkpoints(Training):
    # Who sees whom is a rule in a decoder, and no stored bytes.
    def test_of_a_network_with_rules_for_constants(self):
        decoder = ["--model", "llama-tiny", "--sequence-length", "4", "--batch-size", "1", "--examples", "4"]
        straight = self.train("--steps", "2", model=decoder)
        kept = ["--checkpoint", self.path("kept")]
        self.train("--steps", "1", *kept, model=decoder)
        self.assertEqual(self.train("--steps", "2", *kept, "--resume", model=decoder)["parameters_sha256"], straight["parameters_sha256"])

    def test_going_on_gives_the_same_bits(self):
        whole = self.train("--steps", "6", "--optimiser", "adam")
        self.train("--steps", "3", "--optimiser", "adam", "--checkpoint", "a.ckpt")
        rest = self.train("--steps", "6", "--optimiser", "adam", "--checkpoint", "a.ckpt", "--resume", "--ram-budget", "85%")
        self.assertEqual(rest["first_step"], 4)
        self.assertEqual(rest["losses"], whole["losses"][3:])
        self.assertEqual(rest["parameters_sha256"], whole["parameters_sha256"])

    def test_other_settings_are_refused(self):
        self.train("--steps", "1", "--checkpoint", "a.ckpt")
        ended = poet("train", *LENET, "--steps", "2", "--checkpoint", "a.ckpt", "--resume", "--seed", "5", "--cache",
                     self.path("plans"), "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: the checkpoint 'a.ckpt' is of a training with other settings: seed (1 there, 5 "
                                    "here), data (made up from example 0 on with seed 1 there, made up from example 0 on "
                                    "with seed 5 here); use the same, or begin anew with another path\n")

    def assert_not_resumed(self, differing, *more):
        ended = poet("train", *NETWORK, "--steps", "2", "--checkpoint", "a.ckpt", "--resume", "--cache", self.path("plans"),
                     "--quiet", *more, cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, f"poet: the checkpoint 'a.ckpt' is of a training with other settings: {differing}; use the "
                                    "same, or begin anew with another path\n")

    def test_everything_that_decides_the_numbers_is_a_setting(self):
        self.write_pictures("x.npy", 1)
        self.write_pictures("z.npy", 2)
        with open(self.path("y.npy"), "wb") as file:
            file.write(npy((8,), "|i1", bytes(range(8))))
        data = ["--data", "x.npy,y.npy", "--train", "last:2", "--test-examples", "0"]
        self.train("--steps", "1", "--checkpoint", "a.ckpt", *data, "--largest-gradient-norm", "1", model=NETWORK)
        norm = ["--largest-gradient-norm", "1"]
        self.assert_not_resumed("largest gradient norm (1 there, 0.1 here)", *data, "--largest-gradient-norm", "0.1")
        self.assert_not_resumed("kernels (reference there, onednn here)", *data, *norm, "--kernels", "onednn")
        self.assert_not_resumed("data", "--data", "z.npy,y.npy", *data[2:], *norm)
        rest = self.train("--steps", "2", "--checkpoint", "a.ckpt", "--resume", *data, *norm, "--updates", "sliced",
                          model=NETWORK)
        self.assertEqual(rest["first_step"], 2)

    def write_pictures(self, name, seed):
        with open(self.path(name), "wb") as file:
            file.write(npy((8, 16, 16), "|u1", bytes(random.Random(seed).randrange(256) for _ in range(8 * 256))))

    def test_a_checkpoint_is_not_overwritten_unasked(self):
        first = self.train("--steps", "1", "--checkpoint", "a.ckpt")
        with open(self.path("a.ckpt"), "rb") as file:
            before = file.read()
        again = ["train", *LENET, "--steps", "2", "--checkpoint", "a.ckpt", "--cache", self.path("plans"), "--quiet"]
        ended = poet(*again, cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: 'a.ckpt' is there already: --resume goes on from it, and --overwrite-checkpoint "
                                    "begins anew and replaces it\n")
        with open(self.path("a.ckpt"), "rb") as file:
            self.assertEqual(file.read(), before)
        anew = self.train("--steps", "2", "--checkpoint", "a.ckpt", "--overwrite-checkpoint")
        self.assertEqual(anew["losses"][0], first["losses"][0])

    def assert_finite(self, name):
        with open(self.path(name), "rb") as file:
            content = file.read()
        length = int(content[8:16])
        begin = (16 + length + 63) // 64 * 64
        for value in json.loads(content[16:16 + length])["values"]:
            floats = struct.unpack_from(f"<{math.prod(value['shape'])}f", content, begin + value["offset_bytes"])
            self.assertTrue(all(map(math.isfinite, floats)), value["name"])

    def test_what_is_not_finite_is_not_saved(self):
        wild = ["--learning-rate", "1e38", "--checkpoint", "a.ckpt", "--checkpoint-every", "1", "--steps", "5"]
        ended = poet("train", *LENET, *wild, "--cache", self.path("plans"), "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertRegex(ended.out, r"^(the loss of step \d is not finite \((nan|inf)\)|after step \d, '[^']+' \(-?(nan|inf)\) "
                                    r"is not finite): training ended there, and (nothing was saved|the checkpoint is that of "
                                    r"step \d); try a lower --learning-rate or a --largest-gradient-norm, look for numbers in "
                                    r"the data that are not finite, or go on whatever comes with --allow-non-finite\n$")
        if os.path.exists(self.path("a.ckpt")):
            self.assert_finite("a.ckpt")
        answer = self.train(*wild, "--allow-non-finite", "--overwrite-checkpoint")
        self.assertEqual(answer["steps"], 5)
        self.assertIn(None, answer["losses"])

    def test_what_is_not_finite_leaves_the_last_good_checkpoint(self):
        self.train("--steps", "2", "--checkpoint", "a.ckpt")
        with open(self.path("a.ckpt"), "rb") as file:
            before = file.read()
        ended = poet("train", *LENET, "--steps", "9", "--checkpoint", "a.ckpt", "--overwrite-checkpoint", "--learning-rate",
                     "1e38", "--cache", self.path("plans"), "--quiet", "--json", cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("not finite", ended.json()["no"])
        with open(self.path("a.ckpt"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_killed_at_random_it_goes_on_to_the_same_bits(self):
        arguments = ["--steps", "40", "--optimiser", "momentum", "--ram-budget", "70%"]
        whole = self.train(*arguments)
        chance = random.Random(1)
        command = [program.program, "train", *LENET, *arguments, "--cache", self.path("plans"), "--quiet",
                   "--checkpoint", "k.ckpt", "--checkpoint-every", "1", "--resume"]
        for _ in range(6):
            with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL) as child:
                try:
                    child.wait(timeout=chance.uniform(0.02, 0.6))
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGKILL)
        rest = self.train(*arguments, "--checkpoint", "k.ckpt", "--resume")
        self.assertEqual(rest["parameters_sha256"], whole["parameters_sha256"])

    def test_interrupted_it_saves_and_leaves(self):
        self.train("--steps", "1")  # the plans are there
        command = [program.program, "train", *LENET, "--steps", "100000", "--cache", self.path("plans"), "--checkpoint",
                   "i.ckpt", "--json"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            self.assertIn("step 1/100000", child.stderr.readline())
            child.send_signal(signal.SIGINT)
            out = child.communicate(timeout=120)[0]
        answer = json.loads(out)
        self.assertTrue(answer["stopped"])
        self.assertTrue(os.path.exists(self.path("i.ckpt")))


def npy(shape, kind, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values


class Use(Training):
    def test_evaluation_is_that_of_the_training(self):
        # Skip connections, so that there is something to press: without them each operation's inputs were just made.
        network = ["--model", "resnet8", "--image-size", "16", "--batch-size", "32"]

        def evaluated(budget):
            return poet("eval", *network, "--checkpoint", "a.ckpt", "--ram-budget", budget, "--parts", "whole", "--json",
                        "--no-keep-plans", cwd=self.folder)

        trained = self.train("--steps", "3", "--checkpoint", "a.ckpt", "--test-examples", "1000",
                             model=[*network, "--examples", "64"])
        self.assertEqual(trained["evaluation"]["examples"], 1000)
        refused = evaluated("1")
        self.assertEqual(refused.code, 1, refused.err)
        least = re.search(r"the smallest budget found to work is --ram-budget (\d+)", refused.json()["no"])
        self.assertTrue(least, refused.out)
        arenas = []
        for budget in ("100%", least[1]):
            ended = evaluated(budget)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertEqual(ended.json()["checkpoint_step"], 3)
            self.assertEqual(trained["evaluation"]["loss"], ended.json()["evaluation"]["loss"])
            arenas.append(ended.json()["arena_bytes"])
        self.assertLess(arenas[1], arenas[0])

    def test_predictions_replace_nothing_that_is_read(self):
        with open(self.path("x.npy"), "wb") as file:
            file.write(npy((6, 16, 16), "|u1", bytes(6 * 256)))
        os.link(self.path("x.npy"), self.path("y.npy"))
        predict = ["predict", *LENET, "--no-keep-plans"]
        for name in ("x.npy", "./x.npy", "y.npy"):
            self.assert_refused(f"--data and --out name one file, '{name}'; give each its own",
                                *predict, "--data", "x.npy", "--out", name)
        self.assert_refused("--checkpoint and --out name one file, 'c.npy'; give each its own",
                            *predict, "--checkpoint", "c.npy", "--out", "c.npy")
        self.assert_refused("--checkpoint and --out name one file, 'c.onnx'; give each its own",
                            "export", "onnx", "--model", "lenet5", "--checkpoint", "c.onnx", "--out", "c.onnx")
        self.assert_refused("--storage and --out name one file, 'p.npy'; give each its own",
                            *predict, "--storage", "p.npy", "--out", "p.npy")

    def test_storage_without_a_folder_is_refused_before_planning(self):
        self.assert_refused("nothing can be stored in 'none/pages': there is no folder 'none'",
                            "train", *LENET, "--no-keep-plans", "--steps", "1", "--storage", "none/pages")
        self.assert_refused("the name '" + "p" * 40 + "...' is too long for storage: it may have 231 bytes",
                            "train", *LENET, "--no-keep-plans", "--steps", "1", "--storage", "p" * 232)

    def test_training_replaces_nothing_that_is_read(self):
        with open(self.path("x.npy"), "wb") as file:
            file.write(npy((6, 16, 16), "|u1", bytes(6 * 256)))
        train = ["train", *LENET, "--no-keep-plans", "--data", "a.npy,x.npy", "--test-data", "b.npy,t.npy"]
        for option in ("--log", "--report", "--checkpoint", "--storage"):
            self.assert_refused(f"--data and {option} name one file, 'x.npy'; give each its own", *train, option, "x.npy")
            self.assert_refused(f"--test-data and {option} name one file, 't.npy'; give each its own",
                                *train, option, "t.npy")
        os.mkdir(self.path("digits"))
        for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"):
            with open(self.path(f"digits/{name}"), "wb"):
                pass
        self.assert_refused("--data and --log name one file, 'digits/train-labels-idx1-ubyte'; give each its own",
                            "train", *LENET, "--no-keep-plans", "--data", "digits", "--log",
                            "digits/train-labels-idx1-ubyte")

    def test_evaluations_that_are_no_number_leave_no_best(self):
        for name, value in (("good", 0.5), ("bad", math.nan)):
            with zipfile.ZipFile(self.path(f"{name}.npz"), "w") as archive:
                archive.writestr("image.npy", npy((4, 1, 16, 16), "<f4", struct.pack("<f", value) * 1024))
                archive.writestr("labels.npy", npy((4,), "<i8", struct.pack("<4q", 0, 1, 2, 3)))
        ended = poet("train", *LENET, "--steps", "2", "--data", "good.npz", "--test-data", "bad.npz", "--evaluate-every", "1",
                     "--best-checkpoint", "best.ckpt", "--no-keep-plans", "--quiet", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, "poet: warning: no evaluation gave a loss that is a number: there is no best step, and "
                                                      "'best.ckpt' was not written\n"))
        self.assertFalse(os.path.exists(self.path("best.ckpt")))

    def test_damaged_data_are_refused(self):
        array = npy((6, 16, 16), "|u1", bytes(6 * 256))
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(self.path("a.npz"), "w", method) as archive:
                archive.writestr("x.npy", array)
            self.assertEqual(poet("predict", *LENET, "--data", "a.npz", "--no-keep-plans", cwd=self.folder).code, 0)
            with open(self.path("a.npz"), "rb") as file:
                content = bytearray(file.read())
            place = content.find(b"PK\x01\x02") + 16  # the checksum in the directory
            content[place] ^= 1
            with open(self.path("a.npz"), "wb") as file:
                file.write(content)
            what = "read" if method == zipfile.ZIP_STORED else "unpack"
            self.assert_refused(f"cannot {what} 'x.npy' in 'a.npz': it does not have its checksum",
                                "predict", *LENET, "--data", "a.npz", "--no-keep-plans")
        with open(self.path("long.npy"), "wb") as file:
            file.write(array + b"more")
        self.assert_refused("'long.npy' is not an NPY array: it is 4 bytes longer than the (6, 16, 16) values that "
                            "its header says", "predict", *LENET, "--data", "long.npy", "--no-keep-plans")

    def test_predictions_of_a_file(self):
        pixels = bytes(random.Random(3).randrange(256) for _ in range(6 * 256))
        with open(self.path("x.npy"), "wb") as file:
            file.write(npy((6, 16, 16), "|u1", pixels))
        ended = poet("predict", *LENET, "--data", "x.npy", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual([line.split()[0] for line in ended.out.splitlines()], list("012345"))
        ended = poet("predict", *LENET, "--data", "x.npy", "--out", "y.npy", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("y.npy"), "rb") as file:
            outputs = file.read()
        self.assertIn(b"(6, 10,)", outputs)
        self.assertEqual(len(outputs), 128 + 6 * 10 * 4)
        ended = poet("predict", *LENET, "--data", "x.npy", "--out", "y.csv", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("y.csv"), encoding="utf-8") as file:
            header, *rows = file.read().splitlines()
        self.assertEqual(header, "example," + ",".join(f"output_{k}" for k in range(10)))
        values = [float(value) for row in rows for value in row.split(",")[1:]]
        self.assertEqual(struct.pack("<60f", *values), outputs[128:])
        ended = poet("predict", *LENET, "--data", "x.npy", "--out", "y.txt", "--no-keep-plans", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (2, "poet: --out: outputs are written as .npy or .csv; 'y.txt' is neither\n"))
        # Not scores of classes: the outputs themselves.
        ended = poet("predict", *LENET, "--data", "x.npy", "--loss", "mean-squared-error", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual([line.split()[1:] for line in ended.out.splitlines()], [row.split(",")[1:] for row in rows])

    def test_what_is_not_finite_is_named(self):
        values = [[0.5] * 64, [math.nan] * 64, [1.0] * 64]
        for name, shape, kind, data in (("x.npy", (3, 1, 8, 8), "<f4", struct.pack("<192f", *sum(values, []))),
                                        ("y.npy", (3,), "<i8", struct.pack("<3q", 0, 1, 2))):
            with open(self.path(name), "wb") as file:
                file.write(npy(shape, kind, data))
        network = ["--model", "digits-mlp", "--batch-size", "2", "--cache", self.path("plans")]
        named = "what the network makes of example 1 (they count from 0) is not finite"
        for command in ("eval", "predict"):
            ended = poet(command, *network, "--data", "x.npy,y.npy", cwd=self.folder)
            self.assertEqual(ended.code, 1, ended.out)
            self.assertIn(named, ended.err)
            allowed = poet(command, *network, "--data", "x.npy,y.npy", "--allow-non-finite", "--json", cwd=self.folder)
            self.assertEqual((allowed.code, allowed.err, allowed.json()["not_finite"]), (0, "", 1))
        trained = poet("train", *network, "--examples", "4", "--steps", "1", "--test-data", "x.npy,y.npy", "--quiet", cwd=self.folder)
        self.assertEqual(trained.code, 0, trained.err)
        self.assertRegex(trained.out, r"evaluation +loss nan, accuracy .* on 3 examples; " + re.escape(named))

    def test_the_loss_is_that_of_the_checkpoint(self):
        network = ["--model", "digits-mlp", "--batch-size", "4"]
        self.train("--examples", "8", "--test-examples", "4", "--steps", "1", "--loss", "mean-squared-error", "--checkpoint", "a.ckpt", model=network)
        used = [*network, "--examples", "4", "--checkpoint", "a.ckpt", "--cache", self.path("plans")]
        said = poet("predict", *used, cwd=self.folder)
        self.assertEqual(said.code, 0, said.err)
        self.assertEqual([len(line.split()) for line in said.out.splitlines()], [11] * 4)  # no classes
        self.assertEqual(poet("predict", *used, "--loss", "mean-squared-error", cwd=self.folder).out, said.out)
        self.assertEqual([len(line.split()) for line in poet("predict", *used, "--loss", "cross-entropy", cwd=self.folder).out.splitlines()], [2] * 4)
        self.assertRegex(poet("eval", *used, cwd=self.folder).out, "root mean square error .* on 4 examples")

    def test_learns_from_files(self):
        pixels = bytes(random.Random(3).randrange(256) for _ in range(8 * 256))
        with open(self.path("images.idx"), "wb") as file:
            file.write(struct.pack(">HBBIII", 0, 8, 3, 8, 16, 16) + pixels)
        with open(self.path("labels.idx"), "wb") as file:
            file.write(struct.pack(">HBBI", 0, 8, 1, 8) + bytes(range(8)))
        answer = self.train("--data", "images.idx,labels.idx", "--epochs", "3", "--held-out", "0.25")
        self.assertEqual(answer["steps"], 5)  # 3 times 6 examples, 4 at a time
        self.assertEqual(answer["evaluation"]["examples"], 2)


if __name__ == "__main__":
    program.run_tests()
