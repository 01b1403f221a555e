"""The inspector's pages as HTML. Names come from files: every one of them is escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from gui.look.numbers import detailed_column, gap_text, plural
from gui.look.theme import Theme, device_colours
from gui.panels.inspector_figures import (
    PageTimes,
    breakable,
    count_text,
    device_rows,
    in_a_line,
    own_times_text,
    parameters_text,
    plan_rows,
    streaming_rows,
    time_rows,
    transfer_rows,
    unbroken,
    whole,
    work_elsewhere,
)
from gui.words.held import held_of
from gui.words.objectives import plan_times
from planner.evaluation.device_words import device_traits
from planner.evaluation.estimates import counting_words, estimates_words
from planner.evaluation.times_source import FILE, times_mark, times_source
from planner.model.graph import Graph
from planner.model.times import measured_words
from planner.problem.evaluator import Evaluator
from planner.problem.problem import Pin, Together
from planner.problem.worst import meaning, worst_word
from planner.quantity import bytes_text

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from gui.document.plan.preview import Preview

MOST_TENSORS = 12
MOST_ATTRIBUTES = 24
MOST_NAMES = 8
LONGEST_REASON = 160


def framed(body: str, theme: Theme) -> str:
    """A page in the theme's colours."""
    return (
        f"<style>a {{ color: {theme.accent}; text-decoration: none; }} td {{ padding: 2px 0; }}"
        f" h3 {{ margin: 0 0 2px 0; }} .m {{ color: {theme.muted}; }} .s {{ margin-top: 10px; font-weight: bold; }}"
        f" .r {{ color: {theme.muted}; font-size: 8pt; padding-bottom: 4px; }}"
        f" .good {{ color: {theme.good}; }} .bad {{ color: {theme.bad}; }}</style>{breakable(body)}"
    )


def nothing(sentence: str) -> str:
    """A page with nothing but a hint."""
    return f"<p class='m'>{escape(sentence)}</p>"


ALL_SENT = "Its transfers, if all are sent"
ALL_SENT_TIP = "What all tensors that it reads and writes take over a link; those between ops of one device are not sent, and cost nothing."


def fact_rows(rows: Iterable[tuple[str, str]]) -> str:
    """A table of facts; values are HTML already."""
    cells = "".join(
        f"<tr><td class='m' valign='top'{_tip(name)}>{escape(name)}&nbsp;&nbsp;</td><td align='right'{whole(value)}>{unbroken(value)}</td></tr>"
        for name, value in rows
        if value
    )
    return f"<table width='100%' cellspacing='0'>{cells}</table>"


def _tip(name: str) -> str:
    """The attribute with what a fact means that its name cannot say."""
    return f" title='{escape(ALL_SENT_TIP)}'" if name == ALL_SENT else ""


def section(title: str) -> str:
    return f"<p class='s'>{escape(title)}</p>"


def link(action: str, which: int | str, text: str) -> str:
    return f"<a href='{action}:{which}'>{escape(text)}</a>"


def _shape(shape: tuple[int, ...] | None, dtype: str) -> str:
    shown = "×".join(str(s) for s in shape) if shape else ("scalar" if shape is not None else "")
    return " ".join(part for part in (shown, dtype) if part)


def _device_name(document: Document, device: int) -> str:
    assert document.problem is not None
    return document.problem.devices[device].title


# ---------------------------------------------------------------------- pages
def op_page(document: Document, check: Preview, reasons: Mapping[int, str], theme: Theme, along: Collection[int]) -> str:  # fmt: skip
    """The page of one selected op, and where it could move; ``along``: where it can if others come along."""
    return _one_op(document, int(document.selection[0]), moves_part(document, check, reasons, theme, along))


