"""The program in a prefix: it runs, is described by manual pages and completions, and serves its page from where it lies."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

import installation
from installation import Installed, done

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "MANWIDTH": "200"}


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    Installed.prefix = Path(folder.name, "prefix")
    installation.install("program", Installed.prefix)


def names_of_commands(program):
    overview = done(program, "help").partition("\nCommands\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) +", overview, re.MULTILINE)


def options_of(program, command):
    """Every option as help shows it, examples aside."""
    text = done(program, "help", command, "--all").partition("\nExamples\n")[0]
    lines = re.findall(r"^  (--[a-z].*)$", text, re.MULTILINE)
    return {name for line in lines for name in re.findall(r"(?:^|, )(--[a-z][a-z0-9-]*)", line.partition("  ")[0])}


def as_read(page):
    """The text of a page without roff's marks: what a reader sees of names."""
    return re.sub(r"\\f[BIR]|\\&", "", page.read_text()).replace("\\-", "-").replace("\\(aq", "'")


class OfTheProgram(Installed):
    @property
    def program(self):
        return self.prefix / "bin/poet"


class Program(OfTheProgram):
    def test_runs_and_says_its_version(self):
        self.assertEqual(done(self.program, "--version").splitlines()[0], f"poet {installation.tree.version}")
        done(self.program, "solve", "--model", "lenet5", "--platform", "m4", "--ram-budget", "60%", "--quiet")

    def test_runs_no_library_of_the_folder_that_it_is_called_in(self):
        for program in (installation.tree.build / "poet", self.program):
            names = re.findall(r"^\s*(lib\S+) => ", done("ldd", program), re.MULTILINE)
            self.assertIn("libxxhash.so.0", names)
            for name in names:
                (self.folder / name).write_text("no library")
            done(program, "--version", cwd=self.folder)

    def test_comes_with_two_checkers_of_proofs(self):
        with tempfile.TemporaryDirectory() as folder:
            plan, proof = Path(folder, "plan.json"), Path(folder, "proof.json")
            done(self.program, "solve", "--model", "linear", "--platform", "m4", "--ram-budget", "3672", "--quiet", "--out", plan,
                 "--certificate", proof)
            for checker in ("bin/poet-check-proof", "share/poet/check_proof.py"):
                self.assertRegex(done(self.prefix / checker, plan, proof), r"(?m)^proved")

    def test_comes_with_its_licence(self):
        self.assertIn("Apache License", self.only("share/doc/*/LICENSE").read_text())
        self.assertIn(f"## [{installation.tree.version}]", self.only("share/doc/*/CHANGELOG.md").read_text())

    def test_names_no_folder_that_it_was_built_in(self):
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.parent != self.program.parent:
                self.assertNotIn(str(installation.tree.sources).encode(), path.read_bytes(), path)


class Manual(OfTheProgram):
    def page(self, name):
        return self.prefix / f"share/man/man1/{name}.1"

    def test_has_a_page_for_the_program_and_for_each_command(self):
        commands = names_of_commands(self.program)
        self.assertIn("solve", commands)
        self.assertEqual(sorted(path.name for path in self.page("poet").parent.iterdir()),
                         sorted(["poet.1", "poet-check-proof.1", *(f"poet-{command}.1" for command in commands)]))
        for command in commands:
            self.assertIn(f"poet-{command} (1)", as_read(self.page("poet")))

    def test_has_every_option(self):
        shown = 0
        for command in names_of_commands(self.program):
            page = as_read(self.page(f"poet-{command}"))
            for option in options_of(self.program, command):
                shown += 1
                self.assertTrue(re.search(rf"(?m)^(?:.*, )?{option}(?:,| |$)", page), f"poet-{command}.1 has no {option}")
        self.assertGreater(shown, 200)

    def test_has_the_version_and_its_day(self):
        released = re.search(r"POET_RELEASE_DATE ([\d-]+)", (installation.tree.sources / "CMakeLists.txt").read_text())[1]
        self.assertTrue(self.page("poet").read_text().startswith(
            f'.TH POET 1 {released} "poet {installation.tree.version}" "POET"\n'))
        self.assertIn(f"## [{installation.tree.version}] - {released}\n",
                      (installation.tree.sources / "CHANGELOG.md").read_text())

    @unittest.skipUnless(shutil.which("mandoc"), "skipped: mandoc is not installed")
    def test_is_right_by_mandoc(self):
        pages = sorted(self.page("poet").parent.iterdir())
        ended = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *pages], capture_output=True, text=True, check=False)
        self.assertEqual(ended.stdout + ended.stderr, "")

    @unittest.skipUnless(shutil.which("man"), "skipped: man is not installed")
    def test_is_read_by_man_without_a_warning(self):
        for page in sorted(self.page("poet").parent.iterdir()):
            ended = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, check=False,
                                   env={**os.environ, **ENVIRONMENT})
            if "No such file" in ended.stderr:
                self.skipTest("skipped: man has no groff here")
            self.assertEqual((ended.stderr, ended.returncode), ("", 0), page)
            self.assertIn(f"poet {installation.tree.version}", ended.stdout)


class Completions(OfTheProgram):
    PLACES = {"bash": "share/bash-completion/completions/poet", "zsh": "share/zsh/*/_poet",
              "fish": "share/fish/vendor_completions.d/poet.fish"}

    def test_are_those_of_the_program(self):
        for shell, place in self.PLACES.items():
            self.assertEqual(self.only(place).read_text(), done(self.program, "completion", shell))

    def test_are_what_their_shells_can_read(self):
        absent = [shell for shell in self.PLACES if not shutil.which(shell)]
        for shell in set(self.PLACES) - set(absent):
            done(shell, "-n", self.only(self.PLACES[shell]))
        if absent:
            self.skipTest(f"skipped for {' and '.join(absent)}: not installed")


class Service(OfTheProgram):
    def test_shows_the_page_that_is_installed_beside_the_program(self):
        page = self.prefix / "share/poet/page"
        brought = not page.exists()
        if brought:  # scripts/build-page was not run: any page will do
            page.mkdir(parents=True)
            (page / "index.html").write_text("<!doctype html><title>POET</title>")
        moved = self.folder / "moved"
        shutil.copytree(self.prefix, moved)
        if brought:
            shutil.rmtree(page)
        server = subprocess.Popen([moved / "bin/poet", "serve", "--port", "0", "--store", self.folder / "store"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = server.stdout.readline().strip()
            for path, text in (("healthz", ""), ("", "POET")):
                with urllib.request.urlopen(address + path, timeout=60) as answer:
                    self.assertEqual(answer.status, 200)
                    self.assertIn(text, answer.read().decode())
        finally:
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(timeout=60), 0)
            server.stdout.close()

    @unittest.skipUnless(shutil.which("systemd-analyze"), "skipped: systemd-analyze is not installed")
    def test_has_a_unit_that_systemd_understands(self):
        unit = self.only("lib/systemd/system/poet.service")
        runnable = self.folder / "poet.service"
        # Its program is that of the prefix that the build was configured with.
        runnable.write_text(re.sub(r"^ExecStart=\S+", f"ExecStart={self.program}", unit.read_text(), flags=re.MULTILINE))
        ended = subprocess.run(["systemd-analyze", "verify", "--man=no", runnable], capture_output=True, text=True, check=False)
        self.assertEqual((ended.stderr, ended.returncode), ("", 0))


if __name__ == "__main__":
    installation.run_tests()
