"""The keyframes of a story, prepared for painting: what each shows at rest, and what lies between two of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gui.look.theme import Theme
from gui.panels.comparison.names import NOT_MOVED
from gui.panels.mcm.picture import pointed_violation
from gui.panels.mcm.state import Scale
from gui.present.captions import Run, figure_runs, target_words
from gui.present.emphasis import named_devices, said_to_move
from gui.present.growing import Told, says_no_less, told_on
from gui.present.network_view import Networks, NetworkStage, marked_neurons
from gui.present.package import PackageShot, package_shot, shared_columns, shared_scale
from gui.present.panels.lines import steps_of
from gui.present.panels.panels import NetworkNow, PanelData, schedule_of
from gui.present.scenes import Graphs, GraphStage, Places, View, highlighted, longest_bar
from gui.present.transition.legend import LINE, legend_of, scale_height
from gui.present.transition.marks import MOST_LABELLED, Marks
from gui.present.transition.transition import Morph, Shot
from gui.words.held import cache_used
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.problem import Plan
from planner.story.keyframe import GRAPH_VIEWS, Keyframe
from planner.story.story import Resolved

if TYPE_CHECKING:
    from gui.canvas.graph.scene import Scene
    from gui.present.certificate.page import CertificatePage
    from gui.present.comparison.shot import ComparisonShot
    from planner.model.graph import Bools, Ints
    from planner.problem.base import PlanningProblem


@dataclass(frozen=True, eq=False)
class NetworkShot:
    """A keyframe of a network at rest."""

    stage: NetworkStage
    view: View
    moment: int
    marked: tuple[int, ...]

    def now(self, moment: int) -> NetworkNow:
        """What the panel says of a moment."""
        residents = self.stage.history.residents(moment)
        dirty = int(np.count_nonzero(residents.dirty))
        return NetworkNow(moment, self.stage.counters(moment), len(residents.neuron), dirty)


if TYPE_CHECKING:
    AnyShot = Shot | NetworkShot | PackageShot | CertificatePage | ComparisonShot


class Shots:
    """What the keyframes of a story show in frames of one size and theme; everything is made once, when it is first asked for."""

    def __init__(self, resolved: Resolved, places: Places, theme: Theme, legend: bool = True) -> None:
        self.resolved, self.places, self.theme = resolved, places, theme
        self.keyframes = resolved.story.keyframes
        panels = any(k.panel for k in self.keyframes if k.view in GRAPH_VIEWS)
        self._barred, blocks = (
            [plan for i in sorted(shown) if isinstance(plan := resolved.plans[i], Plan)]
            for shown in (
                {k.plan for k in self.keyframes if k.view == "lanes" or k.panel == "costs"},
                {k.plan for k in self.keyframes if k.view == "stages"},
            )
        )
        room = places.room("costs" if panels else "")
        self._graphs = lru_cache(maxsize=None)(
            lambda grown: Graphs(
                room,
                places.unit * grown,
                theme,
                legend,
                self._barred,
                blocks,
                self._noted(places.unit * grown),
            )
        )
        self._growths: dict[str, float] = {}
        beside = any(k.panel for k in self.keyframes if k.view == "network")
        self._networks = Networks(places.room("costs" if beside else ""), places.scene, theme)
        self._shots: dict[int, AnyShot] = {}
        self._morphs: dict[tuple[int, int], Morph | None] = {}
        self._panels: dict[int, PanelData] = {}
        self._scales: dict[str, Scale] = {}
        self._package_columns: dict[int, int] = {}
        self._themes: dict[int, Theme] = {}
        self._moved: dict[int, tuple[str, ...]] = {}

    def plan(self, index: int) -> Plan | OrderPlan:
        """The plan of a keyframe."""
        return self.resolved.plans[self.keyframes[index].plan]

    def theme_of(self, index: int) -> Theme:
        """The theme with the colours that the devices of a keyframe's plan have in this story."""
        number = self.keyframes[index].plan
        if number not in self._themes:
            numbers = self.resolved.device_numbers.get(number, ())
            self._themes[number] = self.theme.numbered(numbers)
        return self._themes[number]

    def panel_kind(self, index: int) -> str:
        """Which panel a keyframe has; none beside a certificate, which says it all."""
        keyframe = self.keyframes[index]
        return "" if keyframe.view == "certificate" else keyframe.panel

    def shot(self, index: int) -> AnyShot:
        """A keyframe at rest."""
        if index not in self._shots:
            self._shots[index] = self._make(self.keyframes[index], index)
        return self._shots[index]

    def _make(self, keyframe: Keyframe, index: int) -> AnyShot:
        plan = self.plan(index)
        kind, room = self.panel_kind(index), self.places.room(self.panel_kind(index))
        if keyframe.view == "certificate":
            from gui.present.certificate.page import CertificatePage
            from planner.reports.certificate.certificate import certificate

            return CertificatePage(
                certificate(plan, plan.problem.holding(self.resolved.bounds[keyframe.plan]))
            )
        if keyframe.view == "comparison":
            from gui.present.comparison.making import comparison_shot

            usual = (*self.places.usual.room(kind), self.places.unit)
            return comparison_shot(self.resolved, keyframe, room, self.places.scene, self.theme, usual)
        if isinstance(plan, OrderPlan):
            order = self._networks.stage(plan)
            place = order.seen(keyframe.camera, room, self.places.scene)
            return NetworkShot(
                order, place, order.moment(keyframe.at), marked_neurons(plan, keyframe.highlight)
            )
        if keyframe.view == "package":
            return self._package(keyframe, plan, room[0])
        grown = self._grown(keyframe.view)
        stage, unit = self._graph(index, grown), self.places.unit * grown
        chosen = highlighted(stage.scene, keyframe.highlight)
        lit, moved = self._lit(keyframe, plan), self._said_to_move(index)
        # Faded cards would have colours that the scale of a heat map does not; what moved is on many devices, also those not spoken of.
        if stage.scene.heat is not None or moved:
            lit = np.zeros_like(lit)
        out = stage.scene.mask(highlighted(stage.scene, moved) if moved else chosen)
        if lit.any() and not out.any():
            out = stage.scene.mask(
                np.flatnonzero(lit[stage.scene.op_device])
            )  # groups that have any of their ops
        seen = self._room(index, stage, unit)
        view, foot = stage.seen(keyframe.camera, seen, unit), room[1] - seen[1]
        return Shot(
            stage,
            view,
            out,
            room[0] / unit,
            unit,
            lit,
            self._marks(keyframe, plan, stage.scene, chosen, foot / unit),
            NOT_MOVED if moved else "",
        )

    def _lit(self, keyframe: Keyframe, plan: Plan) -> Bools:
        """The devices that a keyframe's words name."""
        words = f"{keyframe.title}\n{keyframe.caption}"
        return named_devices(words, plan.problem.devices, plan.evaluation.ops)

    def _said_to_move(self, index: int) -> tuple[str, ...]:
        """:func:`~gui.present.emphasis.said_to_move`."""
        if index not in self._moved:
            self._moved[index] = said_to_move(self.resolved, index)
        return self._moved[index]

    def _noted(self, unit: float) -> dict[str, float]:
        """How high the notes below graphs are (pixels) in the views in which any has one, a pixel of 1280 x 800 being ``unit``."""
        noted = {k.view for i, k in enumerate(self.keyframes) if self._said_to_move(i)}
        return dict.fromkeys(noted, LINE * unit)

    def _package(self, keyframe: Keyframe, plan: Plan, width: float = 0.0) -> PackageShot:
        """The package of a keyframe, on the scale of all that the story shows of the same model."""
        model = plan.problem.graph.fingerprint
        if model not in self._scales:
            shown = {k.plan for k in self.keyframes if "package" in (k.view, k.panel)}
            plans = (self.resolved.plans[i] for i in sorted(shown))
            self._scales[model] = shared_scale(
                p for p in plans if isinstance(p, Plan) and p.problem.graph.fingerprint == model
            )
        lit, scale = self._lit(keyframe, plan), self._scales[model]
        columns = self._columns(len(plan.problem.devices))
        return package_shot(plan, self._versus(keyframe), lit, self.theme, scale, width, columns)

    def _columns(self, count: int) -> int:
        """In how many columns packages of so many chips stand in the whole story."""
        if count not in self._package_columns:
            rooms = []
            for index, keyframe in enumerate(self.keyframes):
                plan, panel = self.plan(index), self.places.panel(keyframe.panel)
                if isinstance(plan, Plan) and len(plan.problem.devices) == count:
                    rooms += [self.places.room(self.panel_kind(index))] if keyframe.view == "package" else []
                    rooms += [(panel.width(), panel.height())] if keyframe.panel == "package" else []
            self._package_columns[count] = shared_columns(count, rooms, self.places.package)
        return self._package_columns[count]

    def _versus(self, keyframe: Keyframe) -> Plan | None:
        """The plan that a keyframe's plan of a graph is compared with."""
        other = self.resolved.plans[keyframe.versus] if keyframe.versus >= 0 else None
        return other if isinstance(other, Plan) else None

    def _graph(self, index: int, grown: float) -> GraphStage:
        """The graph of a keyframe, drawn so much larger than usual."""
        keyframe, plan = self.keyframes[index], self.plan(index)
        assert isinstance(plan, Plan)
        numbers = self.theme_of(index).device_numbers
        graphs: Graphs = self._graphs(grown)
        return graphs.stage(plan, keyframe.view, numbers, keyframe.colouring, keyframe.folded)

    def _grown(self, view: str) -> float:
        """How much larger than usual graphs are drawn in a view, in all keyframes alike: as letters are, or less where some would say less
        then."""
        if view not in self._growths:
            wished = self.places.grown
            shown = [
                i for i, k in enumerate(self.keyframes) if k.view == view and isinstance(self.plan(i), Plan)
            ]
            tried = (wished, (1.0 + wished) / 2) if wished > 1.0 else ()
            usual = [self._told(i, 1.0) for i in shown] if tried else []
            self._growths[view] = next(
                (
                    grown
                    for grown in tried
                    if all(
                        says_no_less(self._told(i, grown), told) for i, told in zip(shown, usual, strict=True)
                    )
                ),
                1.0,
            )
        return self._growths[view]

    def _told(self, index: int, grown: float) -> Told:
        """How much a keyframe of a graph says where it is drawn so much larger."""
        kind, unit = self.panel_kind(index), self.places.unit * grown
        stage = self._graph(index, grown)
        view = stage.seen(self.keyframes[index].camera, self._room(index, stage, unit), unit)
        return told_on(stage, view, self.places.room(kind), unit)

    def _room(self, index: int, stage: GraphStage, unit: float) -> tuple[float, float]:
        """The room of a keyframe's graph beside a panel and above its legend and the scale of its heat map, a pixel of 1280 x 800 being ``unit``."""
        kind = self.panel_kind(index)
        note = NOT_MOVED if self._said_to_move(index) else ""
        lines = legend_of(stage.scene, stage.headers, self.places.room(kind)[0] / unit, note)
        return self.places.room(kind, (LINE * len(lines) + scale_height(stage.scene)) * unit)

    def _marks(self, keyframe: Keyframe, plan: Plan, scene: Scene, chosen: Ints, foot: float) -> Marks:
        """What carries a label, one for each card: few ops that are highlighted, or that were moved by hand where a rule is broken; and that rule."""
        pointed = pointed_violation(plan.evaluation.violations)
        other = self._versus(keyframe)
        if pointed is not None and other is not None:
            chosen = np.flatnonzero(plan.decision.device_of != other.decision.device_of).astype(np.int32)
        _, one_each = np.unique(scene.items.item_of[chosen], return_index=True)
        ops = chosen[np.sort(one_each)] if len(one_each) <= MOST_LABELLED else chosen[:0]
        return Marks(ops, pointed, tuple(d.title for d in plan.problem.devices), foot)

    def figures(self, index: int) -> list[Run]:
        """What the line above says: how good the plan of a keyframe provably is, or what each of those compared costs."""
        if self.keyframes[index].view == "comparison":
            from gui.present.comparison.making import comparison_of
            from gui.present.comparison.words import comparison_runs

            keyframe = self.keyframes[index]
            return comparison_runs(comparison_of(self.resolved, keyframe), self.theme, keyframe.comparison)
        plan, bounds = self.plan(index), self.resolved.bounds
        told = {i for keyframe in self.keyframes[index + 1 :] for i in keyframe.told}
        alike = (i for i in sorted(told) if self.resolved.plans[i].problem == plan.problem)
        later = [bound for i in alike for bound in bounds[i]]
        return figure_runs(plan, bounds[self.keyframes[index].plan], self.theme, later)

    def target(self, index: int) -> str:
        """What the plan of a keyframe, or those that are compared, are for."""
        if self.keyframes[index].view == "comparison":
            from gui.present.comparison.making import comparison_of, own_numbers
            from gui.present.comparison.words import comparison_target

            keyframe = self.keyframes[index]
            return comparison_target(
                comparison_of(self.resolved, keyframe), own_numbers(self.resolved, keyframe)
            )
        return target_words(self.plan(index).problem, self._problems)

    @cached_property
    def _problems(self) -> list[PlanningProblem]:
        """The problems of all plans that the story tells of."""
        told = {i for keyframe in self.keyframes for i in keyframe.told}
        return [self.resolved.plans[i].problem for i in sorted(told)]

    def morph(self, first: int, second: int) -> Morph | None:
        """The way from one keyframe to another of the same graph; None where one picture fades into the other."""
        key = (first, second)
        if key not in self._morphs:
            a, b = self.shot(first), self.shot(second)
            found = None
            if isinstance(a, Shot) and isinstance(b, Shot):
                one, other = a.stage.scene.items.graph, b.stage.scene.items.graph
                if one is other or one.fingerprint == other.fingerprint:
                    whole = (
                        a.stage.seen(None, self._room(first, a.stage, a.unit), a.unit),
                        b.stage.seen(None, self._room(second, b.stage, b.unit), b.unit),
                    )
                    found = Morph(a, b, whole)
            if len(self._morphs) > 6:
                self._morphs.clear()
            self._morphs[key] = found
        return self._morphs[key]

    def panel(self, index: int) -> PanelData:
        """What the panel of a keyframe is painted from."""
        if index not in self._panels:
            self._panels[index] = self._panel(index)
        return self._panels[index]

    def _panel(self, index: int) -> PanelData:
        keyframe, plan, bounds = self.keyframes[index], self.plan(index), self.resolved.bounds
        told: list[int] = []
        for k in self.keyframes:
            if k.plan not in told and self.resolved.plans[k.plan].problem == plan.problem:
                told.append(k.plan)
        members, step_of = steps_of([(self.resolved.plans[p], bounds[p]) for p in told])
        # Going back to an earlier plan shows the line up to that plan, not what came between.
        shown = step_of[told.index(keyframe.plan)] + 1
        comparison = package = None
        versus = self._versus(keyframe) if keyframe.panel == "difference" else None
        if versus is not None and isinstance(plan, Plan):
            from planner.reports.comparison import compare

            pair = (keyframe.versus, keyframe.plan)
            own = [self.resolved.device_numbers.get(i, ()) for i in pair]
            rows = self.resolved.matched.rows(pair)
            comparison = compare([versus, plan], rows=rows).numbered(own, 1)
        if keyframe.panel == "package" and isinstance(plan, Plan):
            package = self._package(keyframe, plan)
        found = schedule_of(plan) if keyframe.panel == "schedule" and isinstance(plan, Plan) else None
        full = self._full(plan) if keyframe.panel == "costs" else 0.0
        if keyframe.panel == "memory" and isinstance(plan, Plan):
            full = self._fullest(plan)
        return PanelData(
            keyframe.panel, plan, bounds[keyframe.plan], members, shown, versus, comparison, found, package, full
        )  # fmt: skip

    def _fullest(self, plan: Plan) -> float:
        """The most that a device holds in all plans of this model whose memory the story shows."""
        model = plan.problem.graph.fingerprint
        shown = [self.plan(i) for i, k in enumerate(self.keyframes) if k.panel == "memory"]
        alike = [p for p in shown if isinstance(p, Plan) and p.problem.graph.fingerprint == model]
        return max((float(cache_used(p.problem, p.evaluation).max(initial=0.0)) for p in alike), default=0.0)

    def _full(self, plan: Plan | OrderPlan) -> float:
        """The most that a device pays in all plans whose costs the story shows, of the model and kind of this one; of orders the most reads
        or writes."""
        if (
            isinstance(plan, Plan)
            and plan.problem.unit(plan.problem.components[0]) == plan.problem.graph.time_unit
        ):
            return longest_bar(plan, self._barred)
        shown = [self.plan(i) for i, k in enumerate(self.keyframes) if k.panel == "costs"]
        if isinstance(plan, OrderPlan):
            network = plan.problem.network.fingerprint
            orders = [
                p.evaluation for p in shown
                if isinstance(p, OrderPlan) and p.problem.network.fingerprint == network
            ]  # fmt: skip
            return float(max((max(e.reads, e.writes) for e in orders), default=0))
        alike = (
            p for p in shown if isinstance(p, Plan)
            and p.problem.graph.fingerprint == plan.problem.graph.fingerprint
            and p.problem.components[0] == plan.problem.components[0]
        )  # fmt: skip
        most = [float(p.evaluation.pace.max(initial=0.0)) for p in alike]
        return max((pace for pace in most if math.isfinite(pace)), default=0.0)
