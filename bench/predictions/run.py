"""Predicted and measured steps: how long, how much RAM, how much moved.

    bench/predictions/run.py --log bench/predictions/predictions.jsonl
    bench/predictions/run.py --table bench/predictions/predictions.jsonl

Each network is profiled, planned with that profile at two budgets, and trained. Where other programs take their share of
the processor, the clock on the wall says little: `worked` is what the thread itself computed of a step. Examples are among
what is predicted, by the profile of those that are made up.
"""
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

NETWORKS = {
    "lenet5": (["--model", "lenet5", "--batch-size", "32"], 60),
    "resnet18": (["--model", "resnet18", "--image-size", "32", "--batch-size", "4"], 5),
    "bert-tiny": (["--model", "bert-tiny", "--batch-size", "4", "--sequence-length", "64"], 10),
    "resnet8": (["--model", "resnet8", "--batch-size", "8"], 20),
    "gpt2-tiny": (["--model", "gpt2-tiny", "--batch-size", "4", "--sequence-length", "64"], 10),
    "mobilenetv3-small": (["--model", "mobilenetv3-small", "--image-size", "64", "--batch-size", "4"], 10),
}
BUDGETS = ["100%", "50%way"]
FIGURES = ["predicted_step_s", "step_s", "step_work_s", "predicted_peak_bytes", "arena_bytes", "ram_budget_bytes",
           "predicted_in_bytes", "predicted_out_bytes", "paged_in_bytes", "paged_out_bytes", "steps", "plain_peak_bytes"]


def by_work(answer):
    """Predicted, measured and worked seconds of a step, by what is done."""
    sums = defaultdict(lambda: [0.0, 0.0, 0.0])
    for work in answer["works"]:
        for place, figure in enumerate(("predicted_s", "measured_s", "worked_s")):
            sums[work["work"]][place] += work[figure]
    return dict(sums)


def farthest(answer):
    """The operations whose work is farthest from what was predicted."""
    works = [work for work in answer["works"] if work["work"] == "compute"]
    works.sort(key=lambda work: -abs(work["worked_s"] - work["predicted_s"]))
    return [[work["name"], work["predicted_s"], work["worked_s"]] for work in works[:5]]


def measure(program, log):
    for name, (network, steps) in NETWORKS.items():
        with tempfile.TemporaryDirectory() as folder:
            device, costs = f"{folder}/device.toml", f"{folder}/costs.json"
            frame.timed([program, "profile", *network, "--out-device", device, "--out-costs", costs, "--quiet", "--repeats", "7"])
            for budget in BUDGETS:
                ended, _ = frame.timed([program, "train", *network, "--platform", device, "--costs", costs, "--steps",
                                        str(steps), "--ram-budget", budget, "--test-examples", "0", "--storage", folder,
                                        "--cache", f"{folder}/plans", "--no-replan", "--quiet", "--json"])
                answer = frame.answer_of(ended)
                if answer is None or "no" in answer:
                    log.write({"network": name, "budget": budget, "no": answer["no"] if answer else ended.stderr})
                    continue
                log.write({"network": name, "budget": budget, **{key: answer[key] for key in FIGURES},
                           "by_work": by_work(answer), "farthest": farthest(answer),
                           "same_ram": all(work["planned_ram_bytes"] == work["arena_ram_bytes"]
                                           for work in answer["works"])})


def ratio(seconds):
    predicted, measured, _ = seconds
    return f"{measured / predicted:.2f}" if predicted > 0 else ""


def table(path):
    head, rows = frame.read_log(path)
    print(f"commit {head['commit']}, {head['date']}\n")
    print("| network | budget | predicted ms | measured ms | ratio | worked / predicted | reads, measured / predicted | writes | examples | "
          "predicted peak B | arena B | moved, predicted B | moved B |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "no" in row:
            print(row)
            continue
        moved = (row["paged_in_bytes"] + row["paged_out_bytes"]) // row["steps"]
        parts = [ratio(row["by_work"].get(work, [0, 0, 0])) for work in ("read", "write", "input")]
        print(f"| {row['network']} | {row['budget']} | {1e3 * row['predicted_step_s']:.2f} | {1e3 * row['step_s']:.2f} | "
              f"{row['step_s'] / row['predicted_step_s']:.3f} | {row['step_work_s'] / row['predicted_step_s']:.3f} | "
              f"{' | '.join(parts)} | "
              f"{row['predicted_peak_bytes']:,} | {row['arena_bytes']:,} | "
              f"{row['predicted_in_bytes'] + row['predicted_out_bytes']:,} | {moved:,} |")


def main():
    options = frame.arguments(__doc__).parse_args()
    if options.table:
        table(options.table)
        return
    program = str(Path(options.program).resolve())
    with frame.Log(options.log, benchmark="predictions") as log:
        measure(program, log)


if __name__ == "__main__":
    main()
