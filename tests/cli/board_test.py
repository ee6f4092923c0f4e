"""Trainings on emulated boards: the bits of 'poet train', RAM as planned, and checkpoints that outlive faults of the card."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

import program
from program import ANY_PLAN, CACHED, poet

TOOLS = ["arm-none-eabi-gcc", "qemu-system-arm", "make"]
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]

MLP = ["--model", "digits-mlp", "--batch-size", "4"]
CNN = ["--model", "digits-cnn", "--batch-size", "4"]
LENET = ["--model", "lenet5", "--image-size", "28"]
DATA = ["--examples", "64"]


@unittest.skipIf(MISSING, f"{', '.join(MISSING)} not installed: boards are not emulated")
class OnBoards(program.InAFolder):
    plans = tempfile.mkdtemp(prefix="poet-plans-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.plans, ignore_errors=True)
        cls.plans = tempfile.mkdtemp(prefix="poet-plans-")

    def poet_json(self, code, *words):
        ended = poet(*words, *DATA, "--cache", self.plans, "--quiet", "--json", cwd=self.folder, env=CACHED)
        self.assertEqual(ended.code, code, ended.err)
        return ended.json()

    def run_board(self, board, *flags, code=0):
        return self.poet_json(code, "run", "--board", board, *flags)

    def train(self, *flags):
        return self.poet_json(0, "train", *flags, "--test-examples", "0")

    def assert_same_bits(self, board, network, *flags, steps="3"):
        on_board = self.run_board(board, *network, "--steps", steps, *flags)
        here = self.train(*network, "--steps", steps)
        self.assertEqual(on_board["losses"], here["losses"])
        self.assertEqual(on_board["parameters_sha256"], here["parameters_sha256"])
        self.assert_ram_as_planned(on_board)
        return on_board

    def assert_ram_as_planned(self, answer):
        linked = answer["linked"]
        self.assertEqual(linked["arena_bytes"], (answer["arena_bytes"] + 7) // 8 * 8)
        self.assertEqual(linked["ram_bytes"], linked["arena_bytes"] + linked["stack_bytes"] + linked["data_bytes"])
        self.assertLessEqual(answer["arena_bytes"], answer["ram_budget_bytes"])
        self.assertLessEqual(linked["ram_bytes"], answer["board_ram_bytes"])
        self.assertGreater(answer["stack_used_bytes"], 500)
        self.assertLess(answer["stack_used_bytes"], linked["stack_bytes"])


class SameBits(OnBoards):
    def test_lenet5_on_a_cortex_m4_in_256_kib(self):
        answer = self.assert_same_bits("qemu-m4", [*LENET, "--batch-size", "4"])
        self.assertEqual(answer["board_ram_bytes"], 256 << 10)

    def test_whole_networks_of_32_x_32_with_updates_by_slices(self):
        answer = self.assert_same_bits("qemu-m4", ["--model", "lenet5", "--batch-size", "2"], *ANY_PLAN, steps="2")
        self.assertLessEqual(answer["linked"]["ram_bytes"], 256 << 10)
        answer = self.assert_same_bits("qemu-m4", ["--model", "resnet8", "--batch-size", "1"], *ANY_PLAN, steps="1")
        self.assertLessEqual(answer["linked"]["ram_bytes"], 256 << 10)

    def test_lenet5_in_parts_in_a_third_of_that(self):
        answer = self.assert_same_bits("qemu-m4", ["--model", "lenet5", "--batch-size", "1"], "--parts", "40KiB", "--ram-budget",
                                       "89600", steps="2")
        self.assertLessEqual(answer["linked"]["ram_bytes"], 96 << 10)

    def test_bert_tiny_with_all_its_words_in_parts(self):
        bert = ["--model", "bert-tiny", "--sequence-length", "8", "--batch-size", "1"]
        answer = self.assert_same_bits("qemu-m4", bert, "--parts", "128KiB", "--time-limit-s", "5", steps="2")
        self.assertLessEqual(answer["linked"]["ram_bytes"], 256 << 10)
        self.assertGreater(answer["storage_bytes"], 17_000_000)

    def test_resnet8_on_a_cortex_m4_with_its_norms_trained(self):
        self.assert_same_bits("qemu-m4", ["--model", "resnet8", "--image-size", "16", "--batch-size", "1", "--train", "norm",
                                          "--optimiser", "momentum"], steps="2")

    def test_networks_on_a_cortex_m0_in_32_kib(self):
        self.assertEqual(self.assert_same_bits("qemu-m0", MLP)["board_ram_bytes"], 32 << 10)
        self.assert_same_bits("qemu-m0", CNN)

    def test_networks_on_a_micro_bit_in_16_kib(self):
        self.assertEqual(self.assert_same_bits("qemu-microbit", MLP)["board_ram_bytes"], 16 << 10)

    def test_networks_on_the_cores_that_ports_are_for(self):
        for board, ram_kib in (("qemu-m0plus", 264), ("qemu-m7", 320), ("qemu-stm32f405", 128)):
            self.assertEqual(self.assert_same_bits(board, CNN, "--no-remat", "--ram-budget", "40%way")["board_ram_bytes"], ram_kib << 10)

    def test_networks_in_two_memories(self):
        """Pages go from and to both, and what is resident in the slow one outlives steps there."""
        for flags in (["--ram-budget", "18000"], ["--ram-budget", "18000", "--parameters", "resident", "--optimiser", "momentum"]):
            with self.subTest(flags):
                network = [*CNN, *flags[4:]]
                answer = self.run_board("qemu-psram", *CNN, *flags, *ANY_PLAN, "--steps", "3")
                here = self.train(*network, "--steps", "3")
                self.assertEqual(answer["losses"], here["losses"])
                self.assertEqual(answer["parameters_sha256"], here["parameters_sha256"])
                self.assert_ram_as_planned(answer)
                [psram] = answer["further_arenas"]
                self.assertGreater(psram["size_bytes"], 0)
                self.assertEqual(psram["memory_bytes"], 8 << 20)

    def test_networks_with_the_emulators_own_card_over_spi(self):
        """Not a file of the host: commands, tokens and checksums of an SD card that QEMU has at the board's SPI."""
        answer = self.assert_same_bits("qemu-lm3s6965", CNN, "--no-remat", "--ram-budget", "40%way")
        self.assertEqual(answer["board_ram_bytes"], 64 << 10)
        self.assertGreater(answer["paged_in_bytes"], 0)

    def test_adam_and_micro_batches(self):
        self.assert_same_bits("qemu-m0", [*MLP, "--optimiser", "adam", "--micro-batches", "2", "--schedule", "cosine"])


