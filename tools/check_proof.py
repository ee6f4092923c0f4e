#!/usr/bin/env python3
"""Checks a certificate of poet in exact rational arithmetic, with Python's standard library alone.

    check_proof.py plan.json proof.json      a plan (or a problem) and its certificate
    check_proof.py proof.json                a certificate that carries its problem
    check_proof.py --json plan.json proof.json

A second checker beside `poet-check-proof`: written apart from it, in another language, so that the two can be compared. What
a certificate means is in docs/formats/certificate.md. Exit codes: 0 what is
claimed is proved, and the plan is valid; 1 not so; 2 files that cannot be read.
"""
import heapq
import json
import sys
from fractions import Fraction

ZERO, ONE = Fraction(0), Fraction(1)
CUT_BITS = 64  # docs/model/numbers.md §4.1


class Unreadable(Exception):
    """A file that is not what it should be."""


class Broken(Exception):
    """A certificate that proves nothing, or a plan that breaks a rule."""


# --- reading ---------------------------------------------------------------------------------------------------------


def load(path):
    def no_twins(pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            raise Unreadable(f"{path}: a field stands twice")
        return members

    def refuse(word):
        raise Unreadable(f"{path}: {word} is no number")

    def whole_in_63_bits(digits):
        if len(digits) > 20 or not -(1 << 63) <= int(digits) < 1 << 63:
            raise Unreadable(f"{path}: {digits:.30} does not fit in 63 bits")
        return int(digits)

    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file, object_pairs_hook=no_twins, parse_constant=refuse, parse_int=whole_in_63_bits)
    except (OSError, ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: {error}") from None


class Fields:
    """The members of an object, each asked for once; the others are refused at the end."""

    def __init__(self, value, what):
        if not isinstance(value, dict):
            raise Unreadable(f"{what} must be an object")
        self.value, self.what, self.asked = value, what, set()

    def get(self, key, default=None):
        self.asked.add(key)
        if key not in self.value:
            if default is None:
                raise Unreadable(f"{self.what} must have '{key}'")
            return default
        return self.value[key]

    def has(self, key):
        return key in self.value

    def whole(self, key, default=None, least=0, most=1 << 62):
        return whole(self.get(key, default), f"'{key}' of {self.what}", least, most)

    def position(self, key):
        return self.whole(key, most=(1 << 31) - 1)

    def number(self, key, default=None, least=0.0):
        return number(self.get(key, default), f"'{key}' of {self.what}", least)

    def word(self, key, known, default=None):
        value = self.get(key, default)
        if not isinstance(value, str) or value not in known:
            raise Unreadable(f"'{key}' of {self.what} must be one of {', '.join(known)}")
        return value

    def flag(self, key, default=None):
        self.asked.add(key)
        value = self.value.get(key, default)
        if not isinstance(value, bool):
            raise Unreadable(f"'{key}' of {self.what} must be true or false")
        return value

    def text(self, key, default=None):
        value = self.get(key, default)
        if not isinstance(value, str):
            raise Unreadable(f"'{key}' of {self.what} must be a text")
        return value

    def list(self, key, default=None):
        value = self.get(key, default)
        if not isinstance(value, list):
            raise Unreadable(f"'{key}' of {self.what} must be a list")
        return value

    def positions(self, key, default=None):
        return [whole(one, f"'{key}' of {self.what}", 0, (1 << 31) - 1) for one in self.list(key, default)]

    def format(self, name):
        if self.get("format") != name or self.get("version") != 1:
            raise Unreadable(f"{self.what} must be a {name} of version 1")

    def finish(self):
        for key in self.value:
            if key not in self.asked:
                raise Unreadable(f"{self.what} has an unknown field '{key}'")


def whole(value, what, least=0, most=1 << 62):
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Unreadable(f"{what} must be a whole number from {least} to {most}")
    return value


def number(value, what, least=0.0):
    """The double that is written there."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unreadable(f"{what} must be a number")
    try:
        value = float(value)
    except OverflowError:
        raise Unreadable(f"{what} is too large") from None
    if value - value != 0 or (least is not None and value < least):
        raise Unreadable(f"{what} must be a finite number" + ("" if least is None else f" of at least {least:g}"))
    return value


class Tensor:
    def __init__(self, value, position):
        fields = Fields(value, f"tensor {position}")
        if fields.whole("id", position) != position:
            raise Unreadable(f"the id of tensor {position} must be its position")
        self.name = fields.text("name", "")
        self.size = fields.whole("size_bytes")
        self.home = fields.word("home", ("made", "storage", "rom", "resident"), "made")
        self.may_be_resident = fields.flag("may_be_resident", False)
        self.view_of = fields.position("view_of") if fields.has("view_of") else None
        self.updates = fields.position("updates") if fields.has("updates") else None
        self.read_j, self.write_j, self.read_s, self.write_s = (
            Fraction(fields.number(key, 0.0)) for key in ("page_in_j", "page_out_j", "page_in_s", "page_out_s"))
        fields.finish()


class Operation:
    def __init__(self, value, position):
        fields = Fields(value, f"operation {position}")
        if fields.whole("id", position) != position:
            raise Unreadable(f"the id of operation {position} must be its position")
        fields.text("name", "")
        self.inputs, self.outputs = fields.positions("inputs"), fields.positions("outputs")
        self.workspace = fields.whole("workspace_bytes", 0)
        self.written = fields.whole("written_bytes", 0)
        self.joules, self.seconds = Fraction(fields.number("compute_j", 0.0)), Fraction(fields.number("compute_s", 0.0))
        self.once, self.view = fields.flag("once", False), fields.flag("view", False)
        fields.flag("backward", False)
        self.in_place = None
        if fields.has("in_place"):
            place = Fields(fields.get("in_place"), "'in_place'")
            self.in_place = (place.position("input"), place.position("output"))
            place.finish()
        fields.finish()


class Uncertainty:
    """docs/model/problem.md §4: how far costs may be above their figures."""

    def __init__(self, value):
        fields = Fields(value, "'uncertainty'")
        self.ratio = Fraction(fields.number("ratio"))
        self.deviations = fields.whole("deviations") if fields.has("deviations") else None
        self.deadline_s = fields.number("deadline_s") if fields.has("deadline_s") else None
        fields.finish()

    def worst(self, time, paid):
        """The most that a step takes which takes `time` by the figures, of which `paid` for each cost."""
        every = (1 + self.ratio) * time
        if self.deviations is None:
            return every
        return min(every, time + self.ratio * sum(sorted(paid, reverse=True)[:self.deviations], ZERO))


LIMITS = ("ram_budget_bytes", "deadline_s", "storage_capacity_bytes", "write_budget_bytes", "idle_w", "time_mode",
          "objective", "paging_allowed", "rematerialisation_allowed")


def read_limits(fields, into, needs_all):
    """`needs_all`: a certificate writes what a problem may leave out."""
    into.ram_budget_bytes = fields.whole("ram_budget_bytes")
    into.deadline_s = fields.number("deadline_s") if fields.has("deadline_s") else None
    into.storage_capacity_bytes = fields.whole("storage_capacity_bytes") if fields.has("storage_capacity_bytes") else None
    into.write_budget_bytes = fields.whole("write_budget_bytes") if fields.has("write_budget_bytes") else None
    into.idle_w = fields.number("idle_w", 0.0)
    into.time_mode = fields.word("time_mode", ("free", "blocking", "overlapped"), None if needs_all else "blocking")
    into.objective = fields.word("objective", ("energy", "time"), None if needs_all else "energy")
    into.paging_allowed = fields.flag("paging_allowed", None if needs_all else True)
    into.rematerialisation_allowed = fields.flag("rematerialisation_allowed", None if needs_all else True)


class Problem:
    def __init__(self, value):
        fields = Fields(value, "the problem")
        fields.format("poet-problem")
        self.name = fields.text("name", "")
        read_limits(fields, self, False)
        self.uncertainty = Uncertainty(fields.get("uncertainty")) if fields.has("uncertainty") else None
        self.tensors = [Tensor(one, n) for n, one in enumerate(fields.list("tensors"))]
        self.operations = [Operation(one, n) for n, one in enumerate(fields.list("operations"))]
        fields.finish()
        self.maker = [None] * len(self.tensors)
        self.updated_by = [None] * len(self.tensors)
        self.check_form()

    def root(self, tensor):
        view_of = self.tensors[tensor].view_of
        return tensor if view_of is None else view_of

    def latest_s(self):
        """docs/model/numbers.md §4.2: one product of doubles."""
        return None if self.deadline_s is None else Fraction(min(self.deadline_s * (1 + 1e-9), sys.float_info.max))

    def check_form(self):
        """docs/model/problem.md §1.8."""
        def need(rule, what):
            if not rule:
                raise Unreadable(f"the problem is not well formed: {what}")

        tensors, operations = self.tensors, self.operations
        need(operations, "it has no operations")
        given = self.uncertainty
        need(given is None or (0 < given.ratio <= 10 and given.deviations != 0
                               and (given.deadline_s is None) == (self.deadline_s is None)), "its uncertainty is none")
        need(sum(t.size for t in tensors) + sum(o.workspace + o.written for o in operations) <= 1 << 62, "its sizes overflow")
        for v, o in enumerate(operations):
            need(o.outputs, f"operation {v} makes nothing")
            need(o.written == 0 or o.once, f"operation {v} writes to storage and may run twice")
            need(all(i < len(tensors) for i in o.inputs + o.outputs), f"operation {v} names what does not exist")
            need(len(set(o.inputs)) == len(o.inputs), f"operation {v} reads a tensor twice")
            for i in o.outputs:
                need(self.maker[i] is None, f"tensor {i} is made twice")
                self.maker[i] = v
        for i, t in enumerate(tensors):
            if t.view_of is not None:
                need(t.view_of < i and tensors[t.view_of].view_of is None and tensors[t.view_of].home == t.home
                     and t.updates is None and not t.may_be_resident, f"tensor {i} is no view")
            need(not t.may_be_resident or t.home == "storage", f"tensor {i} may not be resident")
            made = t.home == "made" or t.view_of is not None or t.updates is not None
            need(made == (self.maker[i] is not None), f"tensor {i} is made, or is not, against its home")
            if t.view_of is not None:
                need(operations[self.maker[i]].view, f"operation {self.maker[i]} makes a view")
            if t.updates is None:
                continue
            need(t.updates < len(tensors) and t.updates != i, f"tensor {i} updates nothing")
            old = tensors[t.updates]
            need(old.view_of is None and old.updates is None and old.size == t.size
                 and (old.home, t.home) in (("storage", "made"), ("resident", "resident")), f"tensor {i} updates what it cannot")
            need(self.updated_by[t.updates] is None, f"tensor {t.updates} is updated twice")
            self.updated_by[t.updates] = self.maker[i]
            need(operations[self.maker[i]].once, f"operation {self.maker[i]} updates and may run twice")
        for v, o in enumerate(operations):
            for i in o.inputs:
                need(self.maker[i] is None or self.maker[i] < v, f"operation {v} reads what is made later")
                update = self.updated_by[self.root(i)]
                need(update is None or v <= update, f"operation {v} reads an old value")
            if o.view:
                need(len(o.inputs) == len(o.outputs) == 1 and not (o.workspace or o.joules or o.seconds or o.once)
                     and o.in_place is None and tensors[o.outputs[0]].view_of == self.root(o.inputs[0]),
                     f"operation {v} is no view")
            if o.in_place is not None:
                source, target = o.in_place
                need(source in o.inputs and target in o.outputs and tensors[target].size <= tensors[self.root(source)].size,
                     f"operation {v} cannot work in place")


# --- the step (docs/model/event-model.md §1) ------------------------------------------------------------------------------------


class Step:
    """Roots that move, and operations, with exact costs; `costs_nothing`: the question is whether there is a schedule."""

    def __init__(self, problem, ram_budget, share=ONE, costs_nothing=False):
        mode = problem.time_mode
        compute, transfer = {"free": (ONE, ZERO), "blocking": (ONE, ONE), "overlapped": (share, 1 - share)}[mode]
        idle_w = Fraction(problem.idle_w)

        def cost(joules, seconds):
            if costs_nothing:
                return ZERO
            return seconds if problem.objective == "time" else joules + idle_w * seconds

        tensors, operations = problem.tensors, problem.operations
        count = len(operations)
        self.stages = count
        self.moves = [t.view_of is None and t.home in ("made", "storage") for t in tensors]
        self.size = [t.size for t in tensors]
        self.maker = [problem.maker[i] if self.moves[i] else None for i in range(len(tensors))]
        self.must_write = [self.moves[i] and t.updates is not None for i, t in enumerate(tensors)]
        self.may_write = [self.moves[i] and problem.paging_allowed and t.home == "made" and t.updates is None
                          for i, t in enumerate(tensors)]
        self.may_read = [self.moves[i] and (t.home == "storage" or self.must_write[i] or self.may_write[i])
                         for i, t in enumerate(tensors)]
        self.may_reside = [self.moves[i] and t.may_be_resident for i, t in enumerate(tensors)]
        self.read_s = [transfer * t.read_s for t in tensors]
        self.write_s = [transfer * t.write_s for t in tensors]
        self.read_cost = [cost(t.read_j, s) for t, s in zip(tensors, self.read_s)]
        self.write_cost = [cost(t.write_j, s) for t, s in zip(tensors, self.write_s)]
        self.old, self.new = [None] * len(tensors), [None] * len(tensors)
        for i, t in enumerate(tensors):
            if t.updates is not None and self.moves[i] and self.moves[t.updates]:
                self.old[i], self.new[t.updates] = t.updates, i

        def moving_roots(list_):
            return list(dict.fromkeys(root for root in map(problem.root, list_) if self.moves[root]))

        self.inputs = [moving_roots(o.inputs) for o in operations]
        self.outputs = [[i for i in o.outputs if self.moves[i]] for o in operations]
        self.workspace = [o.workspace for o in operations]
        self.time = [compute * o.seconds for o in operations]
        self.cost = [cost(o.joules, s) for o, s in zip(operations, self.time)]
        self.readers = [[] for _ in tensors]
        for v in range(count):
            for i in self.inputs[v]:
                self.readers[i].append(v)
        self.sharing = [None] * count
        for v, o in enumerate(operations):
            if o.in_place is not None:
                source, target = problem.root(o.in_place[0]), o.in_place[1]
                if source in self.inputs[v] and target in self.outputs[v]:
                    self.sharing[v] = (source, target)
        self.once_cost, self.once_s = sum(self.cost, ZERO), sum(self.time, ZERO)

        self.last = list(range(count))  # the last stage in which running it again can be of use
        for v in reversed(range(count)):
            o = operations[v]
            if not problem.rematerialisation_allowed or o.once or o.view:
                continue
            last = max([v] + [self.last[reader] for i in self.outputs[v] for reader in self.readers[i]])
            updates = [problem.updated_by[problem.root(i)] for i in o.inputs]
            self.last[v] = max(v, min([last] + [u for u in updates if u is not None]))
        self.last_use = [max([0] + [self.last[v] for v in self.users(i)]) for i in range(len(tensors))]

        roots = [t for t in tensors if t.view_of is None]
        self.resident_bytes = sum(t.size for t in roots if t.home == "resident" and t.updates is None)
        self.budget = ram_budget - self.resident_bytes
        self.latest_s = problem.latest_s()
        self.storage_room = self.write_room = None
        if problem.storage_capacity_bytes is not None:
            self.storage_room = problem.storage_capacity_bytes - sum(t.size for t in roots if t.home == "storage")
        if problem.write_budget_bytes is not None:
            self.write_room = problem.write_budget_bytes - sum(o.written for o in operations)

    def users(self, i):
        """Operations that make or read it, in order."""
        return ([] if self.maker[i] is None else [self.maker[i]]) + self.readers[i]

    def may_stay(self, i):
        return self.may_reside[i if self.old[i] is None else self.old[i]]

    def copied_anyway(self, i):
        return self.maker[i] is None or self.must_write[i]

    def least_room(self, v):
        room = self.workspace[v] + sum(self.size[i] for i in self.inputs[v])
        for i in self.outputs[v]:
            shares = self.sharing[v] is not None and self.sharing[v][1] == i
            replaces = self.old[i] is not None and self.may_stay(i)
            room += 0 if shares or replaces else self.size[i]
        return room


def certain_transfers(problem):
    """By operation: homes that it is the first to read, new values that it makes (docs/model/problem.md §2.5)."""
    reads, writes, seen = [], [], set()
    at_home = [t.home == "storage" and not t.may_be_resident for t in problem.tensors]
    for o in problem.operations:
        roots = list(dict.fromkeys(map(problem.root, o.inputs)))
        reads.append([i for i in roots if at_home[i] and i not in seen])
        seen.update(roots)
        updated = ((i, problem.tensors[i].updates) for i in o.outputs)
        writes.append([i for i, old in updated if old is not None and at_home[old]])
    return reads, writes


def deadline_fault(problem):
    """docs/model/problem.md §4.3: every schedule that keeps the deadline of the worst case keeps that by the figures."""
    given = problem.uncertainty
    if given is None or given.deadline_s is None:
        return None
    asked = Fraction(given.deadline_s)
    least = asked / (1 + given.ratio)
    if given.deviations is not None:
        times = [o.seconds for o in problem.operations]
        if problem.time_mode != "free":
            reads, writes = certain_transfers(problem)
            times += [problem.tensors[i].read_s for list_ in reads for i in list_]
            times += [problem.tensors[i].write_s for list_ in writes for i in list_]
        least = max(least, asked - given.ratio * sum(sorted(times, reverse=True)[:given.deviations], ZERO))
    return None if problem.latest_s() >= least else "the deadline by the figures is below what that of the worst case leaves"


def unavoidable_s(problem):
    compute = [o.seconds for o in problem.operations]
    reads, writes = certain_transfers(problem)
    read_s = [sum((problem.tensors[i].read_s for i in list_), ZERO) for list_ in reads]
    write_s = [sum((problem.tensors[i].write_s for i in list_), ZERO) for list_ in writes]
    if problem.time_mode != "overlapped":
        return sum(compute, ZERO) + (sum(read_s + write_s, ZERO) if problem.time_mode == "blocking" else 0)
    # docs/model/problem.md §3.3: for all j <= k, and the transfers alone.
    least, begin, done, arrived, left = sum(read_s + write_s, ZERO), ZERO, ZERO, ZERO, sum(write_s, ZERO)
    for k, seconds in enumerate(compute):
        arrived += read_s[k]
        begin = max(begin, arrived - done)
        done += seconds
        least = max(least, begin + done + left)
        left -= write_s[k]
    return max(least, begin + done)


def unavoidable_objective(problem):
    if problem.objective == "time":
        return unavoidable_s(problem)
    reads, writes = certain_transfers(problem)
    joules = sum((o.joules + Fraction(problem.idle_w) * o.seconds for o in problem.operations), ZERO)
    joules += sum((problem.tensors[i].read_j for list_ in reads for i in list_), ZERO)
    return joules + sum((problem.tensors[i].write_j for list_ in writes for i in list_), ZERO)


def plainly_impossible(problem, ram_budget):
    """docs/model/search.md §7.1."""
    step = Step(problem, ram_budget)
    for v in range(step.stages):
        if step.least_room(v) + step.resident_bytes > ram_budget:
            return f"operation {v} alone needs more RAM than there is"
    if step.latest_s is not None and unavoidable_s(problem) > step.latest_s:
        return "what no schedule can avoid takes longer than the deadline"
    if step.storage_room is not None and step.storage_room < 0:
        return "the homes in storage exceed its capacity"
    written = sum(step.size[i] for i in range(len(step.size)) if step.must_write[i] and not step.may_stay(i))
    if step.write_room is not None and written > step.write_room:
        return "what must be written exceeds the write budget"
    return None


# --- walks (docs/model/bounds.md §1, §4) ----------------------------------------------------------------------------------------


def read_pairs(fields, key, least=0.0):
    pairs = []
    for pair in fields.list(key, []):
        if not isinstance(pair, list) or len(pair) != 2:
            raise Unreadable(f"an entry of '{key}' must be a place and a number")
        pairs.append((whole(pair[0], f"'{key}'", 0, (1 << 31) - 1), Fraction(number(pair[1], f"'{key}'", least))))
    return pairs


SHARED = ("shared_runs", "shared_dies", "shared_moves", "shared_takes")


class Event:
    def __init__(self, value):
        fields = Fields(value, "an event")
        self.at = (fields.position("stage"), fields.position("operation"))
        self.memory = Fraction(fields.number("memory", 0.0))
        self.uses = read_pairs(fields, "uses")
        self.outputs = read_pairs(fields, "outputs", None) if fields.has("outputs") else None
        self.runs, self.dies, self.moves, self.takes = (Fraction(fields.number(key, 0.0)) for key in SHARED)
        fields.finish()


class WalkPart:
    def __init__(self, fields):
        self.deadline, self.storage, self.writes = (Fraction(fields.number(key, 0.0)) for key in ("deadline", "storage", "writes"))
        self.cuts = []
        for value in fields.list("cuts"):
            cut = Fields(value, "a cut")
            self.cuts.append((cut.word("kind", ("stored", "read")), cut.position("stage"), cut.positions("absent"),
                              cut.whole("divisor_bytes", least=1), Fraction(cut.number("multiplier"))))
            cut.finish()
        self.events = [Event(value) for value in fields.list("events")]

    def bound(self, step):
        self.refuse_what_is_not_there(step)
        listed = {event.at: event for event in self.events}
        gains = [[] for _ in step.size]  # per tensor: kind, stages (after, until], value
        bound = step.once_cost
        for n, cut in enumerate(self.cuts):
            bound += cut[4]
            for tensor, until, weight in need_terms(step, n, cut):
                gains[tensor].append((cut[0], cut[1], until, cut[4] * weight))
        all_memory = sum((event.memory for event in self.events), ZERO)
        bound -= all_memory * step.budget
        if step.latest_s is not None:
            bound -= self.deadline * (step.latest_s - step.once_s)
        bound -= self.storage * (step.storage_room or 0) + self.writes * (step.write_room or 0)
        for event in self.events:
            bound += self.outside_walks(step, event)
        before, total = [], ZERO  # memory of listed events up to a place
        for event in self.events:
            before.append(total)
            total += event.memory
        walks = Walks(step, self, listed, gains, [event.at for event in self.events], before + [total])
        return bound + sum((walks.of(i) for i in range(len(step.size))), ZERO)

    def refuse_what_is_not_there(self, step):
        for value, row, what in ((self.deadline, step.latest_s, "deadline"), (self.storage, step.storage_room, "storage capacity"),
                                 (self.writes, step.write_room, "write budget")):
            if value > 0 and row is None:
                raise Broken(f"it has a multiplier for a {what}, which the problem does not have")
        last = (-1, -1)
        for event in self.events:
            stage, v = event.at
            name = f"the event of operation {v} in stage {stage}"
            if v >= step.stages or not v <= stage <= step.last[v]:
                raise Broken(f"{name} does not exist, or can be of no use")
            if event.at <= last:
                raise Broken(f"{name} is out of order")
            last = event.at
            for pairs, known in ((event.uses, step.inputs[v]), (event.outputs or [], step.outputs[v])):
                names = [place for place, _ in pairs]
                if len(set(names)) < len(names) or not set(names) <= set(known):
                    raise Broken(f"{name} has multipliers for tensors that it does not use once")
            if step.sharing[v] is None and (event.runs or event.dies or event.moves or event.takes):
                raise Broken(f"{name} has a multiplier for sharing a buffer, which it cannot")

    def charge(self, step, at, event):
        stage, v = at
        sum_ = ZERO if stage == v else step.cost[v] + self.deadline * step.time[v]
        if event is not None:
            sum_ += event.memory * step.workspace[v] - event.runs + sum((value for _, value in event.uses), ZERO)
        return sum_

    def outside_walks(self, step, event):
        stage, v = event.at
        sum_ = ZERO
        if len(step.outputs[v]) != 1:
            charge = self.charge(step, event.at, event)
            if stage == v:
                sum_ += charge
            elif event.outputs is not None:
                sum_ += min(ZERO, charge - sum((value for _, value in event.outputs), ZERO))
        if step.sharing[v] is not None:
            excluded = event.dies + event.moves + event.takes
            sum_ += min(ZERO, event.runs + excluded - event.memory * step.size[step.sharing[v][1]]) - excluded
        return sum_


def waits_until(step, i, stage):
    """The first later reader of what is there before the stage and not read by it; None where it does not wait."""
    if not step.moves[i] or (step.maker[i] is not None and step.maker[i] >= stage) or stage in step.readers[i]:
        return None
    return next((v for v in step.readers[i] if v > stage), None)


def need_terms(step, n, cut):
    kind, stage, absent, divisor, _ = cut
    if stage >= step.stages:
        raise Broken(f"cut {n} is about a stage that does not exist")
    waiting = {i: waits_until(step, i, stage) for i in range(len(step.size))}
    if len(set(absent)) < len(absent) or any(waiting.get(i) is None for i in absent):
        raise Broken(f"cut {n} takes as absent what does not wait")
    terms = [i for i, until in waiting.items()
             if until is not None and i not in absent and not (kind == "stored" and step.copied_anyway(i))]
    demand = step.least_room(stage) - step.budget + sum(step.size[i] for i in terms)
    if demand <= 0 or demand % divisor == 0:
        raise Broken(f"cut {n} says nothing")
    for i in terms:
        size = min(step.size[i], demand)
        weight = (size // divisor + min(ONE, Fraction(size % divisor, demand % divisor))) / (demand // divisor + 1)
        yield i, waiting[i], -rounded_down(-weight)


def rounded_down(value):
    return Fraction((value.numerator << CUT_BITS) // value.denominator, 1 << CUT_BITS)


class Walks:
    """The cheapest walk of each tensor; None is a cost that cannot be."""

    def __init__(self, step, part, listed, gains, order, memory):
        self.step, self.part, self.listed, self.gains, self.order, self.memory = step, part, listed, gains, order, memory

    def of(self, i):
        step = self.step
        if not step.moves[i] or (step.old[i] is not None and step.may_stay(i)):
            return ZERO
        passed = self.passed(i)
        if step.may_reside[i]:
            return min(self.moving(i, passed), self.staying(i, passed))
        if not step.may_write[i]:
            return self.moving(i, passed)
        stored = sum((value for kind, _, _, value in self.gains[i] if kind == "stored"), ZERO)
        copied = cheapest(passed, True) + self.writing(i) + self.part.storage * step.size[i] - stored
        return min(cheapest(passed, False), copied)

    def moving(self, i, passed):
        step = self.step
        cost = cheapest(passed, step.copied_anyway(i)) + (self.writing(i) if step.must_write[i] else 0)
        new = step.new[i]
        return cost + self.moving(new, self.passed(new)) if step.may_reside[i] and new is not None else cost

    def staying(self, i, passed):
        step, new = self.step, self.step.new[i]
        cost = self.memory[-1] * step.size[i] + sum((one["resident"] for one in passed), ZERO)
        if new is None:
            return cost
        cost += sum((one["resident"] for one in self.passed(new)), ZERO)
        v = step.maker[new]
        update = self.listed.get((v, v))
        return cost + update.runs if update is not None and step.sharing[v] == (i, new) else cost

    def writing(self, i):
        return self.step.write_cost[i] + self.part.deadline * self.step.write_s[i] + self.part.writes * self.step.size[i]

    def passed(self, i):
        """Every event of the class that makes or reads the tensor, in order."""
        step, result, held, place = self.step, [], 0, 0
        users = step.users(i)
        for t in range(users[0], step.last_use[i] + 1) if users else ():
            for v in users:
                if not v <= t <= step.last[v]:
                    continue
                while place < len(self.order) and self.order[place] < (t, v):
                    place += 1
                one = self.event(i, t, v)
                one["hold"] = (self.memory[place] - self.memory[held]) * step.size[i]
                place += (t, v) in self.listed
                held = place
                result.append(one)
        return result

    def event(self, i, t, v):
        step, event = self.step, self.listed.get((t, v))
        makes, certain = step.maker[i] == v, t == v
        gain = sum((value for kind, after, until, value in self.gains[i] if after < t <= until and (makes or kind == "read")), ZERO)
        one = {"makes": makes, "certain": certain, "here": event.memory * step.size[i] if event else ZERO, "use": ZERO,
               "keep": ZERO, "come": None, "resident": ZERO}
        shares = step.sharing[v] if event else None
        if makes:
            share = self.share(i, t, v, event)
            one["come"] = share - gain
            if certain:
                one["resident"] = share + (event.takes if shares and shares[1] == i else 0)
            return one
        if event:
            one["use"] = -dict(event.uses).get(i, ZERO)
        if step.may_read[i]:
            one["come"] = step.read_cost[i] + self.part.deadline * step.read_s[i] - gain
        one["resident"] = one["use"]
        if shares and shares[0] == i:
            one["keep"] = event.dies
            one["resident"] = one["use"] + event.moves
        return one

    def share(self, i, t, v, event):
        """What the walk of one output bears of the charge of running the event."""
        outputs = len(self.step.outputs[v])
        if outputs == 1:
            return self.part.charge(self.step, (t, v), event)
        if t == v:
            return ZERO
        if event is not None and event.outputs is not None:
            return dict(event.outputs).get(i, ZERO)
        return self.part.charge(self.step, (t, v), event) / outputs


def cheapest(passed, has_copy):
    out, in_ram = ZERO, None
    for one in passed:
        comes = one["come"] is not None and (one["makes"] or has_copy)
        during = out + one["come"] + one["here"] + one["use"] if comes else None
        if one["makes"] and one["certain"]:
            out = during
        else:
            if in_ram is not None:
                stayed = in_ram + one["hold"] + one["here"] + one["use"]
                during = stayed if during is None else min(during, stayed)
            if during is not None:
                out = min(out, during)
        in_ram = None if during is None else during + one["keep"]
    return out if in_ram is None else min(out, in_ram)


# --- windows (docs/model/windows.md §1, docs/model/certificates.md §3) ---------------------------------------------------------------------

ROW_NUMBERS = {"need": 2, "making": 3, "copy": 2, "carry": 2, "memory": 1, "stays": 2, "crowded": 2, "crowded-need": 3,
               "crowded-later": 3, "crowded-reader": 4, "deadline": 0, "storage": 0, "writes": 0}
COLUMN_NUMBERS = {"present": 2, "made": 2, "read": 2, "stored": 1, "resident": 1, "in-ram": 3}


def read_names(fields, key, known):
    names = []
    for words in fields.list(key):
        if not isinstance(words, list) or not words or not isinstance(words[0], str) or words[0] not in known:
            raise Unreadable(f"an entry of '{key}' must begin with its kind")
        if len(words) != known[words[0]] + 1:
            raise Unreadable(f"'{words[0]}' takes {known[words[0]]} numbers")
        names.append((words[0], *(whole(one, f"'{key}'", 0, (1 << 31) - 1) for one in words[1:])))
    return names


class WindowPart:
    def __init__(self, fields):
        self.keys = fields.positions("keys")
        self.rows = read_names(fields, "rows", ROW_NUMBERS)
        self.columns = read_names(fields, "columns", COLUMN_NUMBERS)
        self.cuts, self.nodes = [], []
        for value in fields.list("cuts"):
            cut = Fields(value, "a cut")
            self.cuts.append((read_pairs(cut, "rows"), read_pairs(cut, "cuts"), cut.positions("complemented", []),
                              Fraction(cut.number("divisor"))))
            cut.finish()
        for value in fields.list("nodes"):
            node = Fields(value, "a node")
            if node.has("column"):
                self.nodes.append((node.position("column"), node.position("zero"), node.position("one")))
            else:
                self.nodes.append((read_pairs(node, "rows"), read_pairs(node, "cuts")))
            node.finish()

    def bound(self, step):
        if any(key >= step.stages for key in self.keys) or any(a >= b for a, b in zip(self.keys, self.keys[1:])):
            raise Broken("its keys are not stages in ascending order")
        model = WindowModel(step, self.keys)
        rows = []
        for n, name in enumerate(self.rows):
            row = model.row(name)
            if row is None:
                raise Broken(f"row {n}: the window model has no row {json.dumps(name)}")
            rows.append(row)
        for n, name in enumerate(self.columns):
            if name not in model.cost:
                raise Broken(f"column {n}: the window model has no column {json.dumps(name)}")
        cuts = []
        for n, (row_weights, cut_weights, complemented, divisor) in enumerate(self.cuts):
            terms, most = weighted(f"cut {n}", ((row_weights, rows), (cut_weights, cuts)))
            if divisor == 0:
                raise Broken(f"cut {n} is divided by 0")
            if any(place >= len(self.columns) for place in complemented):
                raise Broken(f"cut {n} complements a column that is not in the list")
            cuts.append(rounding(terms, most, {self.columns[place] for place in complemented}, divisor))
        return self.least_leaf(model, rows, cuts)

    def least_leaf(self, model, rows, cuts):
        if not self.nodes:
            raise Broken("there is no node")
        plain = model.constant + sum((cost for cost in model.cost.values() if cost < 0), ZERO)
        least, seen = None, set()
        left = [(0, {})]
        while left:
            place, fixed = left.pop()
            if place in seen:
                raise Broken(f"node {place} belongs to two nodes")
            seen.add(place)
            node = self.nodes[place]
            if len(node) == 2:
                here = leaf_bound(model, plain, fixed, *weighted(f"node {place}", ((node[0], rows), (node[1], cuts))))
                least = here if least is None else min(least, here)
                continue
            column, zero, one = node
            if column >= len(self.columns):
                raise Broken(f"node {place} branches on a column that is not in the list")
            name = self.columns[column]
            if name[0] == "in-ram" or name in fixed:
                raise Broken(f"node {place} branches on what need not be whole, or is decided")
            if not all(place < child < len(self.nodes) for child in (zero, one)):
                raise Broken(f"node {place} needs two nodes behind it")
            left += [(zero, {**fixed, name: 0}), (one, {**fixed, name: 1})]
        if len(seen) < len(self.nodes):
            raise Broken("a node belongs to no node")
        return least


def weighted(name, lists):
    """The sum of inequalities (terms, most), each with its weight."""
    terms, most = {}, ZERO
    for weights, known in lists:
        for place, weight in weights:
            if place >= len(known):
                raise Broken(f"{name} names what is not there before it")
            row, right = known[place]
            most += weight * right
            for column, coefficient in row.items():
                terms[column] = terms.get(column, ZERO) + weight * coefficient
    return terms, most


def leaf_bound(model, plain, fixed, terms, most):
    """Each column where cost plus multipliers times rows is least, or where the case has it."""
    bound = plain - most
    for column in {**terms, **fixed}:
        cost = model.cost[column]
        reduced = cost + terms.get(column, ZERO)
        chosen = fixed[column] if column in fixed else reduced < 0
        bound += (reduced if chosen else ZERO) - min(ZERO, cost)
    return bound


def rounding(terms, most, complemented, divisor):
    """docs/model/certificates.md §3.2."""
    most = (most - sum((a for column, a in terms.items() if column in complemented), ZERO)) / divisor
    floor = most.numerator // most.denominator
    f = most - floor
    result, right = {}, Fraction(floor)
    for column, coefficient in terms.items():
        a = (-coefficient if column in complemented else coefficient) / divisor
        if column[0] == "in-ram":
            b = min(ZERO, a) / (1 - f)
        else:
            whole_part = a.numerator // a.denominator
            b = whole_part + max(ZERO, a - whole_part - f) / (1 - f)
        b = rounded_down(b)
        if column in complemented:
            right, b = right - b, -b
        result[column] = b
    return result, right


class WindowModel:
    """Columns by name with their costs, and rows {column: coefficient} <= number."""

    def __init__(self, step, keys):
        self.step, self.keys = step, keys
        self.cost, self.constant = {}, step.once_cost
        for i in range(len(step.size)):
            if not step.moves[i]:
                continue
            if step.must_write[i]:
                self.constant += step.write_cost[i]
            if step.may_write[i] and step.readers[i]:
                self.cost["stored", i] = step.write_cost[i]
            if step.may_reside[i]:
                self.cost["resident", i] = ZERO if step.new[i] is None else -step.write_cost[step.new[i]]
        for w in range(len(keys) + 1):
            begin = self.begin(w)
            for v in range(begin + 1):
                if step.last[v] > begin and step.outputs[v]:
                    self.cost["made", w, v] = step.cost[v]
            for i in range(len(step.size)):
                if step.moves[i] and step.readers[i] and self.exists(i, w) and step.last_use[i] > begin:
                    if w > 0 and not self.at_key(i, w):
                        self.cost["present", w, i] = ZERO
                    if step.may_read[i]:
                        self.cost["read", w, i] = step.read_cost[i]

    def begin(self, w):
        return -1 if w == 0 else self.keys[w - 1]

    def end(self, w):
        return self.keys[w] if w < len(self.keys) else self.step.stages - 1

    def exists(self, i, w):
        return self.step.maker[i] is None or self.step.maker[i] <= self.begin(w)

    def at_key(self, i, w):
        return w > 0 and (i in self.step.inputs[self.begin(w)] or i in self.step.outputs[self.begin(w)])

    def residency(self, i):
        return ("resident", i if self.step.old[i] is None else self.step.old[i])

    def made_from(self, *terms):
        """{column: coefficient} of the columns that there are."""
        return {column: Fraction(coefficient) for column, coefficient in terms if column in self.cost}

    def there(self, w, i):
        return [(("present", w, i), -1), (("made", w, self.step.maker[i]), -1), (("read", w, i), -1), (self.residency(i), -1)]

    def row(self, name):
        step, kind = self.step, name[0]
        if kind in ("deadline", "storage", "writes"):
            return getattr(self, kind)()
        w = name[1]
        tensors = {"need": 2, "copy": 2, "carry": 2, "stays": 2}.get(kind, 3)
        if w > len(self.keys) or (len(name) > tensors and not (name[tensors] < len(step.size) and step.moves[name[tensors]])):
            return None
        if tensors == 3 and any(v >= step.stages for v in name[2:3] + name[4:5]):
            return None
        return getattr(self, kind.replace("-", "_"))(*name[1:])

    def need(self, w, i):
        read = any(self.begin(w) < v <= self.end(w) for v in self.step.readers[i])
        if not read or not self.exists(i, w) or self.at_key(i, w):
            return None
        return self.made_from(*self.there(w, i)), Fraction(-1)

    def making(self, w, v, i):
        if ("made", w, v) not in self.cost or i not in self.step.inputs[v] or not self.exists(i, w) or self.at_key(i, w):
            return None
        return self.made_from((("made", w, v), 1), *self.there(w, i)), ZERO

    def copy(self, w, i):
        if ("read", w, i) not in self.cost or ("stored", i) not in self.cost:
            return None
        return self.made_from((("read", w, i), 1), (("stored", i), -1)), ZERO

    def carry(self, w, i):
        if ("present", w + 1, i) not in self.cost or not self.exists(i, w) or self.at_key(i, w):
            return None
        return self.made_from((("present", w + 1, i), 1), *self.there(w, i)), ZERO

    def holder(self, i, w):
        new = self.step.new[i]
        return new if new is not None and self.step.maker[new] <= self.begin(w) else i

    def memory(self, w):
        if w == 0:
            return None
        step, terms = self.step, {}
        for i in range(len(step.size)):
            if ("present", w, i) in self.cost:
                terms["present", w, i] = Fraction(step.size[i])
            if step.may_reside[i]:
                holder = self.holder(i, w)
                if not (self.at_key(i, w) or self.at_key(holder, w) or ("present", w, holder) in self.cost):
                    terms["resident", i] = Fraction(step.size[i])
        return terms, Fraction(step.budget - step.least_room(self.begin(w)))

    def stays(self, w, i):
        if w == 0 or not self.step.may_reside[i] or self.at_key(i, w):
            return None
        present = ("present", w, self.holder(i, w))
        return (self.made_from((("resident", i), 1), (present, -1)), ZERO) if present in self.cost else None

    def reasons(self, w, v, i):
        """Why a tensor would be in RAM when the operation runs again: rows of that name exist."""
        step = self.step
        if (w >= len(self.keys) or self.begin(w) + 1 != self.end(w) or ("made", w, v) not in self.cost or not step.moves[i]
                or not self.exists(i, w) or i in step.inputs[v] or i in step.outputs[v] or self.residency(i) in self.cost):
            return []
        if i in step.inputs[self.end(w)]:
            return ["need"]
        later = ["later"] if ("present", w + 1, i) in self.cost else []
        return later + [u for u in step.readers[i] if u > v and ("made", w, u) in self.cost]

    def crowded(self, w, v):
        step = self.step
        if w >= len(self.keys) or self.begin(w) + 1 != self.end(w) or ("made", w, v) not in self.cost:
            return None
        terms = {("made", w, v): Fraction(step.least_room(v))}
        for i in range(len(step.size)):
            if step.size[i] and self.reasons(w, v, i):
                self.cost["in-ram", w, v, i] = ZERO
                terms["in-ram", w, v, i] = Fraction(step.size[i])
        return terms, Fraction(step.budget)

    def crowded_row(self, w, v, i, reason, column, most):
        if reason not in self.reasons(w, v, i):
            return None
        self.cost["in-ram", w, v, i] = ZERO
        maker = self.step.maker[i]
        comes = [(("read", w, i), -1)] + ([(("made", w, maker), -1)] if maker is not None and maker > v else [])
        return self.made_from((column, 1), (("in-ram", w, v, i), -1), *comes), Fraction(most)

    def crowded_need(self, w, v, i):
        return self.crowded_row(w, v, i, "need", None, -1)

    def crowded_later(self, w, v, i):
        return self.crowded_row(w, v, i, "later", ("present", w + 1, i), 0)

    def crowded_reader(self, w, v, i, reader):
        return self.crowded_row(w, v, i, reader, ("made", w, reader), 0)

    def whole_step(self, room, stored, made=None, read=None):
        """A budget: what is stored, what runs again and is read, and new values that are not resident."""
        step, terms = self.step, {}
        for column in self.cost:
            if column[0] == "stored":
                terms[column] = Fraction(stored[column[1]])
            elif column[0] == "made" and made is not None:
                terms[column] = made[column[2]]
            elif column[0] == "read" and read is not None:
                terms[column] = read[column[2]]
        return terms, Fraction(room)

    def without_new_values(self, row, written):
        terms, most = row
        for i in range(len(self.step.size)):
            if self.step.must_write[i]:
                most -= written[i]
                if self.residency(i) in self.cost:
                    terms[self.residency(i)] = -Fraction(written[i])
        return terms, most

    def deadline(self):
        step = self.step
        if step.latest_s is None:
            return None
        return self.without_new_values(self.whole_step(step.latest_s - step.once_s, step.write_s, step.time, step.read_s), step.write_s)

    def storage(self):
        return None if self.step.storage_room is None else self.whole_step(self.step.storage_room, self.step.size)

    def writes(self):
        if self.step.write_room is None:
            return None
        return self.without_new_values(self.whole_step(self.step.write_room, self.step.size), self.step.size)


# --- certificates ----------------------------------------------------------------------------------------------------


class Certificate:
    def __init__(self, value):
        fields = Fields(value, "the certificate")
        fields.format("poet-certificate")
        instance = Fields(fields.get("instance"), "'instance'")
        self.name = instance.text("name")
        self.operations, self.tensors = instance.position("operations"), instance.position("tensors")
        read_limits(instance, self, True)
        instance.finish()
        mode = fields.word("proof_time_mode", ("free", "blocking", "overlapped"))
        if mode != ("free" if self.time_mode == "overlapped" else self.time_mode):
            raise Unreadable("'proof_time_mode' does not fit the instance")
        share = fields.number("compute_share", 1.0)
        if share > 1 or (fields.has("compute_share") and self.time_mode != "overlapped"):
            raise Unreadable("'compute_share' is at most 1, and of an overlapped instance")
        self.share = Fraction(share)
        self.claim = fields.word("claim", ("bound", "infeasible", "least-ram"), "bound")
        self.claimed = Fraction(fields.number("claimed_bound", least=None)) if self.claim == "bound" else ZERO
        self.claimed_bytes = fields.whole("claimed_bytes") if self.claim == "least-ram" else 0
        fields.text("claimed_by")
        self.problem = Problem(fields.get("problem")) if fields.has("problem") else None
        self.parts = []
        for one in fields.list("parts"):
            part = Fields(one, "a part")
            kind = part.word("kind", ("walk", "windows"))
            self.parts.append(WalkPart(part) if kind == "walk" else WindowPart(part))
            part.finish()
        fields.finish()

    def difference(self, problem):
        stated = (self.name, self.operations, self.tensors)
        if stated != (problem.name, len(problem.operations), len(problem.tensors)):
            return "it is about another problem"
        for limit in LIMITS:
            if getattr(self, limit) != getattr(problem, limit):
                return f"it is about another problem: '{limit}' differs"
        return None


# --- plans (docs/model/problem.md §2.2, §3) -------------------------------------------------------------------------------------


class Schedule:
    def __init__(self, value):
        fields = Fields(value, "the schedule")
        fields.format("poet-schedule")
        self.resident = fields.positions("resident", [])
        self.actions = []
        for action in fields.list("actions"):
            if not isinstance(action, list) or len(action) != 2 or action[0] not in ("compute", "page_out", "page_in", "drop"):
                raise Unreadable("an action must be a word and an id")
            self.actions.append((action[0], whole(action[1], "an action", 0, (1 << 31) - 1)))
        fields.finish()


class Replay:
    """Leads a schedule through the rules, and through time with one channel beside the processor or none."""

    def __init__(self, problem, schedule):
        self.problem, self.actions = problem, schedule.actions
        tensors = problem.tensors
        for i in schedule.resident:
            self.need(i < len(tensors) and tensors[i].may_be_resident, f"tensor {i} may not be resident")
        chosen = set(schedule.resident)
        stays = [t.home == "resident" or (i if t.updates is None else t.updates) in chosen for i, t in enumerate(tensors)]
        self.fixed = [stays[i] or t.home == "rom" for i, t in enumerate(tensors)]
        self.present = [self.fixed[i] and t.updates is None for i, t in enumerate(tensors)]
        self.copied = [t.home == "storage" for t in tensors]
        self.replaced = [False] * len(tensors)
        self.storage = sum(t.size for t in tensors if t.home == "storage" and t.view_of is None)
        self.held = sum(t.size for i, t in enumerate(tensors) if stays[i] and t.view_of is None and t.updates is None)
        self.peak, self.written, self.joules = self.held, 0, ZERO
        self.now, self.channel = ZERO, ZERO
        self.arrives, self.quiet = [ZERO] * len(tensors), [ZERO] * len(tensors)
        self.lingering = []  # (when it is free, bytes) of dropped buffers that a transfer touches
        self.executed = 0    # first executions come in order
        self.fits(0, "residents")
        self.need_storage()
        for place, (kind, i) in enumerate(self.actions):
            self.where = f"action {place}: "
            getattr(self, kind)(place, i)
        self.where = "at the end: "
        self.need(self.executed == len(problem.operations), "an operation never runs")
        for i, t in enumerate(tensors):
            self.need(t.updates is None or self.fixed[i] or self.copied[i], f"new value {i} is not in storage")
        self.seconds = max(self.now, self.channel)
        self.need(problem.latest_s() is None or self.seconds <= problem.latest_s(), "the step is too long")
        self.need_worst_case()
        self.objective = self.seconds if problem.objective == "time" else self.joules + Fraction(problem.idle_w) * self.seconds

    where = ""

    def need(self, rule, what):
        if not rule:
            raise Broken(self.where + what)

    def need_worst_case(self):
        given, times = self.problem.uncertainty, {}
        if given is None or given.deadline_s is None:
            return
        for kind, i in self.actions:
            if kind == "compute":
                times[kind, i] = times.get((kind, i), ZERO) + self.problem.operations[i].seconds
            elif kind != "drop" and self.problem.time_mode != "free":
                tensor = self.problem.tensors[i]
                times[kind, i] = times.get((kind, i), ZERO) + (tensor.read_s if kind == "page_in" else tensor.write_s)
        latest = Fraction(min(given.deadline_s * (1 + 1e-9), sys.float_info.max))
        self.need(given.worst(self.seconds, times.values()) <= latest, "the step is too long in the worst case")

    def need_storage(self):
        capacity = self.problem.storage_capacity_bytes
        self.need(capacity is None or self.storage <= capacity, "storage has no room")

    def write(self, size):
        self.written += size
        self.need(self.problem.write_budget_bytes is None or self.written <= self.problem.write_budget_bytes, "too much is written")

    def used(self):
        return self.held + sum(size for _, size in self.lingering)

    def fits(self, more, what):
        self.peak = max(self.peak, self.used() + more)
        self.need(self.used() + more <= self.problem.ram_budget_bytes, f"RAM has no room for {what}")

    def wait_until(self, time):
        self.now = max(self.now, time)
        while self.lingering and self.lingering[0][0] <= self.now:
            heapq.heappop(self.lingering)

    def wait_for(self, more):
        while self.lingering and self.used() + more > self.problem.ram_budget_bytes:
            self.wait_until(self.lingering[0][0])

    def take(self, i):
        self.held += self.problem.tensors[i].size
        self.arrives[i] = self.quiet[i] = self.now

    def transfer(self, i, seconds):
        if self.problem.time_mode == "blocking":
            self.now += seconds
        elif self.problem.time_mode == "overlapped":
            self.channel = self.quiet[i] = max(self.now, self.channel) + seconds

    def movable(self, i):
        tensors = self.problem.tensors
        self.need(i < len(tensors) and tensors[i].view_of is None and not self.fixed[i], f"tensor {i} cannot be moved")
        return tensors[i]

    def compute(self, place, v):
        problem = self.problem
        self.need(v <= self.executed and v < len(problem.operations), f"operation {v} is out of order")
        operation = problem.operations[v]
        again = v < self.executed
        self.need(not again or (not operation.once and problem.rematerialisation_allowed), f"operation {v} must not run again")
        self.executed += not again
        inputs = {problem.root(i) for i in operation.inputs}
        for i in inputs:
            self.need(self.present[i] and not self.replaced[i], f"operation {v} lacks its input {i}")
        outputs = [i for i in operation.outputs if problem.tensors[i].view_of is None]
        new = [i for i in outputs if not self.fixed[i] and not self.present[i]]
        old = [i for i in outputs if not self.fixed[i] and self.present[i]]
        for i in outputs:
            self.present[i] = True
            if problem.tensors[i].updates is not None:
                self.replaced[problem.tensors[i].updates] = True
        waits = [self.arrives[i] for i in inputs if not self.fixed[i]] + [self.quiet[i] for i in old]
        shared = 0
        if operation.in_place is not None:
            source, target = problem.root(operation.in_place[0]), operation.in_place[1]
            if self.actions[place + 1:place + 2] == [("drop", source)] and not self.fixed[source] and target in new:
                shared = problem.tensors[target].size
                waits.append(self.quiet[source])
        self.joules += operation.joules
        self.write(operation.written)
        self.wait_until(max([self.now] + waits))
        self.wait_for(sum(problem.tensors[i].size for i in new) + operation.workspace - shared)
        for i in new:
            self.take(i)
        self.fits(operation.workspace - shared, f"operation {v}")
        self.wait_until(self.now + operation.seconds)

    def page_out(self, _, i):
        tensor = self.movable(i)
        self.need(self.problem.paging_allowed or tensor.updates is not None, "paging is off")
        self.need(self.present[i] and not self.replaced[i], f"tensor {i} is not there to be written")
        self.storage += tensor.size if not self.copied[i] and tensor.updates is None else 0
        self.need_storage()
        self.write(tensor.size)
        self.copied[i] = True
        self.joules += tensor.write_j
        self.transfer(i, tensor.write_s)

    def page_in(self, _, i):
        tensor = self.movable(i)
        self.need(self.problem.paging_allowed or tensor.home == "storage" or tensor.updates is not None, "paging is off")
        self.need(self.copied[i] and not self.replaced[i], f"tensor {i} has no copy to read")
        had_buffer, self.present[i] = self.present[i], True
        if not had_buffer:
            self.wait_for(tensor.size)
            self.take(i)
            self.fits(0, f"tensor {i}")
        self.joules += tensor.read_j
        self.transfer(i, tensor.read_s)
        if not had_buffer:
            self.arrives[i] = self.quiet[i]

    def drop(self, _, i):
        tensor = self.movable(i)
        self.need(self.present[i], f"tensor {i} is not there to be dropped")
        self.present[i] = False
        self.held -= tensor.size
        if self.quiet[i] > self.now:
            heapq.heappush(self.lingering, (self.quiet[i], tensor.size))


# --- what is proved --------------------------------------------------------------------------------------------------


def exact(value):
    return str(value)


def check(problem, certificate, schedule):
    """The answer as a dictionary: the same fields, and the same exact numbers, as `poet-check-proof --json` has."""
    out = {"format": "poet-proof-check", "version": 1, "claim": certificate.claim, "objective": problem.objective,
           "holds": False, "fault": certificate.difference(problem) or deadline_fault(problem)}
    valid = True
    if schedule is not None:
        try:
            replay = Replay(problem, schedule)
            out["plan"] = {"valid": True, "fault": None, "objective": exact(replay.objective), "time_s": exact(replay.seconds),
                           "peak_ram_bytes": replay.peak}
        except Broken as fault:
            valid = False
            out["plan"] = {"valid": False, "fault": str(fault)}
    if out["fault"]:
        return out
    bound_claimed = certificate.claim == "bound"
    budget = certificate.claimed_bytes - 1 if certificate.claim == "least-ram" else problem.ram_budget_bytes
    step = Step(problem, budget, certificate.share, not bound_claimed)
    parts = []
    for n, part in enumerate(certificate.parts):
        try:
            parts.append(part.bound(step))
        except Broken as fault:
            out["fault"] = f"part {n}: {fault}"
            return out
    out["parts"] = [exact(part) for part in parts]
    if bound_claimed:
        least = unavoidable_objective(problem)
        proved = max([least] + parts)
        out["proves_claim"] = proved >= certificate.claimed
        out["unavoidable"] = exact(least)
        if schedule is not None and valid:
            out["gap"] = exact(replay.objective - proved)
    else:
        proved = max([ZERO] + parts)
        out["impossible"] = plainly_impossible(problem, budget)
        out["proves_claim"] = proved > 0 or out["impossible"] is not None or budget < 0
    out["proved"] = exact(proved)
    out["holds"] = valid and (bound_claimed or out["proves_claim"])
    return out


def read_subject(value):
    if isinstance(value, dict) and value.get("format") == "poet-plan":
        fields = Fields(value, "the plan")
        fields.format("poet-plan")
        return Problem(fields.get("problem")), Schedule(fields.get("schedule"))
    return Problem(value), None


def sentence(out):
    if out["fault"]:
        return f"the certificate does not hold: {out['fault']}"
    if not out.get("plan", {"valid": True})["valid"]:
        return f"the plan is not valid: {out['plan']['fault']}"
    what = {"bound": f"no schedule of the class takes less than {out['proved']} (about {float(Fraction(out['proved'])):.10g})",
            "infeasible": "the class has no schedule",
            "least-ram": "the class has no schedule in less RAM than is claimed"}[out["claim"]]
    text = ("proved exactly: " if out["holds"] else "not proved: ") + what
    if "gap" in out:
        text += f"; of what the plan takes, {float(Fraction(out['gap'])):.4g} is open"
    return text


def main(arguments):
    paths = [argument for argument in arguments if argument != "--json"]
    if len(paths) not in (1, 2) or any(path.startswith("-") for path in paths):
        print(__doc__.strip(), file=sys.stdout if "--help" in paths else sys.stderr)
        return 0 if "--help" in paths else 2
    try:
        certificate = Certificate(load(paths[-1]))
        problem, schedule = read_subject(load(paths[0])) if len(paths) == 2 else (certificate.problem, None)
        if problem is None:
            raise Unreadable(f"{paths[0]} does not carry its problem; give the plan or the problem as well")
    except Unreadable as error:
        print(f"check_proof.py: {error}", file=sys.stderr)
        return 2
    out = check(problem, certificate, schedule)
    print(json.dumps(out, indent=2) if "--json" in arguments else sentence(out))
    return 0 if out["holds"] else 1


if __name__ == "__main__":
    sys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None
    sys.exit(main(sys.argv[1:]))
