"""Our sources hold nothing that they must not hold."""

import tempfile
import unittest
from pathlib import Path

import house
import sources


class TheTree(unittest.TestCase):
    def test_holds_nothing_forbidden(self):
        self.assertEqual(sources.forbidden(house.current.root), [])

    def test_guards_every_header(self):
        self.assertEqual(sources.without_guard(house.current.root), [])


class APlantedFault(unittest.TestCase):
    def findings(self, place, line):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / place
            path.parent.mkdir(parents=True)
            path.write_text("#pragma once\n" + line + "\n")
            return sources.forbidden(Path(scratch))

    def test_every_rule_finds_its_fault(self):
        faults = {
            "a path of one machine": 'open("/home/ada/board.toml");',
            "the library never prints": 'std::cerr << "oops";',
            "the library never exits": "std::exit(1);",
            "the library never reads the environment": 'std::getenv("HOME");',
            "the library looks at no clock but its caller's Stop": "std::chrono::steady_clock::now();",
            "seeds are explicit": "std::random_device seed;",
            "nothing sleeps": "std::this_thread::sleep_for(delay);",
            "programs are started in one place": "posix_spawnp(&child, name, files, attributes, words, environ);",
            "names are written out": "using namespace std;",
            "sums are the same on every machine": "// built with -ffast-math",
            "unfinished work has an issue number": "// TODO: later",
            "a test that never runs": "TEST(Plan, DISABLED_Works) {}",
        }
        self.assertEqual(set(faults), {rule.why for rule in sources.RULES})
        for why, line in faults.items():
            with self.subTest(why):
                place = "cmake/flags.cmake" if "machine" in why and "sums" in why else "poet/plan/plan.cc"
                self.assertEqual(self.findings(place, line), [f"{place}:2: {why}: {line}"])

    def test_a_test_may_look_at_a_clock(self):
        self.assertEqual(self.findings("poet/plan/plan_test.cc", "std::chrono::steady_clock::now();"), [])

    def test_a_comment_may_name_what_the_code_must_not_do(self):
        self.assertEqual(self.findings("poet/plan/plan.cc", "// never calls exit(1)"), [])

    def test_unfinished_work_with_its_number_is_allowed(self):
        self.assertEqual(self.findings("poet/plan/plan.cc", "// TODO(#12): later"), [])


if __name__ == "__main__":
    house.run_tests()
