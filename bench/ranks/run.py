"""Four small machines train together: ranks in network namespaces, each with 100 Mbit/s, 1 GiB and a part of a processor.

    bench/ranks/run.py --program build/release/poet --log bench/ranks/ranks.jsonl      (as root)
    bench/ranks/run.py --table bench/ranks/ranks.jsonl

Each rank has a namespace with one link to a bridge, limited in both directions (tc's token bucket), a host name of its own, so that MPI takes it for
another machine and uses no shared memory (and is told to bind nobody to a core, which would be the same one for all), and control groups (version 1) with --memory bytes and --cores of a processor. All of it is taken down at the end.
One process alone has the same limits. The model of a step: what one process takes, by the part of the micro-batches that the rank with most of them has, and the
exchange: gradients go down the line of ranks once, sums from the last rank to those that update by them, and parameters to all, at the bandwidth of a link.
"""
import os
import stat
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

# The words of each, and its micro-batches.
TRAININGS = {
    "lenet5": (["--model", "lenet5", "--batch-size", "2048", "--micro-batches", "8", "--examples", "2048"], 8),
    "bert-tiny": (["--model", "bert-tiny", "--sequence-length", "32", "--batch-size", "32", "--micro-batches", "8", "--examples", "64",
                   "--optimiser", "adam"], 8),
}
RANKS = [1, 2, 4]
MOST_RANKS = max(RANKS)
NET = "10.77.59"


