"""The worked example prints what its notebook shows, and what README.md and the guides show of Python runs.

usage: examples_test.py SOURCES
"""

import json
import os
import re
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

sources = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(sources / "examples"))

import notebook  # noqa: E402

CLOCK = re.compile(r"\b(?:after )?[\d.]+ (?:us|µs|ms|s)\b")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown_in(made):
    """What each code cell shows as text; clock readings are left out, and pictures are not text."""
    return [
        [CLOCK.sub("SOME TIME", "".join(output.get("text") or output["data"]["text/plain"])) for output in cell["outputs"]]
        for cell in made["cells"] if cell["cell_type"] == "code"
    ]


class InAnEmptyFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        here = os.getcwd()
        os.chdir(folder.name)
        self.addCleanup(os.chdir, here)
        os.environ["XDG_CACHE_HOME"] = str(Path(folder.name) / "cache")
        warnings.simplefilter("ignore")


class TheNotebook(InAnEmptyFolder):
    def test_shows_what_its_cells_print(self):
        text = (sources / "examples/plan_and_train.py").read_text(encoding="utf-8")
        stored = json.loads((sources / "examples/plan_and_train.ipynb").read_text(encoding="utf-8"))
        made = notebook.notebook(text)
        self.assertEqual([cell["source"] for cell in made["cells"]], [cell["source"] for cell in stored["cells"]])
        self.assertEqual(shown_in(made), shown_in(stored))

    def test_has_pictures(self):
        stored = (sources / "examples/plan_and_train.ipynb").read_text(encoding="utf-8")
        self.assertIn("data:image/svg+xml;base64,", stored)


class WhatDocumentsShow(InAnEmptyFolder):
    def run_blocks(self, document):
        blocks = BLOCK.findall((sources / document).read_text(encoding="utf-8"))
        self.assertTrue(blocks, f"{document} shows no Python")
        names = {}
        for block in blocks:
            if "torch" in block and not torch_is_there():
                continue
            with self.subTest(block):
                exec(compile(block, document, "exec"), names)

    def test_of_the_readme_runs(self):
        self.run_blocks("README.md")

    def test_of_the_guide_runs(self):
        self.run_blocks("docs/guide/python.md")

    def test_of_the_guide_to_your_own_network_runs(self):
        self.run_blocks("docs/guide/your-own-network.md")


def torch_is_there():
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    unittest.main(argv=sys.argv[:1], verbosity=2)
