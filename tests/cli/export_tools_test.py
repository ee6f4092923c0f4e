"""Projects for other build systems: their files keep the published rules, everything compiles, and what they train has the bits of
'poet train'. Arduino, Zephyr and ESP-IDF are played on this machine by the files in tools/."""

import json
import os
import re
import shutil
import subprocess
import unittest

import program
from export_test import ANY_PLAN, Exporting, LENET, run
from program import poet

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools")
STEPS = 4
FUSED = "fma" in open("/proc/cpuinfo", encoding="ascii").read() if os.path.exists("/proc/cpuinfo") else False


class Project(Exporting):
    def write(self, kind, *flags):
        shutil.rmtree(self.path("project"), ignore_errors=True)
        self.export(*LENET, *ANY_PLAN, "--ram-budget", "60%", "--steps", str(STEPS), "--project", kind, *flags)

    def text(self, name):
        with open(self.path(f"project/{name}"), encoding="utf-8") as file:
            return file.read()

    def files(self):
        return {os.path.relpath(os.path.join(folder, name), self.path("project"))
                for folder, _, names in os.walk(self.path("project")) for name in names}

    def folders(self):
        return {os.path.relpath(folder, self.path("project")) for folder, _, _ in os.walk(self.path("project"))}

    def card(self):
        """A folder that stands for the card: the image under the name that README.md says, and the examples."""
        folder = self.path("card")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        shutil.copy(self.path("project/storage.image"), os.path.join(folder, "poet.img"))
        shutil.copy(self.path("project/examples.bin"), folder)
        return folder

    def assert_trained(self, card):
        """A program left a checkpoint after STEPS on that card; the project's own program reads it, and trains as 'poet train'."""
        self.make("host")
        losses, ours = self.losses(self.host("--steps", str(STEPS), "--storage", "fresh.bin"))
        self.assertEqual(len(losses), STEPS)
        none, theirs = self.losses(self.host("--steps", str(STEPS), "--storage", os.path.join(card, "poet.img")))
        self.assertEqual((none, theirs), ([], ours))
        self.assertEqual(ours, self.train(*LENET, "--steps", str(STEPS))["parameters_sha256"])

    def build_by_cmake(self, tool):
        build = self.path(f"build-{tool}")
        shutil.rmtree(build, ignore_errors=True)
        for words in (["cmake", "-S", os.path.join(TOOLS, tool), "-B", build, f"-DPROJECT={self.path('project')}",
                       "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"],
                      ["cmake", "--build", build, "--parallel", "2"]):
            ended = run(words, self.folder)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return os.path.join(build, "sample")

    def run_until_saved(self, program_path, card):
        """These programs train for ever: until the step after the last that is looked at is told."""
        with subprocess.Popen(["stdbuf", "-oL", program_path], cwd=card, stdout=subprocess.PIPE, text=True) as process:
            told = []
            for line in process.stdout:
                told.append(line)
                if line.startswith(f"step {STEPS} "):
                    break
            process.kill()
        self.assertEqual(len(told), STEPS, told)
        return told


