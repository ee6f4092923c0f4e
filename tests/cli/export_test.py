"""A plan as C: what is emitted builds without a warning, trains to the bits of 'poet train', and keeps its checkpoints."""

import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

import program
from program import ANY_PLAN, poet

MLP = ["--model", "mlp", "--image-size", "8", "--batch-size", "4"]
LENET = ["--model", "lenet5", "--image-size", "16", "--batch-size", "4"]
RESNET = ["--model", "resnet8", "--image-size", "8", "--batch-size", "8"]
# Steps in which something has to be computed again or paged: slices and parts may need neither.
WHOLE = ["--parts", "whole", "--updates", "separate"]
BERT = ["--model", "bert-tiny", "--sequence-length", "8", "--batch-size", "2"]
DATA = ["--examples", "64"]
WARNINGS = "-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror"
ARM = "arm-none-eabi-gcc"
CORES = {
    "cortex-m4": "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard",
    "cortex-m0": "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft",
}


def cached(compiler):
    """The same kernels are compiled for every project."""
    return f"ccache {compiler}" if shutil.which("ccache") else compiler


# Each project lies in a folder of its own, which debug information names; that makes no other object.
CACHED = {**os.environ, "CCACHE_NOHASHDIR": "1"}


def run(command, cwd, env=CACHED):
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


