"""The paths of a broken rule on the canvas: which edges they are, and that they are drawn over everything."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage

from gui.canvas.graph.palette import packed
from gui.canvas.graph.rules.rule_path import has_paths, paths_of
from planner.machines.mcm.target import McmPackage
from planner.problem.decision import Violation
from tests.gui.canvas.graph.conftest import Hand, MakeHand
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.package_models import TIDY, TRIANGLE


def opened(make_hand: MakeHand) -> tuple[Hand, Violation]:
    hand = make_hand(tpu_graph(), McmPackage(3))
    hand.document.set_assignment(TRIANGLE, "edit", "broken")
    hand.settle()
    (violation,) = hand.document.evaluation.violations
    return hand, violation


def shade(hand: Hand, colour: str) -> int:
    """How many pixels have exactly this colour."""
    image = hand.view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) & 0xFFFFFF
    return int((pixels == packed(colour) & 0xFFFFFF).sum())


def ends(hand: Hand, edges: np.ndarray) -> set[tuple[int, int]]:
    assert hand.view.scene is not None
    items = hand.view.scene.items
    return {(int(items.edge_src[e]), int(items.edge_dst[e])) for e in edges}


def test_a_triangle_has_a_direct_and_an_indirect_way(make_hand: MakeHand) -> None:
    hand, violation = opened(make_hand)
    assert hand.view.scene is not None
    assert has_paths(violation)
    paths = paths_of(hand.view.scene, violation)
    assert ends(hand, paths.direct) == {(0, 2)}
    assert ends(hand, paths.indirect) == {(0, 1), (1, 2)}
    assert paths.items.tolist() == [0, 1, 2]


def test_other_rules_have_an_edge_or_none(make_hand: MakeHand) -> None:
    hand, _ = opened(make_hand)
    assert hand.view.scene is not None
    order = Violation("order", (2, 3), (1, 0), "backwards")
    assert ends(hand, paths_of(hand.view.scene, order).direct) == {(2, 3)}
    for violation in (
        Violation("memory", (2, 3), (1,), "too full"),
        Violation("no_skip", (), (1,), "skipped"),
    ):
        assert not has_paths(violation)
        paths = paths_of(hand.view.scene, violation)
        assert not len(paths.direct)
        assert not len(paths.indirect)
    assert not len(paths_of(hand.view.scene, Violation("order", (0, 5), (1, 0), "no such edge")).direct)
    assert not has_paths(None)


def test_the_paths_are_drawn_while_the_rule_is_looked_at(make_hand: MakeHand) -> None:
    hand, violation = opened(make_hand)
    theme = hand.view.theme
    for view in ("flow", "lanes"):
        hand.view.set_view(view)
        hand.settle()
        before = shade(hand, theme.warning)
        hand.document.point_at(violation)
        assert shade(hand, theme.warning) > before + 100
        hand.document.select(list(violation.ops))
        assert shade(hand, theme.warning) > before + 100, "the edges of its ops do not bury it"
        hand.document.point_at(None)
        hand.document.select([])
        assert shade(hand, theme.warning) == before


def test_a_drag_shows_what_it_would_break(make_hand: MakeHand) -> None:
    hand = make_hand(tpu_graph(), McmPackage(3))
    hand.document.set_assignment(TIDY, "edit", "tidy")
    hand.lanes()
    hand.carry(hand.at(2), hand.lane(0))
    assert hand.document.pointed is not None
    assert hand.document.pointed.kind == "triangle"
    assert shade(hand, hand.view.theme.warning) > 100
    hand.view.stop_gesture("enough")
    assert hand.document.pointed is None


def test_a_lane_is_brought_into_sight(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(12), McmPackage(12))
    hand.view.reveal_lane(5)
    hand.document.set_assignment(np.arange(12, dtype=np.int32), "edit", "one each")
    hand.lanes()
    hand.view.zoom_by(4.0)
    hand.settle()
    for lane in (11, 0, 6):
        hand.view.reveal_lane(lane)
        rect = hand.view.lane_rect(lane)
        assert rect.top() < hand.view.height()
        assert rect.bottom() > 0
        assert rect.top() >= -1 or rect.height() > hand.view.height()


def test_every_header_of_many_lanes_can_be_read(make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(90), McmPackage(36), (800, 420))
    uneven = np.minimum(
        np.arange(90, dtype=np.int32), 35
    )  # the last chip holds most, and would take all the height
    hand.document.set_assignment(uneven, "edit", "uneven")
    hand.lanes()
    heights = [hand.view.lane_rect(lane).height() for lane in range(36)]
    assert min(heights) >= 9.0, "below that a header stays empty"
    rects = [hand.view.lane_rect(lane) for lane in range(36)]
    for op in range(90):
        assert rects[uneven[op]].top() <= hand.view.op_rect(op).top()
        assert hand.view.op_rect(op).bottom() <= rects[uneven[op]].bottom()
