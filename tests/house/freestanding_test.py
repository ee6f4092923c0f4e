"""The kernels call nothing but each other and keep no state, so they run where there is no operating system."""

import subprocess
import sys
import unittest

# Compilers may call the first four by themselves, whatever the source says; some distributions have theirs guard the
# stack. The last two are a word of the compiler's library on x86-64, read by the one file that asks whether the processor
# has AVX2 (docs/decisions/0040-registers.md), and by which table of the linker it is found; boards have neither.
ALLOWED = {"memcpy", "memset", "memmove", "memcmp", "__stack_chk_fail", "__cpu_model", "_GLOBAL_OFFSET_TABLE_"}

nm, objects = None, []


def symbols_of(text):
    """(name, kind, section) of every symbol in the output of nm --format=sysv."""
    rows = ([cell.strip() for cell in line.split("|")] for line in text.splitlines())
    return [(row[0], row[2], row[6]) for row in rows if len(row) == 7]


def is_variable(kind, section):
    """In .data, .bss or common, seen from outside or not. Constants that hold addresses are not."""
    return kind in "DdBbC" and not section.startswith(".data.rel.ro")


def findings(symbols):
    """One sentence for each symbol that a board would not have, or that is a variable."""
    ours = {name for name, kind, _ in symbols if kind != "U"}
    strangers = sorted({name for name, kind, _ in symbols if kind == "U"} - ours - ALLOWED)
    return [f"calls {name}" for name in strangers] + [
        f"keeps the variable {name}" for name, kind, section in symbols if is_variable(kind, section)
    ]


class TheKernels(unittest.TestCase):
    def test_call_only_each_other_and_keep_no_state(self):
        output = subprocess.run([nm, "--format=sysv", *objects], capture_output=True, text=True, check=True).stdout
        symbols = symbols_of(output)
        self.assertIn("poet_matmul_forward_f32", [name for name, kind, _ in symbols if kind == "T"])
        self.assertEqual(findings(symbols), [])


class APlantedFault(unittest.TestCase):
    def test_a_call_of_the_mathematical_library_is_found(self):
        text = """Symbols from a.o:

Name                  Value           Class        Type         Size             Line  Section

f                   |0000000000000000|   T  |              FUNC|0000000000000010|     |.text
expf                |                |   U  |            NOTYPE|                |     |*UND*
g                   |                |   U  |            NOTYPE|                |     |*UND*

Symbols from b.o:

g                   |0000000000000000|   T  |              FUNC|0000000000000010|     |.text
"""
        self.assertEqual(findings(symbols_of(text)), ["calls expf"])

    def test_a_variable_is_found(self):
        text = """
count               |0000000000000000|   b  |            OBJECT|0000000000000004|     |.bss
table               |0000000000000000|   d  |            OBJECT|0000000000000018|     |.data.rel.ro.local
"""
        self.assertEqual(findings(symbols_of(text)), ["keeps the variable count"])


if __name__ == "__main__":
    nm, *objects = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
