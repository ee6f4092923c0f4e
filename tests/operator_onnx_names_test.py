"""What the page of operators says of ONNX, held against ONNX's own list: each name, and since which operator set it is there.

The page is made of the operator table (tests/operator_document_test.cc)."""

import pathlib
import unittest

try:
    from onnx import defs
except ImportError:
    defs = None

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs/operators.md"


def stated(text):
    """Of each operator on the page that ONNX has: its name there, and the operator set."""
    names = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and ", " in cells[7]:
            name, since = cells[7].split(", ")
            names[cells[0]] = (name, int(since))
    return names


def first_sets():
    """Since when the library knows each name."""
    first = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            first[schema.name] = min(first.get(schema.name, schema.since_version), schema.since_version)
    return first


def wrong(names, first, newest):
    """What is not so, by operator. A library knows nothing of operator sets that are newer than itself."""
    return {operator: (name, since, first.get(name)) for operator, (name, since) in names.items()
            if first.get(name) != since and (name in first or since <= newest)}


@unittest.skipIf(defs is None, "python3-onnx is not installed")
class Names(unittest.TestCase):
    def test_are_there_since_the_set_that_the_row_says(self):
        names = stated(PAGE.read_text(encoding="utf-8"))
        self.assertGreater(len(names), 50)
        self.assertEqual(wrong(names, first_sets(), defs.onnx_opset_version()), {})

    def test_of_a_wrong_row_are_found(self):
        first = {"Relu": 1, "HardSwish": 14}
        found = wrong({"relu": ("Relu", 6), "hard_swish": ("Hardswish", 14), "mish": ("Mish", 18), "exp": ("Relu", 1)}, first, 17)
        self.assertEqual(found, {"relu": ("Relu", 6, 1), "hard_swish": ("Hardswish", 14, None)})


if __name__ == "__main__":
    unittest.main()
