"""The storage of chips: every port compiles for its chip with warnings as errors, the protocol of SD cards trains to the bits of
'poet train' from a card that is simulated byte by byte, whenever its power fails, and what others have of the RAM is nobody's."""

import json
import os
import re
import shutil
import subprocess
import unittest

import export_test
import program
from export_test import ANY_PLAN, Exporting
from program import CACHED, poet

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(HERE, "..", "support")
ROOT = os.path.join(HERE, "..", "..")
MLP = ["--model", "digits-mlp", "--batch-size", "4"]
PAGED = ["--no-remat", "--ram-budget", "40%way"]
TOOLS = ["arm-none-eabi-gcc", "qemu-system-arm", "make"]
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]
CHIPS = {
    "nrf52840-sd": ("arm-none-eabi-gcc", "Nordic nRF52840", 256),
    "nrf52840-qspi": ("arm-none-eabi-gcc", "Nordic nRF52840", 256),
    "stm32f4-sdio": ("arm-none-eabi-gcc", "STMicroelectronics STM32F405", 128),
    "stm32f7-sdmmc": ("arm-none-eabi-gcc", "STMicroelectronics STM32F746", 320),
    "rp2040-sd": ("arm-none-eabi-gcc", "Raspberry Pi RP2040", 264),
    "rp2350-sd": ("arm-none-eabi-gcc", "Raspberry Pi RP2350", 520),
    "esp32c3-sd": ("riscv64-unknown-elf-gcc", "Espressif ESP32-C3", 384),
    "lm3s6965-sd": ("arm-none-eabi-gcc", "Texas Instruments LM3S6965", 64),
}


def run(command, cwd):
    """Chips with the same core have the same kernels. What 'make check' reads, which ccache does not keep, nobody asks for here."""
    return export_test.run(command, cwd, {**os.environ, **CACHED})


class Ports(Exporting):
    def project(self):
        with open(self.path("project/project.json"), encoding="utf-8") as file:
            return json.load(file)

    def text(self, name):
        with open(self.path(f"project/{name}"), encoding="utf-8") as file:
            return file.read()


