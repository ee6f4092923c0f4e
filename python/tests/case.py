"""What the tests of the package share."""

import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import poet

# Solved in milliseconds: 27 operations.
LINEAR = {"model": "linear", "platform": "m4", "ram_budget": 5000, "runtime_budget": 1.5}


class Case(unittest.TestCase):
    """Each test has an empty folder of its own; warnings of POET are not shown."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        shown = warnings.catch_warnings()
        shown.__enter__()
        self.addCleanup(shown.__exit__, None, None, None)
        warnings.simplefilter("ignore", UserWarning)

    def assert_refused(self, sentence, call, *arguments, **options):
        """poet.Error with exactly this sentence."""
        with self.assertRaises(poet.Error) as refused:
            call(*arguments, **options)
        self.assertEqual(str(refused.exception), sentence)
        return refused.exception


def run_tests():
    """Runs the tests of the calling script and exits."""
    unittest.TestCase.maxDiff = None
    unittest.main(module="__main__", argv=sys.argv[:1], verbosity=2)
