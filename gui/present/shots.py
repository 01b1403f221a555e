"""The keyframes of a story, prepared for painting: what each shows at rest, and what lies between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.look.theme import Theme
from gui.present.captions import Run, figure_runs
from gui.present.network_view import Networks, NetworkStage, marked_neurons
from gui.present.panels.panels import NetworkNow, PanelData, schedule_of
from gui.present.scenes import Graphs, Places, View, highlighted
from gui.present.transition.transition import Morph, Shot
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.problem import Plan
from planner.story.story import Keyframe, Resolved

if TYPE_CHECKING:
    from gui.present.certificate.page import CertificatePage
    from gui.present.comparison.shot import ComparisonShot


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


class Shots:
    """What the keyframes of a story show in frames of one size and theme; everything is made once, when it is first asked for."""

    def __init__(self, resolved: Resolved, places: Places, theme: Theme) -> None:
        self.resolved, self.places, self.theme = resolved, places, theme
        self.keyframes = resolved.story.keyframes
        panels = any(k.panel for k in self.keyframes if k.view in ("flow", "lanes"))
        self._graphs = Graphs(places.room("costs" if panels else ""), places.unit, theme)
        beside = any(k.panel for k in self.keyframes if k.view == "network")
        self._networks = Networks(places.room("costs" if beside else ""), places.unit, theme)
        self._shots: dict[int, Shot | NetworkShot | CertificatePage | ComparisonShot] = {}
        self._morphs: dict[tuple[int, int], Morph | None] = {}
        self._panels: dict[int, PanelData] = {}

    def plan(self, index: int) -> Plan | OrderPlan:
        """The plan of a keyframe."""
        return self.resolved.plans[self.keyframes[index].plan]

    def panel_kind(self, index: int) -> str:
        """Which panel a keyframe has; none beside a certificate, which says it all."""
        keyframe = self.keyframes[index]
        return "" if keyframe.view == "certificate" else keyframe.panel

    def shot(self, index: int) -> Shot | NetworkShot | CertificatePage | ComparisonShot:
        """A keyframe at rest."""
        if index not in self._shots:
            self._shots[index] = self._make(self.keyframes[index], index)
        return self._shots[index]

    def _make(self, keyframe: Keyframe, index: int) -> Shot | NetworkShot | CertificatePage | ComparisonShot:
        plan = self.plan(index)
        room = self.places.room(self.panel_kind(index))
        if keyframe.view == "certificate":
            from gui.present.certificate.page import CertificatePage
            from planner.reports.certificate.certificate import certificate

            return CertificatePage(certificate(plan, self.resolved.bounds[keyframe.plan]))
        if keyframe.view == "comparison":
            from gui.present.comparison.making import comparison_shot

            return comparison_shot(self.resolved, keyframe, room, self.places.unit, self.theme)
        if isinstance(plan, OrderPlan):
            stage = self._networks.stage(plan)
            view = stage.seen(keyframe.camera, room, self.places.unit)
            return NetworkShot(
                stage, view, stage.moment(keyframe.at), marked_neurons(plan, keyframe.highlight)
            )
        graph_stage = self._graphs.stage(plan, keyframe.view)
        out = graph_stage.scene.mask(highlighted(graph_stage.scene, keyframe.highlight))
        return Shot(graph_stage, graph_stage.seen(keyframe.camera, room, self.places.unit), out)

    def figures(self, index: int) -> list[Run]:
        """What the line above says: how good the plan of a keyframe provably is, or what each of those compared costs."""
        if self.keyframes[index].view == "comparison":
            from gui.present.comparison.making import comparison_of
            from gui.present.comparison.words import comparison_runs

            return comparison_runs(comparison_of(self.resolved, self.keyframes[index]), self.theme)
        return figure_runs(self.plan(index), self.resolved.bounds[self.keyframes[index].plan], self.theme)

    def morph(self, first: int, second: int) -> Morph | None:
        """The way from one keyframe to another of the same graph; None where one picture fades into the other."""
        key = (first, second)
        if key not in self._morphs:
            a, b = self.shot(first), self.shot(second)
            found = None
            if isinstance(a, Shot) and isinstance(b, Shot):
                one, other = a.stage.scene.items.graph, b.stage.scene.items.graph
                if one is other or one.fingerprint == other.fingerprint:
                    unit = self.places.unit
                    whole = (
                        a.stage.seen(None, self.places.room(self.panel_kind(first)), unit),
                        b.stage.seen(None, self.places.room(self.panel_kind(second)), unit),
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
        so_far = {k.plan for k in self.keyframes[: index + 1]}
        # Going back to an earlier plan shows the line up to that plan, not what came between.
        shown = told.index(keyframe.plan) + 1 if keyframe.plan in so_far else len(told)
        members = [(self.resolved.plans[p], bounds[p]) for p in told]
        versus = comparison = None
        if keyframe.panel == "difference" and keyframe.versus >= 0:
            from planner.reports.comparison import compare

            other = self.resolved.plans[keyframe.versus]
            assert isinstance(plan, Plan) and isinstance(other, Plan)
            versus, comparison = other, compare([other, plan])
        found = schedule_of(plan) if keyframe.panel == "schedule" and isinstance(plan, Plan) else None
        return PanelData(
            keyframe.panel, plan, bounds[keyframe.plan], members, shown, versus, comparison, found
        )  # fmt: skip