class Compiled(Ports):
    def assert_compiles(self, port):
        compiler, chip, ram_kib = CHIPS[port]
        answer = self.export(*MLP, "--port", port)
        self.assertEqual((answer["port"], answer["ram_bytes"]), (port, ram_kib << 10))
        self.assertEqual((self.project()["port"], self.project()["device"]), (port, chip))
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed: {port} is not compiled")
        ended = run(["make", "port"], self.path("project"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual(ended.stderr, "")
        self.assertTrue(os.path.exists(self.path(f"project/build/{port}/libpoet_train.a")))

    def test_names_are_those_of_the_help(self):
        shown = " ".join(poet("help", "export", "project").out.split())
        self.assertIn("for it: " + ", ".join(list(CHIPS)[:-1]) + " or lm3s6965-sd;", shown)

    def test_an_unknown_one_lists_what_there_is(self):
        self.assert_refused("--port: there is no port 'stm32h7'; use " + ", ".join(list(CHIPS)[:-1]) + " or lm3s6965-sd", "export", "c",
                            *MLP, "--port", "stm32h7", "--out", "x")

    def test_without_a_compiler_it_says_so(self):
        self.export(*MLP, "--port", "rp2040-sd")
        ended = run(["make", "port", "PORT_COMPILER=nobodys-"], self.path("project"))
        self.assertNotEqual(ended.returncode, 0)
        self.assertTrue(ended.stderr.startswith("make port needs nobodys-gcc, which is not installed here\n"), ended.stderr)

    def test_goes_with_the_makefile_alone(self):
        self.assert_refused("the storage of a chip is built by make: leave out --project or --port", "export", "c", *MLP, "--port",
                            "rp2040-sd", "--project", "arduino", "--out", "x")

    def test_flash_wants_its_sectors(self):
        self.assert_refused("nrf52840-qspi writes in blocks of 4,096 bytes, and --storage-block or the device has 512 bytes: give a "
                            "multiple", "export", "c", *MLP, "--port", "nrf52840-qspi", "--storage-block", "512", "--out", "x")
        self.export(*MLP, "--port", "nrf52840-qspi")
        self.assertEqual(self.project()["storage_block_bytes"], 4096)

    def test_another_export_takes_the_files_away(self):
        self.export(*MLP, "--port", "rp2040-sd")
        self.assertTrue(os.path.exists(self.path("project/poet/boards/ports/rp2040_sd.c")))
        self.export(*MLP)
        self.assertFalse(os.path.exists(self.path("project/port.mk")))
        self.assertFalse(os.path.exists(self.path("project/poet/boards")))
        self.make("host")


for one in CHIPS:
    setattr(Compiled, f"test_{one.replace('-', '_')}", lambda self, port=one: self.assert_compiles(port))


class BesideTheProcessor(Ports):
    """Plans whose transfers are beside the processor, which some ports move by DMA."""

    FLAGS = [*export_test.LENET, *export_test.WHOLE, "--ram-budget", "0%way", "--io", "overlapped", "--steps", "2"]
    CHANNEL = "project/poet/boards/ports/stm32_channel.c"
    SETS_IT = "poet_set_channel(poet_port_channel(poet_transfer_ended));"

    def assert_compiles_with_a_channel(self, port):
        self.export(*self.FLAGS, "--port", port)
        self.assertTrue(os.path.exists(self.path(self.CHANNEL)))
        self.assertIn(self.SETS_IT, self.text("README.md"))
        if not shutil.which("arm-none-eabi-gcc"):
            self.skipTest(f"arm-none-eabi-gcc is not installed: {port} is not compiled")
        ended = run(["make", "port"], self.path("project"))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended.stdout + ended.stderr)
        symbols = subprocess.run(["arm-none-eabi-nm", f"build/{port}/libpoet_train.a"], cwd=self.path("project"), capture_output=True,
                                 text=True, check=True).stdout
        self.assertIn(" T poet_port_channel\n", symbols)
        self.assertIn(" U poet_port_channel\n", symbols, "a training from the card does not use it")

    def test_the_stm32f4_has_a_channel(self):
        self.assert_compiles_with_a_channel("stm32f4-sdio")

    def test_the_stm32f7_has_a_channel(self):
        self.assert_compiles_with_a_channel("stm32f7-sdmmc")

    def trained(self, spoilt):
        """How many words DMA moved, and the parameters, when so many blocks are spoilt on their way."""
        examples = re.search(r"training = \{(\d+)u /\* examples", self.text("README.md"))[1]
        ended = run(["./channel", "port.image", examples, "2", str(spoilt)], self.path("project"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        words, parameters = re.fullmatch(r"(\d+) words, parameters ([0-9a-f]{64})\n", ended.stdout).groups()
        return int(words), parameters

    def test_dma_trains_to_the_same_bits(self):
        """On registers that are simulated, and with blocks that the processor has to read again."""
        wanted = self.train(*export_test.LENET, "--steps", "2")["parameters_sha256"]
        self.export(*self.FLAGS, "--port", "stm32f4-sdio")
        moved = [action["bytes"] for action in self.project()["actions"] if action["what"] in ("read", "write")]
        ports = [f"poet/boards/ports/{name}.c" for name in ("blocks", "stm32_sd", "stm32_channel", "train_from_card")]
        for words in (["make", "CC=gcc", "OPTIMISE=-O1", "all", "port.image"],
                      ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-DPOET_SIMULATED_REGISTERS", "-DPOET_PORT_CHANNEL",
                       "-c", *ports, "pc/sha256.c"],
                      ["g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-Ipc", f"-I{SUPPORT}", f"-I{ROOT}", "-o",
                       "channel", os.path.join(HERE, "export_channel.cc"), "blocks.o", "stm32_sd.o", "stm32_channel.o",
                       "train_from_card.o", "sha256.o", "build/libpoet_train.a"]):
            ended = run(words, self.path("project"))
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        words, parameters = self.trained(0)
        self.assertEqual(parameters, wanted)
        # In both steps, all that are whole blocks.
        self.assertEqual(words, 2 * sum(bytes_moved // 512 * 128 for bytes_moved in moved))
        self.assertEqual(self.trained(3)[1], wanted)

    def test_a_port_without_one_says_so(self):
        self.export(*self.FLAGS, "--port", "rp2040-sd")
        self.assertFalse(os.path.exists(self.path(self.CHANNEL)))
        self.assertIn("the port has no channel for them: each is done when it is issued", self.text("README.md"))
        self.assertNotIn("poet_port_channel", self.text("README.md") + self.text("port.mk"))

    def test_only_plans_that_need_one_have_it(self):
        """And an export over a project that had one takes it away."""
        self.export(*self.FLAGS, "--port", "stm32f4-sdio")
        self.export(*MLP, "--port", "stm32f4-sdio")
        self.assertFalse(os.path.exists(self.path(self.CHANNEL)))
        self.assertNotIn("channel", self.text("README.md") + self.text("port.mk"))


class OnASimulatedCard(Ports):
    STEPS = 6

    def build(self, *flags):
        self.export(*MLP, "--port", "lm3s6965-sd", "--steps", str(self.STEPS), *flags)
        for words in (["make", "CC=gcc", "OPTIMISE=-O1", "all", "port.image"],
                      ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-Ipc", f"-I{SUPPORT}", "-o", "card",
                       os.path.join(HERE, "export_card.c"), "poet/boards/ports/blocks.c", "poet/boards/ports/sd_spi.c",
                       "poet/boards/ports/train_from_card.c", "pc/sha256.c", "build/libpoet_train.a"]):
            ended = run(words, self.path("project"))
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def trained(self, bytes_until_off, kind):
        """How often the power failed, and the parameters."""
        examples = re.search(r"training = \{(\d+)u /\* examples", self.text("README.md"))[1]
        ended = run(["./card", "port.image", examples, str(self.STEPS), str(bytes_until_off), kind], self.path("project"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        cuts, parameters = re.fullmatch(r"(\d+) cuts, parameters ([0-9a-f]{64})\n", ended.stdout).groups()
        return int(cuts), parameters

    def test_trains_to_the_same_bits(self):
        wanted = self.train(*MLP, "--steps", str(self.STEPS))["parameters_sha256"]
        self.build(*PAGED)
        for kind in ("SDHC", "SDSC"):
            self.assertEqual(self.trained(0, kind), (0, wanted))

    def test_goes_on_whenever_the_power_fails(self):
        """Within commands, blocks and checksums: in lives of a few blocks at first."""
        wanted = self.train(*MLP, "--steps", str(self.STEPS))["parameters_sha256"]
        self.build(*PAGED)
        for first in (30_000, 31_013, 33_389, 40_961):
            cuts, parameters = self.trained(first, "SDHC")
            self.assertGreater(cuts, 3)
            self.assertEqual(parameters, wanted)


@unittest.skipIf(MISSING, f"{', '.join(MISSING)} not installed: boards are not emulated")
class OnAnEmulatedCard(Ports):
    """QEMU's SD card, at a unit that has the registers of the port."""

    STEPS = 6
    QUIET = {**os.environ, "QEMU_AUDIO_DRV": "none"}

    def emulate(self, machine, program_path, *flags):
        return subprocess.run(["qemu-system-arm", "-machine", machine, "-display", "none", "-monitor", "none", "-serial", "none",
                               "-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out,arg=train,arg=steps=1",
                               *flags, "-kernel", program_path], cwd=self.path("project"), env=self.QUIET, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False).stdout

    def build_for_pl181(self):
        core = "-mcpu=arm926ej-s -marm -mfloat-abi=soft"
        self.export(*MLP, *PAGED, "--port", "stm32f4-sdio", "--steps", str(self.STEPS))
        examples = re.search(r"training = \{(\d+u) /\* examples", self.text("README.md"))[1]
        for words in (["make", "CC=arm-none-eabi-gcc", "AR=arm-none-eabi-ar", "SIZE=arm-none-eabi-size", f"CPU={core}", "all", "port.image"],
                      ["arm-none-eabi-gcc", *core.split(), "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-I.", "-Ipc",
                       f"-DEXAMPLES={examples}", f"-DSTEPS={self.STEPS}u", "-nostartfiles", "-Wl,-Ttext=0x10000", "-Wl,-e,start", "-o",
                       "sdio.elf", os.path.join(HERE, "export_sdio.c"), "poet/boards/ports/blocks.c", "poet/boards/ports/stm32_sd.c",
                       "poet/boards/ports/train_from_card.c", "pc/sha256.c", "build/libpoet_train.a"],
                      ["truncate", "-s", "1M", "port.image"]):
            ended = run(words, self.path("project"))
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_the_host_of_the_stm32_trains_to_the_same_bits(self):
        """Its registers are those of Arm's PL181, which the machine has: all but the STM32's clock and pins."""
        wanted = self.train(*MLP, "--steps", str(self.STEPS))["parameters_sha256"]
        self.build_for_pl181()
        self.assertEqual(self.emulate("versatilepb", "sdio.elf", "-drive", "if=sd,format=raw,file=port.image"), f"{wanted}\n")
        # Nobody answers: the training cannot be read, for there is no card.
        self.assertEqual(self.emulate("versatilepb", "sdio.elf"), "failed 11\n")

    def test_a_slot_without_a_card_is_told(self):
        self.export(*MLP, "--board", "qemu-lm3s6965")
        ended = run(["make", "-f", "board.mk"], self.path("project"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        said = self.emulate("lm3s6965evb", "build/qemu-lm3s6965/train.elf", "-icount", "shift=6")
        self.assertEqual(said, "port status 00000001\nmissing files\n")


RISCV = ["riscv64-unknown-elf-gcc", "qemu-system-riscv32", "make"]
NO_RISCV = [tool for tool in RISCV if not shutil.which(tool)]


@unittest.skipIf(NO_RISCV, f"{', '.join(NO_RISCV)} not installed: RISC-V is not emulated")
class OnRiscV(Ports):
    def test_code_for_rv32imc_trains_to_the_same_bits(self):
        """As compiled by 'make port' for the ESP32-C3, its card simulated: the emulated machine has none."""
        steps = "6"
        wanted = self.train(*MLP, "--steps", steps)["parameters_sha256"]
        self.export(*MLP, *PAGED, "--port", "esp32c3-sd", "--steps", steps)
        examples = re.search(r"training = \{(\d+u) /\* examples", self.text("README.md"))[1]
        memory = {"flash": "0x80000000", "flash_size": "0x400000", "ram": "0x80400000", "ram_size": "0x400000"}
        for words in (["make", "port", "port.image"], ["truncate", "-s", "1M", "port.image"],
                      ["riscv64-unknown-elf-gcc", "--specs=picolibc.specs", "-march=rv32imc", "-mabi=ilp32", "-std=c99", "-O2", "-Wall",
                       "-Wextra", "-Werror", "-I.", "-Ipc", f"-I{SUPPORT}", f"-DEXAMPLES={examples}", f"-DSTEPS={steps}u",
                       *(f"-Wl,--defsym=__{name}={value}" for name, value in memory.items()), "-o", "riscv.elf",
                       os.path.join(HERE, "export_riscv.c"), "pc/sha256.c", "build/esp32c3-sd/libpoet_train.a"]):
            ended = run(words, self.path("project"))
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        said = subprocess.run(["qemu-system-riscv32", "-machine", "virt", "-cpu", "rv32,f=false,d=false", "-bios", "none", "-display",
                               "none", "-monitor", "none", "-serial", "stdio", "-device",
                               "loader,file=port.image,addr=0x84000000,force-raw=on", "-kernel", "riscv.elf"],
                              cwd=self.path("project"), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(said.stdout, f"{wanted}\n", said.stderr)


class Reserved(Ports):
    def test_is_nobodys_in_the_budget_the_linker_and_the_report(self):
        plain = self.export(*MLP)
        self.assertEqual((plain["ram_bytes"], plain["reserved_bytes"]), (256 << 10, 0))
        answer = self.export(*MLP, "--reserve", "48KiB")
        left = (256 - 48) << 10
        self.assertEqual((answer["ram_bytes"], answer["reserved_bytes"]), (left, 48 << 10))
        self.assertIn(f"#define POET_RAM_BYTES {left} ", self.text("poet_train.h"))
        self.assertIn(f"RAM_BYTES = {left}\n", self.text("Makefile"))
        self.assertIn(f"<= {left},", self.text("ram_check.ld"))
        self.assertIn(f"| RAM of m4, without {48 << 10} that others have | {left} |", self.text("README.md"))
        self.assertEqual((self.project()["ram_bytes"], self.project()["reserved_bytes"]), (left, 48 << 10))

    def test_a_network_that_needs_it_is_refused(self):
        lenet = ["--model", "lenet5", "--image-size", "24", "--batch-size", "8"]
        self.export(*lenet)
        ended = poet("export", "c", *lenet, *ANY_PLAN, "--parts", "whole", "--updates", "separate", "--reserve", "180KiB", "--quiet",
                     "--cache", self.plans, "--out", self.path("refused"), cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("there is no plan", ended.out)

    def test_more_than_there_is(self):
        for reserve, taken in (("300KiB", "307,200"), ("256KiB", "262,144"), (str(2**63 - 1), f"{2**63 - 1:,}")):
            for more in ([], ["--ram-budget", "100KiB"]):
                self.assert_refused(f"of the board's RAM, 262,144 bytes, nothing is left for the arena: --reserve takes {taken} bytes, "
                                    "and the stack 8,192 bytes", "export", "c", *MLP, "--reserve", reserve, *more, "--out", "x")

    def test_cuts_an_emulated_board(self):
        self.export(*MLP, "--board", "qemu-m4", "--reserve", "64KiB")
        self.assertIn(f"LENGTH = {192 << 10}\n", self.text("board.ld"))


class Wear(Ports):
    def estimate(self, *figures):
        with open(os.path.join(HERE, "../../poet/device/boards/m4.toml"), encoding="utf-8") as file:
            board = file.read()
        lines = "".join(f'{key} = {{ value = "{value}", source = "data sheet" }}\n' for key, value in figures)
        with open(self.path("board.toml"), "w", encoding="utf-8") as file:
            file.write(board.replace("[storage]\n", f"[storage]\n{lines}"))
        answer = self.export(*MLP, *PAGED, "--platform", "board.toml", "--steps-per-day", "1000", "--save-every", "10")
        return answer["wear"]

    def written(self):
        """Of the plan that is in the project: by transfers in whole blocks, and by a checkpoint."""
        project = self.project()
        blocks = [-(-action["bytes"] // 512) * 512 for action in project["actions"] if action["what"] == "write"]
        self.assertEqual(project["step_written_bytes"], sum(blocks))
        self.assertGreater(len(blocks), 0)
        return sum(blocks), project["checkpoint_written_bytes"], len(blocks)

    def test_of_a_card_that_levels_it(self):
        wear = self.estimate(("erase", "64 KiB"), ("cycles", "3000 cycles"), ("levelled", "8 GB"))
        step, checkpoint, _ = self.written()
        a_day = 1000 * step + 100 * checkpoint
        self.assertEqual(wear["written_bytes_per_day"], a_day)
        self.assertAlmostEqual(wear["most_years"], 8e9 * 3000 / a_day / 365.25, delta=1e-6 * wear["most_years"])
        self.assertLess(wear["least_years"], wear["most_years"] / 5)
        self.assertIn("## How long the storage lasts", self.text("README.md"))

    def test_of_bare_flash(self):
        """All pages lie in one block of 64 KiB, and every transfer of a step wears it."""
        wear = self.estimate(("erase", "64 KiB"), ("cycles", "100000 cycles"), ("levelled", "0"))
        _, _, transfers = self.written()
        self.assertAlmostEqual(wear["most_years"], 100_000 / (1000 * transfers) / 365.25, delta=1e-9)
        self.assertEqual(wear["least_years"], wear["most_years"])

    def test_that_is_not_known_is_not_made_up(self):
        wear = self.estimate()
        self.assertEqual((wear["least_years"], wear["most_years"], wear["unknown"]), (None, None, "storage.cycles"))
        self.assertIn("for how many years is unknown, as the device has no storage.cycles", self.text("README.md"))
        self.export(*MLP)
        self.assertNotIn("How long the storage lasts", self.text("README.md"))

    def test_options_go_together(self):
        self.assert_refused("--save-every says how often --steps-per-day writes a checkpoint: give both", "export", "c", *MLP,
                            "--save-every", "5", "--out", "x")


if __name__ == "__main__":
    program.run_tests()
