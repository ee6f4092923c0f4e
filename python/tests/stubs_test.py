"""The stub of the module of C++ has the names that the module has, and every public name is documented."""

import ast
from pathlib import Path

import poet
from case import Case, run_tests
from poet import _poet


def public(names):
    return {name for name in names if not name.startswith("_")}


class Stubs(Case):
    def setUp(self):
        super().setUp()
        stub = Path(poet.__file__).with_name("_poet.pyi").read_text(encoding="utf-8")
        self.tree = ast.parse(stub)

    def test_name_what_the_module_has(self):
        named = {node.name for node in self.tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(named, public(dir(_poet)))

    def test_name_what_its_classes_have(self):
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and node.name != "Error":
                methods = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
                fields = {one.target.id for one in node.body if isinstance(one, ast.AnnAssign)}
                with self.subTest(node.name):
                    self.assertEqual(public(methods | fields), public(vars(getattr(_poet, node.name))))


class Documentation(Case):
    def test_is_there_for_every_public_name(self):
        for name in poet.__all__:
            self.assertTrue(getattr(poet, name).__doc__, name)

    def test_marks_the_package_as_typed(self):
        self.assertTrue(Path(poet.__file__).with_name("py.typed").exists())


if __name__ == "__main__":
    run_tests()
