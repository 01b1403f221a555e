"""Three levels while dragging: legal now, legal if others move too, and never."""

from __future__ import annotations

from itertools import product

import numpy as np
from pytestqt.qtbot import QtBot

from gui.background.legal_chips import DomainSearch, domains_of
from gui.canvas.graph.consequence import consequences, rule_words
from gui.document.plan.board import Domains
from gui.document.plan.preview import check
from gui.look.theme import LIGHT
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Pin
from tests.gui.mcm_models import opened_on_package, package_problem


def found(problem) -> Domains:  # type: ignore[no-untyped-def]
    domains = domains_of(problem, lambda: False)
    assert domains is not None
    return domains


def test_no_valid_plan_is_outside() -> None:
    problem = package_problem(6, 3).with_constraints((Pin("n2", "chip 1"), Pin("n4", "chip 1")))
    domains = found(problem)
    possible = np.zeros((6, 3), bool)
    for devices in product(range(3), repeat=6):
        if problem.evaluate(np.array(devices, np.int32)).valid:
            possible[np.arange(6), devices] = True
    for op in range(6):
        assert (domains.reachable(np.array([op], np.int32)) >= possible[op]).all()
    assert domains.reachable(np.array([3], np.int32)).tolist() == [False, True, False]
    assert domains.reachable(np.array([1, 3], np.int32)).tolist() == [False, True, False]


def test_levels_of_a_preview() -> None:
    problem = package_problem(12, 4).with_constraints((Pin("n5", "chip 1"),))
    live = problem.live((np.arange(12) * 4 // 12).astype(np.int32))
    preview = check(live, np.array([2], np.int32), (), found(problem))
    assert preview.legal.tolist() == [True, True, False, False]
    assert [preview.possible(d) for d in range(4)] == [True, True, False, False]
    said = consequences(preview, tuple(rule_words(int(code)) for code in live.check(preview.ops).codes))
    assert said[2].short == said[2].long == "in no valid plan"
    assert said[2].colour(LIGHT) == LIGHT.faint
    assert preview.reasons(2)[0] == (
        "conv_2 can never be on Chip 2: rules and constraints leave it Chip 0 to Chip 1"
    )
    # Where others could move too the rule in the way is named.
    preview = check(live, np.array([8], np.int32), (), found(problem))
    said = consequences(preview, tuple(rule_words(int(code)) for code in live.check(preview.ops).codes))
    assert [preview.possible(d) for d in range(4)] == [False, True, True, True]
    assert said[1].short == "breaks the order"
    assert said[1].colour(LIGHT) == LIGHT.bad
    # Unknown domains leave two levels.
    preview = check(live, np.array([2], np.int32), ())
    assert all(preview.possible(d) for d in range(4))


def test_sentences_name_what_is_left() -> None:
    problem = package_problem(12, 4).with_constraints((Pin("n5", "chip 1"),))
    domains = found(problem)
    assert domains.sentence(np.array([5], np.int32), 0).endswith("leave it only Chip 1")
    with_hole = Domains(problem, np.full(12, 0b1001, np.uint64))
    assert with_hole.sentence(np.array([3], np.int32), 1).endswith("leave it 2 chips from Chip 0 to Chip 3")


def test_where_nothing_is_valid_nothing_is_said() -> None:
    problem = package_problem(6, 3).with_constraints((Pin("n2", "chip 2"), Pin("n4", "chip 1")))
    assert domains_of(problem, lambda: False) is None
    assert domains_of(package_problem(6, 3), lambda: True) is None


def test_domains_follow_the_problem(qtbot: QtBot) -> None:
    document = opened_on_package()
    search = DomainSearch(document.board)
    document.problem_changed.connect(search.problem_changed)
    search.found.connect(document.previewing.domains_found)
    search.problem_changed()
    preview = document.begin_preview([8])
    assert preview is not None
    assert preview.reachable is None, "not known yet"
    with qtbot.waitSignal(document.preview_changed):
        pass
    assert preview.reachable is not None
    document.end_preview()
    document.pin([5], 1)
    assert document.board.domains is None
    qtbot.waitUntil(lambda: not search.busy)
    assert not document.check([2]).possible(3)
    document.set_problem(Pipeline(4))
    assert document.board.domains is None
    assert not search.busy, "a pipeline has no such solver"
    search.close()
    search.deleteLater()
    document.deleteLater()