def _one_op(document: Document, v: int, moves: str) -> str:
    problem = document.problem
    assert problem is not None
    graph, e, times = problem.graph, problem.evaluator, PageTimes(problem, document.evaluation)
    device = int(document.device_of[v])
    mates = problem.groups.expand([v])
    mates = mates[mates != v]
    pin = next(
        (c.device for c in problem.constraints if isinstance(c, Pin) and c.op == graph.op_ids[v]), None
    )
    together = any(isinstance(c, Together) and graph.op_ids[v] in c.ops for c in problem.constraints)
    ins, outs = _tensors(graph.inputs, v), _tensors(graph.outputs, v)
    work = float(e.op_work[e.class_of[device], v])
    moved = float(e.tensor_time[ins].sum() + e.send_time[outs].sum())
    rows = [
        ("Device", link("device", device, _device_name(document, device))),
        ("Work here", times.text(work) + (" · estimated" if work and times_mark(problem) == "estimated" else "")),
        *work_elsewhere(problem, v, times),
        *time_rows(problem, document.device_of, v, times),
        (ALL_SENT, times.text(moved)),
        ("Parameters", parameters_text(problem, np.array([v])) if e.params[v] or graph.params[v] else ""),
        *streaming_rows(problem, document.device_of, document.selection, times),
        ("Multiply-accumulates", count_text(float(graph.macs[v])) if graph.macs[v] else ""),
        ("Output", bytes_text(float(e.size[outs].sum()))),
        ("Copied", f"on every {problem.target.words.one} that reads it" if e.copied[v] else ""),
        ("Memory on its device", bytes_text(float(e.memory[v])) if e.memory[v] != e.params[v] else ""),
        ("Layer", str(int(graph.layer[v])) if graph.layer[v] >= 0 else ""),
        ("Pass", "backward" if graph.backward[v] else "forward" if graph.backward.any() else ""),
        ("Runs on", "CPU only" if not graph.supported[v] else ""),
        ("Model", escape(graph.model_names[int(graph.model[v])]) if len(graph.model_names) > 1 else ""),
        ("Pinned", f"{escape(pin)} · {link('unpin', '', 'unpin')}" if pin else f"no · {link('pin', '', 'pin here')}"),
        ("Id", escape(graph.op_ids[v]) if graph.op_ids[v] != graph.op_names[v] else ""),
    ]  # fmt: skip
    body = f"<h3>{escape(graph.op_names[v])}</h3><p class='m'>{escape(graph.kinds[v])}</p>" + fact_rows(rows)
    if len(mates):
        take_back = f" · {link('separate', '', 'separate')}" if together else ""
        body += section("Moves together with") + f"<p>{_names(graph, mates)}{take_back}</p>"
    body += moves
    if len(ins):
        body += section("Receives") + fact_rows(_tensor_rows(e, ins, from_producer=True))
    if len(outs):
        body += section("Produces") + fact_rows(_tensor_rows(e, outs, from_producer=False))
    return body + _attributes(graph.attrs[v])


def tensor_page(document: Document, tensor: int, theme: Theme) -> str:
    """The page of one tensor: size, producer, consumers, and which devices it travels to."""
    problem = document.problem
    assert problem is not None
    graph = problem.graph
    producer = int(graph.tensor_producer[tensor])
    consumers = graph.consumer_idx[graph.consumer_ptr[tensor] : graph.consumer_ptr[tensor + 1]]
    home = int(document.device_of[producer])
    reached = np.unique(document.device_of[consumers])
    away = [int(d) for d in reached if d != home]
    e = problem.evaluator
    name = graph.tensor_names[tensor] or f"output of {graph.op_names[producer]}"
    rows = [
        ("Shape", escape(_shape(graph.tensor_shapes[tensor], graph.tensor_dtypes[tensor]))),
        ("Size", bytes_text(float(e.size[tensor]))),
        *transfer_rows(problem, tensor, PageTimes(problem, document.evaluation)),
        ("Produced by", link("op", producer, graph.op_names[producer])),
        ("On", link("device", home, _device_name(document, home))),
        (
            "Travels to",
            ", ".join(link("device", d, _device_name(document, d)) for d in away) or "stays on its device",
        ),
    ]
    body = (
        f"<p>{link('ops', '', '← back to the selection')}</p><h3>{escape(name)}</h3><p class='m'>tensor</p>"
        + fact_rows(rows)
    )
    if len(consumers):
        body += (
            section(f"Consumed by {plural(len(consumers), 'op')}") + f"<p>{_names(graph, consumers, 24)}</p>"
        )
    return body


