"""The configure step refuses a room that names a later one."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import house

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C CXX)
add_library(fmt::fmt INTERFACE IMPORTED)
add_library(poet_warnings INTERFACE)
include({root}/cmake/room.cmake)
add_library(poet STATIC)
file(WRITE ${{PROJECT_BINARY_DIR}}/empty.cc "")
{rooms}
"""


class ConfigureStep(unittest.TestCase):
    def configure(self, rooms):
        """(exit code, what cmake said on one line, what it wrote to rooms.txt)"""
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch)
            text = PROJECT.format(root=house.current.root.as_posix(), rooms=rooms)
            (source / "CMakeLists.txt").write_text(text)
            ended = subprocess.run(
                [house.current.cmake, "-G", "Ninja", "-S", source, "-B", source / "build"],
                capture_output=True,
                text=True,
                check=False,
            )
            return ended.returncode, " ".join(ended.stderr.split()), (source / "build/rooms.txt").read_text()

    def test_accepts_a_room_that_uses_an_earlier_one(self):
        code, said, rooms = self.configure(
            "poet_room(base SOURCES ${PROJECT_BINARY_DIR}/empty.cc)\n"
            "poet_room(device SOURCES ${PROJECT_BINARY_DIR}/empty.cc USES base)"
        )
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(rooms, "base: \ndevice: base\n")

    def test_refuses_a_room_that_uses_a_later_one(self):
        code, said, _ = self.configure(
            "poet_room(base SOURCES ${PROJECT_BINARY_DIR}/empty.cc USES device)\n"
            "poet_room(device SOURCES ${PROJECT_BINARY_DIR}/empty.cc)"
        )
        self.assertNotEqual(code, 0)
        self.assertIn("room 'base' uses 'device', which is not before it", said)

    def test_refuses_a_word_it_does_not_know(self):
        code, said, _ = self.configure("poet_room(base SOURCE ${PROJECT_BINARY_DIR}/empty.cc)")
        self.assertNotEqual(code, 0)
        self.assertIn("poet_room(base): unknown SOURCE", said)


if __name__ == "__main__":
    house.run_tests()
