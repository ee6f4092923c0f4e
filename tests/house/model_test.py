"""What comments and documents cite of the specification (docs/model) is there."""

import tempfile
import unittest
from pathlib import Path

import house
import model


class TheTree(unittest.TestCase):
    def test_cites_sections_that_exist(self):
        self.assertEqual(model.wrong_citations(house.current.root), [])

    def test_numbers_its_sections_in_order(self):
        self.assertEqual(model.sections_not_in_order(house.current.root), [])
        for page, numbers in model.sections(house.current.root).items():
            with self.subTest(page):
                self.assertTrue(numbers or page == "README.md", "it has no sections: was the format changed?")

    def test_says_of_every_source_where_it_is_derived(self):
        self.assertEqual(model.without_citation(house.current.root), [])

    def test_says_of_every_method_what_it_computes(self):
        self.assertEqual(model.without_description(house.current.root), [])

    def test_has_every_source_in_its_table(self):
        self.assertEqual(model.sources_not_in_table(house.current.root), [])

    def test_cites_no_document_that_nobody_has(self):
        self.assertEqual(model.unknown_documents(house.current.root), [])


class APlantedFault(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        self.write("docs/model/bounds.md", "# Bounds\n\n## 1 One\n\n## 1.1 More\n\n## 1.2 Most\n")

    def write(self, place, text):
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_a_method_that_does_not_say_what_it_computes_is_found(self):
        self.write("poet/methods/a.cc", "// Walks.\n#include <cmath>\n")
        self.write("poet/methods/b.cc", "#include <cmath>\n// Walks.\n")
        self.write("poet/methods/b_test.cc", "#include <cmath>\n")
        self.assertEqual(model.without_description(self.root), ["poet/methods/b.cc: does not begin with what it computes"])

    def test_a_section_that_does_not_exist_is_found(self):
        self.write("poet/solve/a.cc", "// As docs/model/bounds.md §1.1, §1.7 have it.\n")
        self.assertEqual(model.wrong_citations(self.root),
                         ["poet/solve/a.cc: cites docs/model/bounds.md §1.7, and it has no such section"])

    def test_a_page_that_does_not_exist_is_found(self):
        self.write("tests/a_test.py", "# See docs/model/walls.md §1.\n")
        self.assertEqual(model.wrong_citations(self.root),
                         ["tests/a_test.py: cites docs/model/walls.md, which does not exist"])

    def test_a_citation_may_go_over_a_line(self):
        self.write("poet/solve/a.h", "// Everything as it is in docs/model/bounds.md\n// §9.9, and no more.\n")
        self.assertEqual(len(model.wrong_citations(self.root)), 1)

    def test_pages_are_checked_for_their_own_sections_and_those_of_others(self):
        self.write("docs/model/search.md", "## 1 One\n\nAs [bounds](bounds.md) §1.2 and §1.3 and here §1 and §2.\n")
        self.assertEqual(model.wrong_citations(self.root),
                         ["docs/model/search.md: cites docs/model/bounds.md §1.3, and it has no such section",
                          "docs/model/search.md: cites docs/model/search.md §2, and it has no such section"])

    def test_a_source_that_the_table_lacks_is_found(self):
        self.write("docs/model/README.md", "| §1 | `poet/solve/a.cc`, `b_*.cc` | |\n")
        for name in ("a", "b_first", "c"):
            self.write(f"poet/solve/{name}.cc", "")
        self.assertEqual(model.sources_not_in_table(self.root), ["docs/model/README.md: its table lacks poet/solve/c.cc"])

    def test_a_section_out_of_order_is_found(self):
        self.write("docs/model/search.md", "## 1 One\n\n## 1.2 Two\n\n## 1.1 Three\n")
        self.assertEqual(model.sections_not_in_order(self.root), ["docs/model/search.md: §1.1 comes after §1.2"])

    def test_a_source_without_citation_is_found(self):
        self.write("poet/solve/a.cc", "// Walks (docs/model/bounds.md §1).\n#include <cmath>\n")
        self.write("poet/solve/b.cc", "#include <cmath>\n// Walks (docs/model/bounds.md §1).\n")
        self.write("poet/solve/a_test.cc", "#include <cmath>\n")
        self.write("poet/verify/c.cc", "// Walks.\n")
        self.write("poet/verify/d.cc", "namespace poet::testing {}\n")
        self.assertEqual(model.without_citation(self.root),
                         [f"{place}: does not begin with what it computes and where that is derived"
                          for place in ("poet/solve/b.cc", "poet/verify/c.cc")])

    def test_a_comment_that_cites_an_unknown_document_is_found(self):
        self.write("poet/a.h", '// As notes.md section 2 has it.\nauto name = "other.md";  // docs/model/bounds.md\n')
        self.write("scripts/b", "#!/bin/sh\n# as in docs/gone.md\ncat x.md\n")
        self.assertEqual(model.unknown_documents(self.root),
                         ["poet/a.h: cites notes.md, which is not in the repository",
                          "scripts/b: cites docs/gone.md, which is not in the repository"])


if __name__ == "__main__":
    house.run_tests()
