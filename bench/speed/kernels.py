"""The reference kernels of this tree beside those of an earlier commit, in turns on one thread: the same bits, and how long.

    bench/speed/kernels.py --before f17fe61 --log bench/speed/kernels.jsonl
    bench/speed/kernels.py --table bench/speed/kernels.jsonl

Both are built with the flags of the room runtime; once as they are, so that they use AVX2 where the processor has it, and once
with -DPOET_WITHOUT_AVX2. A figure is the least of nine turns, in processor time.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c99", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno"]
SOURCES = ["conv", "correlation", "lane_sum", "matmul", "panel_fill", "panel_product"]


def run(*command, cwd=None):
    return subprocess.run(command, check=True, cwd=cwd, capture_output=True, text=True).stdout


def compiled(compiler, root, folder, flags):
    objects = []
    for name in SOURCES:
        objects.append(os.path.join(folder, name + ".o"))
        run(compiler, *FLAGS, *flags, f"-I{root}", "-c", f"{root}/poet/runtime/{name}.c", "-o", objects[-1])
    return objects


def earlier_object(compiler, commit, folder):
    """The kernels of a commit in one object, under other names."""
    archive = subprocess.run(["git", "archive", commit, "poet/runtime"], check=True, cwd=ROOT, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", folder], input=archive, check=True)
    whole, names = os.path.join(folder, "before.o"), os.path.join(folder, "names")
    run("ld", "-r", *compiled(compiler, folder, folder, []), "-o", whole)
    symbols = [line.split() for line in run("nm", "--defined-only", whole).splitlines()]
    Path(names).write_text("".join(f"{row[2]} before_{row[2]}\n" for row in symbols if row[1] == "T"), encoding="utf-8")
    run("objcopy", f"--redefine-syms={names}", whole)
    return whole


def measure(options, log):
    for registers, flags in (("AVX2", []), ("SSE2", ["-DPOET_WITHOUT_AVX2"])):
        with tempfile.TemporaryDirectory() as folder:
            before = earlier_object(options.compiler, options.before, folder)
            after = compiled(options.compiler, ROOT, folder, flags)
            program = os.path.join(folder, "kernels")
            run(options.compiler, "-O2", f"-I{ROOT}", str(ROOT / "bench/speed/kernels.c"), *after, before, "-o", program)
            for line in run(program).splitlines():
                title, what, products, before_s, after_s = line.split("|")
                log.write({"registers": registers, "title": title, "what": what, "products": int(products),
                           "before_s": float(before_s), "after_s": float(after_s)})


def table(path):
    head, rows = frame.read_log(path)
    print(json.dumps(head))
    cases = list(dict.fromkeys((row["title"], row["what"]) for row in rows))
    of = {(row["registers"], row["title"], row["what"]): row for row in rows}
    print("| | | before, thousand million multiply-adds a second | SSE2 | times | AVX2 | times |\n|---|---|---|---|---|---|---|")
    for title, what in cases:
        cells = []
        for registers in ("SSE2", "AVX2"):
            row = of[registers, title, what]
            cells += [f"{row['products'] / row['after_s'] / 1e9:.1f}", f"{row['before_s'] / row['after_s']:.2f}"]
        row = of["SSE2", title, what]
        print(f"| {title} | {what} | {row['products'] / row['before_s'] / 1e9:.1f} | {' | '.join(cells)} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--before", default="f17fe61", help="the commit whose kernels are compared")
    parser.add_argument("--compiler", default="gcc")
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    with frame.Log(options.log, benchmark="kernels", before=options.before, compiler=options.compiler) as log:
        measure(options, log)


main()
