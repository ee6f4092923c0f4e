"""A program that uses the installed library: examples/cpp, built outside the tree with find_package(poet), and run."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import installation
from installation import Installed, done


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    Installed.prefix = Path(folder.name, "prefix")
    installation.install("development", Installed.prefix)


class Library(Installed):
    def test_is_all_that_a_program_needs(self):
        project = self.folder / "project"
        shutil.copytree(installation.tree.sources / "examples/cpp", project)
        done(installation.tree.cmake, "-S", project, "-B", self.folder / "build", "-G", "Ninja",
             f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={installation.tree.compiler}",
             "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")
        done(installation.tree.cmake, "--build", self.folder / "build")
        said = done(self.folder / "build/plan_lenet", cwd=self.folder)
        self.assertRegex(said, r"^two thirds of the RAM: \d+ bytes of RAM, ")
        self.assertRegex(said, r"\nleast RAM: \d+ bytes of RAM, ")
        self.assertNotIn("wrong: ", said)
        self.check_plan()

    def check_plan(self):
        """By the program, which is another reader."""
        path = self.folder / "lenet5.plan.json"
        self.assertTrue(json.loads(done(installation.tree.build / "poet", "verify", path, "--json"))["valid"])

    def test_shows_one_header(self):
        headers = [path.relative_to(self.prefix).as_posix() for path in self.prefix.rglob("*.h")]
        self.assertEqual(headers, ["include/poet/poet.h"])

    def test_header_needs_only_the_standard_library_of_cpp17(self):
        source = self.folder / "alone.cc"
        source.write_text("#include <poet/poet.h>\nint main() { return poet::v1::Search().threads - 1; }\n")
        done(installation.tree.compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
             "-I", self.prefix / "include", source)
        header = self.only("include/poet/poet.h").read_text()
        for name in re.findall(r"#\s*include\s*(\S+)", header):
            self.assertRegex(name, r"^<[a-z_]+>$")


if __name__ == "__main__":
    installation.run_tests()