def run(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


class Machines:
    """The namespaces, links and control groups, and the agent by which MPI starts processes in them."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.agent = os.path.join(folder, "agent")

    def group(self, kind, rank):
        return f"/sys/fs/cgroup/{kind}/poet-bench-rank{rank}"

    def __enter__(self):
        run("ip", "link", "add", "poetbr", "type", "bridge")
        run("ip", "link", "set", "poetbr", "up")
        for rank in range(MOST_RANKS):
            self.begin(rank)
        # A namespace of the network gets a /sys of its own, without control groups.
        for kind in ("cpu", "memory"):
            os.mkdir(os.path.join(self.folder, kind))
            run("mount", "--bind", f"/sys/fs/cgroup/{kind}", os.path.join(self.folder, kind))
        with open(self.agent, "w", encoding="ascii") as file:
            file.write(f"""#!/bin/sh
# agent ADDRESS COMMAND...: what ssh would do.
rank=$((${{1##*.}} - 1)); shift
for kind in cpu memory; do echo $$ >{self.folder}/$kind/poet-bench-rank$rank/cgroup.procs; done
exec ip netns exec poetrank$rank unshare --uts sh -c "hostname poetrank$rank; cd {self.folder}; exec $*"
""")
        os.chmod(self.agent, stat.S_IRWXU)
        return self

    def begin(self, rank):
        options = self.options
        inside, outside, name = f"poetin{rank}", f"poetout{rank}", f"poetrank{rank}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name)
        run("ip", "link", "set", outside, "master", "poetbr", "up")
        at = ("ip", "netns", "exec", name)
        run(*at, "ip", "link", "set", "lo", "up")
        run(*at, "ip", "address", "add", f"{NET}.{rank + 1}/24", "dev", inside)
        run(*at, "ip", "link", "set", inside, "up")
        shape = ("root", "tbf", "rate", f"{options.mbit}mbit", "burst", "32kb", "latency", "50ms")
        run(*at, "tc", "qdisc", "add", "dev", inside, *shape)
        run("tc", "qdisc", "add", "dev", outside, *shape)
        for kind, file, value in (("memory", "memory.limit_in_bytes", options.memory), ("cpu", "cpu.cfs_quota_us", int(100000 * options.cores))):
            os.makedirs(self.group(kind, rank), exist_ok=True)
            Path(self.group(kind, rank), file).write_text(str(value), encoding="ascii")

    def __exit__(self, *_):
        for rank in range(MOST_RANKS):
            run("ip", "netns", "del", f"poetrank{rank}", check=False)
            run("ip", "link", "del", f"poetout{rank}", check=False)
            for kind in ("memory", "cpu"):
                run("rmdir", self.group(kind, rank), check=False)
        run("ip", "link", "del", "poetbr", check=False)
        for kind in ("cpu", "memory"):
            run("umount", os.path.join(self.folder, kind), check=False)

    def command(self, ranks, words):
        if ranks == 1:
            return [self.agent, f"{NET}.1", *words]
        hosts = ",".join(f"{NET}.{rank + 1}" for rank in range(ranks))
        network = f"{NET}.0/24"
        return [self.agent, f"{NET}.1", "mpirun", "--allow-run-as-root", "--mca", "plm_rsh_agent", self.agent, "--mca", "btl", "tcp,self",
                "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network, "--bind-to", "none",
                "--host", hosts, "-n", str(ranks), *words]


def train(options, machines, name, ranks):
    words, _ = TRAININGS[name]
    command = [os.path.abspath(options.program), "train", *words, "--steps", str(options.steps), "--test-examples", "0", "--cache",
               os.path.join(machines.folder, "plans"), "--no-replan", "--quiet", "--json"]
    ended = subprocess.run(machines.command(ranks, command), capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(ended.stdout + ended.stderr)
    report = frame.answer_of(ended)
    return {key: report[key] for key in ("losses", "parameters_sha256", "ranks", "exchange_s", "step_s", "predicted_step_s", "peak_rss_bytes")}


def parameter_bytes(program, words):
    """As a checkpoint of SGD has them: little else is in one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ckpt")
        alone = list(words)
        if "--optimiser" in alone:
            alone[alone.index("--optimiser") + 1] = "sgd"
        subprocess.run([program, "train", *alone, "--steps", "1", "--quiet", "--checkpoint", path], check=True, capture_output=True, cwd=folder)
        return os.path.getsize(path)


def measure(options):
    what = {"benchmark": "ranks", "mbit_per_s": options.mbit, "memory_bytes": options.memory, "cores_of_each": options.cores, "steps": options.steps,
            "load": os.getloadavg()}
    with frame.Log(options.log, **what) as log, tempfile.TemporaryDirectory() as folder, Machines(options, folder) as machines:
        for name, (words, _) in TRAININGS.items():
            size = parameter_bytes(os.path.abspath(options.program), words)
            for ranks in RANKS:
                rows = [train(options, machines, name, ranks) for _ in range(options.rounds)]
                for row in rows:
                    log.write({"training": name, "processes": ranks, "parameter_bytes": size, **row})


def exchange_s(ranks, size_bytes, mbit):
    """Down the line, from the last to those that update, and around: (R - 1) / R of the sums leave the last rank."""
    return 0 if ranks == 1 else (1 + (ranks - 1) / ranks + 1) * 8 * size_bytes / (mbit * 1e6)


def table(path):
    head, rows = frame.read_log(path)
    print(f"`{os.path.basename(path)}`: commit {head['commit']}, {head['date']}, {head['cores']} cores; each rank {head['mbit_per_s']} Mbit/s, "
          f"{head['memory_bytes'] >> 20} MiB, {head['cores_of_each']} of a core; load {head['load'][0]:.1f}\n")
    print("| training | parameters | processes | micro-batches | step | of one process | by the model | exchange | by the model | peak RSS | same bits |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(row["training"] for row in rows):
        one = [row for row in rows if row["training"] == name and row["processes"] == 1]
        one_s = statistics.median(row["step_s"] for row in one)
        for ranks in RANKS:
            those = [row for row in rows if row["training"] == name and row["processes"] == ranks]
            if not those:
                continue
            step_s = statistics.median(row["step_s"] for row in those)
            counts = [rank["micro_batches"] for rank in those[0]["ranks"]] or [TRAININGS[name][1]]
            size = those[0]["parameter_bytes"]
            by_model_s = one_s * max(counts) / sum(counts) + exchange_s(ranks, size, head["mbit_per_s"])
            same = all(row["losses"] == one[0]["losses"] and row["parameters_sha256"] == one[0]["parameters_sha256"] for row in those)
            print(f"| {name} | {size / 1e6:.2f} MB | {ranks} | {' + '.join(map(str, counts))} | {step_s:.3f} s | {step_s / one_s:.2f} | {by_model_s / one_s:.2f} | "
                  f"{statistics.median(row['exchange_s'] for row in those):.3f} s | {exchange_s(ranks, size, head['mbit_per_s']):.3f} s | "
                  f"{max(row['peak_rss_bytes'] for row in those) / 2**20:.0f} MiB | {'yes' if same else 'no'} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--mbit", type=int, default=100)
    parser.add_argument("--memory", type=int, default=1 << 30)
    parser.add_argument("--cores", type=float, default=0.25)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.table:
        table(options.table)
    else:
        measure(options)


if __name__ == "__main__":
    main()
