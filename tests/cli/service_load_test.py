"""bench/service/load.py: however it ends, no server is left behind."""

import os
import select
import signal
import subprocess
import sys

import program
from program import InAFolder

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/service/load.py")


class Ends(InAFolder):
    def end_with(self, number):
        """Starts a load of an hour, ends it with a signal, and answers its exit code, with its server gone."""
        environment = {**os.environ, "TMPDIR": self.folder}
        load = subprocess.Popen(
            [sys.executable, "-B", LOAD, program.program, "cached", "--clients", "2", "--seconds", "3600", "--log",
             self.path("load.jsonl")], cwd=self.folder, env=environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(load.kill)
        with load.stderr:
            said = load.stderr.readline()
            self.assertRegex(said, r"^asking http://127\.0\.0\.1:[0-9]+/$")
            with open(f"/proc/{load.pid}/task/{load.pid}/children", encoding="ascii") as children:
                server = os.pidfd_open(int(children.read()))
            self.addCleanup(os.close, server)
            load.send_signal(number)
            code = load.wait(timeout=60)
        ended = select.poll()
        ended.register(server, select.POLLIN)
        self.assertTrue(ended.poll(30_000), "the server is still there")
        return code

    def test_told_to_end_it_stops_its_server_and_cleans_up(self):
        self.assertEqual(self.end_with(signal.SIGTERM), 128 + signal.SIGTERM)
        self.assertEqual(os.listdir(self.folder), [])

    def test_killed_it_takes_its_server_along(self):
        self.assertEqual(self.end_with(signal.SIGKILL), -signal.SIGKILL)


if __name__ == "__main__":
    program.run_tests()
