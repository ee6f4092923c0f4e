"""Builds the module of C++ with CMake; everything else stands in pyproject.toml.

POET_BUILD_DIR names a folder that CMake has configured: the module is built there, and taken from there, so that what is
compiled already is not compiled again. Otherwise it is built from scratch, optimised, in build/python. Beside it, in libs,
goes what it is linked with (tools/carried_libraries.py).
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))
from carried_libraries import carry  # noqa: E402

MODULE = "_poet" + sysconfig.get_config_var("EXT_SUFFIX")


def version():
    return re.search(r"^project\(poet VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


class BuildWithCMake(build_ext):
    def build_extension(self, ext):
        folder = os.environ.get("POET_BUILD_DIR")
        build = Path(folder).resolve() if folder else self.configure()
        subprocess.run(["cmake", "--build", build, "--target", "poet_python", "--parallel", str(os.cpu_count() or 1)],
                       check=True)
        made = build / "python" / "poet" / MODULE
        if not made.exists():
            there = ", ".join(path.name for path in made.parent.glob("_poet.*.so")) or "no module"
            sys.exit(f"setup.py: {made.parent} has {there}, and this Python needs {MODULE}: "
                     "configure that folder with -DPython_EXECUTABLE, or unset POET_BUILD_DIR")
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, target)
        libraries = target.parent / "libs"
        shutil.rmtree(libraries, ignore_errors=True)
        if not self.inplace and not self.editable_mode:
            carry(target, libraries)

    @staticmethod
    def configure():
        build = ROOT / "build" / "python"
        subprocess.run(["cmake", "--preset", "release", "-B", build, f"-DPython_EXECUTABLE={sys.executable}"], cwd=ROOT,
                       check=True)
        return build


setup(version=version(), ext_modules=[Extension("poet._poet", sources=[])], cmdclass={"build_ext": BuildWithCMake})