def _copies(document: Document, device: int) -> list[tuple[str, str]]:
    """Under replication: how many devices share the stage, or whose stage the device shares."""
    evaluation = document.evaluation
    stage, copies = int(evaluation.serves[device]), int(evaluation.replicas[device])
    if stage not in (-1, device):
        return [("Copy of", link("device", stage, _device_name(document, stage)))]
    return [("Copies", f"{copies} devices share its samples")] if copies > 1 else []


def device_page(document: Document, device: int, theme: Theme) -> str:
    """The page of one device: cost in parts, memory, and what it holds."""
    problem = document.problem
    assert problem is not None
    graph, evaluation = problem.graph, document.evaluation
    column, held = plan_times(problem, evaluation), held_of(problem, evaluation)
    capacity = float(problem.evaluator.capacity[device])
    used = float(evaluation.memory[device])
    ops = np.flatnonzero(document.device_of == device)
    heavy = ops[
        np.argsort(-problem.evaluator.op_work[problem.evaluator.class_of[device], ops], kind="stable")[
            :MOST_NAMES
        ]
    ]
    limit = held.limit(device)
    share = f" <span class='{'bad' if used > capacity else 'm'}'>of {limit}</span>" if limit else ""
    rows = [
        ("Cost", f"<b>{column.level(float(evaluation.cost[device]))}</b>"),
        *_copies(document, device),
        ("Transfers", "" if problem.evaluator.pays[device] else problem.target.transfers_note()),
        ("Receive", column.level(float(evaluation.receive[device]))),
        ("Work", column.level(float(evaluation.work[device]))),
        ("Streaming", column.level(float(evaluation.streaming[device]))),
        ("Send", column.level(float(evaluation.send[device]))),
        ("Parameters" if "cache" in evaluation.details else "Memory", held.text(device) + share),
        *device_rows(held, evaluation, device),
        ("Times", own_times_text(problem, device)),
        ("Parameters", "" if evaluation.details else bytes_text(float(problem.evaluator.params[ops].sum()))),
        ("Ops", f"{len(ops):,}"),
    ]
    title, kind = problem.devices[device].title, problem.devices[device].kind
    if traits := device_traits(problem)[device]:
        kind = f"{kind} · {traits}"
    mark = (
        f" · <span class='bad'>{worst_word(problem, evaluation)}</span>"
        if device == evaluation.bottleneck
        else ""
    )
    body = f"<h3>{escape(title)}</h3><p class='m'>{escape(kind)}{mark}</p>" + fact_rows(rows)
    if mark and (means := meaning(worst_word(problem, evaluation))):
        body += f"<p class='m'>{escape(means)}</p>"
    if len(heavy):
        cost = problem.evaluator.op_work[problem.evaluator.class_of[device]]
        heaviest = detailed_column(cost[heavy].tolist(), graph.time_unit, column)
        body += section("Its heaviest ops") + _rows_of_links(
            (link("op", v, graph.op_names[v]), heaviest.text(float(cost[v]))) for v in heavy.tolist()
        )
    return body


def graph_page(document: Document, theme: Theme) -> str:
    """The page shown when nothing is selected: the model as a whole."""
    problem = document.problem
    assert problem is not None
    graph = problem.graph
    e, times = problem.evaluator, PageTimes(problem, document.evaluation)
    sources = times_source(problem)
    if measured := measured_words(graph):
        who = "; ".join(map(escape, graph.measured.sources if graph.measured else ()))
        sources = f"{measured} ({who})" if who else measured
    elif sources != FILE:
        sources = f"{sources}: {escape(estimates_words(problem))} (see Target)"
    counted = counting_words(problem)
    rows = [
        ("Ops", f"{graph.n:,}"),
        ("Tensors", f"{graph.tensor_count:,}"),
        ("Depth", f"{graph.depth:,}"),
        ("Largest in-degree", f"{graph.max_degree:,}"),
        ("Parameters", parameters_text(problem)),
        ("Work in all", times.text(float(e.work_on(document.device_of).sum()))),
        ("Times from", sources),
        ("Counted in", counted),
        ("Format", escape(graph.format)),
    ]
    hint = nothing(
        "Select ops on the canvas, in the table or on a device to see their facts and where they could move."
    )
    figures = plan_rows(problem, document.evaluation)
    plan = section("This plan, estimated") + fact_rows(figures) if figures else ""
    return f"<h3>{escape(graph.name)}</h3>" + fact_rows(rows) + plan + hint


