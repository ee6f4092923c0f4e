"""A Slurm of our own: Debian's programs, two nodes on this machine, in a folder that is gone afterwards.

Nothing is installed: packages are fetched by apt-get and unpacked into the folder, unless the system has them. Slurm wants a
name for the machine, a port for each daemon and munge, all of which it gets on 127.0.0.1; it wants no systemd, no accounting
and no control groups (a plugin for them has to be named, and is not used).
"""

import ctypes
import getpass
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PACKAGES = ["slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins", "munge"]
NODES = ["one", "two"]
PR_SET_PDEATHSIG = 1  # of Linux: <sys/prctl.h>
LIBC = ctypes.CDLL(None, use_errno=True)

CONFIGURATION = """\
ClusterName=bench
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
PluginDir={plugins}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
SlurmdParameters=config_overrides
NodeName=one NodeHostname=localhost NodeAddr=127.0.0.1 Port={port_one} CPUs=1
NodeName=two NodeHostname=localhost NodeAddr=127.0.0.1 Port={port_two} CPUs=1
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with(parent):
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def environment_of(process):
    """The environment of a process, empty where it is gone or another's."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            words = file.read().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(word.split("=", 1) for word in words if "=" in word)


def parent_of(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def words_of(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")
    except OSError:
        return []


class Slurm:
    """`with Slurm() as slurm:`."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="slurm-")
        os.chmod(self.folder, 0o755)
        self.daemons = {}
        try:
            self.unpack()
            self.configure()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def unpack(self):
        """The programs as Debian names them, which alternatives link to where they are installed."""
        self.root = "/"
        if os.path.exists("/usr/sbin/slurmctld-wlm") and os.path.exists("/usr/sbin/munged"):
            return
        self.root = self.folder + "/root"
        os.mkdir(self.root)
        subprocess.run(["apt-get", "download", *PACKAGES], cwd=self.folder, check=True, capture_output=True)
        for package in glob.glob(self.folder + "/*.deb"):
            subprocess.run(["dpkg", "-x", package, self.root], check=True)

    def path(self, program):
        return os.path.join(self.root, program)

    def configure(self):
        port, port_one, port_two = free_ports(3)
        plugins = glob.glob(self.path("usr/lib/*/slurm-wlm"))[0]
        with open(self.folder + "/slurm.conf", "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(folder=self.folder, user=getpass.getuser(), plugins=plugins, port=port,
                                            port_one=port_one, port_two=port_two))
        # Without one named, slurmd looks for the control groups of the machine and does not start where there are none.
        with open(self.folder + "/cgroup.conf", "w", encoding="ascii") as file:
            file.write(f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={self.folder}/cgroup\nCgroupAutomount=no\n")
        for name in ("state", "cgroup", *("spool-" + node for node in NODES)):
            os.mkdir(f"{self.folder}/{name}")
        self.environment = {**os.environ, "SLURM_CONF": self.folder + "/slurm.conf", "LD_LIBRARY_PATH": plugins}

    def daemon(self, name, *words):
        parent = os.getpid()
        with open(f"{self.folder}/{name}.log", "ab") as log:
            self.daemons[name] = subprocess.Popen(words, stdout=log, stderr=log, cwd=self.folder, env=self.environment,
                                                  preexec_fn=lambda: end_with(parent))

    def start(self):
        subprocess.run([self.path("usr/sbin/mungekey"), "-c", "-k", self.folder + "/munge.key"], check=True)
        # Its folder may be anybody's (/tmp): --force takes the warning about it for no error.
        self.daemon("munged", self.path("usr/sbin/munged"), "--foreground", "--force",
                    *(f"--{what}={self.folder}/munge.{end}" for what, end in (
                        ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("seed-file", "seed"), ("log-file", "log"))))
        self.until(lambda: os.path.exists(self.folder + "/munge.socket"), "munged does not start")
        self.daemon("slurmctld", self.path("usr/sbin/slurmctld-wlm"), "-D", "-f", self.folder + "/slurm.conf")
        for node in NODES:
            self.start_node(node)
        self.until(lambda: self.states() == {"one": "idle", "two": "idle"}, "the nodes do not come up")

    def start_node(self, node):
        self.daemon(node, self.path("usr/sbin/slurmd-wlm"), "-D", "-N", node, "-f", self.folder + "/slurm.conf", "-d",
                    self.path("usr/sbin/slurmstepd-wlm"))

    def until(self, what, complaint, limit_s=90):
        end = time.monotonic() + limit_s
        while not what():
            if time.monotonic() > end:
                raise RuntimeError(f"{complaint}:\n{self.last_words()}")
            time.sleep(0.1)

    def last_words(self):
        said = ""
        for name in self.daemons:
            with open(f"{self.folder}/{name}.log", encoding="utf-8", errors="replace") as log:
                said += f"{name}: " + "".join(log.readlines()[-5:])
        return said

    def run(self, program, *words, cwd=None):
        """What one of Slurm's programs says."""
        ended = subprocess.run([self.path("usr/bin/" + program), *words], env=self.environment, capture_output=True, text=True,
                               check=False, cwd=cwd or self.folder)
        if ended.returncode != 0:
            raise RuntimeError(f"{program} {' '.join(words)}: {ended.stderr}")
        return ended.stdout

    def states(self):
        """Of every node; none while nobody answers."""
        try:
            return dict(re.findall(r"(\S+) ([a-z]+)", self.run("sinfo", "-h", "-N", "-o", "%N %t")))
        except RuntimeError:
            return {}

    def jobs(self):
        """Of every task in the queue: its state."""
        return dict(line.split() for line in self.run("squeue", "-h", "-r", "-o", "%i %T").splitlines())

    def task_processes(self, node):
        """Processes of tasks on a node."""
        ours = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                environment = environment_of(name)
                if environment.get("SLURM_CONF") == self.environment["SLURM_CONF"] and environment.get("SLURMD_NODENAME") == node:
                    ours.append(int(name))
        return ours

    def lose_node(self, node):
        """As when its power is cut: the daemon, what watches its tasks, and the tasks themselves."""
        tasks = self.task_processes(node)
        watchers = {parent for parent in map(parent_of, tasks) if any("slurmstepd" in word for word in words_of(parent))}
        self.daemons[node].kill()
        self.daemons[node].wait()
        for process in [*watchers, *tasks]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def __exit__(self, *_):
        for node in NODES:
            if node in self.daemons:
                self.lose_node(node)
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
