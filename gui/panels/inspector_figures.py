"""What the inspector says of targets that estimate more than a cost: bytes on chip and off, links, energy, throughput."""

from __future__ import annotations

import math
import re
from html import escape

import numpy as np

from gui.look.numbers import DASH, detailed_column, energy_text, rate_text, ratio_text
from gui.widgets.facts import MAY_BREAK
from gui.words.held import Held
from gui.words.objectives import plan_times
from planner.evaluation.estimates import op_times
from planner.evaluation.shared_parameters import params_read
from planner.evaluation.times_source import any_measured
from planner.model.graph import Ints
from planner.model.times import compute_ops
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.quantity import bytes_text

AMOUNT = re.compile(r"(\d) (?=%|[µnm]?s\b|[KMGT]?i?B\b)")
"""A number, and the space between it and its unit."""
Rows = list[tuple[str, str]]
ALONE = re.compile(r"[-+−≥≤~]? ?[\d.,]+ ?(%|[µnm]?s|[KMGT]?i?B)")
"""A cell of an amount with its unit, and nothing else."""
LONGEST_WORD = 20
"""Letters that stay in one line: as many as the longest word that the inspector itself has."""
LONG_WORD = re.compile(rf"[^\s&;]{{{LONGEST_WORD + 1},}}")
SEPARATED = re.compile(r"[^_./:-]*[_./:-]+|[^_./:-]+")
TAG = re.compile(r"(<[^>]*>)")
SHORT_TITLE = 14
"""Letters of a name that a table shows in one line, however narrow the panel is."""
MOST_CLASSES = 6
"""Devices whose time of an op is told beside one another, where they are not alike."""


class PageTimes:
    """How times are written in the inspector: in the unit of the plan above it, with the decimals that a small one needs."""

    def __init__(self, problem: Problem, evaluation: Evaluation) -> None:
        self._unit, self._column = problem.graph.time_unit, plan_times(problem, evaluation)

    def text(self, value: float) -> str:
        """One of them."""
        return DASH if math.isnan(value) else detailed_column([value], self._unit, self._column).text(value)


WHOLE = "white-space: nowrap"
"""The style of a cell whose amount is never cut, however narrow the panel is."""


def whole(html: str) -> str:
    """The attribute of a cell of just an amount, which is never cut; empty for one of words."""
    return f" style='{WHOLE}'" if ALONE.fullmatch(html) else ""


def unbroken(html: str) -> str:
    """Amounts with their units in one line: ``14.75 ms``, ``−33.2 %``."""
    return AMOUNT.sub("\\1\u00a0", html)


def breakable(html: str) -> str:
    """HTML in which long identifiers may go on in the next line behind a separator, or where there is none after :data:`LONGEST_WORD` letters.

    Words of a language are shorter, and are never cut.
    """
    parts = TAG.split(html)
    parts[::2] = [LONG_WORD.sub(_in_pieces, text) for text in parts[::2]]
    return "".join(parts)


def in_a_line(title: str) -> str:
    """A device's name in a table as HTML: in one line where it is short."""
    return escape(title).replace(" ", "\u00a0") if len(title) <= SHORT_TITLE else escape(title)


def _in_pieces(word: re.Match[str]) -> str:
    pieces = (
        piece[i : i + LONGEST_WORD]
        for piece in SEPARATED.findall(word[0])
        for i in range(0, len(piece), LONGEST_WORD)
    )
    return MAY_BREAK.join(pieces)


def count_text(value: float) -> str:
    """A count with a short scale word where it is long: ``8.6 M``."""
    for scale, word in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= scale:
            return (
                f"{value / scale / (1 if word != 'k' else 0.1):,.2f} {word}"
                if word != "k"
                else f"{value / 1e3:,.1f} k"
            )
    return f"{value:,.0f}"


def parameters_text(problem: Problem, ops: Ints | None = None) -> str:
    """Number and bytes of the parameters that ops (int32[m]) read, those that ops share at each; without ``ops`` those of the model, each once."""
    graph, e = problem.graph, problem.evaluator
    if ops is None:
        count, size = graph.params.sum(), (e.params - e.shared_params).sum()
    else:
        count, size = params_read(graph)[ops].sum(), e.params[ops].sum()
    return f"{count_text(float(count))} ({bytes_text(float(size))})"


def device_rows(held: Held, evaluation: Evaluation, device: int) -> Rows:
    """Amounts of one device beside its times (name, text), written as on the canvas; none where the target knows none."""
    details = {name: float(amounts[device]) for name, amounts in evaluation.details.items()}
    around = held.around(device, details["pushed"], details["scratch"]) if "cache" in details else []
    memory, traffic = held.column(device).text, bytes_text
    words = (
        ("bytes_in", "Enters from stages", traffic), ("host_in", "Enters from the host", traffic),
        ("bytes_out", "Leaves for stages", traffic), ("host_out", "Leaves for the host", traffic),
        ("energy", "Energy per inference", energy_text),
        ("parameters", "Parameters", memory), ("activations", "Peak activations", memory),
        ("link", "To the next chip", traffic),
    )  # fmt: skip
    # Most stages exchange nothing with the host itself.
    return around + [
        (title, said(details[name]))
        for name, title, said in words
        if name in details and (details[name] or not name.startswith("host_"))
    ]


