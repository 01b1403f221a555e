"""The inspector's page of several selected ops as HTML: what they are together."""

from __future__ import annotations

from collections import Counter
from html import escape

import numpy as np

from gui.look.numbers import plural
from gui.panels.inspector_figures import PageTimes, parameters_text, streaming_rows
from gui.panels.inspector_pages import MOST_NAMES, fact_rows, link, nothing
from planner.model.graph import Ints
from planner.problem.decision import Evaluation
from planner.problem.problem import Pin, Problem
from planner.quantity import bytes_text


def counting_page(count: int) -> str:
    """The page of ``count`` selected ops of which the rest is not known yet."""
    return _title(count) + nothing("Counting what they are and where they could move …")


def _title(count: int) -> str:
    return f"<h3>{plural(count, 'op')} selected</h3>"


def sums_part(problem: Problem, evaluation: Evaluation, device_of: Ints, ops: Ints) -> str:
    """What several ops of a plan are together (``device_of`` int32[n], ``ops`` int32[m]); for any thread."""
    graph, e, times = problem.graph, problem.evaluator, PageTimes(problem, evaluation)
    devices = device_of[ops]
    work = float(e.work_on(device_of)[ops].sum())
    counts = np.bincount(devices, minlength=len(problem.devices))
    where = ", ".join(
        f"{link('device', int(d), problem.devices[int(d)].title)} ({int(counts[d]):,})"
        for d in np.argsort(-counts, kind="stable")[:MOST_NAMES]
        if counts[d]
    )
    more = int(np.count_nonzero(counts)) - MOST_NAMES
    kinds = Counter(map(graph.kinds.__getitem__, ops.tolist()))
    common = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{escape(kind)} ({count:,})" for kind, count in common[:MOST_NAMES])
    mates = problem.groups.expand(ops)
    extra = len(mates) - len(ops)
    pinned = {c.op for c in problem.constraints if isinstance(c, Pin)}
    pins = sum(graph.op_ids[v] in pinned for v in ops.tolist()) if pinned else 0
    rows = [
        ("On", where + (f" and {more} more" if more > 0 else "")),
        ("Kinds", shown + (f" and {len(common) - MOST_NAMES} more" if len(common) > MOST_NAMES else "")),
        ("Work", times.text(work)),
        ("Parameters", parameters_text(problem, ops)),
        *streaming_rows(problem, device_of, ops, times),
        ("Outputs", bytes_text(float(e.size[np.isin(graph.tensor_producer, ops)].sum()))),
        (
            "Memory on devices",
            bytes_text(float(e.memory[ops].sum())) if (e.memory[ops] != e.params[ops]).any() else "",
        ),
        ("Moves along", plural(extra, "colocated op") if extra else ""),
        (
            "Pinned",
            f"{pins:,} of them · {link('unpin', '', 'unpin')}"
            if pins
            else f"none · {link('pin', '', 'pin here')}",
        ),
    ]
    return _title(len(ops)) + fact_rows(rows)