class Exporting(program.InAFolder):
    plans = tempfile.mkdtemp(prefix="poet-plans-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.plans, ignore_errors=True)
        cls.plans = tempfile.mkdtemp(prefix="poet-plans-")

    def export(self, *flags, name="project"):
        ended = poet("export", "c", *flags, *DATA, "--cache", self.plans, "--quiet", "--json", "--out",
                     self.path(name), cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        return ended.json()

    def smallest_budget(self, *flags):
        """That a refusal names: what any plan needs differs between networks."""
        ended = poet("export", "c", *flags, *DATA, "--ram-budget", "1", "--cache", self.plans, "--quiet", "--json", "--out",
                     self.path("refused"), cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err + ended.out)
        named = re.search(r"the smallest budget found to work is --ram-budget (\d+)", ended.json()["no"])
        self.assertTrue(named, ended.out)
        return named[1]

    def train(self, *flags):
        ended = poet("train", *flags, *DATA, "--test-examples", "0", "--cache", self.plans, "--quiet", "--json",
                     cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        return ended.json()

    def make(self, *words, name="project", compiler="gcc", optimise="-O1"):
        ended = run(["make", f"CC={cached(compiler)}", f"OPTIMISE={optimise}", f"WARNINGS={WARNINGS}", *words],
                    self.path(name))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout

    def host(self, *words, name="project"):
        return run(["./host", *words], self.path(name))

    def losses(self, ended):
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        lines = [line.split() for line in ended.stdout.splitlines()]
        for line in lines[:-1]:
            self.assertEqual(float.fromhex(line[4]), float(f"{float.fromhex(line[4]):.17g}"))
        return [float.fromhex(line[4]) for line in lines[:-1]], lines[-1][1]

    def assert_same_numbers(self, flags, plan, steps, name="project"):
        """Of 'poet train' in a budget of its own, and of the project with this plan."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        answer = self.export(*flags, *plan, "--steps", str(steps), name=name)
        trained = self.train(*flags, "--steps", str(steps))
        self.make("host", name=name)
        losses, sha = self.losses(self.host("--steps", str(steps), name=name))
        self.assertEqual(losses, trained["losses"])
        self.assertEqual(sha, trained["parameters_sha256"])
        return answer

    def actions(self, name="project"):
        with open(os.path.join(self.path(name), "project.json"), encoding="utf-8") as file:
            return json.load(file)["actions"]

    def recomputes(self):
        return True in [action.get("again") for action in self.actions()]

    def paged_activations(self):
        """What operations of the network made and storage took: no parameters, states of optimisers or gradients."""
        actions = self.actions()
        computed = [action["name"] for action in actions if action["what"] == "compute"]
        written = {action["name"] for action in actions if action["what"] == "write"}
        return written.intersection(computed[:computed.index("loss")])

    def copy_to_pc(self, source, name):
        """A program of ours in the place of the project's, and what it includes."""
        here = os.path.dirname(__file__)
        shutil.copy(os.path.join(here, source), self.path(f"project/pc/{name}"))
        shutil.copy(os.path.join(here, "export_late.h"), self.path("project/pc/late.h"))

    def plan_text(self, name="project"):
        with open(self.path(f"{name}/poet_plan.c"), encoding="utf-8") as file:
            return file.read()


class SameNumbers(Exporting):
    """Plans that recompute, that page, that do both, and in the least RAM."""

    def test_lenet_in_every_kind_of_plan(self):
        kept = self.export(*LENET, *WHOLE, "--platform", "laptop", "--ram-budget", "100%", "--steps", "3")
        self.assertFalse(self.recomputes())
        recomputed = self.assert_same_numbers([*LENET, *WHOLE], ["--ram-budget", "90%", "--no-paging"], 3)
        self.assertTrue(self.recomputes())
        paged = self.assert_same_numbers([*LENET, *WHOLE], ["--ram-budget", "90%", "--no-remat"], 3)
        self.assertFalse(self.recomputes())
        least = self.assert_same_numbers([*LENET, *WHOLE], ["--ram-budget", "0%way"], 3)
        self.assertLess(recomputed["arena_bytes"], kept["arena_bytes"])
        self.assertLess(paged["arena_bytes"], kept["arena_bytes"])
        self.assertLessEqual(least["arena_bytes"], paged["arena_bytes"])
        self.assertGreater(least["paged_in_bytes"], kept["paged_in_bytes"])

    def test_mlp(self):
        self.assert_same_numbers([*MLP, "--optimiser", "momentum"],
                                 ["--platform", "laptop", "--ram-budget", "70%"], 3)

    def test_resnet_with_running_statistics(self):
        plan = ["--platform", "laptop", "--ram-budget", "60%", "--mem-power-scale", "0.3"]
        self.assert_same_numbers([*RESNET, *WHOLE], plan, 2)
        self.assertTrue(self.recomputes())
        self.assertTrue(self.paged_activations())

    # Of all of BERT, the update of its embeddings alone needs as much as keeping everything.
    def test_bert_with_adam_in_micro_batches(self):
        flags = [*BERT, "--optimiser", "adamw", "--weight-decay", "0.01", "--micro-batches", "2", "--train", "encoder",
                 "--frozen", "storage", "--parts", "whole", *ANY_PLAN]
        platform = ["--platform", "laptop"]
        self.assert_same_numbers(flags, [*platform, "--ram-budget", self.smallest_budget(*flags, *platform)], 2)
        self.assertTrue(self.recomputes() or self.paged_activations())

    def test_updates_by_slices(self):
        for flags in ([*LENET, "--optimiser", "nesterov"], RESNET):
            with self.subTest(flags=flags):
                self.assert_same_numbers(flags, ["--platform", "laptop", "--ram-budget", "95%", "--updates", "sliced"], 2)
                self.assertIn("conv_weight_update", self.plan_text())
                self.make("host", "BUILD=build-asan", "RAM_CHECK=", "-B",
                          "CFLAGS=-fsanitize=address,undefined -fno-sanitize-recover=all -g1")
                self.losses(self.host("--steps", "2", "--storage", "other.bin"))

    def test_learning_rates_that_change(self):
        for shape in (["--schedule", "cosine", "--last-rate-ratio", "0.1"], ["--schedule", "linear"],
                      ["--schedule", "step", "--rate-every", "2"]):
            with self.subTest(shape=shape):
                self.assert_same_numbers([*LENET, *shape, *ANY_PLAN, "--warm-up-steps", "2"], ["--ram-budget", "70%"], 6)

    def test_frozen_parameters_in_flash(self):
        answer = self.assert_same_numbers([*LENET, "--train", "last:2"], ["--ram-budget", "80%"], 2)
        self.assertGreater(answer["rom_bytes"], 0)
        self.assertTrue(os.path.exists(self.path("project/poet_rom.c")))

    def test_residents(self):
        self.assert_same_numbers([*LENET, "--parameters", "resident", "--optimiser", "adam"],
                                 ["--platform", "laptop", "--ram-budget", "95%"], 2)

    def test_any_block_of_the_storage(self):
        for block in ("1", "4KiB"):
            with self.subTest(block=block):
                answer = self.assert_same_numbers([*LENET, *ANY_PLAN], ["--ram-budget", "60%", "--storage-block", block], 2)
                self.assertEqual(answer["storage_bytes"] % 8, 0)

    def test_any_page_that_a_power_cut_may_damage(self):
        for erased, pages_begin in (("512", 512), ("1MiB", 2 << 20)):
            with self.subTest(erased=erased):
                self.assert_same_numbers([*LENET, *ANY_PLAN], ["--ram-budget", "60%", "--storage-erase", erased], 2)
                with open(self.path("project/project.json"), encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["pages_begin_bytes"] % pages_begin, 0)

    def test_what_the_device_erases_at_a_time(self):
        board = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../poet/device/boards/m4.toml")
        with open(board, encoding="utf-8") as file:
            figures = file.read()
        for erased, more, wanted in (("4 KiB", [], 4096), ("4 KiB", ["--storage-erase", "8KiB"], 8192), (None, [], 65536)):
            with self.subTest(erased=erased, more=more):
                line = f'[storage]\nerase = {{ value = "{erased}", source = "data sheet" }}\n' if erased else "[storage]\n"
                with open(self.path("board.toml"), "w", encoding="utf-8") as file:
                    file.write(figures.replace("[storage]\n", line))
                self.export(*MLP, "--platform", "board.toml", *more)
                with open(self.path("project/project.json"), encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["storage_erase_bytes"], wanted)
        with open(self.path("board.toml"), "w", encoding="utf-8") as file:
            file.write(figures.replace("[storage]\n", '[storage]\nerase = { value = "3000 B", source = "data sheet" }\n'))
        self.assert_refused("storage.erase of the device m4 is 3,000 bytes, and checkpoints and pages lie apart by a power of two: give "
                            "--storage-erase", "export", "c", *MLP, "--platform", "board.toml", "--out", "x")


class BesideTheProcessor(Exporting):
    """The program for a PC does transfers as late as the plan allows."""

    def waits(self):
        return len(re.findall(r"transfers are under way", self.plan_text()))

    def test_has_the_same_numbers(self):
        self.assert_same_numbers([*LENET, *WHOLE], ["--ram-budget", "0%way", "--io", "overlapped"], 3)
        self.assertGreater(self.waits(), 3)
        self.assertRegex(self.plan_text(), r"until [1-9]\d* transfers are under way")

    def test_in_micro_batches_and_parts(self):
        flags = [*LENET, "--optimiser", "adam", "--micro-batches", "2", *ANY_PLAN]
        self.assert_same_numbers(flags, ["--ram-budget", "12KiB", "--io", "overlapped"], 2)
        self.assertGreater(self.waits(), 3)

    def test_needs_its_waits(self):
        """Without them values are others, those that say where something lies too."""
        self.export(*LENET, *WHOLE, "--ram-budget", "0%way", "--io", "overlapped", "--steps", "2")
        self.make("host")
        _, sha = self.losses(self.host("--steps", "2"))
        text = re.sub(r"if \(work->kind == POET_WORK_WAIT\) return .*?;",
                      "if (work->kind == POET_WORK_WAIT && action[0].offset == 1u) return POET_OK;", self.plan_text())
        with open(self.path("project/poet_plan.c"), "w", encoding="utf-8") as file:
            file.write(text)
        os.remove(self.path("project/card.bin"))
        self.make("host")
        ended = self.host("--steps", "2")
        self.assertTrue(ended.returncode != 0 or sha not in ended.stdout, ended.stdout)

    def test_only_where_it_is_asked_for(self):
        self.export(*LENET, *WHOLE, "--ram-budget", "90%", "--steps", "2")
        self.assertNotIn("transfers", self.plan_text())
        self.assertFalse(os.path.exists(self.path("project/poet/runtime/transfers.c")))


class InParts(Exporting):
    """Operations in parts, with all that lies in pieces: parameters, moments, inputs, constants."""

    def assert_in_parts(self, flags, *plan):
        answer = self.assert_same_numbers(flags, [*plan, *ANY_PLAN], 2)
        with open(self.path("project/project.json"), encoding="utf-8") as file:
            project = json.load(file)
        self.assertLess(len({value["name"].split("[")[0] for value in project["kept"]}), len(project["kept"]) or 1)
        return answer

    def test_weights_and_moments_in_tiles(self):
        self.assert_in_parts([*LENET, "--optimiser", "adam"], "--parts", "8KiB", "--ram-budget", "24KiB")
        self.assertNotIn("read_part", self.plan_text())

    def test_pictures_row_by_row(self):
        self.assert_in_parts(["--model", "lenet5", "--batch-size", "2"], "--parts", "10KiB", "--ram-budget", "40KiB")
        self.assertIn("read_part", self.plan_text())
        self.make("host", "BUILD=build-asan", "RAM_CHECK=", "-B",
                  "CFLAGS=-fsanitize=address,undefined -fno-sanitize-recover=all -g1")
        self.losses(self.host("--steps", "2", "--storage", "other.bin"))

    def test_frozen_parameters_in_flash(self):
        answer = self.export(*LENET, "--train", "last:2", "--parts", "8KiB", "--ram-budget", "24KiB", "--steps", "2")
        self.assertGreater(answer["rom_bytes"], 0)
        self.assert_same_numbers([*LENET, "--train", "last:2"], ["--parts", "8KiB", "--ram-budget", "24KiB"], 2)

    def test_residents(self):
        self.assert_same_numbers([*LENET, "--parameters", "resident", "--optimiser", "momentum"],
                                 ["--platform", "laptop", "--parts", "16KiB", "--ram-budget", "95%"], 2)

    def test_tables_of_words_in_blocks(self):
        self.assert_same_numbers([*BERT, *ANY_PLAN], ["--platform", "laptop", "--parts", "1MiB", "--ram-budget", "3MiB"], 1)


class WhatIsEmitted(Exporting):
    def setUp(self):
        super().setUp()
        self.export(*LENET, *ANY_PLAN, "--ram-budget", "80%", "--optimiser", "adam", "--steps", "2")

    def test_builds_without_warnings_with_clang(self):
        if shutil.which("clang") is None:
            self.skipTest("clang is not installed")
        self.make("host", compiler="clang")

    def test_builds_for_cores_without_warnings(self):
        if shutil.which(ARM) is None:
            self.skipTest(f"{ARM} is not installed")
        for core, flags in CORES.items():
            with self.subTest(core=core):
                told = self.make(f"BUILD=build-{core}", f"CPU={flags}", "AR=arm-none-eabi-ar", "SIZE=arm-none-eabi-size",
                                 compiler=ARM, optimise="-O2")
                self.assertRegex(told, r"text: \d+ bytes, data: \d+ bytes")

    def test_counts_on_a_pc_the_data_that_a_board_has(self):
        """Constants with addresses in them are data of a program that may lie anywhere, and in flash on a board."""
        if shutil.which(ARM) is None:
            self.skipTest(f"{ARM} is not installed")
        on_a_pc = self.make("BUILD=build-pc")
        on_a_board = self.make("BUILD=build-board", f"CPU={CORES['cortex-m4']}", "AR=arm-none-eabi-ar", "SIZE=arm-none-eabi-size",
                               compiler=ARM)
        data = [int(re.search(r"data: (\d+) bytes", told)[1]) for told in (on_a_pc, on_a_board)]
        self.assertLess(data[0] - data[1], 64)

    def test_stays_within_its_stack(self):
        ended = run(["make", "check", "CC=gcc", "OPTIMISE=-O2"], self.path("project"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, r"stack: \d+ bytes without callbacks, 8192 are kept")
        ended = run(["make", "check", "CC=gcc", "STACK_BYTES=100"], self.path("project"))
        self.assertNotEqual(ended.returncode, 0)

    def test_passes_the_static_analysers(self):
        sources = ["poet_plan.c", "poet_train.c", "poet/runtime/checkpoint.c", "poet/runtime/storage.c",
                   "poet/runtime/crc32.c"]
        for analyser in (["clang", "--analyze", "-Xclang", "-analyzer-werror"],
                         ["gcc", "-fanalyzer", "-Werror", "-c", "-o", os.devnull]):
            if shutil.which(analyser[0]) is None:
                continue
            for source in sources:
                with self.subTest(analyser=analyser[0], source=source):
                    ended = run([*analyser, "-std=c99", "-I.", source], self.path("project"))
                    self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_has_the_same_numbers_under_sanitizers(self):
        self.make("host")
        plain = self.losses(self.host("--steps", "2"))
        self.make("host", "BUILD=build-asan", "RAM_CHECK=", "-B",
                  "CFLAGS=-fsanitize=address,undefined -fno-sanitize-recover=all -g1")
        self.assertEqual(self.losses(self.host("--steps", "2", "--storage", "other.bin")), plain)

    def test_builds_with_cmake(self):
        configured = run(["cmake", "-S", ".", "-B", "cmake-build", f"-DCMAKE_C_FLAGS={WARNINGS}",
                          *(["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else [])],
                         self.path("project"))
        self.assertEqual(configured.returncode, 0, configured.stderr)
        built = run(["cmake", "--build", "cmake-build"], self.path("project"))
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)

    def test_has_only_the_kernels_that_it_calls(self):
        files = set(os.listdir(self.path("project/poet/runtime")))
        self.assertIn("conv.c", files)
        self.assertNotIn("layer_norm.c", files)
        self.assertNotIn("gather.c", files)

    def test_does_not_link_where_the_ram_is_too_small(self):
        self.make("host")
        script = self.path("project/ram_check.ld")
        with open(script, encoding="utf-8") as file:
            text = file.read()
        with open(script, "w", encoding="utf-8") as file:
            file.write(text.replace("<= 262144", "<= 20000"))
        ended = run(["gcc", "-Wl,--gc-sections", "-o", "program", "build/pc/main.o", "build/pc/sha256.o",
                     "build/libpoet_train.a", "ram_check.ld"], self.path("project"))
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("do not fit into the 262144 bytes of RAM", ended.stderr)

    def test_is_not_built_for_a_pc_where_the_ram_is_too_small(self):
        for target in ("host", "check"):
            ended = run(["make", target, f"CC={cached('gcc')}", "OPTIMISE=-O1", "RAM_BYTES=20000"], self.path("project"))
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("do not fit into the 20000 bytes of RAM", ended.stderr)

    def test_carries_its_licence(self):
        with open(self.path("project/LICENSE"), encoding="utf-8") as licence, \
             open(os.path.join(os.path.dirname(__file__), "../../LICENSE"), encoding="utf-8") as ours:
            self.assertEqual(licence.read(), ours.read())
        with open(self.path("project/README.md"), encoding="utf-8") as readme:
            self.assertIn("Apache License 2.0", readme.read())

    def test_announces_every_action_when_traced(self):
        with open(self.path("project/trace.c"), "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\n#include \"poet_train.h\"\n"
                       "void poet_trace(uint32_t action) { fprintf(stderr, \"%u\\n\", (unsigned)action); }\n")
        self.make("host", "CFLAGS=-DPOET_TRACE", "PC_SOURCES=pc/main.c pc/sha256.c trace.c")
        ended = self.host("--steps", "1")
        self.assertEqual([int(line) for line in ended.stderr.split()], list(range(len(self.actions()) + 1)))


class InTheWholeRam(Exporting):
    """Where the arena takes all that the board has beside stack and data, buffers of a PC's program do not count."""

    def setUp(self):
        super().setUp()
        answer = self.export(*LENET[:2], "--image-size", "24", "--batch-size", "8", "--platform", "m4", "--steps", "2")
        self.assertGreater(answer["arena_bytes"], 240_000)

    def test_is_built_and_trains_on_a_pc(self):
        self.make("host")
        self.losses(self.host("--steps", "1"))

    def test_is_built_with_cmake_and_trains(self):
        for command in (["cmake", "-S", ".", "-B", "cmake-build"], ["cmake", "--build", "cmake-build"],
                        ["cmake-build/host", "--steps", "1"]):
            ended = run(command, self.path("project"))
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)


class TooLarge(Exporting):
    def test_is_told_and_does_not_compile(self):
        ended = poet("export", "c", *LENET, *ANY_PLAN, *DATA, "--ram-budget", "60%", "--stack", "256KiB", "--cache", self.plans,
                     "--quiet", "--out", self.path("project"), cwd=self.folder)
        self.assertEqual(ended.code, 0)
        self.assertIn("and m4 has 262,144 bytes: the project will not link for it", ended.err)
        made = run(["make", "host"], self.path("project"))
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("arena and stack take more RAM than the device has", made.stderr)


class Checkpoints(Exporting):
    def setUp(self):
        super().setUp()
        self.export(*LENET, *ANY_PLAN, "--ram-budget", "60%", "--steps", "2")

    def assert_survives_every_fault(self):
        self.copy_to_pc("export_faults.c", "faults.c")
        self.make("host", "PC_SOURCES=pc/faults.c pc/sha256.c", "RAM_CHECK=",
                  "CFLAGS=-fsanitize=address,undefined -fno-sanitize-recover=all -g1")
        ended = self.host("storage.image", "examples.bin", "2")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, r"after \d{3,} faults")

    def test_go_on_to_the_same_numbers(self):
        self.make("host")
        _, whole = self.losses(self.host("--steps", "6", "--storage", "whole.bin"))
        self.losses(self.host("--steps", "2"))
        losses, parts = self.losses(self.host("--steps", "6"))
        self.assertEqual(len(losses), 4)
        self.assertEqual(parts, whole)

    def test_survive_every_fault_of_the_storage(self):
        # A checkpoint of 16 x 16 pixels happens to fill 64 KiB: then nothing could lie in its neighbour's piece of flash.
        self.export(*LENET[:2], "--image-size", "20", "--batch-size", "4", *ANY_PLAN, "--ram-budget", "60%", "--steps", "2")
        self.assert_survives_every_fault()

    def test_survive_every_fault_of_transfers_beside_the_processor(self):
        self.export(*LENET, *WHOLE, *ANY_PLAN, "--ram-budget", "0%way", "--io", "overlapped", "--steps", "2")
        self.assertIn("POET_WORK_WAIT", self.plan_text())
        self.assert_survives_every_fault()

    def test_survive_being_killed_at_any_moment(self):
        self.make("host")
        steps = 400
        _, whole = self.losses(self.host("--steps", str(steps), "--storage", "whole.bin"))
        moments = random.Random(7)
        for _ in range(40):
            self.killed_after(moments.randrange(4), moments.randrange(100_000), steps)
        losses, ended = self.losses(self.host("--steps", str(steps)))
        self.assertLess(len(losses), steps, "none of what was killed had saved anything")
        self.assertEqual(ended, whole)

    def killed_after(self, steps_seen, turns, steps):
        """By steps that it says and then some turns of a loop, so that a fast machine is killed as often as a slow one."""
        with subprocess.Popen(["./host", "--steps", str(steps), "--save-every", "1"], cwd=self.path("project"),
                              stdout=subprocess.PIPE) as process:
            for _ in range(steps_seen):
                process.stdout.readline()
            for _ in range(turns):
                pass
            process.kill()
            self.assertEqual(process.wait(), -signal.SIGKILL, "it was to be killed before its end")

    def test_of_another_network_are_refused(self):
        self.export(*LENET, *ANY_PLAN, "--optimiser", "momentum", "--ram-budget", "70%", "--steps", "2", name="other")
        self.make("host", name="other")
        self.losses(self.host("--steps", "1", name="other"))
        self.make("host")
        ended = self.host("--storage", "../other/card.bin")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("storage has no whole checkpoint of this training: of another one, remove it to begin anew", ended.stderr)

    def test_of_other_settings_are_refused_and_of_another_plan_taken(self):
        mlp = ["--model", "digits-mlp", "--batch-size", "4", "--platform", "m4", "--parameters", "resident", "--steps", "4", *ANY_PLAN]
        self.export(*mlp, name="one")
        self.make("host", name="one")
        self.losses(self.host("--steps", "2", name="one"))
        for settings, goes_on in ((["--seed", "9"], False), (["--learning-rate", "0.5"], False), (["--ram-budget", "60%way"], True)):
            self.export(*mlp, *settings, name="two")
            self.make("host", name="two")
            shutil.copy(self.path("one/card.bin"), self.path("two/card.bin"))
            ended = self.host("--steps", "4", name="two")
            self.assertEqual(ended.returncode, 0 if goes_on else 2, (settings, ended.stderr))


class WriteBudget(Exporting):
    def test_is_kept(self):
        plan = [*RESNET, "--platform", "laptop", "--ram-budget", "70%", "--steps", "1"]
        free = self.export(*plan, "--no-remat")
        held = self.export(*plan, "--write-budget", str(free["paged_out_bytes"] - 1))
        self.assertLess(held["paged_out_bytes"], free["paged_out_bytes"])

    def test_that_holds_not_even_the_updates_has_no_plan(self):
        ended = poet("export", "c", *LENET, *DATA, "--write-budget", "1KB", "--quiet", "--no-keep-plans", "--out",
                     self.path("project"), cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertIn("write", ended.out)
        self.assertFalse(os.path.exists(self.path("project")))


class SomebodysFolder(Exporting):
    def setUp(self):
        super().setUp()
        self.flags = ["export", "c", *MLP, *DATA, *ANY_PLAN, "--cache", self.plans, "--quiet", "--out", "theirs"]
        os.mkdir(self.path("theirs"))

    def write(self, name, text):
        with open(self.path(f"theirs/{name}"), "w", encoding="utf-8") as file:
            file.write(text)

    def assert_left_alone(self, name):
        before = sorted(os.listdir(self.path("theirs")))
        self.assert_refused(f"the folder 'theirs' has a file '{name}' and is not a project that POET wrote: name another folder, "
                            "so that it is not replaced", *self.flags)
        self.assertEqual(sorted(os.listdir(self.path("theirs"))), before)

    def test_keeps_its_files(self):
        self.write("README.md", "mine")
        self.assert_left_alone("README.md")
        self.write("project.json", '{"format": "another"}')
        self.assert_left_alone("README.md")
        os.remove(self.path("theirs/README.md"))
        self.assert_left_alone("project.json")
        os.remove(self.path("theirs/project.json"))
        # Known only once there is a plan.
        self.write("storage.image", "mine")
        self.assert_left_alone("storage.image")

    def test_keeps_a_folder_that_has_the_name_of_ours(self):
        os.mkdir(self.path("theirs/.poet-new"))
        self.write(".poet-new/thesis", "mine")
        ended = poet(*self.flags, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(os.listdir(self.path("theirs/.poet-new")), ["thesis"])
        self.assertEqual([name for name in os.listdir(self.path("theirs")) if name.startswith(".")], [".poet-new"])

    def test_may_hold_other_files_and_an_earlier_project(self):
        self.write("notes.txt", "mine")
        for _ in range(2):
            ended = poet(*self.flags, cwd=self.folder)
            self.assertEqual(ended.code, 0, ended.err)
            with open(self.path("theirs/README.md"), "w", encoding="utf-8") as file:
                file.write("changed")
        with open(self.path("theirs/notes.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")


class WithoutRoom(Exporting):
    def export(self, folder):
        flags = ["export", "c", *MLP, *DATA, *ANY_PLAN, "--cache", self.plans, "--quiet", "--out", folder]
        return subprocess.run([program.program, *flags], cwd=self.folder, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)))

    def test_leaves_nothing_behind(self):
        poet("export", "c", *MLP, *DATA, *ANY_PLAN, "--cache", self.plans, "--quiet", "--out", "first", cwd=self.folder)
        os.mkdir(self.path("theirs"))
        for folder in ("new", "theirs"):
            ended = self.export(folder)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn("File too large", ended.stderr)
        self.assertFalse(os.path.exists(self.path("new")))
        self.assertEqual(os.listdir(self.path("theirs")), [])


class Refused(Exporting):
    def test_words(self):
        self.assert_refused("poet export needs to be told what to write: poet export c, poet export onnx or poet export safetensors", "export",
                            "--model", "lenet5")
        self.assert_refused("poet export c needs --out FOLDER, where the project is written", "export", "c", "--model",
                            "lenet5")
        self.assert_refused("--storage-block: a block of storage is a power of two up to 1 MiB, found '12'", "export",
                            "c", "--model", "lenet5", "--storage-block", "12", "--out", "x")


if __name__ == "__main__":
    program.run_tests()