class Arduino(Project):
    def compile_library(self, *flags):
        """As Arduino's builds do: each source by itself, with no flag of the library's."""
        build = self.path("arduino-build")
        shutil.rmtree(build, ignore_errors=True)
        os.mkdir(build)
        sources = sorted(name for name in self.files() if name.startswith("src/") and name.endswith(".c"))
        self.assertIn("src/poet_train.c", sources)
        objects = []
        for number, name in enumerate(sources):
            objects.append(os.path.join(build, f"{number}.o"))
            ended = run(["gcc", "-c", "-Os", "-Wall", *flags, f"-I{self.path('project/src')}", self.path(f"project/{name}"), "-o",
                         objects[-1]], self.folder)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""), name)
        return objects

    def test_trains_from_its_sketch(self):
        self.write("arduino")
        # Multiplications and additions would be fused: the sources must forbid it by themselves.
        objects = self.compile_library(*(["-mfma"] if FUSED else []))
        sketch = os.path.join(self.path("project"), "examples/Train/Train.ino")
        with open(self.path("main.cpp"), "w", encoding="utf-8") as main:
            main.write(f'#include <Arduino.h>\n#include "{sketch}"\n'
                       f"int main() {{\n  setup();\n  for (int i = 0; i < {STEPS}; ++i) loop();\n}}\n")
        ended = run(["g++", "-std=c++17", "-Wall", "-DSAVE_EVERY=2u", f"-I{TOOLS}/arduino", f"-I{self.path('project/src')}", "main.cpp",
                     *objects, "-o", "sketch"], self.folder)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        card = self.card()
        ended = run([self.path("sketch")], card)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual([line.split()[:2] for line in ended.stdout.splitlines()], [["step", str(i + 1)] for i in range(STEPS)])
        self.assert_trained(card)

    def test_keeps_the_rules_of_libraries(self):
        self.write("arduino", "--platform", "laptop")
        lines = [line.split("=", 1) for line in self.text("library.properties").splitlines()]
        properties = dict(lines)
        self.assertEqual(len(properties), len(lines))
        self.assertEqual(set(properties), {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url",
                                           "architectures", "includes"})
        self.assertRegex(properties["name"], r"^[a-zA-Z][a-zA-Z0-9 _.-]{0,62}$")
        self.assertNotIn("arduino", properties["name"].lower())
        self.assertRegex(properties["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(properties["architectures"], "*")
        self.assertIn(f"src/{properties['includes']}", self.files())
        # A folder of examples has a sketch of its own name.
        self.assertIn("examples/Train/Train.ino", self.files())
        # Nothing that would be compiled but the library.
        self.assertEqual([name for name in self.files() if name.startswith("poet")], [])


class PlatformIO(Project):
    def test_keeps_the_rules_of_libraries(self):
        self.write("platformio")
        manifest = json.loads(self.text("library.json"))
        self.assertRegex(manifest["name"], r"^[^:;@/,]{1,100}$")
        self.assertRegex(manifest["version"], r"^\d+\.\d+\.\d+$")
        self.assertIn("-ffp-contract=off", manifest["build"]["flags"])
        self.assertIn(f"{manifest['build']['includeDir']}/{manifest['headers']}", self.files())
        for example in manifest["examples"]:
            for name in example["files"]:
                self.assertIn(f"{example['base']}/{name}", self.files())
        self.assertTrue(self.text("examples/train/main.cpp").split("\n", 2)[2].startswith("#include <Arduino.h>\n"))
        for name in self.files():
            if name.startswith("src/"):
                self.assertNotIn("#pragma GCC optimize", self.text(name))


class Zephyr(Project):
    def test_trains_from_its_sample(self):
        self.write("zephyr")
        card = self.card()
        self.run_until_saved(self.build_by_cmake("zephyr"), card)
        self.assert_trained(card)

    def test_keeps_the_rules_of_modules(self):
        self.write("zephyr")
        module = self.text("zephyr/module.yml").splitlines()
        self.assertRegex(module[0], r"^name: [a-z0-9_]+$")
        self.assertEqual(module[1:], ["build:", "  cmake: zephyr", "  kconfig: zephyr/Kconfig"])
        self.assertRegex(self.text("zephyr/Kconfig"), r"^config POET_TRAIN\n\tbool \"[^\"]+\"\n\thelp\n(\t  .+\n)+$")
        settings = dict(line.split("=") for line in self.text("samples/train/prj.conf").splitlines() if not line.startswith("#"))
        self.assertEqual(settings["CONFIG_POET_TRAIN"], "y")
        self.assertEqual(int(settings["CONFIG_MAIN_STACK_SIZE"]), (8 << 10) + (4 << 10))


class EspIdf(Project):
    def test_trains_from_its_example(self):
        self.write("esp-idf")
        card = self.card()
        self.run_until_saved(self.build_by_cmake("esp_idf"), card)
        self.assert_trained(card)
        self.assertRegex(self.text("idf_component.yml"), r'^version: "\d+\.\d+\.\d+"\ndescription: "[^"\n]+"\n')


class Layouts(Project):
    def test_replace_each_other_and_leave_nothing(self):
        self.write("arduino")
        for kind in ("make", "zephyr", "esp-idf", "platformio", "arduino"):
            with self.subTest(kind=kind):
                self.export(*LENET, *ANY_PLAN, "--ram-budget", "60%", "--steps", str(STEPS), "--project", kind)
                after = self.files() | self.folders()
                self.write(kind)
                self.assertEqual(after, self.files() | self.folders())

    def test_of_make_and_cmake_are_the_same(self):
        self.write("make")
        texts = {name: self.text(name) for name in self.files() if name.endswith((".c", ".h", "Makefile", ".txt"))}
        self.write("cmake")
        self.assertEqual({name: self.text(name) for name in texts}, texts)

    def test_refused(self):
        ended = poet("export", "c", *LENET, "--project", "arduino", "--board", "qemu-m4", "--out", "project", cwd=self.folder)
        self.assertEqual((ended.code, ended.err),
                         (2, "poet: the program of an emulated board is built by make: leave out --project or --board\n"))
        ended = poet("export", "c", *LENET, "--project", "ardiuno", "--out", "project", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertIn("did you mean 'arduino'?", ended.err)
        self.assertFalse(os.path.exists(self.path("project")))

    def test_take_models_of_any_name(self):
        name = 'A "net" for Arduino \\ \u00fc.onnx'
        ended = poet("export", "onnx", *LENET, "--out", name, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        named = ["--model", name, "--batch-size", "4"]
        told = re.compile(r"Trains A .* on the board, in \d+ bytes of RAM\.")
        for kind in ("arduino", "platformio", "esp-idf", "zephyr"):
            self.export(*named, *ANY_PLAN, "--ram-budget", "60%", "--steps", "1", "--project", kind)
            self.make("host")
        self.assertIn("name: poet_training\n", self.text("zephyr/module.yml"))
        self.export(*named, *ANY_PLAN, "--ram-budget", "60%", "--steps", "1", "--project", "platformio")
        manifest = json.loads(self.text("library.json"))
        self.assertEqual(manifest["name"], "poet_training")
        self.assertRegex(manifest["description"], told)
        self.export(*named, *ANY_PLAN, "--ram-budget", "60%", "--steps", "1", "--project", "esp-idf")
        # A string of JSON is one of YAML.
        lines = dict(line.split(": ", 1) for line in self.text("idf_component.yml").splitlines() if ": " in line)
        self.assertRegex(json.loads(lines["description"]), told)


if __name__ == "__main__":
    program.run_tests()
