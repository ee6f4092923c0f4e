"""A name of a type means one thing in its namespace."""

import tempfile
import unittest
from pathlib import Path

import house
import type_names


class TheTree(unittest.TestCase):
    def test_defines_every_type_once(self):
        self.assertEqual(type_names.shared(house.current.root), [])

    def test_has_types_to_look_at(self):
        header = Path(house.current.root, "poet/problem/problem.h").read_text(encoding="utf-8")
        self.assertIn(("poet", "Problem"), [found[:2] for found in type_names.types_of(header)])


class APlantedFault(unittest.TestCase):
    def shared(self, first, second):
        with tempfile.TemporaryDirectory() as scratch:
            Path(scratch, "poet").mkdir()
            Path(scratch, "poet/one.h").write_text(first)
            Path(scratch, "poet/two_test.cc").write_text(second)
            return type_names.shared(scratch)

    def test_is_found_whatever_the_kind(self):
        first = "namespace poet {\n// struct Comment {};\nstruct Layer {\n  int x;\n};\n}\n"
        for kind in ("struct Layer {", "class Layer final : public Base {", "enum class Layer : int {"):
            with self.subTest(kind):
                self.assertEqual(
                    self.shared(first, f"namespace poet {{\n{kind}\n}};\n}}\n"),
                    ["poet::Layer is defined more than once: poet/one.h:3, poet/two_test.cc:2"])

    def test_unnamed_namespaces_members_and_declarations_do_not_count(self):
        first = "namespace poet {\nstruct Layer {};\n}\n"
        for second in (
            "namespace poet {\nnamespace {\nstruct Layer {};\n}\n}\n",
            "namespace poet {\nstruct Net {\n  struct Layer {};\n};\n}\n",
            "namespace poet {\nstruct Layer;\nvoid draw(struct Layer& layer) {}\n}\n",
            "namespace poet::cli {\nstruct Layer {};\n}\n",
            'namespace poet {\nconst char* text = "struct Layer {";\n}\n',
        ):
            with self.subTest(second):
                self.assertEqual(self.shared(first, second), [])


if __name__ == "__main__":
    house.run_tests()
