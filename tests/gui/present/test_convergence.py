"""The panel of plans and bounds of a story, one after another."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPolygonF

from gui.canvas.graph.picture.subtitle import standing_text
from gui.look.numbers import amount_column, time_column
from gui.look.theme import LIGHT
from gui.present.panels.lines import Member, _ticks, paint_convergence, steps_of
from gui.present.panels.panels import PanelData
from gui.present.panels.rows import paint_costs
from gui.present.show import Show
from gui.words.objectives import amount
from planner.machines.pool.target import DevicePool
from planner.model.samples import STORIES
from planner.problem.bound import Bound
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import Provenance
from planner.story.files.json import read_story, resolve
from tests.gui.mcm_models import row_graph
from tests.gui.present.talks import even, graph_members
from tests.gui.scribe import Scribe


class Dots(Scribe):
    """Counts the dots."""

    def __init__(self) -> None:
        super().__init__(400, 500)
        self.dots: list[tuple[QPointF, float]] = []

    def drawEllipse(self, centre: QPointF, wide: float, high: float) -> None:  # type: ignore[override]
        """Keep it instead."""
        self.dots.append((QPointF(centre), wide))


def painted(members: list[Member], shown: int, step: float = 1.0) -> tuple[list[str], list[float]]:
    """The words of a panel, and where its dots are across."""
    painter = Dots()
    paint_convergence(painter, QRectF(0, 0, 400, 500), members, shown, 1.0, LIGHT, step)
    painter.end()
    return [words for _, words in painter.written], [at.x() for at, _ in painter.dots]


def proven_members() -> list[Member]:
    """A plan, a better one, and two bounds of that, as in a story: named after the bounds."""
    (a, _), (b, _) = graph_members()
    assert isinstance(a, Plan) and isinstance(b, Plan)
    problem = b.problem

    def bound(share: float, method: str) -> Bound:
        return problem.bound(problem.components[0], share * b.objective, method, frozenset())

    simple, sharp = bound(0.5, "simple"), bound(0.9, "bottleneck")
    one = problem.plan(b.decision, b.provenance, "simple bound")
    other = problem.plan(b.decision, b.provenance, "one stage alone")
    return [(a, ()), (b, ()), (one, (simple,)), (other, (simple, sharp))]


def test_bounds_name_the_rules_that_their_proofs_used(qapp: object) -> None:
    problem = Problem(row_graph(12), DevicePool(2, 1))
    plan = problem.plan(even(12, 3), Provenance("hand"), "a")
    rules = frozenset({"rule:contiguous"})
    bound = problem.bound("max-load", 0.9 * plan.objective, "ideals-dp", rules)
    said = painted([(plan, (bound,))], 1)[0]
    assert any(words.startswith("no contiguous plan is below ") for words in said)
    painter = Scribe(900, 500)
    paint_costs(painter, QRectF(0, 0, 900, 500), plan, (bound,), 1.0, LIGHT)
    painter.end()
    assert any("no contiguous plan is below " in words for _, words in painter.written)
    best = problem.bound("max-load", plan.objective, "ideals-dp", rules)
    assert standing_text(problem, plan.evaluation, (best,)).endswith("proven optimal among contiguous plans")
    anyhow = problem.bound("max-load", plan.objective, "simple", frozenset())
    assert standing_text(problem, plan.evaluation, (anyhow,)).endswith("proven optimal")


def test_bounds_are_not_counted_as_plans(qapp: object) -> None:
    members = proven_members()
    feet = [painted(members, shown)[0][-1] for shown in range(1, 5)]
    assert feet == [
        "plan 1 of 2: even", "plan 2 of 2: shifted", "bound 1 of 2: simple", "bound 2 of 2: one stage alone",
    ]  # fmt: skip


def test_a_plan_with_another_bound_has_one_dot(qapp: object) -> None:
    members = proven_members()
    dots = [painted(members, shown)[1] for shown in range(1, 5)]
    assert [len(places) for places in dots] == [1, 2, 2, 2]
    assert dots[1] == dots[2] == dots[3] == painted(members, 3, 0.4)[1]


def test_what_tells_nothing_new_is_no_step() -> None:
    members = proven_members()
    again = [*members, members[1], members[0]]
    steps, step_of = steps_of(again)
    assert steps == members and step_of == [0, 1, 2, 3, 1, 0]


@pytest.mark.parametrize("step", [0.3, 0.7])
def test_nothing_is_proven_of_a_figure_on_its_way(step: float, qapp: object) -> None:
    (a, _), (b, bounds) = graph_members()
    words = " ".join(painted([(a, bounds), (b, bounds)], 2, step)[0])
    assert "gap" not in words and "at least" not in words and "below" not in words
    # Shorter words where the longer ones would lie on a line.
    assert "at least 10.89 ms" in painted([(a, bounds), (b, bounds)], 2)[0]


def test_words_of_bounds_change_at_the_middle(qapp: object) -> None:
    members = proven_members()
    first, second = (painted(members, shown)[0][:-1] for shown in (3, 4))
    assert painted(members, 4, 0.3)[0][:-1] == first != second
    assert painted(members, 4, 0.7)[0][:-1] == second


def test_the_story_of_a_pipeline_tells_of_four_plans_and_four_bounds(qapp: object) -> None:
    path = STORIES / "pipeline.story.json"
    show = Show(resolve(read_story(path), path.parent), LIGHT, (1280, 800))
    panels = [show.shots.panel(i) for i, k in enumerate(show.keyframes) if k.panel == "convergence"]
    feet = [foot(data) for data in panels]
    assert [words.partition(":")[0] for words in feet] == [f"bound {i} of 4" for i in range(1, 5)]
    for one, other in pairwise(panels):
        assert other.shown == one.shown + 1


def foot(data: PanelData) -> str:
    return painted(list(data.members), data.shown)[0][-1]


def test_a_line_that_comes_down_does_not_lie_below_its_figure(qapp: object) -> None:
    (a, _), (b, _) = graph_members()
    assert a.evaluation.values < b.evaluation.values
    painter = Dots()
    paint_convergence(painter, QRectF(0, 0, 400, 500), [(b, ()), (a, ())], 2, 1.0, LIGHT)
    painter.end()
    figure = painter.written[-2][0]
    assert figure.top() > painter.dots[-1][0].y()


class Lines(Scribe):
    """Keeps the dashed line of what is proven."""

    def drawPolyline(self, line: QPolygonF) -> None:  # type: ignore[override]
        """Keep the last but one: the line of the plans comes after it."""
        self.lines = [*getattr(self, "lines", []), [line.value(i) for i in range(line.size())]]


def lines_and_words(members: list[Member], shown: int) -> tuple[list[QPointF], dict[str, QRectF]]:
    painter = Lines(400, 500)
    paint_convergence(painter, QRectF(0, 0, 400, 500), members, shown, 1.0, LIGHT)
    painter.end()
    return painter.lines[0], {words: rect for rect, words in painter.written}


def test_what_is_proven_is_said_at_its_own_step(qapp: object) -> None:
    """And on no line: a stronger bound is not told of below the weaker one."""
    members = proven_members()
    for shown in (3, 4):
        steps, written = lines_and_words(members, shown)
        place = next(rect for words, rect in written.items() if words.startswith("no plan is below"))
        own = steps[-1].y()
        assert min(abs(place.top() - own), abs(place.bottom() - own)) < 8
        for a, b in pairwise(steps):
            assert place.left() >= max(a.x(), b.x()) or place.right() <= min(a.x(), b.x()) or not (
                place.top() < max(a.y(), b.y()) and place.bottom() > min(a.y(), b.y())
            )  # fmt: skip


def test_a_long_name_at_the_foot_is_not_cut(qapp: object) -> None:
    members = proven_members()
    plan, bounds = members[-1]
    assert isinstance(plan, Plan)
    name = "one stage and its neighbours, with all that goes between the three of them"
    members[-1] = (plan.problem.plan(plan.decision, plan.provenance, name), bounds)
    words = painted(members, 4)[0]
    assert f"bound 2 of 2: {name}" in " ".join(words)
    places = [lines_and_words(members, shown)[0][0] for shown in (3, 4)]
    assert places[0] == places[1]


@pytest.mark.parametrize("members", [graph_members(), proven_members()], ids=["plans", "bounds"])
def test_the_plot_has_a_scale_and_says_where_it_began(members: list[Member], qapp: object) -> None:
    problem, shown = members[0][0].problem, len(members)
    first = amount(problem, problem.components[0], members[0][0].evaluation.values[0])
    painter = Dots()
    paint_convergence(painter, QRectF(0, 0, 400, 500), members, shown, 1.0, LIGHT)
    painter.end()
    dot = painter.dots[0][0]
    told = [box for box, words in painter.written if words == first and abs(box.center().y() - dot.y()) < 24]
    assert len(told) == 1 and told[0].left() <= dot.x() <= told[0].right()
    assert not any(told[0].contains(at) for at, _ in painter.dots)
    scale = [
        box
        for box, words in painter.written
        if box.right() < dot.x() - 20 and box.width() < 100 and words[:1].isdigit()
    ]
    assert 2 <= len(scale) <= 5
    alone = Dots()
    paint_convergence(alone, QRectF(0, 0, 400, 500), members, 1, 1.0, LIGHT)
    alone.end()
    assert sum(words == first for _, words in alone.written) == 2, "above the plot and at its one dot"


@pytest.mark.parametrize(
    ("low", "high"), [(9.2e-3, 14e-3), (0.96e-3, 0.985e-3), (1.0, 1.0001), (3e-7, 9.9e-7), (0.0, 40.0)]
)
def test_figures_of_the_scale_are_round_and_inside(low: float, high: float) -> None:
    found = _ticks(low, high, time_column([high], "s"))
    assert 2 <= len(found) <= 5 and all(low <= value <= high for value, _ in found)
    assert len({words for _, words in found}) == len(found)
    assert all(
        abs(float(words.split()[0].replace(",", "")) * time_column([high], "s").scale - value) < 1e-9
        for value, words in found
    )
    assert [words for _, words in _ticks(2.0, 4.0, amount_column([4.0], "I/Os"))] == [
        "2 I/Os",
        "3 I/Os",
        "4 I/Os",
    ]