class Predictions(OnBoards):
    def test_are_those_of_this_machine(self):
        """With running statistics, in a batch of its own, after steps that paged."""
        answer = self.run_board("qemu-m4", "--model", "resnet8", "--image-size", "8", "--batch-size", "2", "--steps", "2",
                                "--parameters", "planned", *ANY_PLAN, "--predict", "--predict-batch", "3")
        said = answer["prediction"]
        self.assertEqual((said["examples"], said["outputs"], said["different"]), (2, 10, 0))
        self.assertGreater(said["instructions"], 1e5)
        self.assert_ram_as_planned(answer)


class Plans(OnBoards):
    def test_with_recomputation(self):
        answer = self.assert_same_bits("qemu-m0", [*CNN, "--parts", "whole", "--updates", "separate"], "--no-paging", "--parameters", "resident", "--ram-budget", "40%way")
        self.assertGreater(answer["recomputed_operations"], 0)
        self.assertEqual(answer["paged_in_bytes"], 0)

    def test_with_paging(self):
        answer = self.assert_same_bits("qemu-m0", CNN, "--no-remat", "--ram-budget", "40%way")
        self.assertEqual(answer["recomputed_operations"], 0)
        self.assertGreater(answer["paged_in_bytes"], 0)

    def test_with_both(self):
        answer = self.assert_same_bits("qemu-m4", [*LENET, "--batch-size", "8"], "--ram-budget", "247000")
        self.assertGreater(answer["recomputed_operations"], 0)
        self.assertGreater(answer["paged_in_bytes"], 0)

    def test_with_the_least_ram(self):
        answer = self.assert_same_bits("qemu-m0", CNN, "--ram-budget", "0%way")
        self.assertLess(answer["arena_bytes"], answer["plain_peak_bytes"] * 0.65)

    def test_with_transfers_beside_the_processor(self):
        answer = self.assert_same_bits("qemu-m0", CNN, "--io", "overlapped", "--ram-budget", "0%way", *ANY_PLAN, steps="2")
        self.assertGreater(answer["paged_in_bytes"], 0)

    def test_that_do_not_fit_the_board(self):
        ended = poet("run", "--board", "qemu-microbit", *CNN, *DATA, "--ram-budget", "24000", "--cache", self.plans,
                     cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertRegex(ended.err, r"^poet: the plan's arena takes \d+ bytes, and qemu-microbit has 10752 for it beside stack "
                                    r"and data: ask for a smaller --ram-budget\n$")


class OneTraining(OnBoards):
    STEPS = 6

    # Compiled and trained once: each test begins with the project as that left it, and with its answer.
    @classmethod
    def setUpClass(cls):
        cls.trained = tempfile.mkdtemp(prefix="poet-board-")
        cls.whole = None

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.trained)
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        if self.whole is None:
            self.project = self.trained
            type(self).whole = self.go_on()
        self.project = os.path.join(self.folder, "project")
        shutil.copytree(self.trained, self.project)

    def path(self, name):
        return os.path.join(self.project, name)

    def go_on(self, *flags, code=0):
        return self.run_board("qemu-microbit", *MLP, "--steps", str(self.STEPS), "--out", self.project, *flags, code=code)

    def assert_goes_on_to_the_same_bits(self):
        rest = self.go_on("--resume")
        self.assertEqual(rest["losses"], self.whole["losses"][rest["first_step"] - 1:])
        self.assertEqual(rest["parameters_sha256"], self.whole["parameters_sha256"])
        return rest


