"""Ctrl-C, several threads, and what else goes on while POET works."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import poet
from case import LINEAR, Case, run_tests

# Not proved before somebody can interrupt it: the search has no other end.
LONG = {"model": "bert", "platform": "m4", "ram_budget": "10%way", "runtime_budget": 1.5, "gap": 0, "time_limit_s": 1e100}


class Interrupted(Case):
    def run_and_interrupt(self, script):
        """What a script prints that is sent Ctrl-C once it has said that it is at work."""
        program = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), "at work\n", "it never began")
        for _try in range(10):
            program.send_signal(signal.SIGINT)
            try:
                out, err = program.communicate(timeout=30)
                break
            except subprocess.TimeoutExpired:
                continue
        else:
            program.kill()
            self.fail("it did not end")
        return program.returncode, out, err

    def test_a_search_gives_the_best_so_far(self):
        code, out, err = self.run_and_interrupt(f"""
            import signal
            import warnings
            import poet
            signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts us may have it ignored
            warnings.simplefilter("ignore")
            said = []
            def progress(news):
                if news["incumbent"] is not None and not said:
                    said.append(news)
                    print("at work", flush=True)
            answer = poet.solve(**{LONG!r}, progress=progress)
            print(answer.status, bool(answer.plan.verify()), flush=True)
        """)
        self.assertEqual((code, out), (0, "feasible True\n"), err)

    def test_a_training_stops_after_a_whole_step(self):
        code, out, err = self.run_and_interrupt(f"""
            import signal
            import poet
            signal.signal(signal.SIGINT, signal.default_int_handler)
            def told(news):
                if news["step"] == 1:
                    print("at work", flush=True)
            trained = poet.train("digits-mlp", steps=10**7, storage={str(self.folder)!r}, keep_plans=False, on_step=told,
                                 test_examples=0)
            print(trained.stopped, len(trained.losses) == trained.steps, "linear" in str(list(trained.parameters)), flush=True)
        """)
        self.assertEqual(code, 0, err)
        self.assertTrue(out.startswith("True True"), out)


class Beside(Case):
    def test_other_threads_run_meanwhile(self):
        # A search that has no other end than what another thread does meanwhile.
        begun = threading.Event()

        ended = threading.Event()

        def interrupt():
            # As a person would: again, when nothing happens. A backend may have taken the first one for its own.
            begun.wait()
            os.kill(os.getpid(), signal.SIGINT)
            while not ended.wait(30):
                os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            answer = poet.solve(**LONG, progress=lambda news: news["incumbent"] is None or begun.set())
        finally:
            ended.set()
            thread.join()
        self.assertEqual(answer.status, "feasible")

    def test_two_threads_solve_at_once(self):
        answers = {}

        def solve(name, budget):
            answers[name] = poet.solve("vgg16_cifar", "a72", ram_budget=budget, runtime_budget=1.5)

        alone = {name: poet.solve("vgg16_cifar", "a72", ram_budget=name, runtime_budget=1.5) for name in ("50%way", "70%way")}
        threads = [threading.Thread(target=solve, args=(name, name)) for name in alone]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name, answer in alone.items():
            self.assertEqual(answers[name].energy_j, answer.energy_j)
            self.assertEqual(answers[name].plan.actions, answer.plan.actions)

    def test_a_callback_may_ask_itself(self):
        inner = []

        def ask(_news):
            if not inner:
                inner.append(poet.Device("m4").ram_bytes)

        poet.solve("vgg16_cifar", "a72", ram_budget="30%way", runtime_budget=1.5, progress=ask)
        self.assertEqual(inner, [262144])

    def test_a_child_process_solves_too(self):
        poet.solve(**LINEAR)
        child = os.fork()
        if child == 0:
            os._exit(0 if poet.solve(**LINEAR).feasible else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    run_tests()
