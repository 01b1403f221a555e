"""Figures on their way from one keyframe to the next."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF

from gui.look.theme import LIGHT
from gui.present.captions import Run, paint_header
from gui.present.counting import alike, counted, counted_runs, plan_between
from gui.present.panels.panels import paint_panel, panel_between
from gui.present.show import Show
from gui.present.transition.areas import headers_between
from gui.present.transition.transition import Shot
from gui.words.held import off_chip
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.quantity import bytes_text
from planner.story.keyframe import Keyframe
from tests.gui.models import tpu_graph
from tests.gui.present.talks import TARGETS, graph_members, network_members, resolved
from tests.gui.scribe import Scribe
from tests.planner.problem.examples import streaming_row

amounts = st.tuples(st.floats(0, 5_000_000), st.floats(0, 5_000_000), st.integers(0, 3))


@given(amounts, st.floats(0.0, 1.0))
def test_numbers_lie_between_old_and_new(amount: tuple[float, float, int], share: float) -> None:
    a, b, decimals = amount
    before, after = f"bottleneck {a:,.{decimals}f} ms", f"bottleneck {b:,.{decimals}f} ms"
    now = counted(before, after, share)
    assert now is not None and re.fullmatch(r"bottleneck [\d,.]+ ms", now)
    value = float(now.split()[1].replace(",", ""))
    step = 10.0**-decimals
    assert min(a, b) - step <= value <= max(a, b) + step
    assert counted(before, after, 0.0) == before and counted(before, after, 1.0) == after


def test_other_words_do_not_count() -> None:
    assert counted("no bound yet", "gap 3 %", 0.5) is None
    assert counted("3 ms", "3 s", 0.5) is None
    assert counted("1 of 4", "3 of 4", 0.5) == "2 of 4"
    assert counted("9,999 I/Os", "10,001 I/Os", 0.5) == "10,000 I/Os"


def test_both_lines_say_the_same_number_at_a_time() -> None:
    before = [Run("bottleneck ", "#000"), Run("8 ms", "#000", True), Run("no bound yet", "#000", claim=True)]
    after = [Run("bottleneck ", "#000"), Run("4 ms", "#000", True), Run("gap 3 %", "#000", claim=True)]
    one, other = counted_runs(before, after, 0.5)
    assert [run.text for run in one] == ["bottleneck ", "6 ms", "no bound yet"]
    assert [run.text for run in other] == ["bottleneck ", "6 ms", "gap 3 %"]
    for line in (one, other):
        assert [run.shown for run in line] == [True, True, False]
    for share in (0.0, 1.0):
        assert counted_runs(before, after, share) == (before, after)


def test_amounts_count_in_whatever_prefix_they_are_written() -> None:
    def line(off_chip: float, sent: float, name: str = "comm. ") -> list[Run]:
        figures = [("off-chip ", off_chip), (name, sent)]
        return [
            run
            for words, value in figures
            for run in (Run(words, "#000"), Run(bytes_text(value), "#000", True, amount=(value, "B")))
        ]

    before, after = line(1.5 * 2**20, 0.0), line(512.0 * 2**10, 200.0 * 2**10)
    one, other = counted_runs(before, after, 0.5)
    assert [run.text for run in one] == ["off-chip ", "1.00 MiB", "comm. ", "100.0 KiB"]
    assert [run.text for run in other] == [run.text for run in one]
    assert counted_runs(before, line(3.0, 4.0, "latency "), 0.5)[0] == before


def test_what_is_counted_is_not_what_was_rounded() -> None:
    mib = 2.0**20
    ends = [
        [Run("memory ", "#000"), Run(f"{value:.2f} MiB", "#000", True, amount=(value * mib, "B"), scale=mib)]
        for value in (24.4549, 9.4751)
    ]
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        now = counted_runs(*ends, share)[0][1].text
        assert now == bytes_text((24.4549 + (9.4751 - 24.4549) * share) * mib)


def test_claims_stay_while_nothing_counts() -> None:
    before = [Run("bottleneck ", "#000"), Run("8 ms", "#000", True), Run("no bound yet", "#000", claim=True)]
    after = [*before[:2], Run("gap 3 %", "#000", claim=True)]
    assert counted_runs(before, after, 0.5) == (before, after)


@pytest.mark.parametrize(("one", "other"), [("max load ", "latency "), ("A ", "B ")])
def test_other_objectives_and_letters_do_not_count(one: str, other: str) -> None:
    before, after = ([Run(name, "#000"), Run(f"{n} ms", "#000", True)] for name, n in ((one, 8), (other, 4)))
    assert counted_runs(before, after, 0.5) == (before, after)


def test_no_proof_is_told_of_a_figure_on_its_way(qapp: object) -> None:
    """Neither in the line above nor in a panel: bounds are of the plans at both ends."""
    frames = [Keyframe("", "", i, "lanes", panel="costs") for i in (0, 1)]
    (a, _), (b, _) = graph_members()
    assert isinstance(b, Plan)
    proof = b.problem.bound(b.problem.components[0], b.objective, "simple", frozenset())
    show = Show(resolved([(a, ()), (b, (proof,))], *frames), LIGHT, (1280, 800))
    at_rest = between(show, 1.0)
    assert any("proven optimal" in words for words in at_rest)
    assert any("no plan is below" in words for words in at_rest)
    for share in (0.3, 0.7):
        told = " ".join(between(show, share))
        assert not re.search("proven|at least|no plan is below|gap|no bound", told), share
        assert "sets the pace" in told


def between(show: Show, share: float) -> list[str]:
    """What is written in the line above and in the panel on the way from the first keyframe to the second."""
    figures = counted_runs(show.shots.figures(0), show.shots.figures(1), share)[share >= 0.5]
    panel = panel_between(show.shots.panel(0), show.shots.panel(1), share)
    assert panel is not None
    painter = Scribe(1280, 800)
    paint_header(painter, QRectF(0, 0, 1280, 50), "name", "target", figures, 1.0, LIGHT)
    paint_panel(painter, QRectF(0, 0, 400, 600), panel, 1.0, LIGHT)
    painter.end()
    return [words for _, words in painter.written]


@pytest.mark.parametrize("kind", sorted(TARGETS))
def test_evaluations_go_from_one_to_the_other(kind: str) -> None:
    (a, _), (b, _) = graph_members(kind)
    assert isinstance(a, Plan) and isinstance(b, Plan) and alike(a, b)
    assert plan_between(a, b, 0.0) is a and plan_between(a, b, 1.0) is b
    for share in (0.2, 0.5, 0.9):
        now = plan_between(a, b, share)
        for name in ("pace", "cost", "memory", "work", "receive", "send"):
            low, high = (
                f(getattr(a.evaluation, name), getattr(b.evaluation, name)) for f in (np.minimum, np.maximum)
            )
            assert (getattr(now.evaluation, name) >= low - 1e-12).all()
            assert (getattr(now.evaluation, name) <= high + 1e-12).all()
        for name, value in now.evaluation.components.items():
            ends = a.evaluation.components[name], b.evaluation.components[name]
            assert min(ends) <= value <= max(ends)


def test_orders_and_other_machines_do_not_count() -> None:
    (order, _), _ = network_members()
    (a, _), _ = graph_members("pipeline")
    (b, _), _ = graph_members("pool")
    assert not alike(order, order) and not alike(a, b)


@pytest.mark.parametrize(("kind", "panel"), [("mcm", "costs"), ("mcm", "package"), ("mcm", "memory"), ("pipeline", "costs"), ("pipeline", "convergence")])  # fmt: skip
def test_panels_count(kind: str, panel: str, qapp: object) -> None:
    frames = [Keyframe("", "", i, "lanes", panel=panel) for i in (0, 1)]
    show = Show(resolved(graph_members(kind), *frames), LIGHT, (640, 400))
    a, b = (show.shots.panel(i) for i in (0, 1))
    now = panel_between(a, b, 0.5)
    assert now is not None
    if panel == "convergence":
        assert now.step == 0.5 and now.shown == 2
        return
    ends = [
        plan.evaluation.components["chip-latency" if kind == "mcm" else "bottleneck"]
        for plan in (a.plan, b.plan)
    ]
    assert min(ends) <= now.plan.evaluation.objective <= max(ends)
    if now.package is not None and a.package is not None and b.package is not None:
        costs = [[chip.cost for chip in one.package.chips] for one in (a.package, now.package, b.package)]
        assert np.allclose(costs[1], (np.array(costs[0]) + np.array(costs[2])) / 2)
    assert panel_between(a, show.shots.panel(1), 1.0).plan is b.plan  # type: ignore[union-attr]


def test_differences_count(qapp: object) -> None:
    frames = [Keyframe("", "", i, "lanes", panel="difference", versus=1 - i) for i in (0, 1)]
    show = Show(resolved(graph_members(), *frames), LIGHT, (640, 400))
    a, b = (show.shots.panel(i) for i in (0, 1))
    assert a.comparison is not None and b.comparison is not None
    now = panel_between(a, b, 0.25)
    assert now is not None and now.comparison is not None
    costs = [one.differences(1).cost for one in (a.comparison, now.comparison, b.comparison)]
    assert np.allclose(costs[1], 0.75 * costs[0] + 0.25 * costs[2]) and not np.allclose(costs[0], costs[2])
    seconds = frames[0].transition + frames[0].hold + 0.4 * frames[1].transition
    assert not show.image(seconds).isNull()


@pytest.mark.parametrize("panel", ["costs", "memory"])
def test_ios_of_two_orders_count(panel: str, qapp: object) -> None:
    frames = [Keyframe("", "", i, "network", panel=panel, at=9) for i in (0, 1)]
    show = Show(resolved(network_members(), *frames), LIGHT, (640, 400))
    a, b = (show._panel_data(i) for i in (0, 1))
    now = panel_between(a, b, 0.5)
    assert now is not None and now.now is not None and a.now is not None and b.now is not None
    for part in ("reads", "writes"):
        done = [getattr(one.now.counters, part) for one in (a, now, b)]  # type: ignore[union-attr]
        end = [getattr(one.plan.evaluation, part) for one in (a, now, b)]
        for low, between, high in (done, end):
            assert min(low, high) <= between <= max(low, high)
            assert abs(between - (low + high) / 2) <= 0.5
    assert panel_between(a, b, 1.0).now == b.now  # type: ignore[union-attr]
    seconds = frames[0].transition + frames[0].hold + 0.4 * frames[1].transition
    assert not show.image(seconds).isNull()


def test_headers_count(qapp: object) -> None:
    frames = [Keyframe("", "", i, "stages") for i in (0, 1)]
    show = Show(resolved(graph_members(), *frames), LIGHT, (640, 400))
    a, b = (show.shots.shot(i) for i in (0, 1))
    assert isinstance(a, Shot) and isinstance(b, Shot)
    one, other = a.stage.headers, b.stage.headers
    now = headers_between(one, other, 0.25)
    assert one is not None and other is not None and now is not None
    assert np.allclose(now.pace, 0.75 * one.pace + 0.25 * other.pace)
    assert headers_between(one, other, 1.0) is other


def test_the_largest_rest_counts_too(qapp: object) -> None:
    """It is found among the rests on their way, which stages with the longest times need not have."""
    problem = Problem(streaming_row(), EdgeTpuPipeline(2, precision="file", cache=0.0), "inference-time")
    plans = [
        problem.plan(np.array(devices, np.int32), Provenance("hand"))
        for devices in ([0, 0, 1, 1], [0, 0, 0, 1])
    ]
    frames = [Keyframe("", "", i, "lanes", panel="costs") for i in (0, 1)]
    show = Show(resolved([(plan, ()) for plan in plans], *frames), LIGHT, (1280, 800))
    a, b = (show.shots.shot(i) for i in (0, 1))
    assert isinstance(a, Shot) and isinstance(b, Shot)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        e = plan_between(*plans, share).evaluation
        assert e.rests == pytest.approx(e.receive + e.work + e.send)
        headers = headers_between(a.stage.headers, b.stage.headers, share)
        assert headers is not None and headers.worst == "largest rest"
        assert headers.bottleneck == e.bottleneck == 0
        assert share > 0.25 or np.argmax(headers.pace) == 1
        assert "takes longest besides streaming" in " ".join(between(show, share))
    assert not show.image(frames[0].transition + frames[0].hold + 0.4 * frames[1].transition).isNull()


def test_the_panel_and_the_line_above_count_to_one_figure(qapp: object) -> None:
    """Also where another device holds most afterwards, so that for a moment none of them holds as much."""
    graph, target = tpu_graph(), TARGETS["edge-tpu"]
    problem = Problem(graph, target)
    plans = [
        problem.plan(np.array(devices, np.int32), Provenance("hand"))
        for devices in ([0, 0, 0, 0, 0, 1], [0, 1, 1, 1, 1, 1])
    ]
    frames = [Keyframe("", "", i, "lanes", panel="memory") for i in (0, 1)]
    show = Show(resolved([(plan, ()) for plan in plans], *frames), LIGHT, (1280, 800))
    assert plans[0].evaluation.memory.argmax() != plans[1].evaluation.memory.argmax()
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        now = plan_between(*plans, share)
        words = " ".join(between(show, share))
        assert words.count(bytes_text(now.evaluation.components["max-memory"])) >= 2, (share, words)


def test_what_is_off_chip_counts_to_one_figure_too(qapp: object) -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(2, cache=2 * 2**20))
    plans = [
        problem.plan(np.array(devices, np.int32), Provenance("hand"))
        for devices in ([0, 0, 0, 0, 0, 1], [0, 1, 1, 1, 1, 1])
    ]
    assert all(plan.evaluation.components["dram"] > 0 for plan in plans)
    frames = [Keyframe("", "", i, "lanes", panel="memory") for i in (0, 1)]
    show = Show(resolved([(plan, ()) for plan in plans], *frames), LIGHT, (1280, 800))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        evaluation = plan_between(*plans, share).evaluation
        streamed = evaluation.components["dram"] + off_chip(evaluation)[1]
        assert f"{bytes_text(streamed)} streamed" in " ".join(between(show, share))


def test_two_lines_of_a_header_keep_off_its_edges(qapp: object) -> None:
    """In letters as large as both lines have room for, too."""
    for letters in (1.0, 1.7):
        painter, rect = Scribe(600, 50), QRectF(0, 0, 600, 50)
        runs = [Run("max load ", LIGHT.muted), Run("1.75 ms", LIGHT.text, True)]
        paint_header(
            painter,
            rect,
            "DenseNet121",
            "Device pool, 2 accelerators and one CPU beside them",
            runs,
            letters,
            LIGHT,
        )
        painter.end()
        boxes = [box for box, _ in painter.written]
        assert len({box.top() for box in boxes}) == 2
        assert min(box.top() for box in boxes) >= 5 and max(box.bottom() for box in boxes) <= 45
