"""Shorter ways to say the lines of a figure, for where there is no room for all of them."""

from __future__ import annotations

import re

PHRASES = {
    "Best proven lower bound": "Lower bound", "Inferences per second": "Inferences/s", "all parameters on chip": "all on chip",
    "the rest is streamed each time": "the rest is streamed", "the file names no time unit": "no time unit",
}  # fmt: skip
"""What a figure is called, or what is noted of it, where there is little room."""
IN_ALL = " in all"
"""Behind what all devices stream together."""
ONE_AT_A_TIME = " one at a time"
"""Behind a rate at which no sample begins before the one before it has ended."""


def briefer(line: str) -> tuple[str, ...]:
    """``Memory (fullest, chip 3)``, then ``Memory (chip 3)``, then ``Memory``: ever shorter, each true by itself.

    Both figures of a package are kept (``49.8/s, one 4.59 ms``), and what tells one rate from another (``120/s one at a time``).
    Of another list the part with a number is kept that comes first (``49.8 samples/s``), else the last part (``must fit``).
    """
    if line in PHRASES:
        return (PHRASES[line],)
    name, _, inside = line.partition(" (")
    if inside.endswith(")"):
        last = inside.removesuffix(")").rsplit(", ", 1)
        return (*([f"{name} ({last[1]})"] if len(last) > 1 else []), name)
    for begin in ("proven by ", "then "):
        if line.startswith(begin):
            who = line.removeprefix(begin)
            return (who, *([who.partition(" for ")[0]] if " for " in who else []))
    if line.endswith(IN_ALL):
        said = line.removesuffix(IN_ALL)
        return (said, *([said.rpartition(", ")[2]] if ", " in said else []))
    if often := re.fullmatch(r"(\S+) (inferences|training steps)/s", line):
        return (f"{often[1]}{' steps' if often[2] != 'inferences' else ''}/s",)
    above, what, _ = line.partition(" above the optimum")
    if what:
        return (f"{above} above optimum", f"{above} above best")
    if line.endswith(ONE_AT_A_TIME):
        return (f"{line.partition(' ')[0]}/s{ONE_AT_A_TIME}",)
    if pace := re.fullmatch(r"(.+) samples/s, (one|slowest) \w+ (.+)", line):
        rate, which, time = pace.groups()
        return (f"{rate} samples/s, {which} {time}", f"{rate}/s, {which} {time}")
    parts = line.split(", ")
    if len(parts) > 1:
        return (parts[0] if re.search(r"\d", parts[0]) else parts[-1],)
    return ()
