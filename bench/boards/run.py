#!/usr/bin/env python3
"""Trains networks on emulated boards for 20 steps, compares every bit with 'poet train', and cuts the power at random.

    bench/boards/run.py --program build/release/poet --log bench/boards/boards.jsonl     (half an hour)
    bench/boards/run.py --cases slices --program build/release/poet --log bench/boards/slices.jsonl
    bench/boards/run.py --table bench/boards/boards.jsonl
"""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frame

STEPS = 20
CNN = ["--model", "digits-cnn", "--batch-size", "4"]
RESNET = ["--model", "resnet8", "--batch-size", "1", "--train", "except:^layer3.0.conv2"]
CASES = [
    ("qemu-m4", "LeNet-5, 28x28, batch 4", ["--model", "lenet5", "--image-size", "28", "--batch-size", "4"], []),
    ("qemu-m4", "LeNet-5, 28x28, batch 8", ["--model", "lenet5", "--image-size", "28", "--batch-size", "8"],
     ["--ram-budget", "247000"]),
    ("qemu-m4", "ResNet-8, 32x32, one convolution frozen", RESNET, []),
    ("qemu-m0", "MLP, batch 16", ["--model", "digits-mlp", "--batch-size", "16"], []),
    ("qemu-m0", "CNN, batch 4", CNN, []),
    ("qemu-m0", "CNN, recomputation alone", CNN, ["--no-paging", "--parameters", "resident", "--ram-budget", "25032"]),
    ("qemu-m0", "CNN, paging alone", CNN, ["--no-remat", "--ram-budget", "40%way"]),
    ("qemu-m0", "CNN, least RAM", CNN, ["--ram-budget", "0%way"]),
    ("qemu-microbit", "MLP, batch 4", ["--model", "digits-mlp", "--batch-size", "4"], []),
    ("qemu-microbit", "CNN, batch 1", ["--model", "digits-cnn", "--batch-size", "1"], []),
]
# Whole networks at 32 x 32 pixels, which fit with updates by slices.
LENET_32 = ["--model", "lenet5", "--batch-size", "6"]
RESNET_32 = ["--model", "resnet8", "--batch-size", "1"]
LEAST = ["--updates", "sliced", "--ram-budget", "0%way"]
SLICES = [
    ("qemu-m4", "LeNet-5, 32x32, batch 6", LENET_32, []),
    ("qemu-m4", "LeNet-5, paging alone", LENET_32, ["--no-remat"]),
    ("qemu-m4", "LeNet-5, least RAM", LENET_32, LEAST),
    ("qemu-m4", "ResNet-8, 32x32, batch 1", RESNET_32, []),
    ("qemu-m4", "ResNet-8, paging alone", RESNET_32, ["--no-remat"]),
    ("qemu-m4", "ResNet-8, least RAM", RESNET_32, LEAST),
]
CUTS = 100
FIELDS = ["ram_budget_bytes", "arena_bytes", "plain_peak_bytes", "recomputed_operations", "paged_in_bytes",
          "paged_out_bytes", "stack_used_bytes", "linked", "step_s", "predicted_step_s"]


def poet(program, *words, folder):
    run = subprocess.run([program, *words, "--examples", "64", "--cache", folder + "/plans", "--quiet", "--json"],
                         capture_output=True, text=True, cwd=folder)
    return frame.json.loads(run.stdout)


def row_of(program, board, network, flags, folder):
    on_board = poet(program, "run", "--board", board, *network, *flags, "--steps", str(STEPS), folder=folder)
    here = poet(program, "train", *network, "--steps", str(STEPS), "--test-examples", "0", folder=folder)
    if "losses" not in on_board:
        return {"failed": on_board}
    return {"same_losses": on_board["losses"] == here["losses"],
            "same_parameters": on_board["parameters_sha256"] == here["parameters_sha256"],
            "first_loss": on_board["losses"][0], "last_loss": on_board["losses"][-1],
            "instructions_per_step": sorted(on_board["instructions"])[STEPS // 2],
            **{field: on_board[field] for field in FIELDS}}


def power_cuts(program, folder):
    """Kills the emulator at random places of its console; every training must go on to the same bits."""
    words = ["run", "--board", "qemu-microbit", "--model", "digits-mlp", "--batch-size", "4", "--steps", "6", "--out",
             folder + "/p"]
    whole = poet(program, *words, folder=folder)
    card, image = folder + "/p/card.image", open(folder + "/p/storage.image", "rb").read()
    size = os.path.getsize(card)
    draws, intact, resumed_at = random.Random(1), 0, []
    for _ in range(CUTS):
        with open(card, "wb") as new:
            new.write(image)
            new.truncate(size)
        process = subprocess.Popen(
            ["qemu-system-arm", "-machine", "microbit", "-icount", "shift=6", "-display", "none", "-monitor", "none", "-serial",
             "none", "-chardev", "stdio,id=out", "-semihosting-config",
             "enable=on,target=native,chardev=out,arg=train,arg=steps=6,arg=save-every=1", "-kernel",
             "build/qemu-microbit/train.elf"], cwd=folder + "/p", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        said = process.stdout.read(draws.randrange(1, 700))
        process.kill()
        process.stdout.close()
        process.wait()
        rest = poet(program, *words, "--resume", folder=folder)
        saved = sum(line.startswith("saved") and line.endswith("\n") for line in said.splitlines(keepends=True))
        intact += (rest["parameters_sha256"] == whole["parameters_sha256"] and rest["first_step"] > saved
                   and rest["losses"] == whole["losses"][rest["first_step"] - 1:])
        resumed_at.append(rest["first_step"])
    return {"cuts": CUTS, "intact": intact, "resumed_at_step": resumed_at}


def run(program, path, cases):
    with frame.Log(path, what="boards", steps=STEPS) as log, tempfile.TemporaryDirectory() as folder:
        for board, title, network, flags in cases:
            log.write({"board": board, "title": title, "network": network, "flags": flags,
                       **row_of(program, board, network, flags, folder)})
        if cases is CASES:
            log.write(power_cuts(program, folder))


def table(path):
    _, rows = frame.read_log(path)
    print("| board | network | bits | keeping everything, B | arena, B | recomputed | read from the card, B a step | "
          "instructions a step | stack in use, B |\n|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "cuts" in row:
            print(f"\n{row['cuts']} power cuts: {row['intact']} went on from a whole checkpoint to the same bits")
        elif "failed" in row:
            print(f"| {row['board']} | {row['title']} | {row['failed']} |")
        else:
            same = "the same" if row["same_losses"] and row["same_parameters"] else "OTHERS"
            print(f"| `{row['board']}` | {row['title']} | {same} | {row['plain_peak_bytes']:,} | {row['arena_bytes']:,} | "
                  f"{row['recomputed_operations']} | {row['paged_in_bytes'] // STEPS:,} | "
                  f"{row['instructions_per_step'] / 1e6:.1f} M | {row['stack_used_bytes']:,} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--cases", choices=["boards", "slices"], default="boards")
    arguments = parser.parse_args()
    if arguments.table:
        table(arguments.table)
    else:
        run(os.path.abspath(arguments.program), arguments.log, SLICES if arguments.cases == "slices" else CASES)


main()
