"""Puts the libraries that a module of Python is linked with beside it, so that it runs where they are not installed.

usage: carried_libraries.py MODULE FOLDER

The module has an rpath of the old kind to that folder (python/CMakeLists.txt), which holds for what the libraries need in
turn, so nothing in them is changed. The licence that Debian has of each library comes along.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

# The system's C and C++, and what Debian's Python itself is linked with: of these a process has one, and Debian mends it.
OF_THE_SYSTEM = re.compile(r"linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|crypto|z|bz2|sqlite3)\.so")


def needed_by(module):
    """{name that is asked for: file that was found}, of everything that a module loads."""
    listed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    absent = re.findall(r"^\s*(\S+) => not found", listed, re.MULTILINE)
    if absent:
        sys.exit(f"carried_libraries: {module} is linked with {', '.join(absent)}, which is not found here")
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE))
    return {name: Path(path) for name, path in sorted(found.items()) if not OF_THE_SYSTEM.match(name)}


def licence_of(library):
    """Debian's copyright file of the package that a library is from; nothing where this is no Debian, or none of its."""
    if not shutil.which("dpkg-query"):
        return None
    real = str(library.resolve())
    # Packages older than the merge of /lib into /usr/lib name their files as they were then.
    for path in (real, real.removeprefix("/usr")):
        said = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True, check=False)
        if said.returncode == 0:
            copyright_file = Path("/usr/share/doc", said.stdout.partition(":")[0], "copyright")
            return copyright_file if copyright_file.exists() else None
    return None


def carry(module, folder):
    """Copies what the module needs into the folder; returns the names of what was copied."""
    licences = folder / "licences"
    licences.mkdir(parents=True)
    needed = needed_by(module)
    for name, library in needed.items():
        shutil.copyfile(library, folder / name)
        licence = licence_of(library)
        if licence is None:
            print(f"carried_libraries: warning: the licence of {library} is not known here: it is for this machine only",
                  file=sys.stderr)
        else:
            shutil.copyfile(licence, licences / licence.parent.name)
    return sorted(needed)


if __name__ == "__main__":
    print(*carry(Path(sys.argv[1]), Path(sys.argv[2])), sep="\n")
