"""Debian's package of the program: what is in it, and what it depends on. (That it is installed, runs and goes away again in
an empty Debian is tried by hand, with scripts/check-empty-root.)"""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import installation
from installation import done

TOOLS = ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file")
ABSENT = [tool for tool in TOOLS if not shutil.which(tool)]


@unittest.skipIf(ABSENT, f"skipped: {', '.join(ABSENT)} not installed")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # Packed quickly; the library alone would take longer than everything else.
        done(Path(installation.tree.cmake).with_name("cpack"), "-G", "DEB", "-B", cls.folder,
             "-D", "CPACK_COMPONENTS_ALL=program", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=zstd",
             "--config", installation.tree.build / "CPackConfig.cmake")
        (cls.package,) = cls.folder.glob("poet_*.deb")
        cls.fields = dict(re.findall(r"^(\S+): (.*)$", done("dpkg-deb", "--field", cls.package), re.MULTILINE))
        cls.files = re.findall(r"^-\S+ (\S+) .* \./(\S+)$", done("dpkg-deb", "--contents", cls.package), re.MULTILINE)

    def test_is_named_as_debian_names_packages(self):
        self.assertEqual(self.fields["Package"], "poet")
        self.assertEqual(self.fields["Version"], f"{installation.tree.version}-1")
        self.assertEqual(self.fields["Section"], "science")
        self.assertTrue(self.fields["Maintainer"].startswith("POET developers"))
        self.assertEqual(self.package.name, f"poet_{self.fields['Version']}_{self.fields['Architecture']}.deb")

    def test_depends_on_what_the_program_is_linked_with(self):
        depends = self.fields["Depends"]
        for library in ("libc6", "libfmt", "coinor-libcbc", "libprotobuf", "libsqlite3", "libssl"):
            self.assertRegex(depends, rf"(?:^|, ){library}")
        self.assertNotIn("-dev", depends)

    def test_has_what_is_installed(self):
        names = {name for _, name in self.files}
        for name in ("usr/bin/poet", "usr/bin/poet-check-proof", "usr/share/bash-completion/completions/poet",
                     "usr/share/fish/vendor_completions.d/poet.fish", "usr/lib/systemd/system/poet.service"):
            self.assertIn(name, names)
        for pattern in (r"usr/share/man/man1/poet-serve\.1(\.gz)?", r"usr/share/zsh/[a-z-]+/_poet",
                        r"usr/share/doc/poet/(LICENSE|copyright)"):
            self.assertTrue(any(re.fullmatch(pattern, name) for name in names), pattern)
        self.assertFalse([name for name in names if name.endswith((".a", ".h", ".cmake"))])

    def test_belongs_to_root_and_runs_nothing_when_it_is_installed(self):
        self.assertEqual({owner for owner, _ in self.files}, {"root/root"})
        control = self.folder / "control"
        done("dpkg-deb", "--control", self.package, control)
        self.assertEqual(sorted(path.name for path in control.iterdir()), ["control", "md5sums"])

    def test_program_runs(self):
        done("dpkg-deb", "--extract", self.package, self.folder / "root")
        version = subprocess.run([self.folder / "root/usr/bin/poet", "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(version.stdout.splitlines()[0], f"poet {installation.tree.version}")


if __name__ == "__main__":
    installation.run_tests()
