#!/usr/bin/env python3
"""What each test of a build takes of the processors, with all the programs that it starts: ctest knows only the clock.

usage: bench/build/tests.py FOLDER [ctest options...]    for example: tests.py build/dev -R '^cli_program'
Prints a line of JSON for each, as they end; tests that last long begin first. POET_AT_A_TIME (3) run at a time.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

lock = threading.Lock()


def tests_of(folder, options):
    listed = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1", *options], capture_output=True, text=True,
                            check=True)
    tests = [test for test in json.loads(listed.stdout)["tests"] if "command" in test]
    return sorted(tests, key=lambda test: -float(properties_of(test).get("COST", 0)))


def properties_of(test):
    return {each["name"]: each["value"] for each in test["properties"]}


def run(test):
    """Waits by wait4, which says what the child took, and what it waited for took."""
    properties = properties_of(test)
    environment = {**os.environ, **dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))}
    with tempfile.TemporaryFile() as said:
        begin = time.monotonic()
        child = subprocess.Popen(test["command"], env=environment, cwd=properties["WORKING_DIRECTORY"],
                                 stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        clock_s = time.monotonic() - begin
    skipped = child.returncode == properties.get("SKIP_RETURN_CODE", -1)
    return {"test": test["name"], "processor_s": round(used.ru_utime + used.ru_stime, 2), "clock_s": round(clock_s, 2),
            "passed": child.returncode == 0 or skipped}


def work_on(tests, ended):
    while True:
        with lock:
            if not tests:
                return
            test = tests.pop(0)
        figures = run(test)
        with lock:
            ended.append(figures)
            print(json.dumps(figures), flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    tests, ended = tests_of(sys.argv[1], sys.argv[2:]), []
    workers = [threading.Thread(target=work_on, args=(tests, ended)) for _ in range(int(os.environ.get("POET_AT_A_TIME", "3")))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(json.dumps({"tests": len(ended), "processor_s": round(sum(each["processor_s"] for each in ended), 1)}))
    sys.exit(not all(each["passed"] for each in ended))


if __name__ == "__main__":
    main()
