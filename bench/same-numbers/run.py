"""The same numbers in every budget: five networks, four budgets, blocking and overlapped transfers, and what each run took.

    bench/same-numbers/run.py --log bench/same-numbers/reference.jsonl
    bench/same-numbers/run.py --kernels onednn --log bench/same-numbers/onednn.jsonl
    bench/same-numbers/run.py --table bench/same-numbers/reference.jsonl
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

# Batch norms in resnet18 and mobilenetv2, dropouts in bert-tiny and gpt2-tiny. Where all embeddings are trained by Adam, the
# update of one table alone makes the peak, and no smaller budget is left to be tried: so only the encoders are.
NETWORKS = {
    "lenet5": ["--batch-size", "64", "--optimiser", "momentum"],
    "resnet18": ["--image-size", "32", "--batch-size", "2", "--optimiser", "sgd"],
    "mobilenetv2": ["--image-size", "32", "--batch-size", "2", "--optimiser", "momentum"],
    "bert-tiny": ["--batch-size", "4", "--sequence-length", "32", "--optimiser", "adamw", "--train", "encoder"],
    "gpt2-tiny": ["--batch-size", "1", "--sequence-length", "32", "--optimiser", "adamw", "--train", "encoder"],
}
BUDGETS = ["100%", "60%", "40%", "0%way"]
MODES = ["blocking", "overlapped"]
KEPT = ["steps", "ram_budget_bytes", "plain_peak_bytes", "arena_bytes", "peak_rss_bytes", "fixed_overhead_bytes",
        "paged_in_bytes", "paged_out_bytes", "step_s", "predicted_step_s", "parameters_sha256"]


def train(program, folder, arguments):
    ended = subprocess.run([program, "train", *arguments, "--cache", "plans", "--quiet", "--json", "--test-examples", "0"],
                           cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {ended.stdout}{ended.stderr}")
    return json.loads(ended.stdout)


def run(options, log):
    """Every run against the first, which has all the RAM that it could use."""
    program = str(Path(options.program).resolve())
    for name in options.networks:
        arguments = ["--model", name, *NETWORKS[name], "--steps", str(options.steps), *options.more]
        whole = None
        for mode in MODES:
            for budget in BUDGETS:
                with tempfile.TemporaryDirectory() as folder:
                    answer = train(program, folder, [*arguments, "--ram-budget", budget, "--io", mode])
                whole = whole or answer
                log.write({"model": name, "arguments": " ".join(arguments), "io": mode, "budget": budget,
                           "same_losses": answer["losses"] == whole["losses"],
                           "same_parameters": answer["parameters_sha256"] == whole["parameters_sha256"],
                           "within_budget": answer["peak_rss_bytes"] - answer["fixed_overhead_bytes"]
                           <= answer["ram_budget_bytes"],
                           "first_loss": answer["losses"][0], "last_loss": answer["losses"][-1],
                           **{key: answer[key] for key in KEPT}, "notes": answer["notes"]})


def mebibytes(count):
    return f"{count / (1 << 20):.2f}"


def table(path):
    head, rows = frame.read_log(path)
    print(f"{len(rows)} runs; losses the same in {sum(row['same_losses'] for row in rows)}, parameters in "
          f"{sum(row['same_parameters'] for row in rows)}; within the budget: {sum(row['within_budget'] for row in rows)}. "
          f"Commit {head['commit']}.\n")
    print("| network | transfers | asked | budget, MiB | of keeping all | arena, MiB | peak RSS - overhead, MiB | "
          "read + written a step, MiB | step, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        moved = (row["paged_in_bytes"] + row["paged_out_bytes"]) / row["steps"]
        print(f"| {row['model']} | {row['io']} | {row['budget']} | {mebibytes(row['ram_budget_bytes'])} | "
              f"{100 * row['ram_budget_bytes'] / row['plain_peak_bytes']:.0f} % | {mebibytes(row['arena_bytes'])} | "
              f"{mebibytes(row['peak_rss_bytes'] - row['fixed_overhead_bytes'])} | {mebibytes(moved)} | {row['step_s']:.3f} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--kernels", default="reference")
    options = parser.parse_args()
    if options.table:
        return table(options.table)
    options.more = ["--kernels", options.kernels]
    with frame.Log(options.log, benchmark=f"same numbers, {options.kernels} kernels") as log:
        run(options, log)


if __name__ == "__main__":
    main()
