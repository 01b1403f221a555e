"""Planners and bound methods in the Plan menu and in the palette."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from gui.document.values import Message
from gui.shell.palette import ranked
from gui.tools.search.method_list import OTHERS
from gui.tools.search.method_menus import FIND, NONE, PROVE
from planner.machines.catalogue import bound_methods, planners
from planner.runs.messages import Order
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import make_window, opened


def opened_menu(menu: QMenu) -> list[str]:
    menu.aboutToShow.emit()
    return [action.text().split("\t")[0] for action in menu.actions() if not action.isSeparator()]


def test_what_serves_can_be_started_and_the_rest_says_why(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened())
    started: list[tuple[Order, str]] = []
    monkeypatch.setattr(window.jobs, "start", lambda order, title="": started.append((order, title)))
    menus = window.method_menus.menus
    assert all(
        menu in [action.menu() for action in window.menus["Plan"].actions()] for menu in menus.values()
    )
    for title, catalogue in ((FIND, planners()), (PROVE, bound_methods())):
        names = opened_menu(menus[title])
        others = next(a.menu() for a in menus[title].actions() if a.text() == OTHERS)
        assert isinstance(others, QMenu)
        refused = list(others.actions())
        problem = window.document.problem
        serving = {m.title for m in catalogue.values() if not m.plans_networks and not m.refusal(problem)}
        assert set(names) - {OTHERS} == serving
        assert refused and not any(action.isEnabled() for action in refused)
        assert all("does not" in action.text() for action in refused)
    menu = menus[PROVE]
    opened_menu(menu)
    action = next(a for a in menu.actions() if a.text().startswith("Two superblocks"))
    assert bound_methods()["two-superblock"].summary in action.text()
    action.trigger()
    opened_menu(menus[FIND])
    next(a for a in menus[FIND].actions() if a.text().startswith("BRKGA")).trigger()
    assert [(o.method, o.is_bound, o.options) for o, _ in started] == [
        ("two-superblock", True, {}),
        ("brkga", False, {}),
    ]
    close()


def test_without_a_model_the_menus_say_so(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    assert opened_menu(window.method_menus.menus[FIND]) == [NONE]
    assert window.more_choices() == []
    close()


def test_the_palette_offers_methods_and_machines(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    choices = window.more_choices()
    first = ranked(choices, "brkga")[0]
    assert (
        first.text == "Plan: Start a Planner: BRKGA"
        and first.note == planners()["brkga"].summary
        and first.enabled
    )
    refused = next(c for c in choices if c.text == "Plan: Start a Planner: Random search")
    assert not refused.enabled and refused.note == "does not plan for a pipeline"
    for typed, kind in (("pool", "pool"), ("edge", "edge-tpu"), ("mcm", "mcm")):
        assert any(c.text.startswith("Target: ") and f"({kind})" in c.text for c in ranked(choices, typed)), (
            typed
        )
    # By what it has, though its name does not say it.
    assert ranked(choices, "target: CPU")[0].text == "Target: Device pool (pool)"
    next(c for c in choices if c.text == "Target: Device pool (pool)").run()
    assert window.docks.in_front("target") and window.target.kind.currentData() == "pool"
    assert window.target.apply_button.isEnabled()
    assert window.document.problem is not None and window.document.problem.target.kind == "pipeline"
    window.target.apply()
    assert window.document.problem.target.kind == "pool"
    close()


def test_a_problem_that_cannot_be_ordered_is_refused_in_words(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    said: list[Message] = []
    window.document.message.connect(said.append)
    window.method_menus.start(planners()["slice"])
    assert said and "open a model" in said[0].text
    close()


def test_networks_have_their_own(qtbot: QtBot) -> None:
    with order_window(qtbot) as network:
        assert "Sliding windows" in opened_menu(network.method_menus.menus[FIND])
        assert "Slice" not in opened_menu(network.method_menus.menus[FIND])
        assert any("Segments" in choice.text for choice in network.more_choices())
