"""`poet-check-proof` and tools/check_proof.py: two checkers in exact arithmetic, which must say the same of everything."""

import copy
import importlib.util
import json
import os
import random
import sys
import unittest
from fractions import Fraction

import program
from program import poet

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_spec = importlib.util.spec_from_file_location("check_proof", os.path.join(SOURCE, "tools", "check_proof.py"))
python = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(python)


def example_of(page):
    with open(os.path.join(SOURCE, "docs", "formats", page), encoding="utf-8") as file:
        text = file.read()
    return json.loads(text.split("```json\n", 1)[1].split("\n```", 1)[0])


class Checkers(program.InAFolder):
    def write(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(value, file)

    def by_both(self, subject, proof):
        """The answer of both; None where both refuse to read the files. Fails where they differ."""
        self.write("proof.json", proof)
        paths = ["proof.json"]
        if subject is not None:
            self.write("subject.json", subject)
            paths = ["subject.json", "proof.json"]
        ended = poet("--json", *paths, cwd=self.folder)
        context = f"{json.dumps(subject)}\n{json.dumps(proof)}\n{ended}"
        try:
            certificate = python.Certificate(python.load(self.path("proof.json")))
            problem, schedule = certificate.problem, None
            if subject is not None:
                problem, schedule = python.read_subject(python.load(self.path("subject.json")))
            if problem is None:
                raise python.Unreadable("no problem")
        except python.Unreadable as error:
            self.assertEqual(ended.code, 2, f"Python refuses: {error}\n{context}")
            self.assertRegex(ended.err, r"^poet-check-proof: [^\n]+\n$", context)
            return None
        self.assertIn(ended.code, (0, 1), context)
        here, there = python.check(problem, certificate, schedule), ended.json()
        self.assertEqual(ended.code == 0, here["holds"], context)
        self.assertEqual(bool(here["fault"]), bool(there["fault"]), context)
        for key in ("claim", "objective", "holds", "proves_claim"):
            self.assertEqual(here.get(key), there.get(key), f"{key}: {context}")
        self.assertEqual(bool(here.get("impossible")), bool(there.get("impossible")), context)
        for key in ("proved", "unavoidable", "gap"):
            self.assertEqual(here.get(key), there.get(key, {}).get("exact"), f"{key}: {context}")
        self.assertEqual(here.get("parts"), [one["exact"] for one in there["parts"]] if "parts" in there else None, context)
        plan, there_plan = here.get("plan"), there.get("plan")
        self.assertEqual(plan is None, there_plan is None, context)
        if plan is not None:
            self.assertEqual(plan["valid"], there_plan["valid"], f"{plan} {context}")
            if plan["valid"]:
                self.assertEqual(plan["objective"], there_plan["objective"]["exact"], context)
                self.assertEqual(plan["time_s"], there_plan["time_s"]["exact"], context)
                self.assertEqual(plan["peak_ram_bytes"], there_plan["peak_ram_bytes"], context)
        return there


class TheExample(Checkers):
    def setUp(self):
        super().setUp()
        self.plan, self.proof = example_of("plan.md"), example_of("certificate.md")

    def test_is_optimal_to_the_last_bit(self):
        answer = self.by_both(self.plan, self.proof)
        self.assertEqual((answer["holds"], answer["gap"]), (True, {"exact": "0", "rounded": 0.0}))
        # What the costs come to as the doubles that they are, not as the decimals that they are written in.
        terms = (0.0003, 0.01, 0.0009, 0.001, 0.0001, 0.0002, 0.0006, 0.002)
        self.assertEqual(Fraction(answer["proved"]["exact"]), sum(map(Fraction, terms)))
        self.assertLess(answer["proved"]["rounded"], 0.0151)  # the next double below
        ended = poet("subject.json", "proof.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertEqual(ended.out, "the plan keeps every rule, and takes 0.0151 J\n"
                                    "proved: no schedule of the class takes less than 0.0151 J\n"
                                    "the plan is optimal, to the last bit\n")

    def test_says_what_help_is(self):
        ended = poet("--help")
        self.assertEqual(ended.code, 0)
        self.assertIn("poet-check-proof plan.json proof.json", ended.out)

    def test_refuses_what_it_cannot_read_in_one_sentence(self):
        self.write("proof.json", self.proof)
        for arguments, message in (
            (["no.json", "proof.json"], "cannot read 'no.json': No such file or directory"),
            (["proof.json"], "proof.json: the certificate does not carry its problem; give the plan or the problem as well"),
        ):
            ended = poet(*arguments, cwd=self.folder)
            self.assertEqual((ended.code, ended.out, ended.err), (2, "", f"poet-check-proof: {message}\n"))

    def test_another_problem_is_named(self):
        self.proof["instance"]["ram_budget_bytes"] = 1299
        self.assertFalse(self.by_both(self.plan, self.proof)["holds"])
        ended = poet("subject.json", "proof.json", cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertIn("the certificate does not hold: it is about another problem: bytes of RAM: 1299, not 1300\n", ended.out)

    def test_a_plan_that_breaks_a_rule_is_none(self):
        self.plan["schedule"]["actions"].remove(["page_in", 1])
        answer = self.by_both(self.plan, self.proof)
        self.assertEqual(answer["plan"]["fault"], "action 10 runs operation 4, whose input 1 is not in RAM")
        self.assertFalse(answer["holds"])

    def test_no_change_of_a_number_proves_more_than_is_so(self):
        """Every number, name and flag of the certificate, with several others in its place."""
        optimum = Fraction(self.by_both(self.plan, self.proof)["plan"]["objective"]["exact"])
        answers = 0
        for path in paths_in(self.proof):
            for value in others(value_at(self.proof, path)):
                changed = copy.deepcopy(self.proof)
                value_at(changed, path[:-1])[path[-1]] = value
                answers += self.expect_no_false_claim(changed, optimum)
        self.assertGreater(answers, 40)

    def test_no_change_of_structure_proves_more_than_is_so(self):
        """Every list and object loses, repeats and exchanges members."""
        optimum = Fraction(self.by_both(self.plan, self.proof)["plan"]["objective"]["exact"])
        for path in paths_in(self.proof, leaves=False):
            container = value_at(self.proof, path)
            for place in list(container) if isinstance(container, dict) else range(len(container)):
                changed = copy.deepcopy(self.proof)
                del value_at(changed, path)[place]
                self.expect_no_false_claim(changed, optimum)
                if isinstance(container, list):
                    changed = copy.deepcopy(self.proof)
                    value_at(changed, path).append(copy.deepcopy(container[place]))
                    self.expect_no_false_claim(changed, optimum)
                    changed = copy.deepcopy(self.proof)
                    value_at(changed, path).reverse()
                    self.expect_no_false_claim(changed, optimum)

    def expect_no_false_claim(self, proof, optimum):
        answer = self.by_both(self.plan, proof)
        if answer is None or answer["fault"]:
            return 0
        self.assertEqual(answer["claim"], "bound")
        self.assertLessEqual(Fraction(answer["proved"]["exact"]), optimum, json.dumps(proof))
        return 1


class Impossible(Checkers):
    """The example with less RAM: 1,204 bytes do, the largest working set is 1,204."""

    def setUp(self):
        super().setUp()
        self.problem, self.proof = example_of("problem.md"), example_of("certificate.md")
        del self.proof["claimed_bound"]

    def test_sums_alone_may_say_it(self):
        self.problem["ram_budget_bytes"] = self.proof["instance"]["ram_budget_bytes"] = 1203
        self.proof.update(claim="infeasible", parts=[])
        answer = self.by_both(self.problem, self.proof)
        self.assertEqual((answer["holds"], answer["impossible"]),
                         (True, "operation 3 alone needs 1204 bytes of RAM, and the budget is 1203 bytes"))
        self.proof["problem"] = self.problem
        self.assertTrue(self.by_both(None, self.proof)["holds"])
        ended = poet("proof.json", cwd=self.folder)
        self.assertEqual(ended.out, "proved: the class has no schedule, because operation 3 alone needs 1204 bytes of RAM, and "
                                    "the budget is 1203 bytes\n")

    def test_a_deadline_and_paging_contradict_each_other(self):
        """Tensor 1 cannot stay, and 0.032 s are too few to bring it back: two rows and a deadline say so."""
        self.problem["deadline_s"] = self.proof["instance"]["deadline_s"] = 0.032
        self.proof["claim"] = "infeasible"
        part = self.proof["parts"][0]
        part["rows"] += [["deadline"]]
        # Present is rounded to 0 by the cut; then it is made again, 0.02 s, or written and read, 0.005 s.
        part["nodes"] = [{"rows": [[0, 0.001], [1, 0.005], [2, 0.003], [4, 1.0]], "cuts": [[0, 0.005]]}]
        answer = self.by_both(self.problem, self.proof)
        self.assertTrue(answer["holds"], answer)
        self.assertGreater(Fraction(answer["proved"]["exact"]), 0)
        self.problem["deadline_s"] = self.proof["instance"]["deadline_s"] = 0.033
        self.assertFalse(self.by_both(self.problem, self.proof)["holds"])

    def test_the_smallest_budget(self):
        plan = example_of("plan.md")
        self.proof.update(claim="least-ram", claimed_bytes=1204, parts=[])
        self.assertTrue(self.by_both(plan, self.proof)["holds"])
        ended = poet("subject.json", "proof.json", cwd=self.folder)
        self.assertEqual(ended.out.splitlines()[1:],
                         ["proved: the class has no schedule in less than 1204 bytes of RAM, because operation 3 alone needs 1204 "
                          "bytes of RAM, and the budget is 1203 bytes", "the plan needs the smallest RAM budget"])
        self.proof["claimed_bytes"] = 1205
        self.assertFalse(self.by_both(plan, self.proof)["holds"])


# --- changes -----------------------------------------------------------------------------------------------------------


def value_at(value, path):
    for key in path:
        value = value[key]
    return value


def paths_in(value, leaves=True, path=()):
    if not isinstance(value, (dict, list)):
        if leaves:
            yield path
        return
    if not leaves:
        yield path
    for key in value if isinstance(value, dict) else range(len(value)):
        yield from paths_in(value[key], leaves, (*path, key))


def others(value):
    if isinstance(value, bool):
        return [not value, 0]
    if isinstance(value, (int, float)):
        return [0, 1, -1, value + 1, value * 1.5, value * 0.5, 1e300, 1e-300, 2**31, 2**63, "1", None]
    return ["", "windows", "walk", "need", "copy", "memory", "carry", "deadline", "free", "blocking", 0, None]


# --- random problems, with everything that a problem can have ----------------------------------------------------------


def amount(rng):
    return rng.choice([0.0, rng.randint(0, 24) / 8, rng.random(), rng.random() * 1e-9, rng.randint(0, 9) * 1e6])


def random_problem(rng):
    tensors, operations, alive = [], [], []

    def tensor(**fields):
        tensors.append({"size_bytes": rng.choice([0, 1, 2, 3, 5, 8, 1000, 10**12]), "page_in_j": amount(rng),
                        "page_out_j": amount(rng), "page_in_s": amount(rng), "page_out_s": amount(rng), **fields})
        return len(tensors) - 1

    for _ in range(rng.randint(1, 3)):
        home = rng.choice(["storage", "storage", "rom", "resident"])
        alive.append(tensor(home=home, **({"may_be_resident": True} if home == "storage" and rng.random() < 0.4 else {})))
    updatable = [i for i in alive if tensors[i]["home"] != "rom"]
    for v in range(rng.randint(2, 6)):
        inputs = rng.sample(alive, min(len(alive), rng.randint(0, 3)))
        operation = {"inputs": inputs, "outputs": [], "compute_j": amount(rng), "compute_s": amount(rng)}
        kind = rng.random()
        if kind < 0.12 and inputs:
            source = inputs[0]
            root = tensors[source].get("view_of", source)
            operation = {"inputs": [source], "outputs": [tensor(view_of=root, home=tensors[root].get("home", "made"))], "view": True}
        elif kind < 0.3 and updatable:
            old = updatable.pop()
            new = tensor(updates=old, size_bytes=tensors[old]["size_bytes"],
                         home="made" if tensors[old]["home"] == "storage" else "resident")
            alive = [i for i in alive if tensors[i].get("view_of", i) != old]
            operation.update(outputs=[new], once=True)
            if old in inputs and rng.random() < 0.5:
                operation["in_place"] = {"input": old, "output": new}
        else:
            operation["outputs"] = [tensor() for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            if inputs and rng.random() < 0.4:
                source, target = rng.choice(inputs), operation["outputs"][0]
                root = tensors[source].get("view_of", source)
                tensors[target]["size_bytes"] = min(tensors[target]["size_bytes"], tensors[root]["size_bytes"])
                operation["in_place"] = {"input": source, "output": target}
            if rng.random() < 0.3:
                operation["workspace_bytes"] = rng.randint(0, 5)
            if rng.random() < 0.1:
                operation.update(once=True, written_bytes=rng.randint(0, 4))
        alive += operation["outputs"]
        operations.append(operation)
    total = sum(one["size_bytes"] for one in tensors)
    problem = {"format": "poet-problem", "version": 1, "name": "random", "ram_budget_bytes": rng.choice([total, total // 2, total // 3]),
               "time_mode": rng.choice(["free", "blocking", "overlapped"]), "objective": rng.choice(["energy", "time"]),
               "tensors": tensors, "operations": operations}
    if rng.random() < 0.5:
        problem["deadline_s"] = sum(one.get("compute_s", 0.0) for one in operations) * rng.choice([1, 1.5, 3])
        if rng.random() < 0.4:  # sometimes a deadline by the figures that lets too few schedules pass
            ratio = rng.choice([0.25, 0.1, rng.random()])
            problem["uncertainty"] = {"ratio": ratio, "deadline_s": problem["deadline_s"] * rng.choice([0.8, 1, 1.1, 1.2])}
            problem["deadline_s"] = problem["uncertainty"]["deadline_s"] / rng.choice([1, 1, 1 + ratio])
            if rng.random() < 0.6:
                problem["uncertainty"]["deviations"] = rng.choice([1, 2, 3, 100])
    if rng.random() < 0.3:
        problem["storage_capacity_bytes"] = total
    if rng.random() < 0.3:
        problem["write_budget_bytes"] = total
    if rng.random() < 0.3:
        problem["idle_w"] = rng.random()
    for key in ("paging_allowed", "rematerialisation_allowed"):
        if rng.random() < 0.15:
            problem[key] = False
    return problem


def random_schedule(rng, problem):
    """Everything is kept, homes are read first, new values written; sometimes shaken."""
    tensors, actions, present = problem["tensors"], [], set()
    root_of = lambda i: tensors[i].get("view_of", i)
    for v, operation in enumerate(problem["operations"]):
        for i in map(root_of, operation["inputs"]):
            if tensors[i].get("home") == "storage" and i not in present:
                present.add(i)
                actions.append(["page_in", i])
        actions.append(["compute", v])
        if "in_place" in operation and rng.random() < 0.7:
            source = root_of(operation["in_place"]["input"])
            used_later = any(source in map(root_of, later["inputs"]) for later in problem["operations"][v + 1:])
            if not used_later and tensors[source].get("home", "made") in ("made", "storage"):
                actions.append(["drop", source])
        for i in operation["outputs"]:
            if "updates" in tensors[i] and tensors[i]["home"] == "made":
                actions.append(["page_out", i])
    if rng.random() < 0.3 and actions:
        place = rng.randrange(len(actions))
        actions[place:place + rng.randint(0, 1)] = [[rng.choice(["compute", "page_in", "page_out", "drop"]),
                                                     rng.randrange(len(tensors))]]
    resident = [i for i, one in enumerate(tensors) if one.get("may_be_resident") and rng.random() < 0.15]
    if resident:
        actions = [one for one in actions if one[0] == "compute" or (
            one[1] not in resident and tensors[one[1]].get("updates") not in resident)]
    return {"format": "poet-schedule", "version": 1, "resident": resident, "actions": actions}


def multiplier(rng):
    return rng.choice([0.0, 1.0, rng.random(), rng.random() * 1e-9, rng.randint(0, 40) / 8, 1e5])


def random_walk(rng, step):
    events = []
    for t in range(step.stages):
        for v in range(t + 1):
            if step.last[v] < t or rng.random() < 0.4:
                continue
            event = {"stage": t, "operation": v, "memory": multiplier(rng) * 1e-3}
            event["uses"] = [[i, multiplier(rng)] for i in step.inputs[v] if rng.random() < 0.7]
            if rng.random() < 0.5:
                event["outputs"] = [[i, multiplier(rng) * rng.choice([1, -1])] for i in step.outputs[v] if rng.random() < 0.7]
            if step.sharing[v]:
                event.update({key: multiplier(rng) for key in python.SHARED if rng.random() < 0.6})
            events.append(event)
    walk = {"kind": "walk", "cuts": [], "events": events}
    for key, there in (("deadline", step.latest_s), ("storage", step.storage_room), ("writes", step.write_room)):
        if there is not None and rng.random() < 0.7:
            walk[key] = multiplier(rng) * 1e-3
    for _ in range(20):
        stage = rng.randrange(step.stages)
        waiting = [i for i in range(len(step.size)) if python.waits_until(step, i, stage) is not None]
        cut = (rng.choice(["stored", "read"]), stage, [i for i in waiting if rng.random() < 0.2], rng.choice([1, 2, 3, 7, 10**13]),
               Fraction(1))
        try:
            list(python.need_terms(step, 0, cut))
        except python.Broken:
            continue
        walk["cuts"].append({"kind": cut[0], "stage": stage, "absent": cut[2], "divisor_bytes": cut[3],
                             "multiplier": multiplier(rng)})
    return walk


def random_windows(rng, step):
    keys = sorted(rng.sample(range(step.stages), rng.randint(0, step.stages)))
    model = python.WindowModel(step, keys)
    tensors, rows = range(len(step.size)), []
    names = [[kind] for kind in ("deadline", "storage", "writes")]
    for w in range(len(keys) + 1):
        names.append(["memory", w])
        names += [[kind, w, i] for kind in ("need", "copy", "carry", "stays") for i in tensors]
        names += [["crowded", w, v] for v in range(step.stages)]
        names += [[kind, w, v, i] for kind in ("making", "crowded-need", "crowded-later") for v in range(step.stages) for i in tensors]
        names += [["crowded-reader", w, v, i, u] for v in range(step.stages) for i in tensors for u in step.readers[i]]
    for name in names:
        if model.row(tuple(name)) is not None:
            rows.append(name)
    if rng.random() < 0.1:
        rows.append(rng.choice(names))
    columns = [list(name) for name in model.cost]
    rng.shuffle(rows)
    rng.shuffle(columns)

    def weights(count):
        return [[place, multiplier(rng)] for place in range(count) if rng.random() < min(1, 4 / (count + 1))]

    cuts = []
    for _ in range(rng.randint(0, 4)):
        cuts.append({"rows": weights(len(rows)), "cuts": weights(len(cuts)), "divisor": rng.choice([1.0, 0.3, 7.0, 1e6, rng.random()]),
                     "complemented": [n for n in range(len(columns)) if rng.random() < 0.2]})
    whole = [n for n, name in enumerate(columns) if name[0] != "in-ram"]
    nodes, left = [None], [(0, frozenset())]
    while left:
        place, decided = left.pop()
        free = [n for n in whole if n not in decided]
        if free and len(nodes) < 7 and rng.random() < 0.5:
            column = rng.choice(free)
            nodes[place] = {"column": column, "zero": len(nodes), "one": len(nodes) + 1}
            left += [(len(nodes), decided | {column}), (len(nodes) + 1, decided | {column})]
            nodes += [None, None]
        else:
            nodes[place] = {"rows": weights(len(rows)), "cuts": weights(len(cuts))}
    return {"kind": "windows", "keys": keys, "rows": rows, "columns": columns, "cuts": cuts, "nodes": nodes}


def random_certificate(rng, value):
    problem = python.Problem(value)
    instance = {"name": problem.name, "operations": len(problem.operations), "tensors": len(problem.tensors)}
    for key in python.LIMITS:
        if getattr(problem, key) is not None:
            instance[key] = getattr(problem, key)
    overlapped = problem.time_mode == "overlapped"
    proof = {"format": "poet-certificate", "version": 1, "instance": instance,
             "proof_time_mode": "free" if overlapped else problem.time_mode, "claimed_by": "nobody"}
    if overlapped and rng.random() < 0.5:
        proof["compute_share"] = rng.random()
    claim = rng.choice(["bound", "bound", "infeasible", "least-ram"])
    if claim == "bound":
        proof["claimed_bound"] = amount(rng)
    else:
        proof["claim"] = claim
    budget = problem.ram_budget_bytes
    if claim == "least-ram":
        proof["claimed_bytes"] = rng.choice([0, budget, budget + 1])
        budget = proof["claimed_bytes"] - 1
    step = python.Step(problem, budget, Fraction(proof.get("compute_share", 1.0)), claim != "bound")
    proof["parts"] = [rng.choice([random_walk, random_windows])(rng, step) for _ in range(rng.randint(0, 2))]
    return proof


class RandomProblems(Checkers):
    def test_both_say_the_same(self):
        answered = valid = 0
        for seed in range(int(os.environ.get("POET_RANDOM_PROOFS", "400"))):
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                problem = random_problem(rng)
                plan = {"format": "poet-plan", "version": 1, "problem": problem, "schedule": random_schedule(rng, problem)}
                try:
                    proof = random_certificate(rng, problem)
                except python.Unreadable as error:
                    self.fail(f"the generator made no problem: {error} {json.dumps(problem)}")
                answer = self.by_both(plan, proof)
                answered += not answer["fault"]
                valid += answer["plan"]["valid"]
        self.assertGreater(answered, 100)
        self.assertGreater(valid, 40)


if __name__ == "__main__":
    sys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None
    program.run_tests()
