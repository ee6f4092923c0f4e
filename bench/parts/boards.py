#!/usr/bin/env python3
"""Trains whole networks in parts on the emulated board of 256 KiB, and compares every bit with 'poet train' without a budget.

    bench/parts/boards.py --program build/release/poet --log bench/parts/boards.jsonl     (an hour)
    bench/parts/boards.py --cases bert-base --program build/release/poet --log bench/parts/bert-base.jsonl
    bench/parts/boards.py --table bench/parts/boards.jsonl
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frame

BOARD = "qemu-m4"
ONE = ["--batch-size", "1"]
# Arena, stack and data of 96 KiB.
THIRD = ["--ram-budget", "89600"]
CASES = {
    "lenet5": ("LeNet-5, 32x32, in 96 KiB", ["--model", "lenet5", *ONE], THIRD, 5),
    "lenet5-4": ("LeNet-5, 32x32, batch 4, in 96 KiB", ["--model", "lenet5", "--batch-size", "4"],
                 THIRD, 5),
    "bert-tiny": ("BERT-tiny, 128 tokens, 30,522 words", ["--model", "bert-tiny", *ONE], [], 5),
    "mobilenetv2": ("MobileNetV2, 96x96, 1,000 classes", ["--model", "mobilenetv2", "--image-size", "96", *ONE],
                    [], 5),
    "resnet18": ("ResNet-18, 32x32, 10 classes", ["--model", "resnet18", "--image-size", "32", "--classes", "10", *ONE],
                 [], 5),
    "resnet18-224": ("ResNet-18, 224x224, 1,000 classes", ["--model", "resnet18", *ONE], [], 1),
    "bert-base": ("BERT-base, 32 tokens, 30,522 words", ["--model", "bert-base", "--sequence-length", "32", *ONE],
                  [], 1),
}
USUAL = ["lenet5", "lenet5-4", "bert-tiny", "mobilenetv2", "resnet18"]
FIELDS = ["ram_budget_bytes", "arena_bytes", "plain_peak_bytes", "paged_in_bytes", "paged_out_bytes", "storage_bytes",
          "energy_j", "step_s", "predicted_step_s", "stack_used_bytes", "linked", "notes"]


def poet(program, *words, folder):
    run = subprocess.run([program, *words, "--cache", folder + "/plans", "--quiet", "--json"], capture_output=True, text=True,
                         cwd=folder)
    return json.loads(run.stdout) if run.stdout else {"error": run.stderr}


def table_of(folder):
    """How many bytes the step's table takes, and what else stands in lists."""
    with open(folder + "/poet_plan.c", encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read())
    with open(folder + "/project.json", encoding="utf-8") as file:
        project = json.load(file)
    codes = re.search(r"whole_codes\[\] = \{(.*?)\};", text, re.S)[1].count(",")
    works = re.search(r"works\[\] = \{(.*?)\n\};", text, re.S)[1].count("{")
    return {"actions": len(project["actions"]), "code_bytes": codes, "works": works,
            "shapes": len(re.findall(r"^static const poet_\w+ shape_", text, re.M)), "kept": len(project["kept"])}


def row_of(program, case, time_limit_s, folder):
    title, network, flags, steps = CASES[case]
    row = {"case": case, "title": title, "network": network, "flags": flags, "steps": steps}
    project = folder + "/project"
    on_board = poet(program, "run", "--board", BOARD, *network, *flags, "--steps", str(steps), "--time-limit-s",
                    str(time_limit_s), "--out", project, folder=folder)
    if not on_board.get("parameters_sha256"):
        return {**row, "failed": on_board}
    here = poet(program, "train", *network, "--steps", str(steps), "--test-examples", "0", folder=folder)
    return {**row, "same_losses": on_board["losses"] == here["losses"],
            "same_parameters": on_board["parameters_sha256"] == here["parameters_sha256"], "losses": on_board["losses"],
            "parameters_sha256": on_board["parameters_sha256"], "arena_bytes_without_a_budget": here["arena_bytes"],
            "instructions_per_step": sorted(on_board["instructions"])[steps // 2], **table_of(project),
            **{field: on_board[field] for field in FIELDS}}


def run(arguments):
    program = os.path.abspath(arguments.program)
    with frame.Log(arguments.log, what="parts on boards", board=BOARD, time_limit_s=arguments.time_limit_s) as log:
        for case in arguments.cases or USUAL:
            with tempfile.TemporaryDirectory() as folder:
                log.write(row_of(program, case, arguments.time_limit_s, folder))


def table(path):
    _, rows = frame.read_log(path)
    print("| network | steps | bits | without a budget, B | arena, B | flash, B | actions | table, B an action | "
          "read / written, MB a step | J a step by plan | instructions a step |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "failed" in row:
            print(f"| {row['title']} | {row['failed']} |")
            continue
        same = "the same" if row["same_losses"] and row["same_parameters"] else "OTHERS"
        steps = row["steps"]
        print(f"| {row['title']} | {steps} | {same} | {row['arena_bytes_without_a_budget']:,} | {row['arena_bytes']:,} | "
              f"{row['linked']['flash_bytes']:,} | {row['actions']:,} | {row['code_bytes'] / row['actions']:.1f} | "
              f"{row['paged_in_bytes'] / steps / 1e6:.1f} / {row['paged_out_bytes'] / steps / 1e6:.1f} | "
              f"{row['energy_j'] / steps:.2f} | {row['instructions_per_step'] / 1e6:,.0f} M |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--cases", nargs="+", choices=sorted(CASES))
    parser.add_argument("--time-limit-s", type=int, default=60, help="of a plan's search")
    arguments = parser.parse_args()
    if arguments.table:
        table(arguments.table)
    else:
        run(arguments)


main()
