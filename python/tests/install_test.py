"""pip install, in a fresh virtual environment, from what is built already; use; uninstall.

usage: install_test.py SOURCES BUILD
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sources, build = (Path(path).resolve() for path in sys.argv[1:3])
version = re.search(r"^project\(poet VERSION (\S+)", (sources / "CMakeLists.txt").read_text(), re.MULTILINE)[1]

USE = """
import poet
answer = poet.solve("linear", "m4", 5000, 1.5)
assert answer.status == "optimal" and answer.plan.verify()
assert poet.__file__.startswith({prefix!r}), poet.__file__
print(poet.__version__, answer.solution.R.shape)
"""


class Installed(unittest.TestCase):
    def run_in(self, folder, *command, **environment):
        ended = subprocess.run([str(part) for part in command], cwd=folder, env={**os.environ, **environment},
                               capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout

    def check_libraries(self, folder):
        """What the module is linked with lies in the package, but for what Debian's Python has anyway."""
        (module,) = folder.glob("venv/lib/python*/site-packages/poet/_poet.*.so")
        resolved = self.run_in(folder, "ldd", module)
        self.assertIn(f" => {module.parent}/libs/libfmt.so", resolved)
        elsewhere = re.findall(rf"^\s*(lib\w+)\S* => (?!{module.parent}/libs/)", resolved.replace("++", ""), re.MULTILINE)
        self.assertLessEqual(set(elsewhere), {"libc", "libm", "libpthread", "libdl", "librt", "libstdc", "libgcc_s", "libcrypto",
                                              "libz", "libbz2", "libsqlite3"})
        if shutil.which("dpkg-query"):
            licences = " ".join(path.name for path in (module.parent / "libs/licences").iterdir())
            for package in ("libfmt", "coinor-libcbc", "libprotobuf"):
                self.assertIn(package, licences)

    def test_package_is_used_and_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            os.environ.clear()
            os.environ.update(clean)
            self.run_in(folder, sys.executable, "-m", "venv", "--system-site-packages", "venv")
            python = Path(folder) / "venv/bin/python"
            self.run_in(folder, python, "-m", "pip", "install", "--no-build-isolation", "--no-index", sources,
                        POET_BUILD_DIR=str(build))
            self.assertEqual(self.run_in(folder, python, "-c", USE.format(prefix=folder)), f"{version} (27, 27)\n")
            self.check_libraries(Path(folder))
            files = self.run_in(folder, python, "-m", "pip", "show", "--files", "poet")
            for name in ("poet/__init__.py", "poet/py.typed", "poet/_poet.pyi", "poet/torch.py"):
                self.assertIn(name, files)
            self.run_in(folder, python, "-m", "pip", "uninstall", "--yes", "poet")
            gone = subprocess.run([python, "-c", "import poet.solve"], cwd=folder, capture_output=True, check=False)
            self.assertNotEqual(gone.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
