"""Finds every command that a document or the program's help shows, and runs it as a reader would.

Documents show commands in `console` blocks (after "$ "), in `sh` blocks, and as code in the text; the help in its examples,
and in 'quotes'. A word for a command, as in "`poet train` says", is not one to run. All commands of a document run in one
folder, from top to bottom; each example of the help in a folder of its own. Files that a reader would bring are made when a
command names them (brought_files.py). What a document says to do in the folder of an exported project (`make host && ./host`)
is done in each that it exports, together with what the project's own README.md says; `make -C FOLDER` names the one.

Three tables say what is done otherwise, each with its reason: NOT_RUN, SMALLER and ONLY_WORDS. An entry that no command
needs any more is an error, so that none outlives its reason.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import brought_files
import examples

# A checker of files does nothing without any: its name by itself, in a sentence, is only its name.
FIRST_WORDS = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:build/release/poet|poet|(?:build/release/)?poet-check-proof(?= )|make|\./host|cmake|ctest|curl|source|mpirun|sbatch|qemu-aarch64|pip|python3|"
    r"venv/bin/\w+|scripts/[\w-]+)(?= |$)")

SELF_BUILT = "builds or installs POET itself: scripts/check does, and scripts/check-empty-root tries it in an empty system"
OTHER_MACHINE = "needs a cross-built POET: scripts/check --arm64 runs it"

# Commands that no test can run, by what they begin with (a regular expression).
NOT_RUN = [
    (r"scripts/(quickstart|check|install-packages|arm64-sysroot|make-package)\b", SELF_BUILT),
    (r"cmake --(preset|build|install)\b", SELF_BUILT),
    (r"cmake -S examples/cpp\b", "needs an installed POET: install.program_in_cpp builds it"),
    (r"(apt|systemctl|journalctl) ", "changes or asks the system that it runs on: tried by hand in an empty one"),
    (r"pip wheel\b", SELF_BUILT),
    (r"(POET_BUILD_DIR=\S+ )?(venv/bin/)?pip install\b", SELF_BUILT),
    (r"python3 -m venv\b", SELF_BUILT),
    (r"qemu-aarch64\b", OTHER_MACHINE),
    (r"poet (serve|work) --store postgresql:", "asks a database of another machine: tests/cli/team_test.py has one of its own"),
    (r"(exec )?poet sweep .*--store postgresql:", "asks a database of another machine: tests/cli/shared_sweep_test.py has one of its own"),
    (r"sbatch ", "needs Slurm: bench/cluster runs the script under Debian's"),
    (r"poet serve --prune\b", "FOLDER is the store of a service that ran; tests/cli/serve_test.py prunes one"),
]

# Commands that run with less work, or in what a test has: (pattern, what takes its place, reason).
SMALLER = [
    (r"(poet train .*)--steps 1000\b", r"\1--steps 3", "a thousand steps of ResNet-8 take minutes"),
    (r"(poet sweep --model resnet18_cifar .*)", r"\1 --budgets 2 --methods dtr,checkmate",
     "every method at twelve budgets takes minutes"),
    (r"mpirun -n 16 poet sweep --model bert\b(.*)",
     r"mpirun --allow-run-as-root --oversubscribe -n 2 poet sweep --model linear\1 --budgets 2 --methods dtr",
     "two processes on one machine in place of sixteen"),
    (r"mpirun (-n \d+ poet train .*)", r"mpirun --allow-run-as-root --oversubscribe \1",
     "a test may be root's, and have fewer processors than ranks"),
    (r"(poet compare --model resnet18_cifar .*)", r"\1 --methods keep-all,dtr,checkmate",
     "house.examples compares with nine methods"),
    (r"(poet run --board qemu-m4 .*)--steps 20\b", r"\1--steps 2", "an emulated board takes seconds for a step"),
    (r"(poet generate transformer) --operations 10000\b", r"\1 --operations 1000", "the same ten times smaller"),
    (r"(poet profile --model \S+)(.*?)(?: --repeats 50)?( .*)?$", r"\1\2\3 --repeats 2",
     "how precise the measurement is does not matter"),
    (r"(poet train --model gpt2-tiny .*)", r"\1 --steps 1", "one epoch takes minutes"),
    (r"poet worth --model lenet5\b(.*)", r"poet worth --model digits-mlp\1", "the same of a network that is planned at once"),
    (r"(poet train --model resnet8 .*)--epochs 10\b", r"\1--epochs 1", "ten epochs are ten times one"),
    (r"(poet serve .*)--host 0\.0\.0\.0\b", r"\1--host 127.0.0.1", "a test opens no port to others"),
    (r"(poet serve .*)--job-memory 8GiB\b", r"\1--job-memory 2GiB", "a test's machine may have less"),
]

# What looks like a command in a text and is none, beside names of commands.
ONLY_WORDS = [
    (r"poet profile --board$", "an option, whose value the reader chooses"),
    (r"poet solve --platform mine\.toml --costs mine\.costs\.json$", "how the files are used: with what is to be planned"),
]


@dataclass(frozen=True)
class Shown:
    """A command as it is shown."""

    where: str
    command: str
    printed: bool = False  # its output is shown as well: house.examples compares it


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def is_a_name(command):
    """'poet', 'poet train', 'poet export c', 'make': what is spoken of, not what is run."""
    return re.fullmatch(r"poet(?: (?!models|devices)[a-z-]+)?|poet export (?:c|onnx|safetensors)|make|mpirun|scripts/[\w-]+|\./host",
                        command) is not None


def in_text(where, text, code):
    """Commands among the pieces of a text that `code` finds."""
    for piece in code.findall(text):
        command = one_line(piece)
        if FIRST_WORDS.match(command) and not is_a_name(command):
            yield Shown(where, command)


def lines_of_shell(block):
    """A command a line, but for lines that a backslash continues; comments go."""
    for line in re.sub(r"\\\n\s*", "", block).splitlines():
        command = one_line(re.sub(r"(?:^|\s)#\s.*", "", line))
        if command:
            yield command


def of_document(where, text):
    """Every command of a document of Markdown, in its order."""
    code = re.compile(r"(?<!`)`([^`]+)`(?!`)")
    begin = 0
    for block in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield from in_text(where, text[begin:block.start()], code)
        begin = block.end()
        if block[1] == "console":
            yield from (Shown(where, one_line(example.command), True) for example in examples.examples_in(block[2]))
        elif block[1] == "sh" or (block[1] == "" and FIRST_WORDS.match(block[2])):
            yield from (Shown(where, command) for command in lines_of_shell(block[2]))
    yield from in_text(where, text[begin:], code)


def of_help(where, text):
    """Examples of a help text, each with the commands in quotes that are said of it."""
    before, _, after = re.sub(r"\n\n?Examples?\n", "\0", text, count=1).partition("\0")
    quotes = re.compile(r"'([^']+)'")
    groups = [[command] for command in in_text(where, before, quotes)]
    for example in re.split(r"^  (?=\S)", after, flags=re.MULTILINE)[1:]:
        line, _, what = example.partition("\n")
        groups.append([Shown(where, one_line(line)), *in_text(where, what, quotes)])
    return groups


def entry_for(command, table):
    """The first entry of a table that a command is of."""
    return next((entry for entry in table if re.match(entry[0], command)), None)


def reason_not_to_run(command):
    entry = entry_for(command, NOT_RUN) or entry_for(command, ONLY_WORDS)
    return entry[1] if entry else None


def as_run(command):
    """The command with less work, by every entry that says so."""
    for pattern, replacement, _ in SMALLER:
        command = re.sub(pattern, replacement, command, count=1)
    return command


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Failed(Exception):
    """A command that did not do what its document says."""


def with_ccache(environment):
    """All projects have the same kernels, which ccache compiles once, where it is installed: in the cache of whoever runs the test."""
    if not shutil.which("ccache"):
        return environment
    asked = subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True, check=True)
    return {**environment, "PATH": f"/usr/lib/ccache:{environment['PATH']}", "CCACHE_DIR": asked.stdout.strip(), "CCACHE_NOHASHDIR": "1"}


class Reader:
    """Somebody who types what is shown, in an empty folder."""

    def __init__(self, folder, program):
        self.folder = Path(folder)
        self.projects = []
        self.server = None
        self.port = None
        self.said = ""  # by the last command
        for folder in ("bin", "build/release"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
            for name in ("poet", "poet-check-proof"):
                (self.folder / folder / name).symlink_to(Path(program).resolve().with_name(name))
        self.environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
                            "XDG_CACHE_HOME": str(self.folder / "cache"), "OMPI_MCA_rmaps_base_oversubscribe": "1"}

    def runs(self, command, cwd=None):
        # What a reader makes is made as it is: 'make check' reads what gcc says of calls, which ccache does not keep.
        environment = with_ccache(self.environment) if command.startswith("poet run ") else self.environment
        ended = subprocess.run(["bash", "-c", command], cwd=cwd or self.folder, env=environment, capture_output=True, text=True,
                               check=False)
        self.said = ended.stdout
        if ended.returncode != 0:
            raise Failed(f"$ {command}\n{(ended.stdout + ended.stderr)[-1000:]}exit code {ended.returncode}")

    def types(self, shown):
        command = as_run(shown.command)
        if command.startswith(("make", "./host")) and not command.startswith("make -C "):
            self.in_projects(command)
            return
        for make in brought_files.wanted_by(command, self.folder):
            make(self, command)
        if re.match(r"poet serve\b(?!.*--new-token)", command):
            self.serves(command)
            return
        if self.port:
            command = re.sub(r"localhost:8321", f"localhost:{self.port}", command)
        if "/ID/" in command:
            command = command.replace("/ID/", f"/{self.waits_for_job()}/")
        self.runs(command)
        exported = re.search(r"poet export c\b.*--out (\S+)", command)
        if exported:
            self.projects.append(self.folder / exported[1])
            self.follows_readme(self.projects[-1])

    def in_projects(self, command):
        if not self.projects:
            raise Failed(f"$ {command}\nno project was exported before")
        for project in self.projects:
            self.runs(command, project)

    def follows_readme(self, project):
        """What the folder says of itself."""
        for shown in of_document("README.md of the project", (project / "README.md").read_text()):
            if shown.command.startswith(("make", "./host")):
                self.runs(shown.command, project)

    # The service is not a command that ends: it is there until the next one, and must go when it is told to.
    def serves(self, command):
        self.leaves()
        self.port = free_port()
        with open(self.folder / "serve.log", "ab") as log:
            self.server = subprocess.Popen(["bash", "-c", f"exec {command} --port {self.port}"], cwd=self.folder,
                                           env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True)
        if not self.server.stdout.readline().startswith("http://"):
            raise Failed(f"$ {command}\nit does not begin: {(self.folder / 'serve.log').read_text()[-1000:]}")
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=60) as answer:
            if answer.status != 200:
                raise Failed(f"$ {command}\n/healthz answers {answer.status}")

    def waits_for_job(self):
        """The id that the service answered, once its job has ended."""
        if not (found := re.search(r'"id": ?"([^"]+)"', self.said)):
            if not hasattr(self, "job"):
                raise Failed(f"no id was answered: {self.said[:500]}")
            return self.job
        self.job = found[1]
        subprocess.run(["curl", "-sN", f"localhost:{self.port}/v1/plans/{self.job}/events"], check=True,
                       stdout=subprocess.DEVNULL)
        return self.job

    def leaves(self):
        if self.server is None:
            return
        self.server.send_signal(signal.SIGTERM)
        code = self.server.wait(timeout=120)
        self.server.stdout.close()
        self.server = None
        if code != 0:
            raise Failed(f"'poet serve' ended with {code}: {(self.folder / 'serve.log').read_text()[-2000:]}")
