"""The device dock: costs, moves by mouse and keys, previews with reasons, and being a place to drop on."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.panels.cache_load import CacheLoad
from gui.editors.plan.panels.device_card import (
    COMPACT_HEIGHT,
    FULL_HEIGHT,
    LOAD_HEIGHT,
    card_height,
)
from gui.editors.plan.panels.devices import DevicesPanel
from gui.look.theme import DARK, LIGHT, font
from gui.words.objectives import plan_times
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.target import Target
from tests.gui.models import chain_graph, timed_chain, tpu_graph
from tests.gui.stage_models import even, network, tpu_problem
from tests.gui.window_parts import opened, settle, shown
from tests.planner.problem.examples import streaming_row

MIB = 2.0**20


def test_cards_show_what_devices_cost(qtbot: QtBot) -> None:
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        assert len(panel.cards) == 3
        for d, card in enumerate(panel.cards):
            assert card.state is not None
            assert card.state.cost == f"{document.evaluation.cost[d]:,.2f}"
            assert card.state.detail.startswith("4 ops")
            assert card.state.bottleneck == (d == document.evaluation.bottleneck)
            assert f"Stage {d}" in card.accessibleName()
            assert card.height() == FULL_HEIGHT
        document.move([3], 1)
        settle()
        assert panel.cards[1].state is not None
        assert panel.cards[1].state.detail.startswith("5 ops")


def test_what_is_streamed_is_a_price_and_what_a_rule_forbids_is_broken(qtbot: QtBot) -> None:
    """Memory is no rule of a pipeline: beyond it plans are valid and amber. It is one of a pool: there they are red."""
    for target, valid in ((Pipeline(2, memory=2.0**22), True), (DevicePool(2, 0, memory=1.0), False)):
        document = Document()
        document.open_graph(tpu_graph(), target=target)
        panel = DevicesPanel(document, LIGHT)
        with shown(qtbot, panel, 220, 400):
            assert document.evaluation.valid == valid
            card = panel.cards[int(document.evaluation.memory.argmax())]
            assert card.state is not None and card.state.over != valid
            picture = card.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
            found = set(np.asarray(picture.bits()).view(np.uint32).tolist())
            assert (QColor(LIGHT.bad).rgb() in found) != valid
            assert QColor(LIGHT.warning).rgb() in found or not valid


def test_the_tip_of_a_card_says_what_tables_call_its_device(qtbot: QtBot) -> None:
    for target, said in ((DevicePool(2, 1), ("acc 0", "acc 1", "")), (Pipeline(2), ("", ""))):
        document = Document()
        document.open_graph(chain_graph(), target=target)
        panel = DevicesPanel(document, LIGHT)
        with shown(qtbot, panel, 220, 400):
            for card, name in zip(panel.cards, said, strict=True):
                assert (f"“{name}” in tables, rules and files" in card.toolTip()) == bool(name)


def test_36_devices_are_lines(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(80), target=Pipeline(count=36))
    panel = DevicesPanel(document, DARK)
    with shown(qtbot, panel, 220, 400):
        assert len(panel.cards) == 36
        assert all(card.height() == COMPACT_HEIGHT for card in panel.cards)
        document.set_problem(Pipeline(count=2))
        settle()
        assert len(panel.cards) == 2
        assert panel.cards[0].height() == FULL_HEIGHT


def test_lines_have_short_names_where_long_ones_would_look_alike(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(80), target=DevicePool(14, 8))
    panel = DevicesPanel(document, DARK)
    with shown(qtbot, panel, 220, 400):
        assert [panel.cards[i].line_name(60) for i in (3, 13, 21)] == ["acc 3", "acc 13", "CPU 7"]
        assert panel.cards[13].line_name(300) == "Accelerator 13"


def test_click_selects_and_shows(qtbot: QtBot) -> None:
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        with qtbot.waitSignal(panel.device_shown) as heard:
            qtbot.mouseClick(panel.cards[1], Qt.MouseButton.LeftButton)
        assert heard.args == [1]
        assert document.selection.tolist() == [4, 5, 6, 7]
        qtbot.mouseClick(panel.cards[0], Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier)
        assert document.selection.tolist() == list(range(8))


def test_keys_walk_and_move(qtbot: QtBot) -> None:
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        document.select([3])
        panel.cards[0].setFocus()
        qtbot.keyClick(panel.cards[0], Qt.Key.Key_Down)
        assert panel.cards[1].hasFocus()
        qtbot.keyClick(panel.cards[1], Qt.Key.Key_Return)
        assert document.device_of[3] == 1
        assert document.undo_stack.count() == 2
        qtbot.keyClick(panel.cards[1], Qt.Key.Key_Up)
        qtbot.keyClick(panel.cards[0], Qt.Key.Key_Up)
        assert panel.cards[0].hasFocus()
        qtbot.keyClick(panel.cards[0], Qt.Key.Key_Space)
        assert document.selection.tolist() == [0, 1, 2]
        qtbot.keyClick(panel.cards[0], Qt.Key.Key_Escape)
        assert not len(document.selection), "as on the canvas"


def test_preview_tells_gains_and_reasons(qtbot: QtBot) -> None:
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        preview = document.begin_preview([3])
        assert preview is not None
        settle()
        origin, legal, illegal = (card.state for card in panel.cards)
        assert origin is not None
        assert origin.would == "is here"
        assert legal is not None
        assert legal.legal
        assert legal.would == f"{preview.cost[1, 1]:,.2f}", "its own cost"
        assert legal.reason.startswith(f"plan {preview.objective[1]:,.2f}")
        assert legal.change.endswith("%")
        qtbot.waitUntil(lambda: bool(panel.cards[2].state and panel.cards[2].state.reason), timeout=30_000)
        assert illegal is not None
        assert not illegal.legal
        assert illegal.would == "breaks the order", "in the words of the lanes"
        assert "sends back" in panel.cards[2].accessibleName()
        document.update_preview(1)
        settle()
        without = panel.cards[0].state
        assert without is not None and without.cost == f"{preview.cost[1, 0]:,.2f}", (
            "without the ops that leave"
        )
        document.update_preview(2)
        settle()
        state = panel.cards[2].state
        assert state is not None
        assert state.target
        assert state.would == f"take {len(preview.along)} along"
        assert preview.along_change is not None and state.reason == preview.along_change.whole
        document.end_preview()
        settle()
        assert panel.cards[2].state is not None
        assert not panel.cards[2].state.previewing


@pytest.mark.parametrize(
    "target",
    [Pipeline(count=4), DevicePool(accelerators=4, cpus=0), EdgeTpuPipeline(4), McmPackage(count=4)],
    ids=lambda target: target.kind,
)
def test_cards_say_their_own_figure_also_where_the_plan_costs_the_same(qtbot: QtBot, target: Target) -> None:
    """Where a drop leaves the objective as it is the destination's figure is no more the plan's than where it changes that."""
    document = Document()
    document.open_graph(timed_chain(16, 1e-3), target=target)
    document.set_problem(target, "inference-time" if isinstance(target, EdgeTpuPipeline) else "")
    assert document.problem is not None
    document.set_assignment(np.repeat(np.arange(4), (10, 2, 2, 2)), "edit", "one works most")
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        preview = document.begin_preview([11])
        assert preview is not None and preview.legal[2] and preview.changes[2].sign == 0
        settle()
        state = panel.cards[2].state
        assert state is not None and state.figures is not None
        then = float(document.problem.evaluate(np.repeat(np.arange(4), (10, 1, 3, 2))).pace[2])
        assert state.would == state.figures.text(then) != state.figures.text(float(preview.objective[2]))
        assert state.reason.startswith("plan ") and state.change == "±0.0 %"
        document.end_preview()


def test_a_drop_that_takes_ops_along_has_one_price(qtbot: QtBot) -> None:
    """Where ops are dragged from costs what the drop leaves there: without those that come along, too, as the header has it."""
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        preview = document.begin_preview([1])
        assert preview is not None
        document.update_preview(2)
        settle()
        assert len(preview.along) and preview.along_change is not None
        source, header = panel.cards[0].state, preview.along_change.after
        assert source is not None
        assert document.move([1], 2, along=True)
        after = document.evaluation
        assert source.cost == f"{after.cost[0]:,.2f}" != f"{preview.cost[2, 0]:,.2f}"
        assert header == after.objective


def test_a_card_shows_figures_of_one_moment_while_ops_are_dragged(qtbot: QtBot) -> None:
    """What would be left above what is there now is neither; what is not known of the drop is not said."""
    document = Document()
    document.open_graph(timed_chain(16, 1e-3, params=MIB), target=EdgeTpuPipeline(2, precision="file"))
    document.set_problem(EdgeTpuPipeline(2, precision="file"), "memory-1-2-3")
    document.set_assignment(np.repeat([0, 1], (10, 6)), "edit", "ten and six")
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        origin = panel.cards[0].state
        assert origin is not None and origin.load is not None and origin.detail.startswith("10 ops")
        before = origin.load.text(origin.figures)
        assert document.begin_preview([9]) is not None
        document.update_preview(1)
        settle()
        origin, to = panel.cards[0].state, panel.cards[1].state
        assert origin is not None and origin.load is not None and to is not None and to.load is not None
        assert origin.cost.startswith("9.00") and origin.detail == "9 ops"
        assert origin.load.text(origin.figures) == "8.00 MiB on chip + 1.00 MiB off chip" != before
        assert to.load.text(to.figures) == "7.00 MiB on chip, 1.00 free"
        document.end_preview()
        settle()
        back = panel.cards[0].state
        assert back is not None and back.load is not None and back.load.text(back.figures) == before


def test_what_activations_push_out_after_a_drop_is_not_said() -> None:
    load = CacheLoad(9 * MIB, 8 * MIB, 9 * MIB, 7 * MIB, pushed=MIB, needs=2 * MIB)
    assert load.text(None) == load.brief(None) == "7.00 MiB of parameters" and not load.streamed


def test_the_word_for_the_worst_device_never_hides_what_it_holds(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(
        timed_chain(16, 1e-3, params=MIB), target=McmPackage(2, sram=3 * MIB, precision="file")
    )
    document.set_assignment(np.repeat([0, 1], (12, 4)), "edit", "too much on chip 0")
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel, 170, 400):
        card = panel.cards[0]
        assert card.state is not None and card.state.bottleneck and card.state.over
        for width in (90.0, 140.0, 300.0):
            words = card.detail_words(width)
            assert not words or "MiB" in words, (width, words)
        assert not card.detail_words(90.0)
        assert card.line_words(90.0) == (card.state.detail, "")
        assert card.line_words(300.0) == (card.state.detail, "bottleneck")


def test_device_at(qtbot: QtBot) -> None:
    panel = DevicesPanel(opened(), LIGHT)
    with shown(qtbot, panel):
        for d, card in enumerate(panel.cards):
            assert panel.device_at(card.mapToGlobal(card.rect().center())) == d
        assert panel.device_at(panel.mapToGlobal(QPoint(-5, 5))) == -1
        assert panel.device_at(panel.mapToGlobal(QPoint(5, panel.height() - 3))) == -1
    panel.hide()
    assert panel.device_at(QPoint(10, 10)) == -1


def test_menu(qtbot: QtBot) -> None:
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        menu = panel.menu(1)
        actions = {a.text().partition("\t")[0]: a for a in menu.actions() if a.text()}
        assert not actions["Move 0 selected ops here"].isEnabled()
        actions["Select the ops of Stage 1"].trigger()
        assert document.selection.tolist() == [4, 5, 6, 7]
        menu.deleteLater()
        menu = panel.menu(2)
        next(a for a in menu.actions() if "neighbours" in a.text()).trigger()
        assert (document.device_of[4:] == 2).all()
        assert document.evaluation.valid
        next(a for a in menu.actions() if a.text().startswith("Pin")).trigger()
        assert document.problem is not None
        assert len(document.problem.constraints) == 4
        menu.deleteLater()


def test_nothing_is_painted_wrong_at_any_width(qtbot: QtBot) -> None:
    document = opened()
    panel = DevicesPanel(document, LIGHT)
    for width in (120, 200, 420):
        with shown(qtbot, panel, width):
            document.begin_preview(np.array([3]))
            settle()
            assert not panel.grab().isNull()
            document.end_preview()


def test_the_word_about_the_bottleneck_stays_where_the_detail_has_no_room(qtbot: QtBot) -> None:
    for document, kept in ((opened(), "1,536 MiB"), (tpus(), "414 ops")):
        panel = DevicesPanel(document, LIGHT)
        with shown(qtbot, panel, 220):
            card = next(card for card in panel.cards if card.state is not None and card.state.bottleneck)
            assert card.state is not None
            card.state.detail = "414 ops   1,536 MiB"
            small, bold = (QFontMetricsF(font(8.0, bold=bold)).horizontalAdvance for bold in (False, True))
            word = bold(card.state.worst) + 8
            assert card.detail_words(word + small(card.state.detail)) == card.state.detail
            assert card.detail_words(word + small("414 ops  1,536 MiB")) == "414 ops  1,536 MiB"
            assert card.detail_words(word + small(kept)) == kept
            assert card.detail_words(word) == ""


def tpus(count: int = 3) -> Document:
    document = Document()
    document.open_graph(network(), target=tpu_problem(count=count).target)
    document.set_assignment(even(12, count), "edit", "even")
    document.undo_stack.clear()
    return document


def test_cards_of_stages_with_a_cache_say_what_is_off_chip(qtbot: QtBot) -> None:
    document = tpus()
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        for d, card in enumerate(panel.cards):
            assert card.state is not None
            assert card.height() == LOAD_HEIGHT
            assert card.state.cost == "1.2 KiB", "what the objective is about: bytes"
            pushed = float(document.evaluation.details["pushed"][d])
            needs = float(document.evaluation.details["scratch"][d])
            assert pushed > 0
            assert card.state.load == CacheLoad(1200.0, 1000.0, 1200.0, pushed=pushed, needs=needs)
            assert card.state.load.streamed and card.state.load.brief(None).endswith(" streamed")
            assert card.state.detail.startswith("4 ops   ")
            assert (
                "0.7 KiB on chip + 0.2 KiB off chip + 0.3 KiB pushed out by activations"
                in card.accessibleName()
            )
            assert card.state.bottleneck == (d == 0)
        document.set_problem(Pipeline(count=3))
        settle()
        assert [card.height() for card in panel.cards] == [FULL_HEIGHT] * 3
        assert panel.cards[0].state is not None
        assert panel.cards[0].state.load is None


def test_a_stage_has_one_time_where_bytes_are_planned_for(qtbot: QtBot) -> None:
    """What is pushed out counts on cards, lanes and in what they are made of, the evaluation; and in what a drag would do to it."""
    document = tpus()
    evaluation, problem = document.evaluation, document.open_problem
    out = (evaluation.details["dram"] + evaluation.details["pushed"]) / problem.target.streaming
    assert (evaluation.details["pushed"] > 0).all() and evaluation.streaming == pytest.approx(out, rel=1e-3)
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        for d, card in enumerate(panel.cards):
            assert card.state is not None
            assert sum(card.state.parts) == pytest.approx(evaluation.cost[d])
            assert plan_times(problem, evaluation).text(float(evaluation.cost[d])) in card.state.detail


def test_a_preview_says_the_bytes_that_change(qtbot: QtBot) -> None:
    document = tpus()
    panel = DevicesPanel(document, DARK)
    with shown(qtbot, panel):
        document.begin_preview([3])
        settle()
        states = [card.state for card in panel.cards]
        assert states[0] is not None
        assert states[0].would == "is here"
        assert states[1] is not None
        assert states[1].better == -1
        assert states[1].would.startswith("+")
        assert states[1].what == "memory"
        assert states[1].load is not None
        assert states[1].load.after == 1500.0
        assert states[2] is not None
        assert not states[2].legal
        document.end_preview()
        settle()


def test_many_stages_with_caches_are_lines(qtbot: QtBot) -> None:
    document = tpus(12)
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel, 240, 400):
        assert all(card.height() == COMPACT_HEIGHT for card in panel.cards)
        assert (
            "cache" in panel.key.kinds
            and panel.wanted_height() == 12 * (COMPACT_HEIGHT + 2) + panel.key.height()
        )
        document.begin_preview([3])
        settle()
        assert panel.grab().width() > 0
        document.end_preview()


def test_unequal_devices_say_their_speed(qtbot: QtBot) -> None:
    document = opened()
    document.set_problem(Pipeline(3, speed=(1.0, 0.5, 2.0)), "bottleneck")
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        names = [card.state.name for card in panel.cards if card.state is not None]
    assert names == ["Stage 0 · 1x", "Stage 1 · 0.5x", "Stage 2 · 2x"]


def test_a_name_is_not_cut_for_what_is_said_beside_it(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(), target=DevicePool(2, 1))
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel):
        card = panel.cards[0]
        assert card.state is not None and card.state.name.startswith("Accelerator 0")
        card.state.name = "Accelerator 0"
        assert card.card_words("breaks contiguity", 400.0) == ("Accelerator 0", "breaks contiguity")
        assert card.card_words("breaks contiguity", 185.0) == ("Accelerator 0", "contiguity")
        assert card.card_words("breaks contiguity", 100.0) == (card.state.short, "contiguity")


def test_cards_get_closer_where_all_of_them_have_no_room(qtbot: QtBot) -> None:
    document = tpus(4)
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel, 228, 342):
        assert [card.height() for card in panel.cards] == [card_height(True, True)] * 4
        last = panel.cards[-1]
        assert last.mapTo(panel, QPoint(0, last.height())).y() <= panel.height()
        assert not panel._area.verticalScrollBar().isVisible()
        panel.resize(228, 420)
        settle()
        assert [card.height() for card in panel.cards] == [LOAD_HEIGHT] * 4
        panel.resize(228, 200)
        settle()
        assert panel._area.verticalScrollBar().isVisible(), (
            "what has no room even so scrolls, and one sees that"
        )


def test_what_a_drop_would_make_of_the_plan_is_said_in_short_rather_than_cut(qtbot: QtBot) -> None:
    document = tpus(4)
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel, 228, 420):
        state = panel.cards[1].state
        assert state is not None
        state.reason, state.brief = "plan 12.86 ms, gap 60.2 %", "plan 12.86 ms"
        assert panel.cards[1].reason_words(400.0) == "plan 12.86 ms, gap 60.2 %"
        assert panel.cards[1].reason_words(110.0) == "plan 12.86 ms"
        state.reason, state.brief = "breaks a rule of the target", ""
        assert panel.cards[1].reason_words(20.0) == state.reason


def test_who_streams_most_is_named_beside_the_largest_rest(qtbot: QtBot) -> None:
    """Where all stages stream over one link both set the pace: neither stands unmarked."""
    document = Document()
    target = EdgeTpuPipeline(2, precision="file", cache=0.0)
    document.open_graph(streaming_row(), target=target)
    document.set_problem(target, "inference-time")
    document.set_assignment(np.array([0, 0, 1, 1], np.int32), "edit", "halves")
    panel = DevicesPanel(document, LIGHT)
    with shown(qtbot, panel, 230, 300):
        marks = [card.state.mark for card in panel.cards if card.state is not None]
        assert marks == ["largest rest", "streams most"]
        assert panel.cards[1].accessibleName().endswith("streams most")
        assert "(streams most)" in panel.cards[1].toolTip()
        document.set_assignment(np.array([1, 1, 1, 1], np.int32), "edit", "one")
        settle()
        assert [card.state.mark for card in panel.cards if card.state is not None] == ["", "bottleneck"]
    document.deleteLater()


def test_the_time_on_a_card_counts_what_the_card_says_is_streamed(qtbot: QtBot) -> None:
    """The same plan has the same times whether bytes or the time per inference is planned for."""
    document = tpus(2)
    assert document.problem is not None
    said = []
    for objective in ("memory-1-2-3", "inference-time"):
        document.set_problem(document.problem.target, objective)
        document.set_assignment(even(12, 2), "edit", "even")
        panel = DevicesPanel(document, LIGHT)
        with shown(qtbot, panel, 230, 300):
            assert document.evaluation.details["pushed"].any()
            said.append([card.state.parts for card in panel.cards if card.state is not None])
    assert said[0] == [pytest.approx(parts) for parts in said[1]]
    document.deleteLater()
