"""The planners panel: the catalogue for the problem, options, orders, and rows of running jobs."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.background.job import Job
from gui.background.jobs import Jobs
from gui.document.plan.document import Document
from gui.look.theme import DARK, LIGHT
from gui.tools.search import refusals
from gui.tools.search.job_row import JobRow
from gui.tools.search.method_list import METHOD, OTHERS, PROVE, matches, tag
from gui.tools.search.planners import PlannersPanel
from gui.tools.search.runs_area import MOST_SHARE
from gui.words.methods import refusal_words
from planner.machines.catalogue import bound_methods, default_planner, planner, planners
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.runs.messages import Order
from planner.search.method import Method
from tests.gui.models import chain_graph
from tests.gui.window_parts import opened, opened_on_tpus, settle, shown


class PlainJobs(QObject):
    """Keeps orders instead of running them."""

    job_changed = Signal(object)
    jobs_changed = Signal()
    ended = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.problem: Problem | None = None
        self.jobs: list[Job] = []
        self.cancelled: list[Job] = []

    @property
    def running(self) -> list[Job]:
        return [job for job in self.jobs if job.alive]

    def start(self, order: Order, title: str = "", follow: bool = True) -> Job:
        job = Job(f"job {len(self.jobs) + 1}", title, order, 0, time.monotonic(), 0)
        self.jobs.append(job)
        self.jobs_changed.emit()
        return job

    def cancel(self, job: Job) -> None:
        job.state = "stopping"
        self.cancelled.append(job)
        self.job_changed.emit(job)

    def cancel_all(self) -> None:
        for job in self.running:
            self.cancel(job)

    def forget(self, job: Job) -> None:
        self.jobs.remove(job)
        self.jobs_changed.emit()


def panel_of(document: Document, jobs: Any = None) -> PlannersPanel:
    return PlannersPanel(document, jobs or PlainJobs(), LIGHT)


def items(panel: PlannersPanel) -> dict[str, tuple[bool, str]]:
    found = {}
    for i in range(panel.list.count()):
        item = panel.list.item(i)
        if item.data(METHOD) is not None:
            found[item.data(METHOD).name] = (bool(item.flags() & Qt.ItemFlag.ItemIsEnabled), item.toolTip())
    return found


def test_all_methods_are_listed_and_refusals_explained(qtbot: QtBot) -> None:
    document = opened()
    panel = panel_of(document)
    with shown(qtbot, panel):
        listed = items(panel)
        for_graphs = {n: m for n, m in {**planners(), **bound_methods()}.items() if not m.plans_networks}
        assert set(listed) == set(for_graphs)
        problem = document.problem
        assert problem is not None
        for name, method in for_graphs.items():
            enabled, tip = listed[name]
            reason = method.refusal(problem)
            assert enabled == (reason is None)
            assert (refusal_words(method, problem) or method.summary) in tip
        assert panel.method() is not None
        assert panel.summary.text().endswith(".")
        assert panel.source.text()


def test_methods_of_a_large_graph_are_asked_one_in_a_turn_and_once_each(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = opened()
    panel = panel_of(document)
    asked: list[Method] = []
    turns: list[bool] = []
    with shown(qtbot, panel):
        settle()
        chosen = panel.method()
        words, ask = refusals.refusal_words, panel.list.refusals.ask_next

        def counted_words(method: Method, problem: Problem) -> str:
            asked.append(method)
            return words(method, problem)

        def counted_ask(*given: Any) -> bool:
            turns.append(ask(*given))
            return turns[-1]

        monkeypatch.setattr(refusals, "STEP_SECONDS", -1.0)
        monkeypatch.setattr(refusals, "refusal_words", counted_words)
        monkeypatch.setattr(panel.list.refusals, "ask_next", counted_ask)
        document.set_problem(Pipeline(4))
        qtbot.waitUntil(lambda: turns[-1:] == [False], timeout=30_000)
        settle()
        entries = [panel.list.item(i) for i in range(panel.list.count())]
        listed = {item.data(METHOD): item.flags() for item in entries if item.data(METHOD) is not None}
        assert set(asked) == set(listed) and len(asked) == len(listed)
        assert turns == [True] * (len(listed) - 1) + [False]
        problem = document.open_problem
        for method, flags in listed.items():
            assert bool(flags & Qt.ItemFlag.ItemIsEnabled) == (method.refusal(problem) is None)
        assert panel.method() is chosen
        panel.search.setText("slice")
        settle()
        assert len(asked) == len(listed), "nothing is asked again for what is typed"


def test_groups_and_tags(qtbot: QtBot) -> None:
    document = opened()
    panel = panel_of(document)
    with shown(qtbot, panel):
        headings = [
            panel.list.item(i).text()
            for i in range(panel.list.count())
            if panel.list.item(i).data(METHOD) is None
        ]
        assert headings == ["Find plans", PROVE, OTHERS]
        last = panel.list.item(panel.list.count() - 1)
        assert not last.flags() & Qt.ItemFlag.ItemIsEnabled
        assert last.data(Qt.ItemDataRole.AccessibleTextRole).endswith(last.toolTip())
        panel.choose("slice")
        assert "heuristic" in panel.source.text()
        assert tag(bound_methods()["simple"]) == ""
        assert tag(planner("chain-dp")) == "exact", "of all that it serves"
        assert tag(planner("edge-tpu-fastest")) == "exact if few ideals"
        panel.set_theme(DARK)
        settle()
        assert not panel.grab().isNull()


def test_a_few_letters_find_a_method(qtbot: QtBot) -> None:
    document = opened()
    jobs = PlainJobs()
    panel = panel_of(document, jobs)
    with shown(qtbot, panel):
        panel.choose("slice")
        everything = set(items(panel))
        QTest.keyClick(panel.list, "r")  # type: ignore[call-overload]  # the stubs know only keys
        assert panel.search.hasFocus()
        QTest.keyClicks(panel.search, "andom")
        assert set(items(panel)) == {m for m in everything if matches(either(m), "random")}
        method = panel.method()
        assert method is not None
        assert "random" in f"{method.name} {method.summary}".lower()
        QTest.keyClick(panel.search, Qt.Key.Key_Down)
        panel.search.setText("slice-random")
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        assert [job.planner for job in jobs.jobs] == ["slice-random"]
        panel.search.setText("no such thing")
        assert panel.method() is None
        assert not panel.start_button.isEnabled()
        assert "No method" in panel.summary.text()
        QTest.keyClick(panel.search, Qt.Key.Key_Escape)
        assert set(items(panel)) == everything


def either(name: str) -> Method:
    return bound_methods()[name] if name in bound_methods() else planner(name)


def test_the_order_has_what_the_form_says(qtbot: QtBot) -> None:
    document = opened()
    panel = panel_of(document)
    with shown(qtbot, panel):
        panel.choose("local-search")
        panel.options.fields["restarts"].setValue(25)  # type: ignore[attr-defined]
        panel.limits.fields["seed"].setValue(7)  # type: ignore[attr-defined]
        panel.limits.fields["time"].setValue(0)  # type: ignore[attr-defined]
        panel.limits.fields["gap"].setValue(2.5)  # type: ignore[attr-defined]
        order = panel.order()
        assert (order.method, order.seed, order.time_limit, order.is_bound) == (
            "local-search",
            7,
            None,
            False,
        )
        assert order.options["restarts"] == 25
        assert order.gap == pytest.approx(0.025)
        assert order.problem == document.problem
        assert [s.tolist() for s in order.starts] == [document.device_of.tolist()]
        assert list(order.bounds) == document.bounds
        panel.choose("simple")
        assert panel.order().is_bound
        assert panel.start_button.text() == "Prove"
        document.move([0], 2)
        assert panel.order().starts == []


def test_without_a_model(qtbot: QtBot) -> None:
    document = Document()
    said: list[str] = []
    document.message.connect(lambda m: said.append(m.text))
    panel = panel_of(document)
    with shown(qtbot, panel):
        assert not panel.start_button.isEnabled()
        assert panel.start() is None
        assert "open a model" in said[0]


def test_the_choice_survives_an_edit_of_the_problem(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(accelerators=2, cpus=1))
    panel = panel_of(document)
    with shown(qtbot, panel):
        panel.choose("local-search")
        document.pin([1], 0)
        settle()
        method = panel.method()
        assert method is not None
        assert method.name == "local-search"
        # Another graph: what suits it is proposed again; what refuses it cannot be chosen.
        document.open_graph(chain_graph(10), target=Pipeline(count=2))
        settle()
        panel.choose("dpl")
        method = panel.method()
        assert method is not None
        assert document.problem is not None
        assert method is default_planner(document.problem)


def test_rows_of_jobs(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = panel_of(document, jobs)
    with shown(qtbot, panel):
        first, second = panel.start(), panel.start()
        assert first is not None
        assert second is not None
        assert list(panel.rows) == ["job 1", "job 2"]
        assert panel.running.rows.indexOf(panel.rows["job 2"]) == 0
        first.fraction, first.text = 0.5, "order 3"
        first.found(0.1, (20.0,))
        first.learn(0.1, first.problem.bound("bottleneck", 10.0, "test", frozenset()))
        jobs.job_changed.emit(first)
        row = panel.rows["job 1"]
        assert "20.00" in row.result.text()
        assert "gap ≤ 50.0 %" in row.result.text()
        assert row.state.text().startswith("running")
        row.button.click()
        assert jobs.cancelled == [first]
        assert not row.button.isEnabled()
        assert panel.cancel_button.isEnabled()
        first.state, first.ended_after, first.text = "done", 3.0, "time limit reached"
        jobs.job_changed.emit(first)
        assert row.state.text() == "done, 3.0 s" and "preparing" not in row.result.text()
        first.searched = 1.0
        jobs.job_changed.emit(first)
        assert (
            row.state.text() == "done, 1.0 s"
            and "3.0 s in all: 2.0 s of preparing, 1.0 s of search" in row.result.text()
        )
        first.searched = 2.9
        jobs.job_changed.emit(first)
        assert row.state.text() == "done, 2.9 s" and "preparing" not in row.result.text()
        row.button.click()
        assert list(panel.rows) == ["job 2"]
        panel.set_theme(DARK)
        settle()
        assert not panel.grab().isNull()
        panel.cancel_button.click()
        assert jobs.cancelled == [first, second]


def test_a_row_tells_all_it_has_to_say_and_starts_again_what_found_nothing(qtbot: QtBot) -> None:
    document, jobs = opened(), PlainJobs()
    panel = panel_of(document, jobs)
    with shown(qtbot, panel):
        job = panel.start()
        assert job is not None
        row = panel.rows[job.id]
        assert row.again.isHidden()
        job.state, job.ended_after = "done", 87.0
        job.text = "nothing better found in 87 s; planners were still being prepared"
        jobs.job_changed.emit(job)
        settle()
        words = row.result.fontMetrics()
        assert row.result.text().endswith("being prepared")
        assert row.result.height() >= 2 * words.height() > words.height() < words.horizontalAdvance(job.text)
        row.again.click()
        assert [one.order for one in jobs.jobs] == [job.order] and jobs.jobs[0] is not job
        settle()


def test_a_row_says_what_is_proven_so_far(qtbot: QtBot) -> None:
    document, jobs = opened_on_tpus(), PlainJobs()
    assert document.problem is not None
    problem, mib = document.problem, 2.0**20
    job = jobs.start(Order("edge-tpu-balanced", problem), "Balanced")
    row = JobRow(job, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, row, 300, 60):

        def result() -> str:
            row.show_job()
            return row.result.text().partition(" · starting")[0]

        job.learn(0.1, problem.bound("max-memory", 2 * mib, "simple", frozenset()))
        assert result() == "memory bound 2.00 MiB"
        job.found(0.2, (4 * mib, 2 * mib, 240 * 1024.0))
        assert result() == row.result.text() == "memory 4.00 MiB, gap ≤ 50.0 %"
        job.learn(0.3, problem.bound("max-memory", 4 * mib, "simple", frozenset()))
        job.learn(0.4, problem.bound("dram", mib, "simple", frozenset(), given=(("max-memory", 4 * mib),)))
        assert result() == "memory ✓ · off-chip 2.00 MiB, gap ≤ 50.0 %"
        assert "max communication 240.0 KiB (not proven)" in row.result.toolTip()
        job.learn(
            0.5, problem.bound("dram", 2 * mib, "simple", frozenset(), given=(("max-memory", 4 * mib),))
        )
        assert result() == "memory ✓ · off-chip ✓ · comm. 240.0 KiB"
        job.learn(0.6, problem.bound("max-communication", 240 * 1024.0, "simple", frozenset()))
        assert result() == "optimal · 4.00 MiB, 2.00 MiB, 240.0 KiB"


def test_a_row_says_when_it_is_about_another_problem(qtbot: QtBot) -> None:
    document, jobs = opened_on_tpus(), PlainJobs()
    problem = jobs.problem = document.problem
    assert problem is not None
    job = jobs.start(Order("edge-tpu-balanced", problem), "Balanced")
    job.found(0.2, (4.0 * 2**20, 2.0 * 2**20, 240 * 1024.0))
    row = JobRow(job, jobs, LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, row, 300, 60):
        assert row.result.text().startswith("memory 4.00 MiB")
        for target, objective, words in (
            (EdgeTpuPipeline(5, cache=2 * 2**20), problem.objective, "3 stages: memory"),
            (EdgeTpuPipeline(5), "stage-time", "Memory 1 → 2 → 3: memory"),
            (EdgeTpuPipeline(3), problem.objective, "another target: memory"),
        ):
            jobs.problem = Problem(problem.graph, target, objective)
            row.show_job()
            assert row.result.text().startswith(words)
        document.pin([0], 0)
        jobs.problem = document.problem
        row.show_job()
        assert row.result.text().startswith("other constraints: memory")


def test_a_real_run(qtbot: QtBot) -> None:
    document = opened(24)
    jobs = Jobs(document)
    panel = panel_of(document, jobs)
    with shown(qtbot, panel):
        panel.choose("slice")
        with qtbot.waitSignal(jobs.ended, timeout=60_000):
            job = panel.start()
        assert job is not None
        assert job.state == "done", job.text
        assert job.objective is not None
        assert panel.rows[job.id].state.text().startswith("done")
        jobs.close()


def test_runs_move_nothing_that_somebody_is_about_to_click(qtbot: QtBot) -> None:
    panel = panel_of(opened(), jobs := PlainJobs())
    with shown(qtbot, panel, 280, 700):

        def places() -> list[int]:
            settle()
            return [w.mapTo(panel, QPoint()).y() for w in (panel.search, panel.list, panel.start_button)]

        before = places()
        for count in range(1, 9):
            assert panel.start() is not None
            assert places() == before
            newest = panel.rows[f"job {count}"]
            at = newest.mapTo(panel, newest.rect().bottomLeft()).y()
            assert newest.isVisible() and at < panel.start_button.y()
            assert panel.running.height() <= MOST_SHARE * panel.height() + 1
        assert panel.running.verticalScrollBar().maximum() > 0
        for job in jobs.jobs:
            job.state = "done"
        for row in list(panel.rows.values()):
            row.show_job()
            row.button.click()
        assert not panel.rows and panel.running.isHidden() and places() == before


def test_a_panel_with_runs_comes_to_rest(qtbot: QtBot) -> None:
    panel = panel_of(opened(), PlainJobs())
    asked: list[QEvent.Type] = []

    class Listening(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.LayoutRequest:
                asked.append(event.type())
            return False

    listening = Listening()
    with shown(qtbot, panel, 280, 700):
        assert panel.start() is not None
        settle()
        for _ in range(20):
            QTest.qWait(1)
        panel.installEventFilter(listening)
        for _ in range(20):
            QTest.qWait(1)
        panel.removeEventFilter(listening)
        assert len(asked) <= 2, "laid out again and again, it would never be idle"


@pytest.mark.parametrize("room", [150, 163, 200, 237, 2000])
def test_the_list_cuts_no_row(qtbot: QtBot, room: int) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(3))
    panel = PlannersPanel(document, PlainJobs(), LIGHT)  # type: ignore[arg-type]
    with shown(qtbot, panel, 280, 600):
        panel.list.fit(room)
        settle()
        seen = panel.list.viewport().rect()
        rows = [panel.list.visualItemRect(panel.list.item(i)) for i in range(panel.list.count())]
        assert all(seen.contains(row) or not seen.intersects(row) for row in rows)


def test_a_planner_can_start_from_nothing(qtbot: QtBot) -> None:
    """The plan on the canvas is valid, so that a planner goes on from it unless somebody says otherwise."""
    document = Document()
    document.open_graph(chain_graph(), target=Pipeline(3))
    panel = panel_of(document)
    qtbot.addWidget(panel)
    assert document.evaluation.valid
    panel.refresh_now()
    assert panel.from_canvas.isVisibleTo(panel) and panel.from_canvas.isChecked()
    order = panel.order()
    assert len(order.starts) == 1 and order.quick
    panel.from_canvas.setChecked(False)
    order = panel.order()
    assert not order.starts and not order.quick, "what others make of nothing is not what it finds"
    panel.choose("auto", bound=True)
    assert panel.start_button.text() == "Prove"
    assert not panel.from_canvas.isVisibleTo(panel)