class Card(OneTraining):
    def test_that_cannot_be_read(self):
        failed = self.go_on("--save-every", "2", "--fail-read", "40", code=1)
        self.assertEqual((failed["status"], failed["problem"]), (1, "the card could not be read"))
        self.assertEqual(self.assert_goes_on_to_the_same_bits()["first_step"], failed["saved_step"] + 1)

    # Every write of the run in its turn, those of checkpoints among them.
    def test_that_cannot_be_written(self):
        for write in (1, 20, 23, 24, 25):
            failed = self.go_on("--save-every", "1", "--fail-write", str(write), code=1)
            self.assertEqual((failed["status"], failed["problem"]), (2, "the card could not be written"))
            self.assertEqual(self.assert_goes_on_to_the_same_bits()["first_step"], failed["saved_step"] + 1)

    def test_that_is_too_small(self):
        self.go_on("--save-every", "1")
        os.truncate(self.path("card.image"), 4096)
        failed = self.go_on("--resume", code=1)
        self.assertEqual(failed["problem"], "the card is too small")
        self.assertEqual(failed["losses"], [])

    def test_without_a_whole_checkpoint(self):
        size = os.path.getsize(self.path("card.image"))
        with open(self.path("card.image"), "wb") as card:
            card.truncate(size)
        self.assertEqual(self.go_on("--resume", code=1)["problem"], "the card has no whole checkpoint of this training")


