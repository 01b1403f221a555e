"""What cannot be done now says why, in every window and whatever is open."""

from __future__ import annotations

from typing import Any

from pytestqt.qtbot import QtBot

from gui.editors.comparison.windows import open_comparison
from planner.machines.mcm.target import McmPackage
from tests.gui.editors.comparison.parts import two_plans
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import make_window, opened, opened_on_tpus, settle


def reasons(window: Any) -> dict[str, str]:
    """Of each action that is switched off, by its name, what its tip says, which is not what it would do."""
    window.update_actions()
    said = {}
    for spec in window.actions_set.specs:
        action, lacking = window.actions_set[spec.id], spec.when.lacking(window)
        assert action.isEnabled() is (not lacking), spec.id
        assert spec.when(window) is action.isEnabled()
        told = lacking or spec.tip
        assert action.toolTip() == action.statusTip() == told[:1].upper() + told[1:], spec.id
        if lacking:
            assert lacking != spec.tip and len(lacking) > 12, spec.id
            said[spec.id] = lacking
    return said


def test_a_window_of_graphs_says_what_its_actions_lack(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    try:
        said = reasons(window)
        for id in (
            "file.run",
            "file.save",
            "edit.pin",
            "plan.counts",
            "file.export.onnx",
            "view.colour.ratio",
        ):
            assert said[id] == "open a model first"
        assert said["plan.cancel"] == "no planner runs"
    finally:
        close()
    for document in (opened(), opened_on_tpus()):
        window, close = make_window(qtbot, document)
        try:
            said = reasons(window)
            assert said["file.run"] == "only models in .onnx and .tflite files can be run on this computer"
            assert said["file.batch"] == "this model is in no file that could be read again"
            assert (
                said["edit.pin"] == "select ops first" and said["edit.together"] == "select several ops first"
            )
            assert "file.save" not in said and "plan.counts" not in said
            assert "multi-chip" in said["view.package"] and "measured" in said["view.colour.ratio"]
            document.select([1])
            settle()
            assert "edit.pin" not in reasons(window)
        finally:
            close()


def test_a_package_is_there_and_has_chips_to_count(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    try:
        document.set_problem(McmPackage(3))
        settle()
        said = reasons(window)
        assert "view.package" not in said and "plan.counts" not in said
    finally:
        close()


def test_windows_of_networks_and_comparisons_say_it_too(qtbot: QtBot) -> None:
    for network in (None, "small"):
        with order_window(qtbot, network) as orders:
            said = reasons(orders)
            assert (
                said["edit.select_none"]
                == f"{'open a network' if network is None else 'select a neuron'} first"
            )
            assert said.get("file.save") == ("open a model first" if network is None else None)
    document = two_plans()
    window, close = make_window(qtbot, document)
    try:
        shown = open_comparison(window, [document.plans[0], document.plans[1]])
        settle()
        said = reasons(shown)
        assert said["edit.take"] == "select ops first"
        assert said["compare.pair"] == "there is no third plan to compare with"
        assert said["story.present_here"].startswith("the story has no keyframe yet")
        shown.close()
        settle()
    finally:
        close()
