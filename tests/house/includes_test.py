"""A room includes only what it declares, and a dependency is included only by its adapter."""

import shutil
import tempfile
import unittest
from pathlib import Path

import house
import includes

DECISION = "docs/decisions/0001-dependencies.md"


def closure(rooms, name):
    """The rooms that `name` reaches through USES."""
    reached = set()
    waiting = [name]
    while waiting:
        for used in rooms[waiting.pop()] - reached:
            reached.add(used)
            waiting.append(used)
    return reached


class TheTree(unittest.TestCase):
    def setUp(self):
        self.root = house.current.root
        self.rooms = includes.read_rooms(house.current.rooms_file)

    def test_every_include_of_a_room_is_declared(self):
        self.assertEqual(includes.undeclared_includes(self.root, self.rooms), [])

    def test_every_declared_room_is_included(self):
        self.assertEqual(includes.unneeded_rooms(self.root, self.rooms), [])

    def test_every_include_names_its_room(self):
        self.assertEqual(includes.relative_includes(self.root), [])

    def test_every_folder_under_poet_is_a_room(self):
        folders = {path.name for path in (self.root / "poet").iterdir() if path.is_dir()}
        self.assertEqual(folders, set(self.rooms))

    def test_every_source_is_built(self):
        self.assertEqual(includes.unlisted_sources(self.root, self.rooms), [])

    def test_the_problem_knows_nothing_but_the_base(self):
        self.assertEqual(self.rooms["problem"], {"base"})

    def test_the_verifier_never_sees_a_solver(self):
        self.assertNotIn("solve", closure(self.rooms, "verify"))

    def test_neither_of_executor_and_emitter_reaches_the_other(self):
        self.assertNotIn("exec", closure(self.rooms, "emit"))
        self.assertNotIn("emit", closure(self.rooms, "exec"))

    def test_only_its_adapter_includes_a_dependency(self):
        adapters = includes.read_adapters(self.root / DECISION)
        self.assertGreaterEqual(len(adapters), 4, f"the table in {DECISION} was not understood")
        self.assertEqual(includes.strangers(self.root, adapters), [])


    def test_the_json_library_stands_in_two_sources_and_no_header(self):
        adapters = includes.read_adapters(self.root / DECISION)
        files = [files for headers, files in adapters if headers == ["nlohmann/*"]]
        self.assertEqual(
            files, [["poet/base/json.cc", "poet/base/json_out.cc", "poet/base/json_out_test.cc"]]
        )
        self.assertEqual(includes.precompiled(self.root, "nlohmann/*"), [])


class APlantedFault(unittest.TestCase):
    """The same checks on a copy with one line added: each must go red."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        shutil.copytree(house.current.root / "poet", Path(cls.scratch.name) / "poet")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.root = Path(self.scratch.name)
        self.rooms = includes.read_rooms(house.current.rooms_file)

    def plant(self, place, line):
        """What is planted is gone after the test."""
        path = self.root / place
        before = path.read_text() if path.exists() else None
        self.addCleanup(path.unlink if before is None else lambda: path.write_text(before))
        path.write_text(line + "\n" + (before or ""))

    def test_an_undeclared_include_is_found(self):
        self.plant("poet/base/result.h", '#include "poet/solve/solver.h"')
        self.assertIn(
            "poet/base/result.h:1: room 'base' includes poet/solve/solver.h but does not declare 'solve'",
            includes.undeclared_includes(self.root, self.rooms),
        )

    def test_an_undeclared_include_in_brackets_is_found(self):
        self.plant("poet/problem/problem.h", "#  include <poet/graph/graph.h>")
        self.assertIn(
            "poet/problem/problem.h:1: room 'problem' includes poet/graph/graph.h but does not declare 'graph'",
            includes.undeclared_includes(self.root, self.rooms),
        )

    def test_what_a_used_room_uses_does_not_count(self):
        rooms = {"base": set(), "graph": {"base"}, "model": {"graph"}}
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        (self.root / "poet/model").mkdir(parents=True)
        self.plant("poet/model/zoo.cc", '#include "poet/base/ids.h"')
        self.assertIn(
            "poet/model/zoo.cc:1: room 'model' includes poet/base/ids.h but does not declare 'base'",
            includes.undeclared_includes(self.root, rooms),
        )

    def test_a_declared_room_that_is_never_included_is_found(self):
        self.assertEqual(
            includes.unneeded_rooms(self.root, {**self.rooms, "verify": self.rooms["verify"] | {"device"}}),
            ["room 'verify' declares 'device' but includes nothing of it"],
        )

    def test_an_include_without_its_room_is_found(self):
        self.plant("poet/base/result.cc", '#include "result.h"')
        self.assertIn(
            "poet/base/result.cc:1: includes result.h; write poet/<room>/<file>.h",
            includes.relative_includes(self.root),
        )

    def test_a_source_that_nobody_builds_is_found(self):
        self.plant("poet/base/orphan.cc", "")
        self.assertIn(
            "poet/base/orphan.cc is not named in poet/base/CMakeLists.txt",
            includes.unlisted_sources(self.root, self.rooms),
        )

    def test_a_stranger_to_a_dependency_is_found(self):
        self.plant("poet/base/result.cc", "#include <nlohmann/json.hpp>")
        self.assertIn(
            "poet/base/result.cc:1: includes nlohmann/json.hpp, which only poet/base/json.cc may",
            includes.strangers(self.root, [(["nlohmann/*"], ["poet/base/json.cc"])]),
        )

    def test_the_json_library_in_a_header_is_found(self):
        self.plant("poet/base/json_out.h", "#include <nlohmann/json_fwd.hpp>")
        adapters = includes.read_adapters(house.current.root / DECISION)
        self.assertIn(
            "poet/base/json_out.h:1: includes nlohmann/json_fwd.hpp, which only "
            "poet/base/json.cc poet/base/json_out.cc poet/base/json_out_test.cc may",
            includes.strangers(self.root, adapters),
        )

    def test_a_precompiled_stranger_is_found(self):
        self.plant("poet/base/CMakeLists.txt", "target_precompile_headers(poet_base PRIVATE <map> <nlohmann/json.hpp>)")
        self.assertEqual(
            includes.precompiled(self.root, "nlohmann/*"),
            ["poet/base/CMakeLists.txt:1: precompiles nlohmann/*"],
        )


if __name__ == "__main__":
    house.run_tests()