class PowerCuts(OneTraining):
    def emulator(self):
        """As board.mk calls it."""
        return subprocess.Popen(
            ["qemu-system-arm", "-machine", "microbit", "-icount", "shift=6", "-display", "none", "-monitor", "none", "-serial",
             "none", "-chardev", "stdio,id=out", "-semihosting-config",
             f"enable=on,target=native,chardev=out,arg=train,arg=steps={self.STEPS},arg=save-every=1", "-kernel",
             "build/qemu-microbit/train.elf"], cwd=self.project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def cut(self, draws):
        """Kills the board after some characters of its console; returns what it had said."""
        process = self.emulator()
        said = process.stdout.read(draws.randrange(1, 600))
        process.kill()
        process.stdout.close()
        process.wait()
        return said

    def test_leave_the_last_checkpoint_whole(self):
        draws = random.Random(7)
        with open(self.path("storage.image"), "rb") as stored:
            image = stored.read()
        size = os.path.getsize(self.path("card.image"))
        for _ in range(10):
            with open(self.path("card.image"), "wb") as card:
                card.write(image)
                card.truncate(size)
            said = self.cut(draws)
            saved = sum(line.startswith("saved step") and line.endswith("\n") for line in said.splitlines(keepends=True))
            rest = self.assert_goes_on_to_the_same_bits()
            self.assertGreaterEqual(rest["first_step"], saved + 1, said)


class Streams(OnBoards):
    def test_lines_for_each_step(self):
        answer = self.run_board("qemu-m0", *MLP, "--steps", "3", "--log", self.path("log"))
        with open(self.path("log")) as log:
            lines = [json.loads(line) for line in log]
        self.assertEqual([line["loss"] for line in lines], answer["losses"])
        self.assertEqual([line["instructions"] for line in lines], answer["instructions"])
        self.assertEqual(sum(line["paged_in_bytes"] for line in lines), answer["paged_in_bytes"])

    # Every instruction takes the same time in the emulator: counts are the same in every run.
    def test_the_same_counts_every_time(self):
        first, second = (self.run_board("qemu-m0", *MLP, "--steps", "2") for _ in range(2))
        self.assertEqual(first["instructions"], second["instructions"])
        self.assertGreater(first["instructions"][0], 1e5)

    def test_the_parameters_are_those_of_the_hash(self):
        answer = self.run_board("qemu-m0", *MLP, "--steps", "2", "--out", self.path("p"))
        with open(self.path("p/parameters.bin"), "rb") as parameters:
            self.assertEqual(hashlib.sha256(parameters.read()).hexdigest(), answer["parameters_sha256"])


ARM64_TOOLS = ["aarch64-linux-gnu-gcc", "qemu-aarch64", "make"]
MISSING_FOR_ARM64 = [tool for tool in ARM64_TOOLS if not shutil.which(tool)]


@unittest.skipIf(MISSING_FOR_ARM64, f"{', '.join(MISSING_FOR_ARM64)} not installed: 64-bit Arm is not emulated")
class Arm64(program.InAFolder):
    """The kernels on another processor, without waiting for the whole program to be built for it."""

    def test_has_the_same_bits(self):
        words = [*LENET, "--batch-size", "4", "--optimiser", "adam", "--steps", "5", *DATA, "--quiet", "--cache",
                 self.path("plans")]
        here = poet("train", *words, "--test-examples", "0", "--json", cwd=self.folder).json()
        exported = poet("export", "c", *words, "--platform", "laptop", "--out", self.path("p"), cwd=self.folder)
        self.assertEqual(exported.code, 0, exported.err)
        made = subprocess.run(["make", "host", "CC=aarch64-linux-gnu-gcc -static", "AR=aarch64-linux-gnu-ar", "RAM_CHECK=",
                               "OPTIMISE=-O3"], cwd=self.path("p"), capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        ran = subprocess.run(["qemu-aarch64", "./host", "--steps", "5"], cwd=self.path("p"), capture_output=True, text=True,
                             check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout.split()[-1], here["parameters_sha256"])
        losses = [float.fromhex(line.split()[4]) for line in ran.stdout.splitlines() if line.startswith("step")]
        self.assertEqual(losses, here["losses"])


class Reserved(OnBoards):
    """RAM that others have: the linker gives the program the rest."""

    def test_is_nobodys_and_the_bits_are_the_same(self):
        answer = self.assert_same_bits("qemu-m0", MLP, "--reserve", "8KiB", "--out", "project", steps="2")
        self.assertEqual((answer["board_ram_bytes"], answer["reserved_bytes"]), (32 << 10, 8 << 10))
        self.assertLessEqual(answer["linked"]["ram_bytes"], 24 << 10)
        with open(self.path("project/board.ld"), encoding="utf-8") as file:
            self.assertIn(f"LENGTH = {24 << 10}\n", file.read())

    def test_leaves_less_for_an_arena_that_was_asked_for(self):
        ended = poet("run", "--board", "qemu-m0", *MLP, *DATA, "--steps", "1", "--reserve", "20KiB", "--ram-budget", "24000",
                     "--quiet", "--cache", self.plans, cwd=self.folder, env=CACHED)
        self.assertEqual(ended.code, 2, ended.err)
        self.assertRegex(ended.err, r"^poet: the plan's arena takes \d+ bytes, and qemu-m0 has \d+ for it beside stack, data "
                                    r"and --reserve: ask for a smaller --ram-budget\n$")


class Refusals(program.InAFolder):
    def test_of_what_is_not_a_board(self):
        self.assert_refused("--board: there is no board 'qemu-m5'; did you mean 'qemu-m4'?", "run", "--board", "qemu-m5", *MLP)
        self.assert_refused("poet run needs --board NAME: qemu-m4, qemu-m0, qemu-microbit, qemu-m0plus, qemu-m7, qemu-psram, qemu-stm32f405, qemu-lm3s6965", "run", *MLP)
        self.assert_refused("--resume needs --out FOLDER, where the card is", "run", "--board", "qemu-m0", *MLP, "--resume")

    def test_of_more_than_there_is(self):
        self.assert_refused("of the board's RAM, 32,768 bytes, nothing is left for the arena: --reserve takes 32,768 bytes, and the stack "
                            "7,168 bytes", "run", "--board", "qemu-m0", *MLP, "--reserve", "32KiB")

    def test_where_there_is_no_compiler(self):
        ended = poet("run", "--board", "qemu-m0", *MLP, "--examples", "64", "--steps", "1", "--cache", self.path("plans"),
                     "--quiet", cwd=self.folder, env={"PATH": self.folder})
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: qemu-m0 needs what is not installed here: make, arm-none-eabi-gcc, the compiler's C library, "
                                    "qemu-system-arm; 'scripts/install-packages boards' installs it (in Debian: make, "
                                    "gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm)\n")

    # Before a plan is made: the cache stays empty. Debian's compiler comes without the C library.
    def test_where_there_is_no_c_library(self):
        for tool in ("make", "qemu-system-arm"):
            self.write_tool(tool, "exit 0")
        self.write_tool("arm-none-eabi-gcc", "[ $# -eq 1 ]")
        ended = poet("run", "--board", "qemu-m0", *MLP, "--examples", "64", "--steps", "1", "--cache", self.path("plans"),
                     "--quiet", cwd=self.folder, env={"PATH": self.path("tools")})
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: qemu-m0 needs what is not installed here: the compiler's C library; 'scripts/install-packages "
                                    "boards' installs it (in Debian: libnewlib-arm-none-eabi)\n")
        self.assertFalse(os.path.exists(self.path("plans")))

    def write_tool(self, name, body):
        os.makedirs(self.path("tools"), exist_ok=True)
        path = os.path.join(self.path("tools"), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{body}\n")
        os.chmod(path, 0o755)


if __name__ == "__main__":
    program.run_tests()