# ---------------------------------------------------------------------- parts
def _tensors(ends: tuple[np.ndarray, np.ndarray], v: int) -> np.ndarray:
    ptr, idx = ends
    return idx[ptr[v] : ptr[v + 1]]


def _rows_of_links(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><td>{left}&nbsp;&nbsp;</td><td align='right'>{right}</td></tr>" for left, right in rows
    )
    return f"<table width='100%' cellspacing='0'>{cells}</table>"


def _tensor_rows(e: Evaluator, tensors: np.ndarray, *, from_producer: bool) -> list[tuple[str, str]]:
    graph = e.problem.graph
    rows: list[tuple[str, str]] = []
    for t in tensors[:MOST_TENSORS].tolist():
        size = link("tensor", t, bytes_text(float(e.size[t])))
        shape = escape(_shape(graph.tensor_shapes[t], graph.tensor_dtypes[t]))
        if from_producer:
            producer = int(graph.tensor_producer[t])
            ends = link("op", producer, graph.op_names[producer])
        else:
            readers = graph.consumer_idx[graph.consumer_ptr[t] : graph.consumer_ptr[t + 1]]
            ends = _names(graph, readers, 3) or "nobody"
        arrow = "from" if from_producer else "to"
        rows.append((arrow, f"{ends}<br>{shape + ' · ' if shape else ''}{size}"))
    if len(tensors) > MOST_TENSORS:
        rows.append(("", f"and {plural(len(tensors) - MOST_TENSORS, 'more tensor')}"))
    return rows


def _names(graph: Graph, ops: np.ndarray, most: int = MOST_NAMES) -> str:
    shown = ", ".join(link("op", v, graph.op_names[v]) for v in ops[:most].tolist())
    return shown + (f" and {len(ops) - most:,} more" if len(ops) > most else "")


def _attributes(attrs: Mapping[str, Any]) -> str:
    if not attrs:
        return ""
    rows = []
    for name, value in list(attrs.items())[:MOST_ATTRIBUTES]:
        text = str(value)
        rows.append((str(name), escape(text if len(text) <= 80 else text[:77] + "…")))
    return section("Attributes") + fact_rows(rows)


def moves_part(document: Document, check: Preview, reasons: Mapping[int, str], theme: Theme, along: Collection[int]) -> str:  # fmt: skip
    """Where the selection could move: the objective it gives, or what is in the way."""
    problem = document.open_problem
    colours = device_colours(len(problem.devices), theme)
    rows = []
    for d, device in enumerate(problem.devices):
        mark = f"<span style='color: {colours[d].accent}'>■</span>&nbsp;"
        if len(check.origins) == 1 and d == check.origins[0]:
            rows.append(
                f"<tr><td>{mark}{in_a_line(device.title)}</td><td align='right' class='m'>is here</td></tr>"
            )
        elif check.legal[d]:
            change = check.changes[d]
            tone = ("m", "bad", "good")[change.sign]
            amount, _, by = change.text.rpartition("  ")
            gap = f" title='gap {gap_text(float(check.gap[d]))}'" if np.isfinite(check.gap[d]) else ""
            rows.append(
                f"<tr><td{gap}>{mark}<a href='move:{d}'>{in_a_line(device.title)}</a></td><td align='right'>{unbroken(escape(amount))}"
                f"&nbsp; <span class='{tone}'>{unbroken(escape(by))}</span></td></tr>"
            )
        else:
            reason = reasons.get(d, "not allowed")
            short = reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1].rstrip() + "…"
            offer = link("along", d, "take along") if d in along else ""
            rows.append(
                f"<tr><td class='m'>{mark}{in_a_line(device.title)}</td><td align='right'>{offer}</td></tr>"
                f"<tr><td colspan='2' class='r'>{escape(short)}</td></tr>"
            )
    return section("Moving to") + f"<table width='100%' cellspacing='0'>{''.join(rows)}</table>"
