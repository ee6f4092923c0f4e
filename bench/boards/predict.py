#!/usr/bin/env python3
"""What poet_predict() and a hook cost: networks on an emulated board, without and with --predict, and their code with --hook.

    bench/boards/predict.py --program build/release/poet --log bench/boards/predict.jsonl     (some minutes)
    bench/boards/predict.py --table bench/boards/predict.jsonl
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frame

STEPS = 2
CASES = [
    ("LeNet-5, 28x28, batch 4", ["--model", "lenet5", "--image-size", "28", "--batch-size", "4"]),
    ("ResNet-8, 32x32, batch 1", ["--model", "resnet8", "--batch-size", "1"]),
]
VARIANTS = [("trains", []), ("predicts one", ["--predict"]), ("predicts four", ["--predict", "--predict-batch", "4"])]
BOARD = "qemu-m4"


def poet(program, *words, folder):
    run = subprocess.run([program, *words, "--examples", "64", "--steps", str(STEPS), "--cache", folder + "/plans", "--quiet",
                          "--json"], capture_output=True, text=True, cwd=folder)
    return frame.json.loads(run.stdout)


def program_of(program, network, flags, folder):
    """What the size tool says of the board's program: an export, which poet run does not have with --hook."""
    name = folder + "/" + "-".join(["program", *flags])
    poet(program, "export", "c", "--board", BOARD, *network, *flags, "--out", name, folder=folder)
    subprocess.run(["make", "-f", "board.mk"], cwd=name, capture_output=True, check=True)
    told = subprocess.run(["arm-none-eabi-size", f"build/{BOARD}/train.elf"], cwd=name, capture_output=True, text=True,
                          check=True).stdout.splitlines()[1].split()
    return {"text_bytes": int(told[0]), "data_bytes": int(told[1]), "bss_bytes": int(told[2])}


def run(program, path):
    with frame.Log(path, what="predictions on boards", board=BOARD, steps=STEPS) as log:
        for title, network in CASES:
            with tempfile.TemporaryDirectory() as folder:
                for variant, flags in VARIANTS:
                    answer = poet(program, "run", "--board", BOARD, *network, *flags, folder=folder)
                    log.write({"title": title, "network": network, "variant": variant, "flags": flags,
                               **{field: answer.get(field) for field in ("no", "arena_bytes", "linked", "stack_used_bytes",
                                                                         "instructions", "prediction", "parameters_sha256")}})
                for variant, flags in (("no hook", []), ("hook", ["--hook"])):
                    log.write({"title": title, "variant": variant, **program_of(program, network, flags, folder)})


def table(path):
    _, rows = frame.read_log(path)
    print("| network | | arena, B | other data, B | flash, B | stack in use, B | instructions a step | a prediction | outputs |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "text_bytes" in row:
            continue
        if row["no"]:
            print(f"| {row['title']} | {row['variant']} | {row['no']} |")
            continue
        linked, said = row["linked"], row["prediction"]
        step = sorted(row["instructions"])[len(row["instructions"]) // 2]
        predicted = f"{said['instructions'] / 1e6:.2f} M | {'the same' if said['different'] == 0 else 'OTHERS'}" if said else "| "
        print(f"| {row['title']} | {row['variant']} | {linked['arena_bytes']:,} | {linked['data_bytes']:,} | "
              f"{linked['flash_bytes']:,} | {row['stack_used_bytes']:,} | {step / 1e6:.2f} M | {predicted} |")
    for row in rows:
        if "text_bytes" in row:
            print(f"\n{row['title']}, {row['variant']}: {row['text_bytes'] + row['data_bytes']:,} bytes of flash, "
                  f"{row['data_bytes'] + row['bss_bytes']:,} of data")


def main():
    arguments = frame.arguments(__doc__).parse_args()
    if arguments.table:
        table(arguments.table)
    else:
        run(os.path.abspath(arguments.program), arguments.log)


main()
