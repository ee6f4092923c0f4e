"""A PostgreSQL of our own for tests: Debian's programs, in a folder that is gone afterwards, reached by a socket in it."""

import ctypes
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading

PR_SET_PDEATHSIG = 1  # of Linux: <sys/prctl.h>
LIBC = ctypes.CDLL(None, use_errno=True)
ROLE = "poet"


def programs():
    """The folder of the newest version's programs, or None."""
    folders = [folder for folder in glob.glob("/usr/lib/postgresql/*/bin") if os.path.exists(folder + "/initdb")]
    return max(folders, key=lambda folder: float(folder.split("/")[-2]), default=None)


def missing():
    """Why there is none here, in one sentence; None where there can be one."""
    if programs() is None:
        return "PostgreSQL is not installed (Debian's package postgresql-15)"
    if os.geteuid() == 0 and other_user() is None:
        return "PostgreSQL does not run as root, and this system has no user 'postgres' or 'nobody'"
    return None


def other_user():
    """Who runs it where we are root, whom it refuses."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    return None


def end_with(parent):
    """For a process that begins: however its parent ends, SIGKILL included, it ends too."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
    if os.getppid() != parent:
        os._exit(1)


class Cluster:
    """`with Cluster() as cluster:`. Settings are postgres' own, as "name=value"."""

    def __init__(self, *settings):
        self.settings = settings
        self.process = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="pg-")
        self.as_user = {}
        if os.geteuid() == 0:
            user = other_user()
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        os.chmod(self.folder, 0o755)
        try:
            made = subprocess.run([f"{programs()}/initdb", "-D", f"{self.folder}/data", "-U", ROLE, "-A", "trust", "-E", "UTF8",
                                   "--locale=C", "--no-sync", "--no-instructions"], check=False, cwd=self.folder,
                                  capture_output=True, text=True, **self.as_user)
            if made.returncode != 0:
                raise RuntimeError("PostgreSQL made no cluster: " + made.stdout + made.stderr)
            self.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def start(self):
        parent = os.getpid()
        settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", "shared_buffers=16MB", *self.settings]
        self.process = subprocess.Popen(
            [f"{programs()}/postgres", "-D", f"{self.folder}/data", *(word for one in settings for word in ("-c", one))],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder,
            preexec_fn=lambda: end_with(parent), **self.as_user)
        said = ""
        for line in self.process.stderr:
            said += line
            if "database system is ready to accept connections" in line:
                break
        else:
            raise RuntimeError("PostgreSQL did not start: " + said)
        # What it says from now on is read as it comes: a pipe that is full would stop it.
        self.said = []
        self.drain = threading.Thread(target=self.said.extend, args=(self.process.stderr,), daemon=True)
        self.drain.start()

    def stop(self, how=signal.SIGINT):
        """SIGINT: at once, politely; SIGQUIT: as a crash."""
        self.process.send_signal(how)
        self.process.wait(timeout=60)
        self.drain.join(timeout=60)
        self.process.stderr.close()

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def uri(self, database="postgres"):
        return f"postgresql://{ROLE}@/{database}?host={self.folder}"

    def ask(self, question, database="postgres"):
        """The lines that psql answers, columns divided by '|'."""
        ended = subprocess.run([f"{programs()}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", question, self.uri(database)],
                               capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise RuntimeError(f"{question}: {ended.stderr}")
        return ended.stdout.splitlines()

    def make_database(self, name):
        self.ask(f'CREATE DATABASE "{name}"')
        return self.uri(name)