def plan_rows(problem: Problem, evaluation: Evaluation) -> Rows:
    """Estimates of the whole plan (name, text); none where the target makes none."""
    figures, times = evaluation.figures, PageTimes(problem, evaluation)
    rows: Rows = []
    if math.isfinite(figures.get("throughput", math.inf)):
        rows.append(("Inferences per second", rate_text(figures["throughput"])))
    if "latency" in figures:
        rows.append(("Latency", times.text(figures["latency"])))
    if figures:
        slowest = f"Slowest {problem.target.words.one}"
        rows.append((slowest, times.text(float(evaluation.cost.max(initial=0.0)))))
    if "energy" in figures:
        rows.append(("Energy per inference", energy_text(figures["energy"])))
    return rows


def time_rows(problem: Problem, device_of: np.ndarray, v: int, page: PageTimes) -> Rows:
    """What is estimated of an op and what was measured, where it is: both, their ratio, and how far runs spread.

    Empty where nothing of the model was measured.
    """
    if not any_measured(problem):
        return []
    measured = problem.graph.measured
    times = op_times(problem, device_of)
    rows = [] if np.isnan(times.estimated[v]) else [("Estimated", page.text(float(times.estimated[v])))]
    if np.isnan(times.measured[v]):
        return [*rows, ("Measured", "no")]
    parts = [page.text(float(times.measured[v]))]
    own = problem.measured_times.get(int(device_of[v]))
    if own is not None and not np.isnan(own[v]):
        parts.append(f"on {problem.devices[device_of[v]].title}")
    elif measured is not None:
        spread = float(measured.spread[v])
        if not np.isnan(spread) and times.measured[v] > 0:
            parts.append(f"± {page.text(spread)}")
        if measured.shared[v]:
            parts.append("as part of a kernel")
        if measured.scaled[v]:
            parts.append("scaled from a run")
    rows.append(("Measured", " ".join(parts)))
    if not np.isnan(times.ratio[v]):
        rows.append(("Measured over estimated", ratio_text(float(times.ratio[v]))))
    return rows


def own_times_text(problem: Problem, device: int) -> str:
    """How many of the ops on whose times a device's own profile speaks, in words; empty where it has none."""
    own = problem.measured_times.get(device)
    if own is None:
        return ""
    compute = compute_ops(problem.graph)
    return f"{int((compute & ~np.isnan(own)).sum()):,} of {int(compute.sum()):,} ops measured on it"


def transfer_rows(problem: Problem, tensor: int, times: PageTimes) -> Rows:
    """What a tensor costs a receiver and its sender; one row where that is the same."""
    e = problem.evaluator
    there, away = float(e.tensor_time[tensor]), float(e.send_time[tensor])
    if there == away:
        return [("One transfer", times.text(there))]
    return [("To receive it", times.text(there)), ("To send it", times.text(away))]


def streaming_rows(problem: Problem, device_of: np.ndarray, ops: np.ndarray, times: PageTimes) -> Rows:
    """What the parameters of ``ops`` cost where their devices stream what their memory does not hold: the bytes, and the time of each
    inference, by which the devices would stream less without them. Empty where all has room."""
    e = problem.evaluator
    limited = np.isfinite(e.budget)
    held = np.bincount(device_of, e.params, minlength=e.k)
    own = np.bincount(device_of[ops], e.params[ops], minlength=e.k)
    over = np.where(limited, np.maximum(held - np.where(limited, e.budget, 0.0), 0.0), 0.0)
    streamed = float(np.minimum(own, over).sum())
    if streamed <= 0.0:
        return []
    title = "Streamed for it" if len(ops) == 1 else "Streamed for them"
    return [(title, f"{bytes_text(streamed)}, {times.text(streamed / e.streaming_rate)} per inference")]


def work_elsewhere(problem: Problem, op: int, times: PageTimes) -> Rows:
    """What an op takes on each kind of device, or on the first device of each class where devices of a kind are not alike; empty where it
    takes the same everywhere."""
    e = problem.evaluator
    if e.alike:
        a, b = float(e.op_work[0, op]), float(e.op_work[-1, op])
        if abs(a - b) <= 1e-12 * max(a, b):
            return []
        return [("On an accelerator", times.text(a)), ("On a CPU", times.text(b))]
    classes, first = np.unique(e.class_of, return_index=True)
    several = [
        f"{escape(problem.devices[d].title)} {times.text(float(e.op_work[c, op]))}"
        for d, c in sorted(zip(first.tolist(), classes.tolist(), strict=True))
    ]
    more = f" and {len(several) - MOST_CLASSES} more" if len(several) > MOST_CLASSES else ""
    return [("Work by device", ", ".join(several[:MOST_CLASSES]) + more)]
