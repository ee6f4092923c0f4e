#!/usr/bin/env python3
"""Networks of today on a microcontroller, and a recurrence of 500 steps.

    bench/today/run.py --program build/release/poet --log bench/today/boards.jsonl --only boards     (ten minutes)
    bench/today/run.py --program build/release/poet --log bench/today/today.jsonl                    (an hour and a half)
    bench/today/run.py --table bench/today/boards.jsonl > bench/today/README.md

DS-CNN and MCUNet train all of themselves, in float32, on the emulated board of 256 KiB, and again where 128 KiB of it are somebody else's; then `poet worth`
chooses what to train there within half the energy that training everything takes, and that is trained, too. Each against `poet train` on the host without a
limit: the same losses and the same bits. The recurrence is planned at budgets between its largest operation and its plain peak, by POET and by others.
"""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, answer_of, arguments, read_log, timed  # noqa: E402

STEPS = 5
BOARD = "qemu-m4"
NETWORKS = [("DS-CNN, 49 x 10 features", "ds-cnn"), ("MCUNet-in1, 96 x 96", "mcunet-in1")]
RESERVES = ["0", "128KiB"]
# What the board's stack and data take is no part of an arena.
WORTH_BUDGET = "118KiB"
LSTM = ["--model", "lstm-small", "--sequence-length", "500", "--batch-size", "1", "--platform", "a72"]
METHODS = ["keep-all", "chen-sqrt", "revolve", "poet"]
LIMIT_S = "60"


def asked(*words):
    run, seconds = timed([*words, "--json", "--quiet"])
    return answer_of(run), seconds


def trained(program, network, train, *words):
    with tempfile.TemporaryDirectory() as folder:
        return asked(program, *words, "--model", network, "--batch-size", "1", "--steps", str(STEPS), "--examples", "64", "--train", train,
                     "--cache", folder, "--time-limit-s", LIMIT_S)


def board_row(program, title, network, reserve, train):
    board, seconds = trained(program, network, train, "run", "--board", BOARD, "--reserve", reserve)
    host, _ = trained(program, network, train, "train", "--platform", "laptop", "--test-examples", "0")
    return {"what": "board", "title": title, "network": network, "reserve": reserve, "train": train, "process_s": seconds, "board": board,
            "host": {key: (host or {}).get(key) for key in ("parameters_sha256", "losses", "arena_bytes")}}


def worth(program, network):
    """What is most worth training in that RAM with half the joules that training all takes."""
    ask = [program, "worth", "--model", network, "--platform", "m4", "--batch-size", "1", "--ram-budget", WORTH_BUDGET, "--time-limit-s", "10"]
    everything, _ = asked(*ask)
    joules = next(choice["energy_j"] for choice in everything["choices"] if choice["train"] == "all")
    answer, seconds = asked(*ask, "--energy-budget", str(joules / 2))
    chosen = next((choice for choice in answer["choices"] if choice["train"] == answer["best"]), None)
    return {"all_j": joules, "best": answer["best"], "gain_of_all": answer["gain_of_all"], "chosen": chosen, "process_s": seconds}


def run_boards(program, path):
    with Log(path, board=BOARD, steps=STEPS, time_limit_s=float(LIMIT_S)) as log:
        for title, network in NETWORKS:
            for reserve in RESERVES:
                log.write(board_row(program, title, network, reserve, "all"))


def run_all(program, path):
    with Log(path, board=BOARD, steps=STEPS, time_limit_s=float(LIMIT_S)) as log:
        for title, network in NETWORKS:
            for reserve in RESERVES:
                log.write(board_row(program, title, network, reserve, "all"))
            said = worth(program, network)
            log.write({"what": "worth", "title": title, "network": network, **said})
            if said["best"]:
                log.write(board_row(program, title, network, RESERVES[-1], said["best"]))
        answer, seconds = asked(program, "sweep", *LSTM, "--budgets", "8", "--methods", ",".join(METHODS), "--time-limit-s", LIMIT_S)
        log.write({"what": "recurrence", "process_s": seconds, "answer": answer})


def kib(size):
    return f"{size / 1024:,.1f}"


def chosen_words(train):
    """A list of layers may be long."""
    if train == "all":
        return "everything"
    names = train.removeprefix("layers:").split(",")
    return f"`{train}`" if len(names) < 4 else f"{len(names)} layers, `{names[0]}` to `{names[-1]}`"


