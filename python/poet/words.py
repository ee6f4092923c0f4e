"""What Python says as keyword arguments, in the words of the command line, whose tables of options both share."""

import functools
import math
import os
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple

import numpy as np

from poet import _poet, files
from poet._poet import Error

# Options that say what is printed or written where: in Python the answer is an object, which does that.
FOR_TERMINALS = frozenset({
    "json", "quiet", "out", "report", "trace", "csv", "chart", "log", "progress", "plan_only", "figures", "plot_directory",
    "print_graph_info", "print_power_costs", "out_gains",
})


# Options that name a file which is read as a text.
READ_AT_ONCE = frozenset({"start", "costs", "graph_file", "platform", "gains"})
# And those that name what is looked at again by a training that has ended.
LOOKED_AT_AGAIN = frozenset({"--model", "--platform", "--weights", "--adapter-weights", "--costs", "--tokenizer"})
# What is one figure, of which a list would be read as another.
OF_ONE_VALUE = frozenset({"ram_budget", "runtime_budget", "deadline"})
MADE_BY_IT = frozenset({"--storage", "--cache"})


def in_place(words: Iterable[str], folder: str = "") -> List[str]:
    """The words with whole paths of what is there, whatever folder the process is in later.

    folder: that of which relative ones speak; empty: the one that the process is in.
    """
    placed: List[str] = []
    for word in words:
        flag = placed[-1] if placed else ""
        path = os.path.join(folder, word)
        is_path = flag in MADE_BY_IT or (flag in LOOKED_AT_AGAIN and os.path.exists(path))
        placed.append(os.path.abspath(path) if is_path else word)
    return placed


def folder_now() -> str:
    """The one that the process is in; empty where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


class Option(NamedTuple):
    flag: str  # "--ram-budget"
    off: str  # "--no-paging"; empty where there is none
    is_switch: bool
    help: str


def python_name(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


@functools.lru_cache(maxsize=None)
def options_of(command: str) -> Mapping[str, Option]:
    """The options of a command under each of their Python names."""
    options: Dict[str, Option] = {}
    for flags, is_switch, text in _poet.options(command):
        on = [flag for flag in flags if not flag.startswith("--no-")]
        off = next((flag for flag in flags if flag.startswith("--no-")), "")
        for flag in on:
            if python_name(flag) not in FOR_TERMINALS:
                options[python_name(flag)] = Option(on[0], off, is_switch, text)
    return options


def refuse(sentence: str, code: str = "bad_input") -> Error:
    error = Error(sentence)
    error.code = code
    return error


def text_of(name: str, value: Any) -> str:
    """A value as the command line has it: sizes of whole bytes, lists with commas, names with '='."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, float):
        if name == "ram_budget" and 0 < value < 1:
            raise refuse(f"ram_budget: {value!r} is less than a byte; a part of the plain peak is written "
                         f"'{value:.4g}x' or '{100 * value:.4g}%'")
        # Fractions of bytes round down.
        return str(math.floor(value)) if name == "ram_budget" and math.isfinite(value) else repr(value)
    if isinstance(value, (int, str)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={text_of(name, one)}" for key, one in value.items())
    if isinstance(value, (list, tuple, np.ndarray)):
        if name in OF_ONE_VALUE:
            raise refuse(f"{name}: expected one text or number, found {type(value).__name__}")
        return ",".join(text_of(name, one) for one in value)
    raise refuse(f"{name}: expected a text, a number or a path, found {type(value).__name__}")


def switch_words(option: Option, name: str, value: Any) -> List[str]:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int)) or value not in (0, 1):
        raise refuse(f"{name}: expected True or False, found {value!r}")
    if value:
        return [option.flag]
    return [option.off] if option.off else []


def words_of(command: str, options: Mapping[str, Any]) -> List[str]:
    """The command line that asks the same; what is None is left out. Unknown names stay, to be refused with a hint."""
    words: List[str] = []
    known = options_of(command)
    for name, value in options.items():
        if value is None:
            continue
        option = known.get(name)
        if option is None and name in FOR_TERMINALS:
            raise refuse(f"poet.{command}() has no option '{name}': its answer is an object that can be printed and saved")
        if option is not None and option.is_switch:
            words += switch_words(option, name, value)
            continue
        flag = option.flag if option else "--" + name.replace("_", "-")
        text = text_of(name, value)
        if name in READ_AT_ONCE:
            files.refuse_endless(text)
        words += [f"{flag}={text}"] if text.startswith("-") or not text else [flag, text]
    return words


# What says which network is written to a file, and with which values it begins.
OF_A_NETWORK = ("model", "batch_size", "image_size", "sequence_length", "classes", "dimensions", "weights",
                "weights_missing", "adapter", "adapter_weights", "seed")
SWITCH_OF_A_NETWORK = "allow_non_finite"  # published values that are no numbers


def network_words(asked: Mapping[str, Any]) -> List[str]:
    """The words for a network alone, of all that was asked."""
    words: List[str] = []
    for name in OF_A_NETWORK:
        if asked.get(name) is not None:
            flag, text = "--" + name.replace("_", "-"), text_of(name, asked[name])
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words + ["--allow-non-finite"] if asked.get(SWITCH_OF_A_NETWORK) else words


def options_in(words: Iterable[str], command: str) -> Dict[str, Any]:
    """The options of a command line, as far as `command` has them: words_of() backwards."""
    by_flag = {}
    for name, option in options_of(command).items():
        by_flag[option.flag] = (name, option)
        if option.off:
            by_flag[option.off] = (name, option)
    found: Dict[str, Any] = {}
    rest = list(words)
    while rest:
        flag, equals, value = rest.pop(0).partition("=")
        name, option = by_flag.get(flag, (None, None))
        if option is not None and option.is_switch:
            found[name] = flag != option.off
            continue
        if not equals and rest and not rest[0].startswith("--"):
            value = rest.pop(0)
        if name is not None:
            found[name] = value
    return found


def with_options(command: str):
    """Adds to a function's documentation what else it takes: every option of the command, with its help."""

    def documented(function):
        lines = [function.__doc__ or "", "    Further options, each as on the command line:", ""]
        seen = set()
        for name, option in options_of(command).items():
            if option.flag not in seen:
                seen.add(option.flag)
                lines.append(f"    {name}: {option.help}")
        function.__doc__ = "\n".join(lines)
        return function

    return documented