def print_boards(head, rows):
    print(f"## Trained on {head['board']}\n\n`poet run --board {head['board']} --batch-size 1 --steps {head['steps']} --examples 64 --reserve ... --train ...`; RAM is all that the "
          "program has: arena, stack and data. Instructions are those that the emulator counts, joules and bytes those of the plan, all of a step.\n")
    print("| network | trained | RAM, KiB | of it used | arena, KiB | flash, KiB | paged in, KiB | paged out, KiB | operations again | instructions, M | J | as on the host without a limit |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        board, host = row["board"], row["host"]
        start = f"| {row['title']} | {chosen_words(row['train'])} "
        if not board or not board.get("losses"):
            print(start + "| - " * 9 + f"| {(board or {}).get('problem') or 'no answer'} |")
            continue
        linked, steps = board["linked"], board["steps"]
        same = board["losses"] == host["losses"] and board["parameters_sha256"] == host["parameters_sha256"]
        millions = sorted(board["instructions"])[len(board["instructions"]) // 2] / 1e6
        print(start + f"| {kib(board['board_ram_bytes'] - board['reserved_bytes'])} | {kib(linked['ram_bytes'])} | {kib(linked['arena_bytes'])} | {kib(linked['flash_bytes'])} "
              f"| {kib(board['paged_in_bytes'] / steps)} | {kib(board['paged_out_bytes'] / steps)} | {board['recomputed_operations']} | {millions:,.1f} | {board['energy_j'] / steps:.4f} "
              f"| {'same bits' if same else 'NOT the same'} (arena {kib(host['arena_bytes'])} KiB) |")


def print_worth(rows):
    print(f"\n## Chosen by the planner\n\n`poet worth --platform m4 --batch-size 1 --ram-budget {WORTH_BUDGET}`, with half the joules of training everything; its choice is trained above.\n")
    print("| network | everything, J | chosen | J | of the gain of everything |\n|---|---|---|---|---|")
    for row in rows:
        chosen = row["chosen"]
        if chosen is None:
            print(f"| {row['title']} | {row['all_j']:.4f} | nothing | - | - |")
            continue
        print(f"| {row['title']} | {row['all_j']:.4f} | {chosen_words(row['best'])} | {chosen['energy_j']:.4f} | {100 * chosen['gain'] / row['gain_of_all']:.0f} % |")


def print_recurrence(row):
    print(f"\n## A recurrence of 500 steps\n\n`poet sweep {' '.join(LSTM)} --budgets 8 --methods {','.join(METHODS)} --time-limit-s {LIMIT_S}`: two LSTM layers of 200, "
          "whole operations. *Least* is what no schedule can avoid at that budget; each method's joules above it, in per cent, `-` where it found no schedule; what POET's bound leaves "
          "open, in the same per cent.\n")
    instance = row["answer"]["instances"][0]
    methods = {one["method"]: one["points"] for one in instance["methods"]}
    print("| RAM, MiB | least, J | " + " | ".join(f"{name}, %" for name in methods) + " | POET's open, % |")
    print("|---" * (len(methods) + 3) + "|")
    for number, budget in enumerate(instance["budgets_bytes"]):
        least, bound = instance["unavoidable_at"][number], instance["bounds"][number]
        found = {name: points[number]["energy_j"] if points[number]["outcome"] == "fits" else None for name, points in methods.items()}
        cells = ["-" if joules is None else f"{100 * (joules / least - 1):.3f}" for joules in found.values()]
        best = found.get("poet")
        open_part = "-" if best is None or bound is None else f"{100 * max(0, best - bound) / least:.3f}"
        print(f"| {budget / 2**20:.2f} | {least:.4f} | " + " | ".join(cells) + f" | {open_part} |")


def print_table(path):
    head, rows = read_log(path)
    print("# Networks of today on a board\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, other work beside it, time limit {head['time_limit_s']:g} s a search. "
          f"Raw log: `{os.path.basename(path)}`.\n")
    print_boards(head, [row for row in rows if row["what"] == "board"])
    worths = [row for row in rows if row["what"] == "worth"]
    if worths:
        print_worth(worths)
    for row in rows:
        if row["what"] == "recurrence":
            print_recurrence(row)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--only", choices=["boards"], help="the first part: what trains whole on the board")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    elif options.log:
        (run_boards if options.only else run_all)(os.path.abspath(options.program), options.log)
    else:
        parser.error("--log to run, or --table to print")


if __name__ == "__main__":
    main()
